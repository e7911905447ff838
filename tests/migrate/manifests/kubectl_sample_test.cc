#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "migrate/cluster/manifest_reader.h"
#include "tests/support/temp_folder.h"

namespace migrate::cluster {
namespace {

using kube::json::Document;
using kube::json::Value;

/// In a line, with numbers as a float64 or int64 holds them: kubectl prints no others.
std::string Line(const Value& object) {
  kube::json::Arena arena;
  Value copy = kube::json::DeepCopy(object, arena);
  CHECK_FALSE(kube::json::StoreNumbers(copy, arena));
  return kube::json::Print(copy) + "\n";
}

/// What is read of a file: an object a line, or "refused".
std::string Read(const std::string& path) {
  ManifestReader reader(ListManifestFiles({path}, /*recursive=*/false), /*workers=*/1);
  std::string text;
  reader.ReadAll([&text](std::size_t, ManifestObject& object) { text += Line(object.value); });
  return reader.TakeErrors().empty() ? text : "refused";
}

/// The same of a line of the sample.
std::string Expected(const Value& line) {
  if (line.Find("refused") != nullptr) return "refused";
  std::string text;
  for (const Value& object : line.Find("objects")->elements()) {
    text += Line(object);
  }
  return text;
}

// What kubectl 1.32 answered to: kubectl annotate --local -f FILE a=b -o json (differential.py).
TEST_CASE("A sample of YAML is read as kubectl reads it", "[migrate][manifests]") {
  std::ifstream sample("tests/yaml/sample.jsonl");
  const test_support::TempFolder folder;
  int count = 0;
  for (std::string text; std::getline(sample, text); ++count) {
    Document line;
    REQUIRE(!line.Parse(text));
    const std::string document(line.root().FindText("text"));
    INFO(document);
    CHECK(Read(folder.Write("document.yaml", document)) == Expected(line.root()));
  }
  CHECK(count == 600);
}

TEST_CASE("A template that nobody has rendered is called that", "[migrate][manifests]") {
  const test_support::TempFolder folder;
  const auto error_of = [&folder](const std::string& text) {
    ManifestReader reader(ListManifestFiles({folder.Write("crd.yaml", text)}, /*recursive=*/false),
                          /*workers=*/1);
    reader.ReadAll([](std::size_t, ManifestObject&) {});
    const auto errors = reader.TakeErrors();
    REQUIRE_FALSE(errors.empty());
    return errors.front().text;
  };
  const auto is_called_so = Catch::Contains("it looks like a Helm template");
  CHECK_THAT(error_of("{{- if .Values.crds }}\nkind: A\n{{- end }}\n"), is_called_so);
  CHECK_THAT(error_of("kind: A\nmetadata:\n  {{- toYaml .Values.metadata | nindent 2 }}\n"),
             is_called_so);
  CHECK_THAT(error_of("kind: {A\n"), !is_called_so);
  CHECK_THAT(error_of("description: falls back to {{ .cluster.name }}\nkind: {A\n"), !is_called_so);
}

TEST_CASE("Keys that YAML 1.1 takes for true or false are told of once", "[migrate][manifests]") {
  const test_support::TempFolder folder;
  const std::string first = folder.Write("a.yaml",
                                         "kind: A\nn: 1\n'y': 1\ntrue: 1\non: no\n"
                                         "---\nx:\n- {No: 1, n: 2}\n");
  const std::string second = folder.Write("b.yaml", "kind: B\nyes: 1\n");
  ManifestReader reader(ListManifestFiles({first, second}, false), /*workers=*/2);
  reader.ReadAll([](std::size_t, ManifestObject&) {});
  CHECK(reader.TakeHints() ==
        std::vector<std::string>{first + ":2: the key n is read as false; quote it",
                                 first + ":5: the key on is read as true; quote it",
                                 first + ":8: the key No is read as false; quote it",
                                 second + ":2: the key yes is read as true; quote it"});
}

}  // namespace
}  // namespace migrate::cluster
