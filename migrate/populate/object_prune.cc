#include "migrate/populate/object_prune.h"

#include <chrono>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/populate/cluster_template.h"
#include "migrate/populate/member_index.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::populate {
namespace {

// Then a template is looked at once more before more of it is deleted.
constexpr std::chrono::seconds kLeaveHolds(5);

}  // namespace

const std::optional<std::string>& DeletionCheck::WhyNot(const std::string& template_name) {
  const auto now = session_.clock.Now();
  const auto [place, is_new] = answers_.try_emplace(template_name);
  Answer& answer = place->second;
  const bool is_old = !answer.why_not && now >= answer.at + kLeaveHolds;
  if (is_new || is_old) answer = {.why_not = Ask(template_name), .at = now};
  return answer.why_not;
}

std::optional<std::string> DeletionCheck::Ask(const std::string& template_name) const {
  const auto known = input_.known.find(template_name);
  const bool is_known = known != input_.known.end();
  const TemplateNow now = LookAgain(template_name, is_known ? &known->second : nullptr, session_);
  if (now == (is_known ? TemplateNow::kSame : TemplateNow::kGone)) return std::nullopt;
  if (session_.is_stopped()) return "";
  const bool is_changed = now != TemplateNow::kUnknown;
  std::string why = is_changed ? "the template was changed meanwhile: run again"
                               : "the server does not say whether the template is as it was";
  on_refused_(template_name, is_changed, why);
  return why;
}

namespace {

using kube::json::Value;
using report::PopulationClass;
using rewrite::BrokenAnswer;

constexpr char kNotOurs[] = "it is no longer what was made of the template";

}  // namespace

kube::client::ApiRequest ObjectPrune::Request() const {
  kube::client::ApiRequest request;
  request.target = object_.kind.ObjectPath(object_.namespace_, object_.name);
  request.retry = false;
  if (asks_ == Asks::kObject) {
    if (mode_ != WriteMode::kShow) request.accept = rewrite::kMetadataAccept;
    return request;
  }
  request.method = "DELETE";
  if (mode_ == WriteMode::kShow) {
    // Without a body, so that kube::client::ReadOnlyTransport sees that nothing is deleted.
    request.target += "?dryRun=All&propagationPolicy=Background";
    return request;
  }
  request.content_type = "application/json";
  request.body = DeletionBody();
  return request;
}

// Where there is a body, a server reads no options from the query (apiserver
// pkg/endpoints/handlers/delete.go).
std::string ObjectPrune::DeletionBody() const {
  kube::json::Arena arena;
  Value preconditions = Value::Object();
  preconditions.SetNew("uid", Value::String(object_.uid), arena);
  preconditions.SetNew("resourceVersion", Value::String(object_.resource_version), arena);
  Value options = Value::Object();
  options.SetNew("apiVersion", Value::String("v1"), arena);
  options.SetNew("kind", Value::String("DeleteOptions"), arena);
  options.SetNew("preconditions", preconditions, arena);
  options.SetNew("propagationPolicy", Value::String("Background"), arena);
  if (mode_ == WriteMode::kDryRun) {
    Value all = Value::Array();
    all.Append(Value::String("All"), arena);
    options.SetNew("dryRun", all, arena);
  }
  return kube::json::Print(options);
}

ObjectPrune::Step ObjectPrune::OnAnswer(std::string_view body,
                                        const std::optional<kube::client::CallError>& error,
                                        kube::json::Document& document,
                                        kube::base::Clock::TimePoint now) {
  was_slowdown_ = false;
  retry_after_.reset();
  if (!error) {
    return asks_ == Asks::kDeletion ? End(PopulationClass::kPruned) : OnObject(body, document, now);
  }
  const auto verdict = rewrite::ClassifyAnswer(*error, object_.kind.ObjectText(object_.name));
  if (verdict.object_class == report::ObjectClass::kGone) {
    return End(may_be_deleted_ ? PopulationClass::kPruned : PopulationClass::kGone);
  }
  if (asks_ == Asks::kDeletion && !IsRefusal(MeaningOf(*error))) may_be_deleted_ = true;
  if (error->status) retry_after_ = error->status->retry_after;
  return Fail(verdict, kube::client::ServerMessage(*error), now);
}

ObjectPrune::Step ObjectPrune::OnObject(std::string_view body, kube::json::Document& document,
                                        kube::base::Clock::TimePoint now) {
  const bool is_json = !document.Parse(body);
  const Value& live = document.root();
  if (!is_json || cluster::MetadataText(live, "name") != object_.name) {
    return Fail(ClassifyAnswer(is_json ? BrokenAnswer::kNotObject : BrokenAnswer::kCutShort),
                "the server's answer is not the object that was asked for", now);
  }
  const auto membership = ReadMembership(live);
  const bool is_same = cluster::MetadataText(live, "uid") == object_.uid;
  if (is_same && membership && membership->is_being_deleted) {
    return End(may_be_deleted_ ? PopulationClass::kPruned : PopulationClass::kGone);
  }
  if (!is_same && may_be_deleted_) return End(PopulationClass::kPruned);
  const bool is_ours = is_same && membership && membership->is_proven &&
                       membership->template_name == object_.template_name;
  if (!is_ours) return End(PopulationClass::kKept, kNotOurs);
  object_.resource_version = cluster::MetadataText(live, "resourceVersion");
  if (mode_ == WriteMode::kShow) states_.now = body;
  asks_ = Asks::kDeletion;
  return Step::kSend;
}

ObjectPrune::Step ObjectPrune::End(PopulationClass result, std::string message) {
  result_ = result;
  message_ = std::move(message);
  return Step::kDone;
}

// Whatever was asked for: what is known of the object is old by then.
ObjectPrune::Step ObjectPrune::Fail(const rewrite::AnswerVerdict& verdict, std::string message,
                                    kube::base::Clock::TimePoint now) {
  was_slowdown_ = verdict.is_slowdown;
  if (const auto pause = budget_.Next(verdict, retry_after_, now)) {
    due_ = now + *pause;
    asks_ = Asks::kObject;
    return Step::kPause;
  }
  return End(PopulationClass::kFailed, std::move(message));
}

}  // namespace migrate::populate
