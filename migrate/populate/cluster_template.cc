#include "migrate/populate/cluster_template.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pause.h"
#include "migrate/populate/keys.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::populate {
namespace {

using kube::client::CallError;
using kube::client::DocumentResult;
using kube::client::Meaning;
using kube::json::Document;
using kube::json::Value;

constexpr std::chrono::seconds kGrace(10);
// maxItems of status.failures in the CRD.
constexpr std::size_t kMostFailures = 100;
// Of the first ones together no more than a fraction of what etcd takes.
constexpr std::size_t kMostMessageBytes = 1000;
constexpr std::string_view kRefused = "Refused";
constexpr char kChanged[] = "the template was changed meanwhile: run again";

std::string TemplatePath(const std::string& name) {
  return TemplatesPath() + "/" + kube::client::UrlEscape(name);
}

DocumentResult ReadMetadata(const std::string& name, const kube::client::Session& session) {
  return session.client.Send({.target = TemplatePath(name), .accept = rewrite::kMetadataAccept});
}

DocumentResult SendPatch(const std::string& target, std::string body, bool is_dry_run,
                         const kube::client::Session& session) {
  return session.client.Send(
      {.method = "PATCH",
       .target = target + "?fieldManager=" + kFieldManager + (is_dry_run ? "&dryRun=All" : ""),
       .accept = rewrite::kMetadataAccept,
       .content_type = "application/merge-patch+json",
       .body = std::move(body),
       .changes_nothing = is_dry_run,
       .retry = false,
       .grace = kGrace});
}

template <typename T>
std::set<T> Union(std::set<T> one, const std::set<T>& other) {
  one.insert(other.begin(), other.end());
  return one;
}

Value FailureValue(const StatusFailure& failure, kube::json::Arena& arena) {
  Value value = Value::Object();
  value.SetNew("namespace", Value::String(failure.namespace_), arena);
  if (!failure.object.empty()) value.SetNew("object", Value::String(failure.object), arena);
  value.SetNew("message",
               Value::String(kube::base::utf8::Prefix(failure.message, kMostMessageBytes)), arena);
  return value;
}

// An empty object where there is none.
Document ParsedStatus(const ClusterTemplate& of) {
  Document document;
  if (of.status.empty() || document.Parse(of.status) || !document.root().is_object()) {
    document.root() = Value::Object();
  }
  return document;
}

const Value* FindRefusal(const Value& status) {
  const Value* conditions = status.Find("conditions");
  if (conditions == nullptr) return nullptr;
  const auto found = std::ranges::find(conditions->elements(), kRefused,
                                       [](const Value& each) { return each.FindText("type"); });
  return found == conditions->elements().end() ? nullptr : &*found;
}

// A template that is not found is gone.
NoteProblem ProblemOf(const CallError& error) {
  const Meaning meaning = MeaningOf(error);
  return {.why = kube::client::ServerMessage(error),
          .is_changed = meaning == Meaning::kNotFound,
          .is_invalid = meaning == Meaning::kInvalid};
}

}  // namespace

std::string TemplatesPath() {
  return std::string("/apis/") + kGroup + "/" + kVersion + "/" + kTemplatePlural;
}

ClusterTemplate ReadClusterTemplate(const Value& object) {
  ClusterTemplate read{
      .name = std::string(cluster::MetadataText(object, "name")),
      .uid = std::string(cluster::MetadataText(object, "uid")),
      .resource_version = std::string(cluster::MetadataText(object, "resourceVersion")),
      .apply_set = ReadApplySetState(object)};
  read.generation = kube::json::AsInt64(object.At("metadata").At("generation")).value_or(0);
  if (const Value* status = object.Find("status")) read.status = kube::json::Print(*status);
  return read;
}

