#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/answer_meaning.h"
#include "kube/crd/client_apply.h"
#include "kube/crd/v1_form.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/crd_facts.h"
#include "migrate/check/crd_guard.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/proof.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/pause.h"
#include "migrate/migration/cluster_engine.h"
#include "migrate/migration/dry_run_writes.h"
#include "migrate/migration/steps.h"
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
         report::OwnClusterCommand("migrate " + live.name + " --enable-pruning") +
         "), apply the file, and migrate again";
}

// Makes `proposal` ready to replace `live`, which preserves unknown fields; one of v1beta1 in the
// form of v1. The server is asked by a dry run what it would store; with `asks` false, or where a
// webhook allows no dry run, that is foretold.
//
// The error says why it cannot be: the server refuses it, the file keeps unknown fields preserved,
// or the storage version moves, for which objects have to be rewritten on both sides.
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

/// One call of Prepare.
class Preparation {
 public:
  Preparation(CrdRun& run, PreparedCrd& prepared) : run_(run), prepared_(prepared) {}

  bool Run() {
    if (!ReadCrd() || !LookAtFile() || !LookAhead() || !run_.GoOn()) return false;
    PrepareSweep();
    return true;
  }

 private:
  const MigrationOptions& options() const { return run_.options; }
  const kube::crd::Crd& crd() const { return run_.crd.live(); }

  bool Read() {
    const auto error = run_.crd.Read();
    return !error || run_.Fail(*error);
  }

  bool Wait(kube::base::Clock::Duration time) {
    cluster::WaitUntil(run_.session().clock.Now() + time, run_.session());
    return run_.GoOn();
  }

  // A server establishes a CRD some seconds after it was made, and other servers notice that later.
  // What is not established in time is refused by preflight.
  bool ReadOnceEstablished() {
    constexpr std::chrono::seconds kLongestWait(20);
    constexpr std::chrono::milliseconds kBetweenReads(500);
    if (!Read()) return false;
    if (!check::IsNew(crd())) return true;
    run_.Line(run_.report.name + ": it is not established yet; waiting for that");
    const kube::base::Clock& clock = run_.session().clock;
    const auto end = clock.Now() + kLongestWait;
    while (check::IsNew(crd()) && clock.Now() < end) {
      if (!Wait(kBetweenReads) || !Read()) return false;
    }
    return Wait(check::kNoticed);
  }

  bool ReadCrd() {
    if (!ReadOnceEstablished()) return false;
    const check::CrdShape& shape = run_.crd.expected();
    // Since when every server may be taken to know the CRD as it is.
    const bool is_as_found = shape.generation == run_.found.shape.generation;
    prepared_.scope.verify_from =
        (is_as_found ? run_.context.found_at : run_.session().clock.Now()) + check::kNoticed;
    run_.report.storage_version = shape.storage_version;
    run_.report.stored_before = run_.report.stored_after = crd().stored_versions;
    return true;
  }

  // A file has its say only until pruning is on: behind that the run goes on, or is any other.
  bool LookAtFile() {
    const auto proposal = std::ranges::find_if(
        run_.context.proposals, [this](const auto& one) { return one.crd.name == crd().name; });
    if (proposal != run_.context.proposals.end() && !TakeFile(*proposal)) return false;
    prepared_.live = CheckedCrd();
    return true;
  }

  bool TakeFile(const cluster::Proposal& proposal) {
    if (!run_.turns_pruning_on() && options().mutation) {
      return run_.Fail(
          "it prunes already, so that " + proposal.source +
          " would not come with this run, and the mutation before it; kubectl apply the "
          "file first, then run the same command without -f and --enable-pruning");
    }
    if (!run_.turns_pruning_on()) {
      run_.Line("note: " + run_.report.name + " prunes already; whatever else " + proposal.source +
                " has to bring is brought by kubectl apply");
      return true;
    }
    auto upgrade =
        PrepareUpgrade(proposal, crd(), run_.crd.target(),
                       options().dry_run != report::DryRun::kClient, run_.session().client);
    if (!run_.GoOn()) return false;
    if (!upgrade) {
      return run_.Fail("the CRD of " + proposal.source +
                       " cannot come with pruning: " + upgrade.error());
    }
    run_.report.crd_file = upgrade->source;
    run_.crd.Upgrade(*std::move(upgrade));
    return true;
  }

  check::LiveCrd CheckedCrd() const {
    kube::crd::Crd copy = kube::crd::CopyCrd(run_.crd.pruning());
    check::LiveCrd live = check::DescribeLiveCrd(copy);
    live.shape = run_.crd.expected();
    // Without a plan there is nothing that objects would have to be read for.
    const bool has_plan = run_.turns_pruning_on();
    const auto release = has_plan ? check::AskRelease(run_.session().client) : std::nullopt;
    const check::CrdCheckOptions how{
        .origin = check::CrdCheckOptions::Origin::kServer,
        .checks_validity = has_plan,
        .server = check::RulesOf(release),
        .proof = check::Find(copy, options().state_dir, run_.session().address)};
    live.checks.push_back(std::make_unique<check::CrdCheck>(std::move(copy), "", how));
    return live;
  }

