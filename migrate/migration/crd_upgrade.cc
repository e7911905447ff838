#include "migrate/migration/crd_upgrade.h"

#include <memory>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/crd/client_apply.h"
#include "kube/crd/v1_form.h"
#include "migrate/check/crd_facts.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/crd_shape.h"
#include "migrate/report/program_name.h"

namespace migrate::migration {
namespace {

using kube::base::Result;
using kube::base::Unexpected;
using kube::crd::Crd;
using kube::json::Document;
using kube::json::Value;

// Of all annotations together (apimachinery pkg/api/validation TotalAnnotationSizeLimitB).
constexpr std::size_t kMostAnnotation = 250 * 1024;

// The manifest as it is applied, with pruning; what applies it next finds nothing to do. One that
// is written in another form than the file says nothing of what was applied last.
Value PatchOf(const Value& manifest, bool is_as_written, const Value& live,
              kube::json::Arena& arena) {
  const bool is_server_side = !is_as_written || !kube::crd::FindServerSideApplier(live).empty() ||
                              kube::json::Print(manifest).size() > kMostAnnotation;
  Value patch = kube::crd::ApplyPatch(
      is_server_side ? manifest : kube::crd::WithLastApplied(manifest, arena), live, arena);
  const Value* spec = patch.Find("spec");
  Value with_pruning = spec == nullptr ? Value::Object() : *spec;
  with_pruning.Set("preserveUnknownFields", Value::Bool(false), arena);
  patch.Set("spec", with_pruning, arena);
  return patch;
}

Result<Crd, std::string> Foretell(const Crd& live, const Value& patch) {
  Document document;
  return kube::crd::ReadCopiedCrd(
      kube::crd::Patched(live.document->root(), patch, document.arena()));
}

Result<Crd, std::string> Ask(const Crd& live, const Value& patch, const std::string& target,
                             kube::client::Client& client) {
  auto answer = check::PatchPruningOn(client, target, kube::json::Print(patch),
                                      live.resource_version, /*dry_run=*/true);
  if (answer) return *std::move(answer);
  if (kube::client::IsDryRunUnsupported(answer.error())) return Foretell(live, patch);
  return Unexpected("the server would refuse it: " + answer.error().message);
}

// As long as it is not applied objects are read and checked unpruned.
Result<Crd, std::string> AsUnpruned(const Crd& crd) {
  Document document;
  document.root() = kube::json::DeepCopy(crd.document->root(), document.arena());
  document.root().Find("spec")->Set("preserveUnknownFields", Value::Bool(true), document.arena());
  return kube::crd::ReadCopiedCrd(document.root());
}

// Empty: it can be.
std::string WhyNot(const Crd& live, const Crd& upgraded) {
  const std::string from = check::ReadVersion(live), to = check::ReadVersion(upgraded);
  if (from == to) return "";
  return "the storage version would move from " + from + " to " + to +
         " with it; turn pruning on first (" +
         report::OwnCommand("migrate " + live.name + " --enable-pruning") +
         "), apply the file, and migrate again";
}

}  // namespace

Result<CrdUpgrade, std::string> PrepareUpgrade(const cluster::Proposal& proposal, const Crd& live,
                                               const std::string& target, bool asks,
                                               kube::client::Client& client) {
  const Value& written = proposal.crd.document->root();
  const bool is_as_written =
      written.FindText("apiVersion") == live.document->root().FindText("apiVersion");
  if (!is_as_written && live.is_v1beta1()) {
    return Unexpected("it is not written in " + live.api_version +
                      ", in which the API server gives CRDs");
  }
  const Value* spec = written.Find("spec");
  if (spec->Find("preserveUnknownFields") != nullptr && proposal.crd.preserve_unknown_fields) {
    return Unexpected(std::string("it says spec.preserveUnknownFields: true"));
  }
  Document document;
  const Value manifest =
      is_as_written ? written
                    : kube::crd::MakeV1Form(proposal.crd, /*is_live=*/false, document.arena());
  const Value patch = PatchOf(manifest, is_as_written, live.document->root(), document.arena());
  const auto upgraded = asks ? Ask(live, patch, target, client) : Foretell(live, patch);
  if (!upgraded) return Unexpected(upgraded.error());
  if (std::string why = WhyNot(live, *upgraded); !why.empty()) return Unexpected(std::move(why));
  auto crd = AsUnpruned(*upgraded);
  if (!crd) return Unexpected(crd.error());
  const check::CrdShape shape = check::ShapeOf(*crd);
  return CrdUpgrade{.source = proposal.source,
                    .patch = kube::json::Print(patch),
                    .crd = *std::move(crd),
                    .schemas = shape.schemas,
                    .kept_fields = shape.kept_fields};
}

}  // namespace migrate::migration
