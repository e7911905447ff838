#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/json/json.h"
#include "kube/yaml/yaml.h"

// A second opinion on the YAML that we print. Our reader is libyaml, of which the printer imitates
// a translation: the two could be wrong together. yaml-cpp shares no code with them.
namespace kube::yaml {
namespace {

// yaml-cpp takes what YAML 1.2's core schema and 1.1 have in common for more than a text, and so
// do we; but each library knows some forms alone. To go-yaml 0b11, 1_000, 0o17 and 2001-01-01 are
// not texts, so that we quote them; to yaml-cpp they are. The other way round there is nothing:
// what yaml-cpp converts is quoted. So what a scalar is follows from its text and its tag, which
// yaml-cpp gives as "!" in quotes and blocks and as "?" where it stands plain.

bool IsPlain(const YAML::Node& node) { return node.IsScalar() && node.Tag() == "?"; }

template <typename T>
bool ConvertsTo(const YAML::Node& node) {
  T value{};
  return YAML::convert<T>::decode(node, value);
}

// yaml-cpp 0.7 makes the byte 0x85 of the escape "\N", which is U+0085, and so no UTF-8.
std::string TextOf(const YAML::Node& node) {
  std::string text;
  for (std::string_view rest = node.Scalar(); !rest.empty();) {
    const std::size_t length = base::utf8::SequenceLength(rest);
    if (length == 0) text += '\xC2';
    text += rest.substr(0, std::max<std::size_t>(length, 1));
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::string StringFault(const YAML::Node& node, std::string_view want) {
  if (node.IsNull()) return "null in the place of a text";
  if (!node.IsScalar()) return "no scalar";
  if (TextOf(node) != want) return "the text is \"" + TextOf(node) + "\"";
  if (node.Tag() == "!") return "";
  if (!IsPlain(node)) return "tagged " + node.Tag();
  const bool converts =
      ConvertsTo<bool>(node) || ConvertsTo<double>(node) || ConvertsTo<std::int64_t>(node);
  return converts ? "a text, plain, that yaml-cpp converts: " + node.Scalar() : "";
}

double AsDouble(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

// An integer first: to yaml-cpp 0440 is octal as one, as to YAML 1.1, and decimal as a double.
std::string NumberFault(const YAML::Node& node, std::string_view want) {
  std::int64_t integer = 0;
  double number = 0;
  if (!IsPlain(node)) return "no number";
  if (YAML::convert<std::int64_t>::decode(node, integer)) {
    number = static_cast<double>(integer);
  } else if (!YAML::convert<double>::decode(node, number)) {
    return "no number";
  }
  return number == AsDouble(want) ? "" : "the number is " + node.Scalar();
}

std::string BoolFault(const YAML::Node& node, bool want) {
  bool value = !want;
  if (!IsPlain(node) || !YAML::convert<bool>::decode(node, value)) return "no boolean";
  return value == want ? "" : "the other boolean";
}

std::string Fault(const YAML::Node& node, const json::Value& want);

std::string ArrayFault(const YAML::Node& node, const json::Value& want) {
  if (!node.IsSequence() || node.size() != want.size()) return "no such sequence";
  auto element = want.elements().begin();
  for (const YAML::Node& child : node) {
    const std::string fault = Fault(child, *element++);
    if (!fault.empty())
      return "[" + std::to_string(element - want.elements().begin()) + "] " + fault;
  }
  return "";
}

std::string ObjectFault(const YAML::Node& node, const json::Value& want) {
  if (!node.IsMap() || node.size() != want.size()) return "no such map";
  for (const auto& member : node) {
    const YAML::Node& key = member.first;
    if (!key.IsScalar()) return "a key that is no scalar";
    const std::string name = TextOf(key);
    const json::Value* value = want.Find(name);
    std::string fault = StringFault(key, name);
    if (fault.empty())
      fault = value == nullptr ? "not a key of ours" : Fault(member.second, *value);
    if (!fault.empty()) return "." + name + " " + fault;
  }
  return "";
}

// What yaml-cpp reads otherwise than `want`, the first of it; empty: nothing.
std::string Fault(const YAML::Node& node, const json::Value& want) {
  switch (want.type()) {
    case json::Type::kNull:
      return node.IsNull() ? "" : "no null";
    case json::Type::kBool:
      return BoolFault(node, want.AsBool());
    case json::Type::kNumber:
      return NumberFault(node, want.text());
    case json::Type::kString:
      return StringFault(node, want.text());
    case json::Type::kArray:
      return ArrayFault(node, want);
    case json::Type::kObject:
      return ObjectFault(node, want);
  }
  return "no type";
}

// The same of the only document of `text`.
std::string YamlCppFault(const std::string& text, const json::Value& want) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() != 1) return std::to_string(documents.size()) + " documents";
    return Fault(documents.front(), want);
  } catch (const YAML::Exception& error) {
    return error.what();
  }
}

// A number may have another text: 1e3 is read as 1000.
bool IsSame(const json::Value& a, const json::Value& b) {
  if (a.is_number() && b.is_number()) return AsDouble(a.text()) == AsDouble(b.text());
  if (a.type() != b.type() || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.elements().size(); ++i) {
    if (!IsSame(a.elements()[i], b.elements()[i])) return false;
  }
  for (const json::Member& member : a.members()) {
    const json::Value* other = b.Find(member.key.text());
    if (other == nullptr || !IsSame(member.value, *other)) return false;
  }
  return a.is_bool() ? a.AsBool() == b.AsBool() : a.text() == b.text();
}

// `printed` is one document of ours, of `value`.
void CheckBothRead(const std::string& printed, const json::Value& value) {
  INFO(printed);
  CHECK(YamlCppFault(printed, value) == "");
  json::Document read;
  const auto error = Parse(printed, 1, read);
  CHECK((error ? error->message : "") == "");
  CHECK(IsSame(read.root(), value));
}

// clang-format off
// Texts that mean something in one YAML or another, or that are laid out in a way of their own.
const std::vector<std::string> kWords = {
    "", " ", "a", "b", "key", "x-y", "a.b/c", "with space", "a ", " a", "a  b", "a\tb", "\t", "\ta",
    "a\t", "n", "y", "Y", "N", "on", "off", "On", "OFF", "yes", "no", "Yes", "NO", "yEs", "true",
    "True", "TRUE", "tRue", "false", "False", "null", "Null", "NULL", "nUll", "~", "0", "1", "-1",
    "+1", "-0", "007", "010", "08", "0o17", "0x1F", "0X1f", "0x", "0b11", "1_000", "1__0", "_1",
    "1.5", "1e3", "1E5", "1.e+2", ".5", "1.", ".", "-.5", "1e400", "12345678901234567890", "1e",
    "e1", "2001-01-01", "2001-1-1", "2001-01-01T00:00:00Z", "2001-01-01 1:2:3", "1:30",
    "190:20:30.15", "1:2", "<<", "=", ".inf", "-.Inf", "+.INF", ".nan", ".NaN", "NaN", "nan", "inf",
    "Infinity", "\xC3\xA9", "\xE6\x97\xA5\xE6\x9C\xAC", "\xF0\x9F\x98\x80", "\xC2\xA0", "\xC2\x85",
    "\xEF\xBB\xBF", "a\xEF\xBB\xBF", "\xE2\x80\x8B", "\xE2\x80\xA8", "a\xE2\x80\xA9""b",
    "\xE2\x80\xAE", "\xE2\x81\xA6", "\xEF\xBF\xBD", "\xEF\xBF\xBE", "\xEF\xBF\xBF", "\xC2\x9B",
    "\x7F", "\x01", "\x1B[31m", "\b", std::string(1, '\0'), std::string("a\0b", 3), "-", "?", ":",
    ",", "[", "]", "{", "}", "#", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`", "-x", "?x",
    ":x", "- a", "? a", ": a", "a-", "a?", "a:", "a: ", "a: b", "a:b", "a #b", "a#b", " #", "#a",
    "a,b", "a]", "a}", "[a]", "{a: b}", "&x", "&x y", "*x", "!x", "!!str", "!!str a", "%x", "@x",
    "`x", "|x", ">x", "|-", ">+", "---", "--- a", "...", "... a", "--", "..", "\n---\n",
    "a\n---\nb", "a\n...\nb", "'a", "a'", "''", "'a'", "\"a", "\"a\"", "\"\"", "a\\b", "\\", "\\n",
    "it's", "say \"x\"", "# c", "a\n# c\nb", "\n", "\n\n", "a\n", "a\n\n", "\na", "\n\na", " \n",
    "\n ", "a\n b", " a\nb", "  a\n b\n", "a \nb", "a\n\nb\n", "\n a\n", "a\n\n\n b\n", "\t\na",
    "a\n\tb", "a\r\nb", "a\rb", "\r", "a\xC2\x85""b", "a\v\fb", "key: |\n  a\n", "- a\n- b\n", "t",
    "f", "T", "None", "undefined"};

const std::vector<std::string> kJoints = {"", " ", "  ", "\n", "\n\n", " \n", "\n ", "\n  ", "\t",
    "\r\n", ": ", ":", " #", "- ", ", ", "'", "\"", "\\"};

const std::vector<std::string> kScalars = {"null", "true", "false", "0", "-0", "1", "-1", "10", "0.5",
    "-1.25e-7", "1e3", "1E5", "9007199254740993", "12345678901234567890", "1e300", "[]", "{}"};
// clang-format on

// Writes JSON of chance, the same for the same seed.
class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::string Value(int depth) {
    const std::uint32_t way = Below(10);
    if (way < 2 && depth > 0) return Chain(Below(60) == 0 ? 200 : 1 + Below(4), depth);
    if (way < 5 && depth > 0) return Object(depth);
    if (way < 7 && depth > 0) return Array(depth);
    return way == 9 ? Pick(kScalars) : Text();
  }

