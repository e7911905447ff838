#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/admission/handler.h"
#include "migrate/populate/access_reviewer.h"
#include "migrate/populate/known_population.h"
#include "migrate/populate/target_namespace.h"
#include "tests/kube/admission/review_text.h"
#include "tests/migrate/populate/template_text.h"

namespace migrate::populate::webhooks_test {

using kube::admission::admission_test::ReadText;
using kube::admission::admission_test::ReviewText;
using Strings = std::vector<std::string>;

inline AccessAnswer AllowedAnswer() { return {AccessAnswer::Kind::kAllowed}; }
inline AccessAnswer DeniedAnswer(std::string reason = "") {
  return {AccessAnswer::Kind::kDenied, std::move(reason)};
}
inline AccessAnswer UnknownAnswer(std::string reason) {
  return {AccessAnswer::Kind::kUnknown, std::move(reason)};
}

/// Denies what it was not told of, and notes what it is asked: "jo use strict".
class FakeAccess : public AccessReviewer {
 public:
  std::vector<AccessAnswer> Ask(const kube::admission::UserInfo& user,
                                const std::vector<TemplateRight>& rights) override {
    const std::lock_guard lock(mutex_);
    std::vector<AccessAnswer> given;
    for (const TemplateRight& right : rights) {
      std::string question = std::string(user.username).append(" ").append(right.verb);
      if (right.resource != kTemplatePlural) question.append(" ").append(right.resource);
      if (!right.name.empty()) question.append(" ").append(right.name);
      const auto answer = answers.find(question);
      given.push_back(answer == answers.end() ? DeniedAnswer() : answer->second);
      asked.push_back(std::move(question));
    }
    return given;
  }

  std::map<std::string, AccessAnswer> answers;  // by question
  Strings asked;

 private:
  std::mutex mutex_;
};

/// One that a test tells what the cluster has.
class ToldPopulation : public KnownPopulation {
 public:
  void Put(NamespaceTemplate each) {
    Change([&each](Population::Templates& templates, Population::Namespaces&) {
      const std::string name = each.name;
      templates[name] = std::make_shared<const NamespaceTemplate>(std::move(each));
    });
  }
  /// A Namespace as the server shows it.
  void Put(const kube::json::Value& object, TimePoint created = {}) {
    KnownNamespace found{.target = ViewNamespace(&object), .created = created};
    Change([&found](Population::Templates&, Population::Namespaces& namespaces) {
      const std::string name = found.target.name;
      namespaces[name] = std::make_shared<const KnownNamespace>(std::move(found));
    });
  }
  /// Configurations that select by these matchLabels, with the names of their initializers.
  void PutConfigurations(
      const std::vector<std::pair<kube::meta::LabelSelector, std::vector<std::string>>>& all) {
    Population::Configurations configurations;
    for (const auto& [selector, initializers] : all) {
      configurations.push_back({.name = "c", .selector = selector, .initializers = initializers});
    }
    SetConfigurations(std::move(configurations));
  }
  void RemoveTemplate(const std::string& name) {
    Change([&name](Population::Templates& templates, Population::Namespaces&) {
      templates.erase(name);
    });
  }
  void RemoveNamespace(const std::string& name) {
    Change([&name](Population::Templates&, Population::Namespaces& namespaces) {
      namespaces.erase(name);
    });
  }
};

inline kube::admission::UserInfo UserNamed(std::string_view name) {
  kube::admission::UserInfo user;
  user.username = name;
  return user;
}

/// The same in a review, with a group.
inline std::string UserText(const std::string& name) {
  return R"({"username":")" + name + R"(","groups":["system:authenticated"]})";
}

/// A Namespace "shop" with this in its metadata: `"labels":{"a":"b"}`.
inline std::string NamespaceText(const std::string& metadata = "") {
  return R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop")" +
         (metadata.empty() ? "" : "," + metadata) + "}}";
}

inline std::string Labels(const std::string& entries) { return R"("labels":{)" + entries + "}"; }

/// Of a Namespace: created, or, with an old one, changed.
inline ReviewText NamespaceReview(const std::string& object, const std::string& old_object = "null",
                                  const std::string& user = "jo") {
  return {.group = "",
          .plural = "namespaces",
          .kind = "Namespace",
          .operation = old_object == "null" ? "CREATE" : "UPDATE",
          .object = object,
          .old_object = old_object,
          .name = "shop",
          .user = UserText(user)};
}

/// A template for namespaces with these matchLabels, and what else is to stand in its metadata.
inline NamespaceTemplate TemplateFor(const std::string& name, const std::string& match_labels,
                                     const std::string& metadata = "") {
  return populate_test::ReadTemplate(
      R"({"name":")" + name + "\"" + (metadata.empty() ? "" : "," + metadata) + "}",
      R"({"namespaces":{"labelSelector":{"matchLabels":{)" + match_labels +
          R"(}}},"templates":[]})");
}

inline const std::string kRequiresPermission =
    R"("annotations":{"policy/namespace-template-require-permission":"true"})";

/// What is against it, as "403 text"; empty: nothing.
inline std::string Told(const kube::admission::Verdict& verdict) {
  return verdict ? std::to_string(verdict->code) + " " + verdict->message : "";
}

}  // namespace migrate::populate::webhooks_test
