#include "migrate/populate/cached_access.h"

#include <string_view>
#include <utility>

#include "kube/serve/certificates.h"

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

}  // namespace migrate::populate