 private:
  std::uint32_t Below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  const std::string& Pick(const std::vector<std::string>& from) {
    return from[Below(static_cast<std::uint32_t>(from.size()))];
  }

  std::string Object(int depth) {
    std::string out = "{";
    for (std::uint32_t i = Below(5); i > 0; --i)
      out += Text() + ":" + Value(depth - 1) + (i > 1 ? "," : "");
    return out + "}";
  }

  std::string Array(int depth) {
    std::string out = "[";
    for (std::uint32_t i = Below(5); i > 0; --i) out += Value(depth - 1) + (i > 1 ? "," : "");
    return out + "]";
  }

  // Lists and maps of one, one in the other.
  std::string Chain(std::uint32_t levels, int depth) {
    std::string before, behind;
    for (; levels > 0; --levels) {
      const bool is_array = Below(2) == 0;
      before += is_array ? "[" : "{" + Text() + ":";
      behind.insert(0, is_array ? "]" : "}");
    }
    return before + Value(depth - 1) + behind;
  }

  // A string of JSON. Half of a surrogate pair stands in some: U+FFFD, as Go reads it.
  std::string Text() {
    std::string out = "\"" + Escaped(Pick(kWords));
    const std::uint32_t way = Below(10);
    const std::uint32_t more = way < 5 ? 0 : way < 9 ? 1 + Below(5) : 10 + Below(60);
    for (std::uint32_t i = 0; i < more; ++i) {
      out += Escaped(way == 8 ? " " : Pick(kJoints)) + Escaped(Pick(kWords));
      if (Below(100) == 0) out += Below(2) == 0 ? "\\ud83d" : "\\ude00 ";
    }
    if (Below(200) == 0) out += std::string(2000, 'x');
    return out + "\"";
  }