TemplateNow LookAgain(const std::string& name, const ClusterTemplate* known,
                      const kube::client::Session& session) {
  const auto found = ReadMetadata(name, session);
  if (!found) {
    // Not so where the CRD is not served.
    const std::string object = std::string(kTemplatePlural) + "." + kGroup + " \"" + name + "\"";
    const auto verdict = rewrite::ClassifyAnswer(found.error(), object);
    return verdict.object_class == report::ObjectClass::kGone ? TemplateNow::kGone
                                                              : TemplateNow::kUnknown;
  }
  if (known == nullptr) return TemplateNow::kChanged;
  const Value& metadata = (*found)->root();
  const ClusterTemplate now = ReadClusterTemplate(metadata);
  // Labels and annotations move no generation.
  const bool is_left_alone =
      HasEntry(metadata, kApplyKey, "disable") || !WhyForeign(now.apply_set, name).empty();
  const bool is_same = now.uid == known->uid && now.generation == known->generation;
  return is_same && !is_left_alone ? TemplateNow::kSame : TemplateNow::kChanged;
}

NoteResult TemplateWriter::Widen(ClusterTemplate& of, const std::set<GroupKind>& types,
                                 const std::set<std::string>& namespaces) const {
  const auto wanted = [&](const ApplySetState& live) {
    const bool has_too_many = !live.types.empty() && live.namespaces.empty();
    return TemplateApplySetState(
        of.name, version_, Union(live.types, types),
        has_too_many ? std::set<std::string>() : Union(live.namespaces, namespaces));
  };
  return Write(of, wanted, /*keeps_others=*/false);
}

NoteResult TemplateWriter::Narrow(ClusterTemplate& of, const std::set<GroupKind>& types,
                                  const std::set<std::string>& namespaces) const {
  const auto wanted = [&](const ApplySetState&) {
    return TemplateApplySetState(of.name, version_, types, namespaces);
  };
  return Write(of, wanted, /*keeps_others=*/true);
}

NoteResult TemplateWriter::Write(ClusterTemplate& of, const Wanted& wanted,
                                 bool keeps_others) const {
  rewrite::RetryBudget budget(patience_);
  for (;;) {
    const ApplySetState state = wanted(of.apply_set);
    if (state == of.apply_set) return std::nullopt;
    const auto written = SendPatch(TemplatePath(of.name), ApplySetPatch(state, of.resource_version),
                                   is_dry_run_, session_);
    if (written) {
      if (!is_dry_run_)
        of.resource_version = ReadClusterTemplate((*written)->root()).resource_version;
      of.apply_set = state;
      return std::nullopt;
    }
    NoteResult problem = PauseAfter(written.error(), budget);
    if (!problem) problem = ReadAnew(of, keeps_others ? &state : nullptr);
    if (problem) return problem;
  }
}

// Absent: it is to be tried again.
NoteResult TemplateWriter::PauseAfter(const CallError& error, rewrite::RetryBudget& budget) const {
  const auto verdict = rewrite::ClassifyAnswer(error);
  const auto retry_after = error.status ? error.status->retry_after : std::nullopt;
  const auto pause = budget.Next(verdict, retry_after, session_.clock.Now());
  if (!pause) return ProblemOf(error);
  if (cluster::PauseUntil(session_.clock.Now() + *pause, session_)) return std::nullopt;
  return NoteProblem{.why = "interrupted"};
}

// `only`: nobody is to have written another ApplySet than this one, which an earlier try may have
// done.
NoteResult TemplateWriter::ReadAnew(ClusterTemplate& of, const ApplySetState* only) const {
  const auto found = ReadMetadata(of.name, session_);
  if (!found) return ProblemOf(found.error());
  ClusterTemplate now = ReadClusterTemplate((*found)->root());
  if (now.uid != of.uid || now.generation != of.generation) {
    return NoteProblem{.why = kChanged, .is_changed = true};
  }
  std::string why = WhyForeign(now.apply_set, of.name);
  if (!why.empty()) return NoteProblem{.why = std::move(why)};
  if (only != nullptr && now.apply_set != of.apply_set && now.apply_set != *only) {
    return NoteProblem{.why = "its ApplySet was changed meanwhile", .is_changed = true};
  }
  now.status = std::move(of.status);
  of = std::move(now);
  return std::nullopt;
}

