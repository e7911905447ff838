#include "migrate/check/file_rewrite.h"

#include <catch2/catch.hpp>

#include "tests/support/temp_folder.h"

namespace migrate::check {
namespace file_rewrite_test {

using test_support::TempFolder;
using Strings = std::vector<std::string>;

constexpr std::string_view kCrd = R"({
  "apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition",
  "metadata":{"name":"widgets.demo.example.com"},
  "spec":{"group":"demo.example.com","names":{"plural":"widgets","kind":"Widget"},
    "scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true},
                                     {"name":"v1alpha1","served":true,"storage":false}],
    "validation":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
      "properties":{"n":{"type":"number"},"mode":{"type":"string","default":"fast"},
                    "e":{"type":"object","x-kubernetes-embedded-resource":true,
                         "x-kubernetes-preserve-unknown-fields":true}}}}}}}})";

TEST_CASE("Objects come out as the server stores them, in the order of reading",
          "[migrate][file_rewrite]") {
  TempFolder folder;
  folder.Write("crd.json", kCrd);
  folder.Write("objects.json", R"(
    {"apiVersion":"demo.example.com/v1alpha1","kind":"Widget","metadata":{"name":"b","x":1},
     "spec":{"n":1.50,"gone":true}}
    {"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"a","generation":2},
     "spec":{"n":1e3,"mode":null}}
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}})");
  Strings printed;
  const FileRewriteReport report =
      RewriteFiles({.filenames = {folder.path()}, .enable_pruning = true},
                   [&printed](const kube::json::Value& object) {
                     printed.push_back(kube::json::Print(object));
                   });
  CHECK(report.objects == 2);
  CHECK(report.object_errors.empty());
  REQUIRE(report.unknown_kinds.size() == 1);
  CHECK(printed ==
        Strings{R"({"apiVersion":"demo.example.com/v1","kind":"Widget",)"
                R"("metadata":{"generation":1,"name":"b"},"spec":{"mode":"fast","n":1.5}})",
                R"({"apiVersion":"demo.example.com/v1","kind":"Widget",)"
                R"("metadata":{"generation":2,"name":"a"},"spec":{"mode":"fast","n":1000}})"});
}

TEST_CASE("A CRD that preserves unknown fields prunes nothing by itself",
          "[migrate][file_rewrite]") {
  TempFolder folder;
  folder.Write("crd.json", kCrd);
  folder.Write("object.json", R"({"apiVersion":"demo.example.com/v1","kind":"Widget",
    "metadata":{"name":"a","generation":1},"spec":{"kept":1.0}})");
  std::string printed;
  const FileRewriteReport report = RewriteFiles(
      {.filenames = {folder.path()}},
      [&printed](const kube::json::Value& object) { printed += kube::json::Print(object); });
  CHECK(printed == R"({"apiVersion":"demo.example.com/v1","kind":"Widget",)"
                   R"("metadata":{"generation":1,"name":"a"},"spec":{"kept":1,"mode":"fast"}})");
  CHECK(report.preserving == Strings{"widgets.demo.example.com"});
}

TEST_CASE("What the server would not store is named, not printed", "[migrate][file_rewrite]") {
  TempFolder folder;
  folder.Write("crd.json", kCrd);
  folder.Write("object.json", R"(
    {"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"bad","namespace":"ns"},
     "spec":{"e":{"apiVersion":"v1","kind":"Pod","metadata":1}}})");
  std::size_t printed = 0;
  const FileRewriteReport report = RewriteFiles(
      {.filenames = {folder.path()}}, [&printed](const kube::json::Value&) { ++printed; });
  CHECK(printed == 0);
  CHECK(report.has_crds);
  REQUIRE(report.object_errors.size() == 1);
  CHECK(report.object_errors[0].starts_with("ns/bad: "));
}

}  // namespace file_rewrite_test
}  // namespace migrate::check
