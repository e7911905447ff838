#include "kube/json/manifest_splitter.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::json {
namespace manifest_splitter_test {

const char* NameOf(ListSplitter::Kind kind) {
  switch (kind) {
    case ListSplitter::Kind::kItem:
      return "item";
    case ListSplitter::Kind::kList:
      return "list";
    case ListSplitter::Kind::kObject:
      break;
  }
  return "object";
}

class Log : public ManifestSplitter::Sink {
 public:
  void OnManifest(const ManifestSplitter::Manifest& manifest) override {
    const bool json = manifest.format == ManifestSplitter::Format::kJson;
    entries.push_back(std::string(json ? "json " : "yaml ") + NameOf(manifest.kind) + " line " +
                      std::to_string(manifest.position.line) + " offset " +
                      std::to_string(manifest.position.offset) + ": " + std::string(manifest.text));
  }
  std::vector<std::string> entries;
};

using Entries = std::vector<std::string>;

Entries Split(std::string_view text, std::size_t piece) {
  Log log;
  ManifestSplitter splitter(log);
  std::optional<SplitError> error;
  for (std::size_t i = 0; i < text.size() && !error; i += piece) {
    error = splitter.Push(text.substr(i, piece));
  }
  if (!error) error = splitter.Finish();
  if (error) {
    log.entries.push_back("error " + std::to_string(error->position.line) + ": " + error->message);
  }
  return log.entries;
}

Entries Split(std::string_view text) {
  const Entries whole = Split(text, text.size() + 1);
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 7U}) CHECK(Split(text, piece) == whole);
  return whole;
}

TEST_CASE("YAML documents are split at lines of three dashes", "[manifest]") {
  CHECK(Split("a: b\n---\nc: d\n--- # e\nf: ---\n---\t \n") ==
        Entries{"yaml object line 1 offset 0: a: b\n", "yaml object line 3 offset 9: c: d\n",
                "yaml object line 5 offset 22: f: ---\n"});
  CHECK(Split("a: b\r\n---\r\nc: d") ==
        Entries{"yaml object line 1 offset 0: a: b\r\n", "yaml object line 3 offset 11: c: d"});
  CHECK(Split("a: |\n  x\n  ---\n") == Entries{"yaml object line 1 offset 0: a: |\n  x\n  ---\n"});
}

TEST_CASE("Documents without content are left out", "[manifest]") {
  CHECK(Split("").empty());
  CHECK(Split(" \n\n# c\n---\n---\n  # d\n---").empty());
  CHECK(Split("---\n---\n# c\na: b\n---\n\n") ==
        Entries{"yaml object line 3 offset 8: # c\na: b\n"});
}

TEST_CASE("Only a comment may follow the dashes", "[manifest]") {
  CHECK(Split("a: b\n---c\n") == Entries{"error 2: invalid Yaml document separator: c"});
  CHECK(Split("a: b\n---- \n") == Entries{"error 2: invalid Yaml document separator: -"});
  CHECK(Split("--- a: b\n") == Entries{"error 1: invalid Yaml document separator: a: b"});
}

TEST_CASE("A brace at the start means JSON", "[manifest]") {
  CHECK(Split(" \n{\"a\": 1} {\"b\": 2}\n") == Entries{"json object line 2 offset 2: {\"a\": 1}",
                                                       "json object line 2 offset 11: {\"b\": 2}"});
  CHECK(Split("{\"items\": [{\"a\": 1}, {\"b\": 2}]}").size() == 3);
  CHECK(Split("# c\n{\"a\": 1}") == Entries{"yaml object line 1 offset 0: # c\n{\"a\": 1}"});
  CHECK(Split("---\n{\"a\": 1}\n---\n{\"b\": 2}") ==
        Entries{"yaml object line 2 offset 4: {\"a\": 1}\n",
                "yaml object line 4 offset 17: {\"b\": 2}"});
}

TEST_CASE("kubectl looks for the brace in the first 4096 bytes", "[manifest]") {
  CHECK(Split(std::string(4095, ' ') + "{}", 10000)[0].starts_with("json"));
  CHECK(Split(std::string(4096, ' ') + "{}", 10000)[0].starts_with("yaml"));
}

TEST_CASE("YAML may follow JSON", "[manifest]") {
  CHECK(Split("{\"a\": 1}\n---\nb: 2\n---\n{\"c\": 3}\n") ==
        Entries{"json object line 1 offset 0: {\"a\": 1}", "yaml object line 3 offset 13: b: 2\n",
                "yaml object line 5 offset 22: {\"c\": 3}\n"});
  CHECK(Split("{\"a\": 1\n---\nb: 2\n").back().starts_with("error"));
}

TEST_CASE("UTF-16 is told by its byte order mark", "[manifest]") {
  const std::string little(
      "\xFF\xFE"
      "a\0:\0 \0\x3D\xD8\x00\xDE\n\0",
      14);
  CHECK(Split(little) == Entries{"yaml object line 1 offset 0: a: \xF0\x9F\x98\x80\n"});
  const std::string big(
      "\xFE\xFF"
      "\0a\0:\0 \0b\xD8\x00",
      12);
  CHECK(Split(big) == Entries{"yaml object line 1 offset 0: a: b\xEF\xBF\xBD"});
}

TEST_CASE("A UTF-8 byte order mark is cut off, bad bytes are replaced", "[manifest]") {
  CHECK(Split("\xEF\xBB\xBF{\"a\": 1}") == Entries{"json object line 1 offset 0: {\"a\": 1}"});
  CHECK(Split("a: \xC3\xA9\xFF\xC3") ==
        Entries{"yaml object line 1 offset 0: a: \xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD"});
}

}  // namespace manifest_splitter_test
}  // namespace kube::json
