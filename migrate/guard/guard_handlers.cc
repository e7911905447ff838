#include "migrate/guard/guard_handlers.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/admission/object_draft.h"
#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "migrate/check/proof.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/report/program_name.h"

namespace migrate::guard {
namespace {

constexpr std::chrono::minutes kAskingPatience(1);

}  // namespace

GuardNews::GuardNews(const GuardedCrds& crds, const WriterTally& tally,
                     const kube::base::Clock& clock, LogFunction tell)
    : crds_(crds), tally_(tally), clock_(clock), tell_(std::move(tell)) {}

void GuardNews::Begin() {
  ReportCrds();
  for (const std::string& name : crds_.UnguardedProposals()) {
    tell_("note: " + name + " of the files is not guarded: it is not in the cluster, or not named");
  }
  if (told_crds_.empty()) tell_("note: there is nothing to guard yet");
  asking_due_ = clock_.Now() + kAskingPatience;
  has_begun_ = true;
}

void GuardNews::Advance() {
  if (crds_.revision() != revision_) ReportCrds();
  ReportAsking();
  if (tally_.left_out() > 0 && !std::exchange(is_left_out_told_, true)) {
    tell_(
        "note: there are more writers and fields than have places in the report; its summary "
        "counts the others");
  }
}

void GuardNews::ReportCrds() {
  revision_ = crds_.revision();
  std::map<std::string, report::GuardedUse> crds;
  for (report::GuardedUse& crd : crds_.Report()) {
    const auto known = told_crds_.find(crd.name);
    if (known == told_crds_.end() || known->second != crd) ReportCrd(crd);
    const std::string name = crd.name;
    crds.emplace(name, std::move(crd));
  }
  for (const auto& [name, crd] : told_crds_) {
    if (!crds.contains(name)) tell_("no longer guarding " + name);
  }
  told_crds_ = std::move(crds);
}

void GuardNews::ReportCrd(const report::GuardedUse& crd) {
  if (!told_crds_.contains(crd.name)) {
    tell_("guarding " + crd.name + (crd.source.empty() ? "" : " by the schemas of " + crd.source) +
          (has_begun_ ? " from now on" : ""));
  }
  if (!crd.unusable_versions.empty()) {
    tell_("note: nothing can be pruned by the schema of " +
          kube::base::Join(crd.unusable_versions, ", ") + " of " + crd.name +
          ", so its requests are let pass; " + report::CheckCommand(crd.name, crd.source) +
          " tells why");
  }
  if (!crd.preserve_unknown_fields && crd.source.empty()) {
    tell_("note: " + crd.name +
          " prunes already: what its schema lacks is gone before anybody is asked");
  }
}

void GuardNews::ReportAsking() {
  if (is_asking_told_) return;
  if (tally_.requests() > 0) {
    is_asking_told_ = true;
    return tell_("the API server asks");
  }
  if (clock_.Now() < asking_due_) return;
  asking_due_ = kube::base::Clock::TimePoint::max();
  tell_(
      "note: nobody has asked for a minute: either nothing was written, or the API server does not "
      "reach this address; a try: kubectl label an object with --dry-run=server");
}

namespace {

using kube::admission::Allowed;
using kube::admission::Handlers;
using kube::admission::Operation;
using kube::admission::Reply;
using kube::admission::Review;
using kube::admission::Verdict;
using kube::json::Value;

constexpr char kValidateId[] = "guard";
constexpr char kMutateId[] = "mutate";

// More nobody reads; the report has them all.
constexpr std::size_t kMostWarnings = 20;
constexpr std::size_t kMostReasons = 5;
constexpr int kInvalid = 422;
constexpr std::chrono::seconds kTimeout(3);

// No name of an API server is longer than that.
std::string NameText(std::string_view name) {
  return std::string(kube::base::utf8::Prefix(name, WriterTally::kMostNameBytes));
}

std::string ObjectName(const Review& review) {
  const std::string name = review.name.empty() ? "<none>" : NameText(review.name);
  return review.namespace_.empty() ? name : NameText(review.namespace_) + "/" + name;
}

bool IsBeingDeleted(const Review& review) {
  return review.old_object != nullptr &&
         !cluster::MetadataText(*review.old_object, "deletionTimestamp").empty();
}

// Finalizers and status are what others than the writer of a field write, and have to.
bool MayBeDenied(const Review& review) {
  return review.subresource.empty() && !IsBeingDeleted(review);
}

std::string MoreFields(std::uint64_t count) {
  return kube::base::Count(count, "more field") + " will be removed";
}

// A field that is lost only once the mutation was applied; the null pointer if there is none.
const LostField* FindBrought(const RequestLoss& before, const RequestLoss& after) {
  const auto brought = std::ranges::find_if(after.fields, [&before](const LostField& field) {
    const LostField* known = before.Find(field.path);
    return field.added > (known == nullptr ? 0 : known->added);
  });
  return brought == after.fields.end() ? nullptr : &*brought;
}

// Why a mutation is better not applied, for a warning; empty where it may be.
std::string Harm(const Review& review, const Value& mutated, const GuardedCrd& crd,
                 const RequestLoss& before, const RequestLoss& after) {
  if (const LostField* brought = FindBrought(before, after)) {
    return "the mutation would write " + brought->path + ", which will be pruned";
  }
  if (after.left_out_added > before.left_out_added) {
    return "the mutation would write fields that will be pruned";
  }
  if (crd.live_schemas() == nullptr) return "";
  const auto errors = [&](const Value& object) {
    return crd.live_schemas()->Errors(object, review.old_object, review.kind.version);
  };
  const std::vector<std::string> found = errors(mutated);
  if (found.empty() || !errors(*review.object).empty()) return "";
  return "the mutation would make it invalid: " + found.front();
}

Verdict LeaveAsItIs(const std::string& why, Reply& reply) {
  reply.AddWarning("the object stays as it is: " + why);
  return Allowed();
}

std::string FirstSeen(const GuardedCrd& crd, const Writer& writer, const LostField& field) {
  std::string line = NameText(writer.user);
  if (!writer.manager.empty()) line.append(" (").append(NameText(writer.manager)).append(")");
  return line.append(" writes ")
      .append(field.path)
      .append(" of ")
      .append(crd.name())
      .append(", which is not in the schema of ")
      .append(field.version);
}

}  // namespace

Handlers Guard::ServedHandlers() const { return HandlersOf({kube::admission::AnyResource()}); }

Handlers Guard::ConfiguredHandlers() const { return HandlersOf(guarded_.resources()); }

Handlers Guard::HandlersOf(const std::vector<kube::admission::Resource>& resources) const {
  Handlers handlers;
  if (resources.empty()) return handlers;
  kube::admission::HandlerOptions options{.resources = resources,
                                          .operations = {Operation::kCreate, Operation::kUpdate},
                                          .ignore_failures = true,
                                          .timeout = kTimeout};
  if (options_.mutation != nullptr) {
    handlers.Add(kube::admission::Mutate(
        kMutateId, options,
        [this](const Review& review, Reply& reply, kube::admission::ObjectDraft& draft) {
          return Change(review, reply, draft);
        }));
  }
  // The status is written by others, who are told as well.
  options.subresource = "*";
  handlers.Add(kube::admission::Validate(
      kValidateId, std::move(options),
      [this](const Review& review, Reply& reply) { return Check(review, reply); }));
  return handlers;
}

void Guard::Warn(const GuardedCrd& crd, const RequestLoss& loss, Reply& reply) const {
  const std::size_t told = std::min(kMostWarnings, loss.fields.size());
  std::uint64_t more = loss.left_out;
  for (std::size_t i = 0; i < loss.fields.size(); ++i) {
    if (i < told) {
      reply.AddWarning(LossText(loss.fields[i], crd.name(), crd.WhenRemoved(),
                                kube::admission::kMostWarningCharacters));
    } else {
      more += loss.fields[i].count;
    }
  }
  if (more > 0) reply.AddWarning(MoreFields(more));
  reply.AddWarning(options_.contact);
}

// Who writes a status, or a finalizer of what is being deleted, cannot fix the object.
void Guard::WarnOfRefusals(const Review& review, const GuardedCrd& crd, Reply& reply) const {
  if (crd.proposed_schemas() == nullptr || !MayBeDenied(review)) return;
  const std::vector<std::string> errors =
      crd.proposed_schemas()->Errors(*review.object, review.old_object, review.kind.version);
  if (errors.empty()) return;
  const std::size_t told = std::min(kMostReasons, errors.size());
  for (std::size_t i = 0; i < told; ++i) {
    reply.AddWarning("invalid by the new CRD: " + errors[i]);
  }
  if (errors.size() > told) {
    reply.AddWarning(kube::base::Count(errors.size() - told, "more error"));
  }
}

std::string Guard::Reasons(const GuardedCrd& crd, const RequestLoss& loss) const {
  std::vector<std::string> reasons;
  std::uint64_t more = loss.left_out_added;
  for (const LostField& field : loss.fields) {
    if (field.added == 0) continue;
    if (reasons.size() < kMostReasons) {
      reasons.push_back(
          LossText(field, crd.name(), crd.WhenRemoved(), 2 * RequestLoss::kMostPathBytes));
    } else {
      more += field.added;
    }
  }
  if (more > 0) reasons.push_back(MoreFields(more));
  if (!options_.contact.empty()) reasons.push_back(options_.contact);
  return kube::base::Join(reasons, "; ");
}

// A Scale is no object of the CRD.
GuardedCrds::Pointer Guard::FindCrd(const Review& review) const {
  if (review.object == nullptr) return nullptr;
  GuardedCrds::Pointer crd = guarded_.Find(review.resource.group, review.resource.plural);
  const bool is_its_kind =
      crd != nullptr && review.kind.group == crd->group() && review.kind.kind == crd->kind();
  return is_its_kind ? crd : nullptr;
}

Verdict Guard::Check(const Review& review, Reply& reply) const {
  const GuardedCrds::Pointer crd = FindCrd(review);
  if (crd == nullptr) return Allowed();
  if (!review.dry_run) tally_.NoteRequest();
  if (IsRewrite(review)) return Allowed();
  const Writer writer = WriterOf(review);
  if (!IsOfMigration(writer)) WarnOfRefusals(review, *crd, reply);
  const RequestLoss loss =
      FindRequestLoss(*review.object, review.old_object, crd->SchemasOf(review.kind.version));
  if (loss.empty()) return Allowed();
  const bool is_denied =
      options_.action == GuardAction::kDeny && loss.AddsFields() && MayBeDenied(review);
  if (!is_denied && IsOfMigration(writer)) return Allowed();
  if (!review.dry_run) NoteLoss(review, *crd, writer, loss, is_denied);
  Warn(*crd, loss, reply);
  if (!is_denied) return Allowed();
  return kube::admission::Refusal(Reasons(*crd, loss), kInvalid, "Invalid");
}

Verdict Guard::Change(const Review& review, Reply& reply,
                      kube::admission::ObjectDraft& draft) const {
  const GuardedCrds::Pointer crd = FindCrd(review);
  if (crd == nullptr || IsRewrite(review)) return Allowed();
  const Writer writer = WriterOf(review);
  if (IsOfMigration(writer)) return Allowed();
  const auto mutated = options_.mutation->Apply(*review.object, draft.arena());
  if (!mutated) return LeaveAsItIs("the mutation would change it again and again", reply);
  if (!*mutated) return Allowed();
  const std::vector<VersionSchema> schemas = crd->SchemasOf(review.kind.version);
  const RequestLoss before = FindRequestLoss(*review.object, review.old_object, schemas);
  const RequestLoss after = FindRequestLoss(**mutated, review.old_object, schemas);
  const std::string harm = Harm(review, **mutated, *crd, before, after);
  if (!harm.empty()) return LeaveAsItIs(harm, reply);
  if (!review.dry_run) NoteMoved(review, *crd, writer, before, after);
  kube::admission::ApplyDifference(*review.object, **mutated, draft.root(), draft.arena());
  return Allowed();
}

void Guard::Note(const Review& review, const GuardedCrd& crd, const Writer& writer,
                 const LostField& field, LossOutcome outcome) const {
  const std::string object = ObjectName(review);
  const LosingRequest request{
      .crd = crd.name(), .object = object, .writer = writer, .time = options_.now()};
  const bool is_first = tally_.NoteLoss(request, field, outcome);
  if (is_first && options_.tell) options_.tell(FirstSeen(crd, writer, field));
}

void Guard::NoteLoss(const Review& review, const GuardedCrd& crd, const Writer& writer,
                     const RequestLoss& loss, bool is_denied) const {
  tally_.NoteLosingRequest(is_denied);
  for (const LostField& field : loss.fields) {
    const bool is_reason = is_denied && field.added > 0;
    Note(review, crd, writer, field, is_reason ? LossOutcome::kDenied : LossOutcome::kPassed);
  }
  tally_.NoteLeftOut(loss.left_out);
}

// What is left of a field is for Check to see, which is asked about the changed object.
void Guard::NoteMoved(const Review& review, const GuardedCrd& crd, const Writer& writer,
                      const RequestLoss& before, const RequestLoss& after) const {
  for (const LostField& field : before.fields) {
    if (after.Find(field.path) != nullptr) continue;
    Note(review, crd, writer, field, LossOutcome::kMoved);
  }
}

report::GuardReport Guard::Report() const {
  report::GuardReport report = tally_.Report();
  report.action = options_.action == GuardAction::kDeny ? "deny" : "warn";
  report.since = check::TimeText(since_);
  report.crds = guarded_.Report();
  return report;
}

}  // namespace migrate::guard
