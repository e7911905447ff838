#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "migrate/populate/namespace_template.h"
#include "migrate/populate/population.h"
#include "tests/support/fake_cluster.h"

namespace migrate::populate {
/// What the tests of Populate share.
namespace population_test {

using report::PopulationClass;
using report::PopulationReport;
using test_support::FakeFault;
using test_support::FakeStatus;
using Names = std::vector<std::string>;

inline const std::string kTemplates = "namespacetemplates.policy.kubectl-prune.dev";
inline const std::string kWidgets = "widgets.demo.example.com";
inline const std::string kManager = "?fieldManager=kubectl-prune-populate";

/// A widget as a template has it; `a` is its one field.
inline std::string Widget(const std::string& name, const std::string& a = "x",
                          const std::string& plural = "widgets") {
  return R"({"apiVersion":"demo.example.com/v1","kind":"Kind)" + plural +
         R"(","metadata":{"name":")" + name + R"("},"spec":{"a":")" + a + "\"}}";
}

/// A cluster with the namespaces a and b, and CRDs of widgets, gadgets and NamespaceTemplates.
struct World {
  World() {
    cluster.server.Add(kTemplateCrd);
    for (const char* plural : {"widgets", "gadgets"}) {
      cluster.server.Add(test_support::FakeCrdText(plural));
    }
    for (const char* name : {"a", "b"}) AddNamespace(name);
    options.version = "v0.1.0";
    options.time_of_day = [] { return "2026-01-01T00:00:00Z"; };
    options.on_line = [this](const std::string& line) { lines.push_back(line); };
  }

