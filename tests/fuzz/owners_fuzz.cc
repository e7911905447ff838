#include <string>

#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/stale_entries.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;
using kube::json::Document;
using kube::json::Value;

/// A CRD of one version, v1 of the group g, with this schema; absent where it cannot be read.
std::optional<kube::crd::Crd> CrdOf(std::string_view schema) {
  auto document = std::make_unique<Document>();
  if (document->Parse(
          R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":)"
          R"({"group":"g","versions":[{"name":"v1","served":true,"storage":true,)"
          R"("schema":{"openAPIV3Schema":)" +
          std::string(schema) + "}}]}}")) {
    return std::nullopt;
  }
  auto crd = kube::crd::ReadCrd(std::move(document));
  if (!crd || crd->StorageVersion() == nullptr) return std::nullopt;
  return *std::move(crd);
}

}  // namespace

// Of a schema and the managedFields of an object, a line each: once they are cleaned nothing is
// stale, and what was not stale is as it was, but for what was merged into it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  const auto crd = CrdOf(fuzz::TakeLine(text));
  Document object;
  if (!crd || object.Parse(R"({"metadata":{"managedFields":)" + std::string(text) + "}}")) return 0;
  const migrate::cluster::EntryCleaner cleaner(*crd, "v1", migrate::cluster::Cleaning::kAuto);
  const auto state = migrate::cluster::StateOf(object.root(), &cleaner.known());
  migrate::cluster::StaleTally tally;
  tally.AddStale(object.root(), cleaner.known(), {});
  std::size_t known = 0;
  for (const Value& entry : migrate::cluster::EntriesOf(object.root())) {
    known += cleaner.known().IsStale(entry) ? 0 : 1;
  }
  const auto cleaned = cleaner.Clean(object.root(), object.arena());
  Require(!cleaned || state == migrate::cluster::EntryState::kStale);
  if (!cleaned) return 0;
  Require(!tally.Report().empty() || cleaned->changed > 200);
  Require(cleaned->entries.size() >= known);
  Require(cleaned->entries.size() <= known + cleaned->changed);
  Document again;
  Require(!again.Parse(R"({"metadata":{"managedFields":)" + kube::json::Print(cleaned->entries) +
                       "}}"));
  Require(migrate::cluster::StateOf(again.root(), &cleaner.known()) !=
          migrate::cluster::EntryState::kStale);
  return 0;
}