  static std::string Escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20) {
        out += {'\\', 'u', '0', '0', kDigits[byte >> 4], kDigits[byte & 15]};
      } else {
        out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
      }
    }
    return out;
  }

  std::mt19937 random_;
};

TEST_CASE("yaml-cpp and libyaml read what was printed, for 5,000 hostile values", "[yaml]") {
  Generator generator(20261129);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = generator.Value(/*depth=*/4);
    json::Document document;
    REQUIRE(!document.Parse(text));
    CheckBothRead(yaml::Print(document.root()), document.root());
  }
}

TEST_CASE("yaml-cpp and libyaml read each hostile text in each place", "[yaml]") {
  for (const std::string& word : kWords) {
    json::Arena arena;
    const json::Value text = json::Value::String(word);
    json::Value list = json::Value::Array(), map = json::Value::Object();
    list.Append(text, arena);
    map.Set(word, text, arena);
    list.Append(map, arena);
    map.Set("list", list, arena);
    CheckBothRead(yaml::Print(text), text);
    CheckBothRead(yaml::Print(list), list);
    CheckBothRead(yaml::Print(map), map);
  }
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

// What the commands of all transcripts print to stdout, each as one text.
std::vector<std::string> TranscriptOutputs() {
  std::vector<std::string> outputs;
  for (const auto& entry : std::filesystem::directory_iterator("tests/cli")) {
    if (entry.path().extension() != ".txt") continue;
    outputs.emplace_back();
    for (const std::string& line : Lines(ReadFile(entry.path()))) {
      if (line.starts_with("-- ") && line.ends_with(" --")) break;  // the files of the transcript
      if (line.starts_with("$ ") || line.starts_with("& ")) outputs.emplace_back();
      const bool is_output = line.empty() || (line[0] != '$' && line[0] != '&' && line[0] != '#' &&
                                              line[0] != '[' && !line.starts_with("2> "));
      if (is_output) outputs.back() += line + "\n";
    }
  }
  return outputs;
}

// Checks each document of `text`, and returns how many there are. A line of a scalar is indented.
int CheckDocuments(const std::string& text) {
  int count = 0;
  json::Document value;
  std::string document;
  const auto check = [&] {
    INFO(document);
    const auto error = Parse(document, 1, value);
    CHECK((error ? error->message : "") == "");
    if (!value.root().is_null()) CheckBothRead(document, value.root()), ++count;
    document.clear();
  };
  for (const std::string& line : Lines(text))
    line == "---" ? check() : void(document += line + "\n");
  check();
  return count;
}

TEST_CASE("yaml-cpp and libyaml read the same from what transcripts print", "[yaml]") {
  int manifests = 0, reports = 0;
  json::Document value;
  for (const std::string& output : TranscriptOutputs()) {
    if (output.starts_with("apiVersion: ") || output.starts_with("clientVersion:")) {
      manifests += CheckDocuments(output);
    } else if (output.starts_with("{") && !value.Parse(output)) {
      CheckBothRead(yaml::Print(value.root()), value.root());  // the report with -o yaml
      ++reports;
    }
  }
  CHECK(manifests >= 15);
  CHECK(reports >= 10);
}

TEST_CASE("yaml-cpp and libyaml read objects as they are before and after pruning", "[yaml]") {
  int pruned = 0;
  for (const char* name : {"corners", "fuzz_prune", "kep_pruning_examples", "objectmeta"}) {
    for (const std::string& line :
         Lines(ReadFile(std::string("tests/vectors/") + name + ".jsonl"))) {
      json::Document vector;
      REQUIRE(!vector.Parse(line));
      const json::Value& input = *vector.root().Find("input");
      const json::Value& expected = *vector.root().Find("expected");
      CheckBothRead(yaml::Print(input), input);
      CheckBothRead(yaml::Print(expected), expected);
      pruned += expected.Find("pruned") != nullptr ? 1 : 0;
    }
  }
  CHECK(pruned >= 300);
}

TEST_CASE("yaml-cpp and libyaml read the same from the manifests of a release", "[yaml]") {
  int manifests = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("krew/manifests")) {
    const bool is_template = entry.path().parent_path().filename() == "helm";
    if (entry.path().extension() != ".yaml" || is_template) continue;
    manifests += CheckDocuments(ReadFile(entry.path()));
  }
  CHECK(manifests >= 50);
}