NoteResult TemplateWriter::WriteStatus(ClusterTemplate& of, std::size_t namespaces,
                                       const std::vector<StatusFailure>& failures) const {
  kube::json::Arena arena;
  Value list = Value::Array();
  for (std::size_t i = 0; i < std::min(failures.size(), kMostFailures); ++i) {
    list.Append(FailureValue(failures[i], arena), arena);
  }
  Value status = Value::Object();
  status.SetNew("failures", list, arena);
  status.SetNew("namespaces", Value::Number(static_cast<std::int64_t>(namespaces), arena), arena);
  status.SetNew("observedGeneration", Value::Number(of.generation, arena), arena);
  const std::string text = kube::json::Print(status);
  if (text == of.status) return std::nullopt;
  const Document before = ParsedStatus(of);
  if (before.root().Find("conditions") != nullptr) status.SetNew("conditions", Value(), arena);
  return PatchStatus(of, status, text);
}

NoteResult TemplateWriter::WriteRefusal(ClusterTemplate& of, const TemplateRefusal& refusal,
                                        const std::string& now) const {
  Document before = ParsedStatus(of);
  kube::json::Arena& arena = before.arena();
  const std::string_view message = kube::base::utf8::Prefix(refusal.why, kMostMessageBytes);
  const Value* old = FindRefusal(before.root());
  Value condition = Value::Object();
  // It has been True since then, whatever for.
  const std::string_view since = old == nullptr ? "" : old->FindText("lastTransitionTime");
  condition.SetNew("lastTransitionTime", Value::String(since.empty() ? now : since), arena);
  condition.SetNew("message", Value::String(message), arena);
  condition.SetNew("observedGeneration", Value::Number(of.generation, arena), arena);
  condition.SetNew("reason", Value::String(refusal.reason), arena);
  condition.SetNew("status", Value::String("True"), arena);
  condition.SetNew("type", Value::String(kRefused), arena);
  if (old != nullptr && kube::json::Equal(*old, condition)) return std::nullopt;
  Value conditions = Value::Array();
  conditions.Append(condition, arena);
  Value patch = Value::Object();
  patch.SetNew("conditions", conditions, arena);
  before.root().Set("conditions", conditions, arena);
  NoteResult problem = PatchStatus(of, patch, kube::json::Print(before.root()));
  return problem && problem->is_invalid ? std::nullopt : problem;
}

NoteResult TemplateWriter::ClearRefusal(ClusterTemplate& of) const {
  Document status = ParsedStatus(of);
  if (!status.root().Erase("conditions")) return std::nullopt;
  Value patch = Value::Object();
  patch.SetNew("conditions", Value(), status.arena());
  return PatchStatus(of, patch, kube::json::Print(status.root()));
}

// `status` is what there will be.
NoteResult TemplateWriter::PatchStatus(ClusterTemplate& of, const Value& patch,
                                       std::string status) const {
  kube::json::Arena arena;
  // Another one of that name has another status.
  Value metadata = Value::Object();
  metadata.SetNew("uid", Value::String(of.uid), arena);
  Value body = Value::Object();
  body.SetNew("metadata", metadata, arena);
  body.SetNew("status", patch, arena);
  rewrite::RetryBudget budget(patience_);
  for (;;) {
    const auto written = SendPatch(TemplatePath(of.name) + "/status", kube::json::Print(body),
                                   is_dry_run_, session_);
    if (written) {
      of.status = std::move(status);
      return std::nullopt;
    }
    if (NoteResult problem = PauseAfter(written.error(), budget)) return problem;
  }
}

}  // namespace migrate::populate
