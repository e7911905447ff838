#include "migrate/cluster/stale_entries.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/test_schema.h"

namespace migrate::cluster {
namespace stale_entries_test {

constexpr char kSpec[] = R"({"group":"g","scope":"Namespaced","names":{"plural":"ws","kind":"W"},
  "versions":[{"name":"v1","served":true,"storage":true},{"name":"v1beta1","served":false,"storage":false}]})";

EntryState State(const std::string& entries, bool is_known = true) {
  const KnownVersions known(support::TestCrd("v1", kSpec));
  kube::json::Document object;
  REQUIRE(!object.Parse(R"({"metadata":{"managedFields":)" + entries + "}}"));
  return StateOf(object.root(), is_known ? &known : nullptr);
}

TEST_CASE("An entry is stale whose version the CRD does not have", "[migrate][stale_entries]") {
  const auto [version, is_stale] = GENERATE(table<std::string, bool>({
      {"g/v1", false},
      {"g/v1beta1", false},  // not served, but the server converts to it
      {"g/v1alpha1", true},
      {"other/v1", true},
      {"v1", true},
      {"", true},
  }));
  CAPTURE(version);
  const std::string entries =
      R"([{"apiVersion":"g/v1","fieldsV1":{"f:a":{}}},{"apiVersion":")" + version + R"("}])";
  CHECK(State(entries) == (is_stale ? EntryState::kStale : EntryState::kSome));
  CHECK(State(entries, false) == EntryState::kSome);
}

TEST_CASE("An entry is doubtful whose version may not hold the object",
          "[migrate][stale_entries]") {
  const kube::crd::Crd crd = support::TestCrd("v1", R"({"group":"g","scope":"Namespaced",
    "names":{"plural":"ws","kind":"W"},"versions":[
    {"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"a":{"type":"string"},"b":{"type":"string"}}}}},
    {"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"a":{"type":"string"}}}}}]})");
  using Unfit = KnownVersions::Unfit;
  const auto [unfit, written, state] = GENERATE(table<Unfit, std::string, EntryState>({
      {Unfit::kDoubtful, "v2", EntryState::kDoubtful},
      {Unfit::kStale, "v2", EntryState::kStale},
      {Unfit::kKnown, "v2", EntryState::kSome},
      {Unfit::kDoubtful, "v1", EntryState::kSome},
  }));
  KnownVersions known(crd, *crd.FindVersion(written), unfit);
  CHECK(known.HasDoubtful() == (state == EntryState::kDoubtful));
  kube::json::Document object;
  REQUIRE(!object.Parse(R"({"metadata":{"managedFields":[
    {"apiVersion":"g/v1","fieldsV1":{}},{"apiVersion":"g/v2","fieldsV1":{"f:a":{}}}]}})"));
  CHECK(StateOf(object.root(), &known) == state);
  known.Forget("g/v2");
  CHECK(StateOf(object.root(), &known) == EntryState::kStale);
}

TEST_CASE("An entry that owns nothing is none", "[migrate][stale_entries]") {
  const std::string entries =
      GENERATE(as<std::string>(), "[]", "[{}]", R"([{"apiVersion":"g/v1"}])", "7", "null", "{}",
               R"([{"apiVersion":"g/v1","fieldsV1":{}}])",
               R"([{"apiVersion":"g/v1","fieldsV1":7}])", "[7,null]");
  CAPTURE(entries);
  CHECK(State(entries, false) == EntryState::kNone);
}

TEST_CASE("Only who had entries can lose them", "[migrate][stale_entries]") {
  const auto [listed, answered, were_emptied] = GENERATE(table<EntryState, EntryState, bool>({
      {EntryState::kSome, EntryState::kNone, true},
      {EntryState::kStale, EntryState::kNone, true},
      {EntryState::kNone, EntryState::kNone, false},
      {EntryState::kNone, EntryState::kSome, false},
      {EntryState::kSome, EntryState::kSome, false},
      {EntryState::kStale, EntryState::kSome, false},
      {EntryState::kStale, EntryState::kStale, false},
  }));
  CHECK(WereEmptied(listed, answered) == were_emptied);
}

}  // namespace stale_entries_test
}  // namespace migrate::cluster
