#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/crd/crd_condition.h"
#include "kube/crd/crd_validation.h"
#include "kube/json/json.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/coercion.h"
#include "kube/schema/object_validation.h"
#include "kube/schema/pruning.h"
#include "kube/schema/structural.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/crd_guard.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace json = kube::json;
using fuzz::Require;
using migrate::check::CrdCheck;
using Origin = migrate::check::CrdCheckOptions::Origin;

std::optional<kube::crd::Crd> ReadCrd(std::string_view text) {
  auto document = std::make_unique<kube::json::Document>();
  if (document->Parse(text)) return std::nullopt;
  auto crd = kube::crd::ReadCrd(std::move(document));
  return crd ? std::optional(*std::move(crd)) : std::nullopt;
}

migrate::report::CrdReport Check(const CrdCheck& check, const kube::json::Value& object) {
  migrate::check::CrdTally tally;
  check.CheckObject({.value = object, .place = {}, .source = ""}, tally);
  return check.Report(tally);
}

void RequireShortWait(const kube::json::Value& crd) {
  using std::chrono::seconds;
  const std::chrono::system_clock::time_point now{seconds(1'795'262'400)};  // in 2026
  const auto wait = migrate::check::TimeUntilNoticed(crd, now);
  Require(wait >= seconds(0) && wait <= seconds(5));
}

/// The server prunes what is of the CRD's kind. A check is given nothing else.
bool IsOfKind(const CrdCheck& check, const kube::json::Value& object) {
  if (!object.is_object()) return false;
  const kube::meta::GroupVersionKind type = kube::meta::TypeOf(object);
  return type.group_version.group == check.group() && type.kind == check.kind();
}

/// False where the server could not read the object, or not store it.
bool Rewrite(const CrdCheck& check, kube::json::Document& object) {
  return !check.server().Rewrite(object.root(), object.arena());
}

void RequireClean(const migrate::report::CrdReport& report) {
  for (const migrate::report::VersionReport& version : report.versions) {
    if (version.name != report.storage_version) continue;
    Require(version.pruned_fields.empty() && version.dropped_nulls.empty());
  }
}

/// A rewritten object has lost all that it can lose, and a further rewrite changes nothing.
void RequireRewritten(const CrdCheck& check, kube::json::Document& object) {
  if (!Rewrite(check, object)) return;
  RequireClean(Check(check, object.root()));
  // A first rewrite may give a number another form: -0.0 becomes -0, and that 0.
  Require(Rewrite(check, object));
  const std::string twice = kube::json::Print(object.root());
  Require(Rewrite(check, object));
  Require(kube::json::Print(object.root()) == twice);
}

}  // namespace

/// What a schema is said to keep valid pruning keeps valid.
void RequireValid(const kube::crd::Crd& crd, const kube::json::Value& object) {
  const std::vector<kube::crd::VersionProblems> problems = kube::crd::FindStructuralProblems(crd);
  for (std::size_t i = 0; i < crd.versions.size(); ++i) {
    const kube::crd::CrdVersion& version = crd.versions[i];
    if (!version.schema || !problems[i].structural()) continue;
    if (kube::schema::CanPruningInvalidate(*version.schema)) continue;
    kube::json::Arena arena;
    const auto structural = kube::schema::MakeStructural(*version.schema, arena);
    kube::json::Value pruned = kube::json::DeepCopy(object, arena);
    kube::schema::DropUnknownFields(pruned, &structural, true);
    kube::schema::DropNulls(pruned, structural);
    kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
    const auto errors = kube::schema::ErrorsOfPruning(object, pruned, *version.schema, patterns);
    Require(!errors || errors->empty());
  }
}

// A CRD in the first line, one of its objects in the rest: any object is reported on, and what was
// to be lost is lost by one rewrite.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  const std::string_view crd_text = fuzz::TakeLine(text);
  for (const Origin origin : {Origin::kFile, Origin::kServer}) {
    auto crd = ReadCrd(crd_text);
    kube::json::Document object;
    if (!crd || object.Parse(text)) return 0;
    RequireShortWait(crd->document->root());
    if (origin == Origin::kFile && object.root().is_object()) RequireValid(*crd, object.root());
    const CrdCheck check(*std::move(crd), "", {.keep_paths = true, .origin = origin});
    if (!IsOfKind(check, object.root())) return 0;
    Check(check, object.root());
    if (origin == Origin::kFile) RequireRewritten(check, object);
  }
  return 0;
}