  bool LookAhead() {
    const bool trims =
        !IsPartial(options()) && !run_.is_dry_run() && !options().keep_stored_versions;
    prepared_.preflight = CheckBefore(
        run_.crd.pruning(), run_.crd.target(),
        {.enable_pruning = options().enable_pruning,
         .dry_run = options().dry_run,
         .namespace_ = options().objects.namespace_,
         .by_name = options().retried.has_value(),
         .backs_up = !options().pruning.no_backup,
         .cleans = options().cleaning == cluster::Cleaning::kAlways,
         .may_clean = options().cleaning == cluster::Cleaning::kAuto,
         .mutates = options().mutation != nullptr,
         .trims = trims,
         .asks_for_engine = MayUseEngine(options()),
         .needs_engine = options().engine == report::Engine::kInCluster,
         .own_migration = NameOfStorageMigration(MigratedOf(run_.crd, prepared_.preflight.version)),
         .pruning_patch = run_.crd.pruning_patch()},
        run_.session().client);
    for (const std::string& warning : prepared_.preflight.warnings) {
      run_.Line("Warning: " + run_.report.name + ": " + warning);
    }
    if (!prepared_.preflight.refusal.empty()) return run_.Fail(prepared_.preflight.refusal);
    if (!MayMutate()) return false;
    if (prepared_.preflight.version != run_.report.storage_version) {
      run_.report.written_version = prepared_.preflight.version;
      run_.Line(run_.report.name + ": the storage version " + run_.report.storage_version +
                " is not served; objects are written as " + prepared_.preflight.version +
                ", which the server stores as " + run_.report.storage_version);
    }
    return true;
  }

  // A write of the object leaves a status with a subresource as it is.
  bool MayMutate() {
    if (!options().mutation || !options().mutation->Names("status", crd().names.kind)) return true;
    const auto written = std::ranges::find(crd().versions, prepared_.preflight.version,
                                           &kube::crd::CrdVersion::name);
    if (written == crd().versions.end() || !written->has_status_subresource()) return true;
    return run_.Fail(
        "the status of its objects is written through its subresource alone, which a "
        "mutation does not do; take status out of " +
        options().mutation->sources());
  }

  void PrepareSweep() {
    prepared_.scope.crd_name = run_.report.name;
    prepared_.scope.target = {.group = crd().group,
                              .version = prepared_.preflight.version,
                              .plural = crd().names.plural,
                              .is_namespaced = prepared_.live.is_namespaced,
                              .namespace_ = options().objects.namespace_,
                              .label_selector = options().objects.label_selector,
                              .field_selector = options().objects.field_selector,
                              .dry_run = options().dry_run == report::DryRun::kServer,
                              .by_update = prepared_.preflight.by_update,
                              .patience = run_.session().patience};
    ChooseCleaner(run_, prepared_);
    prepared_.scope.verify = options().verify;
    prepared_.sweep_options = {.chunk_size = options().objects.chunk_size,
                               .most_in_one_piece = options().most_in_one_piece,
                               .pace = options().pace,
                               .find_change = [&run = run_] { return run.CheckCrdUnchanged(); }};
  }

  CrdRun& run_;
  PreparedCrd& prepared_;
};

}  // namespace

bool Prepare(CrdRun& run, PreparedCrd& prepared) { return Preparation(run, prepared).Run(); }

void ChooseCleaner(CrdRun& run, PreparedCrd& prepared) {
  const MigrationOptions& options = run.options;
  prepared.scope.target.cleaner = nullptr;
  if (options.cleaning == cluster::Cleaning::kNever || prepared.preflight.may_not_clean) return;
  const EntryAnswers answers = AskAboutEntries(
      {.crd = run.crd.live(),
       .target = prepared.scope.target,
       .may_ask = options.dry_run != report::DryRun::kClient && !prepared.scope.target.by_update,
       .chunk_size = options.objects.chunk_size},
      run.session());
  for (const std::string& line : answers.lines) run.Line(run.name() + ": " + line);
  prepared.scope.target.cleaner = std::make_shared<const cluster::EntryCleaner>(
      run.crd.live(), prepared.scope.target.version, options.cleaning, answers.unfit);
  const bool is_asked_for = options.cleaning == cluster::Cleaning::kAlways;
  if (is_asked_for && !run.report.managed_fields_cleaned) {
    run.report.managed_fields_cleaned.emplace();
  }
}

MigratedResource MigratedOf(const RunCrd& crd, const std::string& version) {
  const check::CrdShape& shape = crd.expected();
  return {.crd_name = crd.live().name,
          .crd_uid = shape.uid,
          .crd_generation = shape.generation,
          .group = crd.live().group,
          .version = version,
          .plural = crd.live().names.plural};
}

}  // namespace migrate::migration
