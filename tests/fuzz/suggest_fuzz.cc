#include <memory>
#include <optional>
#include <string>

#include "kube/crd/crd.h"
#include "kube/crd/crd_condition.h"
#include "kube/json/json.h"
#include "kube/schema/pruning.h"
#include "kube/schema/structural.h"
#include "kube/suggest/suggestion.h"
#include "tests/fuzz/fuzz.h"

// A schema, then an object: what is suggested prunes nothing of it, and is all that is to be said.
namespace {

namespace json = kube::json;
using fuzz::Require;
using kube::suggest::SchemaChange;
using kube::suggest::Suggestion;

std::optional<kube::crd::Crd> ReadWithSchema(std::string_view schema) {
  json::Document parsed;
  if (parsed.Parse(schema) || !parsed.root().is_object()) return std::nullopt;
  auto document = std::make_unique<json::Document>();
  const auto error = document->Parse(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"ws.example.com"},"spec":{"group":"example.com","scope":"Cluster",)"
      R"("names":{"plural":"ws","kind":"W"},"versions":[{"name":"v1","served":true,"storage":true,)"
      R"("schema":{"openAPIV3Schema":)" +
      json::Print(parsed.root()) + "}}]}}");
  if (error) return std::nullopt;
  auto crd = kube::crd::ReadCrd(std::move(document));
  return crd ? std::optional(*std::move(crd)) : std::nullopt;
}

bool LeavesSomething(const Suggestion& suggestion) {
  for (const SchemaChange& change : suggestion.changes) {
    if (change.kind == SchemaChange::Kind::kLeft) return true;
  }
  return false;
}

class NothingUnknown : public kube::schema::UnknownFieldSink {
  void OnUnknownField(const kube::schema::UnknownField&) override { Require(false); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  const auto crd = ReadWithSchema(fuzz::TakeLine(text));
  json::Document object;
  if (!crd || object.Parse(text) || !object.root().is_object()) return 0;
  kube::suggest::Observations seen;
  seen.Add(object.root());

  json::Arena arena;
  const Suggestion suggestion = Suggest(*crd, seen.root(), {}, arena);
  const auto suggested = kube::crd::ReadCopiedCrd(suggestion.crd);
  Require(suggested.has_value());
  const auto& version = suggested->versions.front();
  if (LeavesSomething(suggestion) || !FindStructuralProblems(*suggested).front().structural())
    return 0;
  Require(version.schema != nullptr);
  json::Arena schema_arena;
  const auto schema = kube::schema::MakeStructural(*version.schema, schema_arena);
  NothingUnknown sink;
  kube::schema::FindUnknownFields(object.root(), &schema, true, sink);

  json::Arena other_arena;
  Require(Suggest(*suggested, seen.root(), {}, other_arena).changes.empty());
  return 0;
}
