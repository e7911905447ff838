#include "kube/crd/client_apply.h"

#include <catch2/catch.hpp>

#include "tests/support/structural_text.h"

namespace kube::crd {
namespace client_apply_test {

using json::Document;
using json::Value;
using test::ParseOrThrow;

/// The patch from `live` to the manifest `to`, where `last` was applied before; empty: nothing was.
std::string Patch(const std::string& last, const std::string& live, const std::string& to) {
  Document modified, current;
  ParseOrThrow(to, modified);
  ParseOrThrow(live, current);
  if (!last.empty()) {
    Value annotations = Value::Object();
    annotations.Set(kLastApplied, Value::String(last), current.arena());
    Value metadata = Value::Object();
    metadata.Set("annotations", annotations, current.arena());
    current.root().Set("metadata", metadata, current.arena());
  }
  return json::Print(ApplyPatch(modified.root(), current.root(), current.arena()));
}

// Each is what kubectl 1.32 sends as a merge patch (-v=8), but for the annotation.
TEST_CASE("An apply patch has what differs", "[kube][client_apply]") {
  CHECK(Patch("", R"({"a":1,"b":{"c":[1,2],"d":"x"}})", R"({"a":1,"b":{"c":[1],"d":"x"}})") ==
        R"({"b":{"c":[1]}})");
  CHECK(Patch("", R"({"a":1})", R"({"a":1.0})") == "{}");
  CHECK(Patch("", R"({"a":"x"})", R"({"a":{"b":1,"c":null}})") == R"({"a":{"b":1,"c":null}})");
  CHECK(Patch("", R"({"a":{"b":1}})", R"({"a":{}})") == "{}");
  CHECK(Patch("", R"({"z":1})", R"({"a":{}})") == R"({"a":{}})");
}

TEST_CASE("An apply patch removes what was applied before alone", "[kube][client_apply]") {
  CHECK(Patch(R"({"a":1,"b":{"c":1}})", R"({"a":1,"b":{"c":1,"d":2},"e":3})", R"({"b":{}})") ==
        R"({"a":null,"b":{"c":null}})");
}

// Where kubectl gives up: Invalid JSON Document.
TEST_CASE("What was applied before and is no manifest counts as nothing", "[kube][client_apply]") {
  CHECK(Patch("no JSON", R"({"a":1})", "{}") == "{}");
  CHECK(Patch("[1]", R"({"a":1})", "{}") == "{}");
}

TEST_CASE("An apply patch removes what is null", "[kube][client_apply]") {
  CHECK(Patch("", R"({"a":1,"b":{"c":1}})", R"({"a":null,"b":{"c":null}})") ==
        R"({"a":null,"b":{"c":null}})");
  CHECK(Patch(R"({"a":null})", R"({"a":1})", R"({"a":null})") == "{}");
}

TEST_CASE("The manifest is kept in its annotation", "[kube][client_apply]") {
  Document document;
  ParseOrThrow(
      R"({"kind":"K","metadata":{"name":"n","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"old","b":"<"}}})",
      document);
  const Value applied = WithLastApplied(document.root(), document.arena());
  CHECK(applied.Find("metadata")->Find("annotations")->FindText(kLastApplied) ==
        R"({"kind":"K","metadata":{"annotations":{"b":"\u003c"},"name":"n"}})"
        "\n");
  CHECK(document.root().Find("metadata")->Find("annotations")->FindText(kLastApplied) == "old");
}

}  // namespace client_apply_test
}  // namespace kube::crd
