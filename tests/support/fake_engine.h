#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "tests/support/fake_cluster.h"

namespace test_support {

/// The CRD that serves StorageVersionMigrations in the place of kube-controller-manager's server.
inline std::string FakeEngineCrdText(const std::string& version) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)"
         R"("name":"storageversionmigrations.storagemigration.k8s.io"},"spec":{)"
         R"("group":"storagemigration.k8s.io","scope":"Cluster","names":{)"
         R"("plural":"storageversionmigrations","kind":"StorageVersionMigration"},"versions":[{)"
         R"("name":")" +
         version +
         R"(","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
         R"("x-kubernetes-preserve-unknown-fields":true}}}]}})";
}

/// A stand-in for the controller: does what a test says when the StorageVersionMigration of the
/// widgets is looked at.
class FakeEngine {
 public:
  explicit FakeEngine(FakeCluster& cluster, const std::string& version = "v1beta1")
      : server_(cluster.server), version_(version) {
    server_.Add(FakeEngineCrdText(version));
  }

  const std::string resource = "storageversionmigrations.storagemigration.k8s.io";
  /// As NameOfStorageMigration.
  std::string name() const {
    const auto* crd = server_.Stored("customresourcedefinitions.apiextensions.k8s.io",
                                     "widgets.demo.example.com");
    return "widgets.demo.example.com-" + std::string(crd->Find("metadata")->FindText("uid"));
  }
  bool Exists() const { return server_.Stored(resource, name()) != nullptr; }

  /// At the `look`-th request for the single object, from 1, which is the one before it is made.
  void At(int look, std::function<void()> action) {
    server_.AddFault(
        {.target = "storageversionmigrations/widgets", .first = look, .before = std::move(action)});
  }
  /// pkg/controller/storageversionmigrator: the checkpoint, then a condition.
  void TakeUp() { SetStatus(R"({"resourceVersion":"100"})"); }
  void SetCondition(const std::string& type, const std::string& message = "") {
    SetStatus(R"({"resourceVersion":"100","conditions":[{"type":")" + type +
              R"(","status":"True","reason":"R","message":")" + message + R"("}]})");
  }
  /// Stores a widget as the server stores it now.
  void Rewrite(const std::string& widget) {
    Patch("/apis/demo.example.com/v1/namespaces/shop/widgets/" + widget, "{}");
  }
  void Delete() { server_.Delete(resource, name()); }
  /// Makes one, of a run or of somebody else.
  void Make(const std::string& object) { server_.Add(object); }

 private:
  void SetStatus(const std::string& status) {
    Patch("/apis/storagemigration.k8s.io/" + version_ + "/storageversionmigrations/" + name(),
          R"({"status":)" + status + "}");
  }
  void Patch(const std::string& target, const std::string& body) {
    kube::client::HttpRequest request;
    request.method = "PATCH";
    request.target = target;
    request.headers = {{"Content-Type", "application/merge-patch+json"}};
    request.body = body;
    const FakeAnswer answer = server_.Answer(request, {});
    if (answer.status >= 300) throw std::logic_error(target + ": " + answer.body);
  }

  FakeApiServer& server_;
  const std::string version_;
};

}  // namespace test_support
