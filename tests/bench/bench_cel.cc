/// Measures what rules of real CRDs cost: to compile, and to evaluate for an object, beside a walk
/// of the same object.
///
///   bench_cel LINES [WORD...]     LINES: tests/vectors/cel_objects.jsonl, or others of
///   validate-cel
///
/// Only CRDs in whose file name one of the words is. The CRDs are those of the corpus.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kube/crd/crd_validation.h"
#include "kube/schema/object_validation.h"
#include "kube/yaml/yaml.h"
#include "tests/support/corpus.h"

namespace bench {
namespace {

using kube::json::Value;
using kube::schema::RuleValidator;

/// A version of a CRD with objects of it.
struct Subject {
  kube::json::Document crd;
  kube::schema::SchemaProps props;
  std::vector<std::unique_ptr<kube::json::Document>> lines;
  std::vector<const Value*> objects;
};

using Subjects = std::map<std::string, Subject>;

constexpr auto kLeastTime = std::chrono::milliseconds(300);

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return text.str();
}

void ReadCrd(const std::string& file, std::string_view version, Subject& subject) {
  const std::string text = ReadFile(test_support::CorpusFolder() / "modern" / file);
  if (kube::yaml::Parse(text, 1, subject.crd)) throw std::runtime_error("cannot parse " + file);
  for (const Value& one : subject.crd.root().Find("spec")->Find("versions")->elements()) {
    if (one.FindText("name") != version) continue;
    auto props = kube::schema::ReadSchemaProps(*one.Find("schema")->Find("openAPIV3Schema"));
    if (!props) throw std::runtime_error(file + ": " + props.error());
    subject.props = *std::move(props);
    return;
  }
  throw std::runtime_error(file + " has no version " + std::string(version));
}

bool IsWanted(std::string_view name, int count, char** words) {
  for (int i = 0; i < count; ++i) {
    if (name.find(words[i]) != name.npos) return true;
  }
  return count == 0;
}

Subjects ReadSubjects(const char* path, int count, char** words) {
  Subjects subjects;
  std::istringstream lines(ReadFile(path));
  for (std::string line; std::getline(lines, line);) {
    auto vector = std::make_unique<kube::json::Document>();
    if (vector->Parse(line)) throw std::runtime_error("a line of no JSON");
    const Value& input = *vector->root().Find("input");
    const std::string file(input.FindText("crd"));
    if (!IsWanted(file, count, words)) continue;
    const std::string version(input.FindText("version"));
    Subject& subject = subjects[file + " " + version];
    if (subject.lines.empty()) ReadCrd(file, version, subject);
    subject.objects.push_back(input.Find("object"));
    subject.lines.push_back(std::move(vector));
  }
  return subjects;
}

/// Microseconds of CPU that `work` takes, which is done until there is something to measure.
template <typename Work>
double MicrosecondsOf(Work work) {
  const std::clock_t start = std::clock();
  const auto begin = std::chrono::steady_clock::now();
  int count = 0;
  for (; count == 0 || std::chrono::steady_clock::now() - begin < kLeastTime; ++count) work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e6 / count;
}

/// Looks at every value once, and at every text.
std::size_t Walk(const Value& value) {
  if (value.is_string()) return value.text().size();
  std::size_t size = 1;
  if (value.is_array()) {
    for (const Value& element : value.elements()) size += Walk(element);
  } else if (value.is_object()) {
    for (const kube::json::Member& member : value.members()) {
      size += member.key.text().size() + Walk(member.value);
    }
  }
  return size;
}

void Run(const std::string& name, const Subject& subject) {
  const double compile = MicrosecondsOf([&] { RuleValidator::Make(subject.props, true); });
  const auto rules = RuleValidator::Make(subject.props, true);
  if (rules == nullptr) return;
  const auto count = static_cast<double>(subject.objects.size());
  std::size_t errors = 0, walked = 0;
  const double evaluate = MicrosecondsOf([&] {
    errors = 0;
    for (const Value* object : subject.objects) {
      errors += rules->Validate(*object, "", {}).errors.size();
    }
  });
  const double walk = MicrosecondsOf([&] {
    for (const Value* object : subject.objects) walked += Walk(*object);
  });
  std::printf("%s: %zu objects, compile %.2f ms, evaluate %.1f us, walk %.2f us, %zu errors%s\n",
              name.c_str(), subject.objects.size(), compile / 1e3, evaluate / count, walk / count,
              errors, walked == 0 ? ", empty" : "");
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_cel LINES [WORD...]\n");
    return 2;
  }
  try {
    for (const auto& [name, subject] : bench::ReadSubjects(argv[1], argc - 2, argv + 2)) {
      bench::Run(name, subject);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