  void AddNamespace(const std::string& name, const std::string& more = "") {
    cluster.server.Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name +
                       "\"" + more + "}}");
  }
  /// Adds a template, or replaces its spec as an update does.
  void PutTemplate(const std::string& name, const Names& objects, const std::string& labels = "",
                   const std::string& selector = "") {
    const kube::json::Value* stored = cluster.server.Stored(kTemplates, name);
    if (stored != nullptr) return PatchTemplate(name, objects);
    cluster.server.Add(
        R"({"apiVersion":"policy.kubectl-prune.dev/v1alpha1","kind":"NamespaceTemplate",)"
        R"("metadata":{"name":")" +
        name + R"(","generation":1,"labels":{)" + labels + R"(}},"spec":{)" +
        R"("namespaces":{"labelSelector":)" + (selector.empty() ? "{}" : selector) +
        R"(},"templates":[)" + kube::base::Join(objects, ",") + "]}}");
  }
  /// As kubectl would.
  void PatchTemplate(const std::string& name, const Names& objects) {
    Send("PATCH", "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/" + name,
         "application/merge-patch+json",
         R"({"spec":{"templates":[)" + kube::base::Join(objects, ",") + "]}}");
  }
  /// The webhook by which $(CREATOR) is guarded.
  void PutGuard() {
    cluster.server.Add(
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)"
        R"("name":"validatingwebhookconfigurations.admissionregistration.k8s.io"},"spec":{)"
        R"("group":"admissionregistration.k8s.io","scope":"Cluster","names":{)"
        R"("plural":"validatingwebhookconfigurations","kind":"ValidatingWebhookConfiguration"},)"
        R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{)"
        R"("type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
    cluster.server.Add(
        R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
        R"("kind":"ValidatingWebhookConfiguration","metadata":{"name":"ours"},"webhooks":[{)"
        R"("name":"creator.check.ours","failurePolicy":"Fail","rules":[{"apiGroups":[""],)"
        R"("apiVersions":["v1"],"resources":["namespaces/*"],"operations":["*"]}]}]})");
  }
  void RemoveGuard() {
    cluster.server.Delete("validatingwebhookconfigurations.admissionregistration.k8s.io", "ours");
  }
  void DeleteTemplate(const std::string& name) { cluster.server.Delete(kTemplates, name); }

  /// What another client sends; not among the requests of the run.
  test_support::FakeAnswer Send(const std::string& method, const std::string& target,
                                const std::string& content_type, const std::string& body) {
    kube::client::HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Content-Type", content_type}};
    request.body = body;
    return cluster.server.Answer(request, {});
  }
  test_support::FakeAnswer ApplyAs(const std::string& manager, const std::string& path,
                                   const std::string& body) {
    return Send(
        "PATCH",
        "/apis/demo.example.com/v1/namespaces/" + path + "?fieldManager=" + manager + "&force=true",
        "application/apply-patch+yaml", body);
  }

  PopulationReport Run() {
    first_request = cluster.server.requests().size();
    return Populate(options, cluster.session());
  }
  std::string ErrorOfRun() {
    try {
      Run();
    } catch (const kube::base::Error& error) {
      return error.what();
    }
    return "";
  }

  /// Methods and targets of the last run; empty `method`: all but GET.
  Names Requests(const std::string& method = "") const {
    Names found;
    const auto& all = cluster.server.requests();
    for (std::size_t i = first_request; i < all.size(); ++i) {
      const bool fits = method.empty() ? all[i].method != "GET" : all[i].method == method;
      if (fits) found.push_back(all[i].method + " " + all[i].target);
    }
    return found;
  }
  /// Namespace, reason and message of the Events of the last run: "a Populated: applied ...".
  Names Events() const {
    Names texts;
    const auto& all = cluster.server.requests();
    for (std::size_t i = first_request; i < all.size(); ++i) {
      if (all[i].target.find("/events?") == std::string::npos) continue;
      kube::json::Document event;
      REQUIRE_FALSE(event.Parse(all[i].body));
      const kube::json::Value& root = event.root();
      texts.push_back(std::string(root.Find("metadata")->FindText("namespace"))
                          .append(" ")
                          .append(root.FindText("reason"))
                          .append(": ")
                          .append(root.FindText("message")));
    }
    return texts;
  }
  /// The bodies of its DELETE requests.
  Names Deletions() const {
    Names bodies;
    const auto& all = cluster.server.requests();
    for (std::size_t i = first_request; i < all.size(); ++i) {
      if (all[i].method == "DELETE") bodies.push_back(all[i].body);
    }
    return bodies;
  }

  /// spec.a of a widget; "-": there is none.
  std::string Stored(const std::string& key) const {
    const kube::json::Value* object = cluster.server.Stored(kWidgets, key);
    return object == nullptr ? "-" : std::string(object->Find("spec")->FindText("a"));
  }
  std::string MetadataOf(const std::string& resource, const std::string& key,
                         const std::string& name) const {
    const kube::json::Value* object = cluster.server.Stored(resource, key);
    return object == nullptr ? "-" : std::string(object->Find("metadata")->FindText(name));
  }
  std::string Annotation(const std::string& template_name, const std::string& key) const {
    const kube::json::Value* object = cluster.server.Stored(kTemplates, template_name);
    const kube::json::Value* annotations = object->Find("metadata")->Find("annotations");
    return annotations == nullptr
               ? "-"
               : std::string(annotations->FindText("applyset.kubernetes.io/" + key));
  }
  std::string Status(const std::string& template_name) const {
    const kube::json::Value* object = cluster.server.Stored(kTemplates, template_name);
    const kube::json::Value* status = object->Find("status");
    return status == nullptr ? "-" : kube::json::Print(*status);
  }

  test_support::FakeCluster cluster;
  PopulationOptions options;
  Names lines;
  std::size_t first_request = 0;
};

inline std::string EventIn(const std::string& namespace_) {
  return "POST /api/v1/namespaces/" + namespace_ + "/events" + kManager;
}

/// "a/w applied", of objects of other kinds "a/Kindgadgets/g applied".
inline Names Outcomes(const PopulationReport& report) {
  Names texts;
  for (const report::PopulatedObject& object : report.objects) {
    const std::string kind = object.kind == "Kindwidgets" ? "" : object.kind + "/";
    texts.push_back((object.namespace_ + "/" + kind)
                        .append(object.name)
                        .append(" ")
                        .append(ClassName(object.population_class)));
  }
  return texts;
}

/// Their messages, of those that have one.
inline Names Messages(const PopulationReport& report) {
  Names texts;
  for (const report::PopulatedObject& object : report.objects) {
    if (!object.message.empty()) texts.push_back(object.message);
  }
  return texts;
}

inline Names DeduplicatedMessages(const PopulationReport& report) {
  Names texts;
  for (const report::PopulationRemark& remark : report.remarks) texts.push_back(remark.text);
  return texts;
}

}  // namespace population_test
}  // namespace migrate::populate
