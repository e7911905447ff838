#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "kube/crd/crd_validation.h"
#include "kube/yaml/yaml.h"
#include "tests/support/corpus.h"

namespace kube::crd {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<json::Document> ReadDocument(const std::filesystem::path& path) {
  auto document = std::make_unique<json::Document>();
  const std::string text = ReadFile(path);
  if (path.extension() == ".json") {
    REQUIRE(!document->Parse(text));
  } else {
    REQUIRE(!yaml::Parse(text, 1, *document));
  }
  return document;
}

TEST_CASE("Real CRDs are refused for what the API server refuses them for", "[corpus]") {
  if (!test_support::HasCorpus()) return;
  std::ifstream expected(test_support::CorpusFolder() / "expected-crds.jsonl");
  for (std::string line; std::getline(expected, line);) {
    json::Document row;
    REQUIRE(!row.Parse(line));
    CAPTURE(row.root().FindText("crd"));
    const auto crd =
        ReadCrd(ReadDocument(test_support::CorpusFolder() / row.root().FindText("crd")));
    REQUIRE(crd);
    std::set<std::string> want, got;
    for (const json::Value& error : row.root().Find("admissionErrors")->elements()) {
      want.emplace(error.text());
    }
    for (const CrdFinding& finding : ValidateCrd(*crd)) got.insert(finding.error.ToString());
    CHECK(got == want);
  }
}

}  // namespace
}  // namespace kube::crd
