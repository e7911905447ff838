#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kube/yaml/yaml.h"
#include "tests/support/corpus.h"

namespace kube::yaml {
namespace {

// The text of each YAML file of the corpus.
std::vector<std::string> CorpusTexts() {
  std::vector<std::string> texts;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test_support::CorpusFolder())) {
    if (entry.path().extension() != ".yaml" && entry.path().extension() != ".yml") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

TEST_CASE("Real manifests survive printing", "[yaml][corpus]") {
  if (!test_support::HasCorpus()) return;
  const std::vector<std::string> texts = CorpusTexts();
  json::Document document;
  json::Document back;
  for (std::size_t i = 0; i < texts.size(); i += 10) {  // every tenth; all take a while
    const auto error = Parse(texts[i], 1, document);
    REQUIRE((error ? error->message : "") == "");
    REQUIRE(!Parse(yaml::Print(document.root()), 1, back));
    REQUIRE(json::Equal(document.root(), back.root()));
  }
}

}  // namespace
}  // namespace kube::yaml
