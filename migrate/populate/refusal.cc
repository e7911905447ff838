#include "migrate/populate/refusal.h"

#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "kube/meta/names.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/target_namespace.h"

namespace migrate::populate {
namespace {

using kube::admission::Operation;
using kube::admission::Review;
using kube::admission::Verdict;
using Users = std::set<std::string, std::less<>>;

bool IsCreatedByOneOf(const Review& review, const Users& users) {
  return review.operation == Operation::kCreate && users.contains(review.user.username);
}

}  // namespace

kube::base::Result<std::string, std::string> UserOfServiceAccount(std::string_view text) {
  const auto refuse = [](std::string why) { return kube::base::Unexpected(std::move(why)); };
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return refuse("a service account is written NAMESPACE:NAME");
  const std::string_view namespace_ = text.substr(0, colon), name = text.substr(colon + 1);
  const auto namespace_problems = kube::meta::Dns1123LabelProblems(namespace_);
  if (!namespace_problems.empty()) {
    return refuse("its namespace: " + kube::base::Join(namespace_problems, "; "));
  }
  const auto name_problems = kube::meta::Dns1123SubdomainProblems(name);
  if (!name_problems.empty()) return refuse("its name: " + kube::base::Join(name_problems, "; "));
  return "system:serviceaccount:" + std::string(text);
}

void SetOptOut(const Review& review, const Users& users, kube::admission::ObjectDraft& draft) {
  if (!IsCreatedByOneOf(review, users)) return;
  for (const std::string_view map : {"labels", "annotations"}) {
    draft.SetText({"metadata", map, kOptOutKey}, "true");
  }
}

Verdict CheckOptOut(const Review& review, const Users& users, AccessReviewer& access) {
  const bool is_kept =
      IsSame(FindLabel(review.object, kOptOutKey), FindLabel(review.old_object, kOptOutKey)) &&
      IsSame(FindAnnotation(review.object, kOptOutKey),
             FindAnnotation(review.old_object, kOptOutKey));
  if (is_kept || IsCreatedByOneOf(review, users)) return kube::admission::Allowed();
  return RequireRight(access, review.user, kOptOutVerb,
                      std::string(kOptOutKey) + " cannot be changed");
}

namespace {

using kube::admission::Failure;
using kube::admission::FailureKind;
using kube::go::GoQuote;

std::string UserText(std::string_view user) {
  constexpr std::size_t kMostBytes = 1024;
  return "User " + GoQuote(kube::base::utf8::Shortened(user, kMostBytes));
}

std::string VerbText(std::string_view verb, std::string_view resource) {
  return std::string(verb) + " resource " + GoQuote(resource) + " in API group " + GoQuote(kGroup) +
         " at the cluster scope";
}

}  // namespace

std::string CannotText(std::string_view user, std::string_view verb, std::string_view resource) {
  return UserText(user) + " cannot " + VerbText(verb, resource);
}

std::string NotAskedText(std::string_view user, std::string_view verb, std::string_view resource) {
  return "it could not be asked whether " + UserText(user) + " can " + VerbText(verb, resource);
}

MissingRights FindMissing(AccessReviewer& access, const kube::admission::UserInfo& user,
                          const std::vector<TemplateRight>& rights) {
  const std::vector<AccessAnswer> answers = access.Ask(user, rights);
  MissingRights missing;
  for (std::size_t i = 0; i < rights.size(); ++i) {
    const AccessAnswer answer = i < answers.size() ? answers[i] : AccessAnswer();
    const std::string name = GoQuote(rights[i].name);
    if (answer.kind == AccessAnswer::Kind::kDenied) missing.denied.push_back(name);
    if (answer.kind == AccessAnswer::Kind::kUnknown) {
      missing.unknown.push_back(name + " (" + answer.reason + ")");
    }
  }
  return missing;
}

Failure RefuseMissing(const MissingRights& missing, const kube::admission::UserInfo& user,
                      const TemplateRight& like, std::string_view what) {
  std::vector<std::string> parts;
  if (!missing.denied.empty()) {
    parts.push_back(CannotText(user.username, like.verb, like.resource) + ": " +
                    kube::base::Join(missing.denied, ", "));
  }
  if (!missing.unknown.empty()) {
    parts.push_back(NotAskedText(user.username, like.verb, like.resource) + ": " +
                    kube::base::Join(missing.unknown, ", "));
  }
  std::string message = std::string(what) + ": " + kube::base::Join(parts, "; ");
  return missing.denied.empty() ? Unavailable(std::move(message)) : Forbidden(std::move(message));
}

Failure Forbidden(std::string message) {
  return kube::admission::Refusal(std::move(message), 403, "Forbidden");
}

Failure Unavailable(std::string message) {
  return {FailureKind::kTemporary, std::move(message), 503, "ServiceUnavailable"};
}

AccessAnswer AskOne(AccessReviewer& access, const kube::admission::UserInfo& user,
                    std::string_view verb) {
  const std::vector<AccessAnswer> answers = access.Ask(user, {{.verb = std::string(verb)}});
  return answers.empty() ? AccessAnswer() : answers.front();
}

Verdict RequireRight(AccessReviewer& access, const kube::admission::UserInfo& user,
                     std::string_view verb, std::string_view what) {
  const AccessAnswer answer = AskOne(access, user, verb);
  if (answer.kind == AccessAnswer::Kind::kAllowed) return kube::admission::Allowed();
  const std::string refused = std::string(what) + ": ";
  if (answer.kind == AccessAnswer::Kind::kUnknown) {
    return Unavailable(refused + NotAskedText(user.username, verb) + ": " + answer.reason);
  }
  const std::string message = refused + CannotText(user.username, verb);
  return Forbidden(answer.reason.empty() ? message : message + ": " + answer.reason);
}

}  // namespace migrate::populate
