#include "migrate/populate/access_reviewer.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/client/gathered_call.h"
#include "kube/json/json.h"
#include "kube/serve/certificates.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

using kube::admission::UserInfo;

// No text can be taken for two, or for a part of another one.
void Add(std::string& question, std::string_view text) {
  question.append(std::to_string(text.size())).append(":").append(text);
}

void Add(std::string& question, const std::vector<std::string_view>& texts) {
  question.append(std::to_string(texts.size())).append("[");
  for (const std::string_view text : texts) Add(question, text);
}

std::string WhoAsks(const UserInfo& user) {
  std::string who;
  Add(who, user.username);
  Add(who, user.uid);
  Add(who, user.groups);
  for (const auto& [key, values] : user.extra) {
    Add(who, key);
    Add(who, values);
  }
  return kube::serve::Sha256(who);
}

std::string AccessKeyOf(const std::string& who, const TemplateRight& right) {
  std::string question = who;
  Add(question, right.verb);
  Add(question, right.name);
  Add(question, right.resource);
  return kube::serve::Sha256(question);
}

}  // namespace

std::vector<AccessAnswer> CachedAccess::Ask(const UserInfo& user,
                                            const std::vector<TemplateRight>& rights) {
  if (rights.empty()) return {};
  const std::string who = WhoAsks(user);
  std::vector<AccessAnswer> answers(rights.size());
  std::vector<TemplateRight> asked;
  std::vector<std::size_t> places;  // in `answers`, of what is asked
  for (std::size_t i = 0; i < rights.size(); ++i) {
    if (auto known = Recall(AccessKeyOf(who, rights[i]))) {
      answers[i] = *std::move(known);
    } else {
      asked.push_back(rights[i]);
      places.push_back(i);
    }
  }
  if (asked.empty()) return answers;
  const std::vector<AccessAnswer> told = reviewer_.Ask(user, asked);
  for (std::size_t i = 0; i < asked.size() && i < told.size(); ++i) {
    answers[places[i]] = told[i];
    Remember(AccessKeyOf(who, asked[i]), told[i]);
  }
  return answers;
}

std::optional<AccessAnswer> CachedAccess::Recall(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto known = answers_.find(key);
  if (known == answers_.end()) return std::nullopt;
  if (clock_.Now() < known->second.until) return known->second.answer;
  answers_.erase(known);
  return std::nullopt;
}

void CachedAccess::Remember(const std::string& key, const AccessAnswer& answer) {
  if (answer.kind == AccessAnswer::Kind::kUnknown) return;
  const std::lock_guard lock(mutex_);
  const auto now = clock_.Now();
  if (answers_.size() >= kMostAnswers) MakeRoom(now);
  const bool is_allowed = answer.kind == AccessAnswer::Kind::kAllowed;
  answers_.insert_or_assign(key, Remembered{answer, now + (is_allowed ? kAllowedFor : kDeniedFor)});
}

void CachedAccess::MakeRoom(kube::base::Clock::TimePoint now) {
  std::erase_if(answers_, [now](const auto& entry) { return entry.second.until <= now; });
  if (answers_.size() >= kMostAnswers) answers_.clear();
}

namespace {

using kube::client::GatheredCall;
using kube::json::Arena;
using kube::json::Value;

// An answer repeats the question, whose user may be in very many groups.
constexpr std::size_t kMostAnswerBytes = 1024 * 1024;
// What an authorizer says is for people.
constexpr std::size_t kMostReasonBytes = 1024;

Value TextsOf(const std::vector<std::string_view>& texts, Arena& arena) {
  Value list = Value::Array();
  for (const std::string_view text : texts) list.Append(Value::String(text), arena);
  return list;
}

// In all versions: a right is to an object, whatever version it is written in.
Value AttributesOf(const TemplateRight& right, Arena& arena) {
  Value attributes = Value::Object();
  attributes.Set("group", Value::String(kGroup), arena);
  attributes.Set("version", Value::String("*"), arena);
  attributes.Set("resource", Value::String(right.resource), arena);
  attributes.Set("verb", Value::String(right.verb), arena);
  if (!right.name.empty()) attributes.Set("name", Value::String(right.name), arena);
  return attributes;
}

Value SpecOf(const UserInfo& user, const TemplateRight& right, Arena& arena) {
  Value spec = Value::Object();
  spec.Set("resourceAttributes", AttributesOf(right, arena), arena);
  if (!user.username.empty()) spec.Set("user", Value::String(user.username), arena);
  if (!user.uid.empty()) spec.Set("uid", Value::String(user.uid), arena);
  if (!user.groups.empty()) spec.Set("groups", TextsOf(user.groups, arena), arena);
  if (user.extra.empty()) return spec;
  Value* extra = spec.Set("extra", Value::Object(), arena);
  for (const auto& [key, values] : user.extra) extra->Set(key, TextsOf(values, arena), arena);
  return spec;
}

kube::client::ApiRequest RequestOf(const UserInfo& user, const TemplateRight& right) {
  Arena arena;
  Value review = Value::Object();
  review.Set("apiVersion", Value::String("authorization.k8s.io/v1"), arena);
  review.Set("kind", Value::String("SubjectAccessReview"), arena);
  review.Set("spec", SpecOf(user, right, arena), arena);
  return {.method = "POST",
          .target = "/apis/authorization.k8s.io/v1/subjectaccessreviews",
          .content_type = "application/json",
          .body = kube::json::Print(review),
          .most_bytes = kMostAnswerBytes,
          .changes_nothing = true};
}

AccessAnswer Unknown(std::string_view why) {
  return {AccessAnswer::Kind::kUnknown,
          std::string(kube::base::utf8::Prefix(why, kMostReasonBytes))};
}

AccessAnswer ReadAnswer(const std::string& body) {
  kube::json::Document document;
  if (document.Parse(body)) return Unknown("the server's answer is not JSON");
  const Value& status = document.root().At("status");
  const Value& allowed = status.At("allowed");
  if (!allowed.is_bool()) return Unknown("the server's answer does not say whether it is allowed");
  if (allowed.is_true()) return {AccessAnswer::Kind::kAllowed};
  std::string_view reason = status.FindText("reason");
  if (reason.empty()) reason = status.FindText("evaluationError");
  return {AccessAnswer::Kind::kDenied,
          std::string(kube::base::utf8::Prefix(reason, kMostReasonBytes))};
}

AccessAnswer AnswerOf(const GatheredCall& call) {
  if (!call.is_done()) return Unknown("the server did not answer in time");
  if (call.error()) return Unknown(call.error()->message);
  return ReadAnswer(call.body());
}

}  // namespace

std::vector<AccessAnswer> ClusterAccessReviewer::Ask(const UserInfo& user,
                                                     const std::vector<TemplateRight>& rights) {
  if (rights.empty()) return {};
  const kube::client::Scheduler::Participant part(scheduler_);
  std::deque<GatheredCall> calls;  // cancelled while it still is this thread's turn
  std::string problem;
  try {
    for (const TemplateRight& right : rights) {
      calls.emplace_back(client_).Start(RequestOf(user, right));
    }
    scheduler_.Wait(clock_.Now() + patience_,
                    [&calls] { return std::ranges::all_of(calls, &GatheredCall::is_done); });
  } catch (const std::exception& thrown) {
    problem = thrown.what();
  }
  std::vector<AccessAnswer> answers;
  for (const GatheredCall& call : calls) {
    answers.push_back(call.is_done() || problem.empty() ? AnswerOf(call) : Unknown(problem));
  }
  answers.resize(rights.size(), Unknown(problem));
  return answers;
}

}  // namespace migrate::populate