TEST_CASE("What a printer could do wrong is found", "[yaml]") {
  const auto [value, wrong] = GENERATE(table<std::string, std::string>({
      {R"("1")", "1"},
      {R"("yes")", "yes"},
      {R"("null")", "null"},
      {R"("")", ""},
      {R"("a")", "'a '"},
      {R"("a  b")", "\"a\n  b\""},
      {R"("a\n")", "|-\n  a\n"},
      {"1", "'1'"},
      {"1", "2"},
      {"true", "'true'"},
      {"true", "false"},
      {"null", "'null'"},
      {"[]", "{}"},
      {"{}", "[]"},
      {R"(["a"])", "- a\n- a\n"},
      {R"([["a"]])", "- a\n"},
      {R"({"a":1})", "b: 1\n"},
      {R"({"a":1})", "a: 1\nb: 1\n"},
      {R"({"a":{"b":1}})", "a:\n  b: 2\n"},
      {R"({"1":1})", "1: 1\n"},
      {R"({"a":1})", "a: 1\n---\na: 1\n"},
      {R"("a")", "[a"},
  }));
  CAPTURE(value, wrong);
  json::Document document;
  REQUIRE(!document.Parse(value));
  CHECK(YamlCppFault(wrong, document.root()) != "");
  CHECK(YamlCppFault(value, document.root()) == "");  // JSON is YAML
}

}  // namespace
}  // namespace kube::yaml
