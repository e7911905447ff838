#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/client/transport.h"
#include "kube/json/json.h"
#include "tests/support/fake_url.h"
#include "tests/support/fake_watch.h"

namespace test_support {

class FakeStorage;
struct FakePlace;

/// What the fake server says to one request, or how it fails to.
struct FakeAnswer {
  int status = 200;
  std::vector<kube::client::HttpHeader> headers;
  std::string body;
  /// The connection is lost after so many bytes of the body.
  std::optional<std::size_t> lost_after;
  /// The connection is lost before anything is answered.
  bool lost = false;
  /// The body goes on for as long as this has something to tell.
  std::shared_ptr<FakeWatch> watch = {};
};

/// Bad weather for some requests. What is not set stays as it would be.
struct FakeFault {
  /// Which: those whose target contains this, from the `first` of them on (from 1), `times` of
  /// them (0: all). Each fault counts by itself.
  std::string target{};
  int first = 1, times = 1;
  bool is_whole = false;  ///< only those whose target is this
  std::string method{};   ///< only those; empty: all

  std::function<void()> before{};                   ///< is run before the answer is made
  kube::base::Clock::Duration latency{};            ///< until the answer begins
  std::optional<FakeAnswer> answer{};               ///< in the place of the true one
  std::vector<kube::client::HttpHeader> headers{};  ///< beside those of the answer
  std::optional<std::size_t> lost_after{};          ///< as FakeAnswer::lost_after
  bool lost = false;                                ///< as FakeAnswer::lost
};

/// What an API server of Kubernetes 1.20 with some CRDs and custom resources answers, held in
/// memory. Its answers were compared with a real server's.
///
/// Knows /version, namespaces (kube-system, those that were added, and those of the objects), the
/// discovery of apiextensions.k8s.io and of what CRDs serve, APIServices, CRDs in v1 and v1beta1,
/// and the custom resources in every served version: single ones, and lists with limit, continue,
/// and labelSelector and fieldSelector of equalities and of keys alone. A list goes on as of its
/// first chunk until Compact. Objects are stored as they were given. Where a CRD does not preserve
/// unknown fields, reads show them pruned and defaulted.
///
/// Custom resources can be written by a merge patch, by a JSON patch that adds members, by a
/// server-side apply (fake_apply.h), by PUT and POST, and deleted with preconditions, also with
/// dryRun=All, and their status by a patch where the CRD has that subresource: the
/// resourceVersion moves only where what is stored changes. All, and reads, are answered with
/// metadata where the Accept header asks for it. CRDs, and their status, can be written by merge
/// patches (fake_crd_writes.h), and be created with dryRun=All; nothing of them is validated.
/// Namespaces can be written by merge patches, Events be created in them, and ConfigMaps be read,
/// created and replaced by their names. Watches of namespaces
/// go on, those of custom resources until their CRD is changed. Answers SelfSubjectAccessReviews.
class FakeApi {
 public:
  FakeApi();

  /// Takes a CRD, an APIService, a Namespace, an object of a known CRD, or a List of them, as JSON.
  /// Adds what a server would: uid, resourceVersion, of a CRD its status. Replaces an object of
  /// that name. Throws std::invalid_argument if it cannot be served.
  void Add(std::string_view json);
  void Add(const kube::json::Value& object);
  /// `resource` as "widgets.demo.example.com"; a CRD takes its objects with it.
  void Delete(const std::string& resource, const std::string& key);
  /// What etcd holds of an object; null pointer if there is none.
  const kube::json::Value* Stored(const std::string& resource, const std::string& key) const {
    return FindObject(resource, key);
  }
  /// Forgets all but the present: lists that were begun are expired, as after etcd's compaction.
  void Compact();
  /// Asked at every request for custom resources: true for a server that has not noticed yet that
  /// pruning was turned on, and reads and stores without it.
  void ServeStale(std::function<bool()> is_stale) { is_stale_ = std::move(is_stale); }

  /// Refuses all requests for a resource: 403, as RBAC does to the user alice.
  void Forbid(const std::string& resource) { forbidden_.insert(resource); }
  /// Takes one right away: `verb` is "patch", `resource` may end in "/status". Reviews tell so, and
  /// requests are refused.
  void Deny(const std::string& verb, const std::string& resource) {
    denied_.insert(verb + " " + resource);
  }
  /// Changes a CRD as another client would: `merge_patch` is sent to v1beta1.
  void PatchCrd(const std::string& name, std::string_view merge_patch);
  /// From now on Leases are known, by no CRD that is listed; to it they are objects like others.
  void ServeLeases();
  /// Whether apiextensions.k8s.io/v1 and v1beta1 are served.
  void ServeCrdVersions(std::vector<std::string> versions) { crd_versions_ = std::move(versions); }
  /// Refuses requests without this bearer token: 401.
  void RequireToken(const std::string& token) { token_ = token; }
  /// From now on a write of an object empties managedFields where an entry names a version that the
  /// CRD does not have, as servers did before kubernetes#136949.
  void EmptyManagedFields() { empties_managed_fields_ = true; }
  void AddFault(FakeFault fault) { faults_.push_back({std::move(fault), 0}); }

  /// The faults that meet this request, as one; counts it.
  FakeFault Meet(const kube::client::HttpRequest& request);
  /// Throws std::logic_error for a request of which it knows nothing.
  FakeAnswer Answer(const kube::client::HttpRequest& request, const FakeFault& fault);

 private:
  /// By etcd's key, "namespace/name" or "name".
  using Objects = std::map<std::string, std::shared_ptr<const kube::json::Document>>;

  FakeAnswer TrueAnswer(const kube::client::HttpRequest& request);
  std::optional<FakeAnswer> AnswerNamespaces(const kube::client::HttpRequest& request,
                                             const std::vector<std::string>& path,
                                             const Query& query);
  std::optional<FakeAnswer> AnswerConfigMaps(const kube::client::HttpRequest& request,
                                             const std::vector<std::string>& path);
  FakeAnswer GetNamespace(const std::string& name) const;
  FakeAnswer ListNamespaces() const;
  FakeAnswer PatchNamespace(const std::string& name, const kube::client::HttpRequest& request);
  FakeAnswer CreateEvent(const std::string& namespace_, const kube::client::HttpRequest& request);
  std::vector<const kube::json::Value*> AllCrds() const;
  FakeAnswer AnswerApis(const kube::client::HttpRequest& request,
                        const std::vector<std::string>& path, const Query& query);
  FakeAnswer Get(const FakePlace& place) const;
  std::optional<FakeAnswer> Write(const FakePlace& place, const kube::client::HttpRequest& request,
                                  const Query& query, bool is_status);
  FakeAnswer Create(const FakePlace& of_list, const kube::json::Value& body, bool is_dry_run);
  FakeAnswer Update(const FakePlace& place, const kube::json::Value& body, bool is_dry_run);
  FakeAnswer ServerSideApply(const FakePlace& place, const kube::client::HttpRequest& request,
                             const Query& query);
  FakeAnswer Remove(const FakePlace& place, const kube::json::Value& options, bool is_dry_run);
  FakeAnswer WriteCrd(const FakePlace& place, const kube::client::HttpRequest& request,
                      const Query& query, bool is_status);
  FakeAnswer Review(const kube::client::HttpRequest& request) const;
  bool IsDenied(const std::string& verb, const std::string& resource) const;
  std::shared_ptr<const kube::json::Document> FindCrd(const std::string& name) const;
  std::shared_ptr<const FakeStorage> StorageOf(const std::string& resource) const;
  FakeAnswer List(const FakePlace& place, const Query& query);
  const Objects* Snapshot(const std::string& resource, long& version) const;
  FakeAnswer Watch(const FakePlace& place, const Query& query) const;
  FakeAnswer WatchChanges(const std::string& resource, const Query& query,
                          std::function<std::string(const kube::json::Value&)> print,
                          std::function<bool()> is_over) const;
  FakeAnswer Discovery() const;

  void AddCrd(kube::json::Document& crd);
  void AddCustom(const kube::json::Value& object);
  void AddApiService(const std::string& group, const std::string& version);
  void Put(const std::string& resource, const std::string& key,
           std::shared_ptr<kube::json::Document> object);
  const kube::json::Value* FindObject(const std::string& resource, const std::string& key) const;

  std::map<std::string, Objects> resources_;  // by "plural.group", or "namespaces", "events"
  std::map<std::string, std::shared_ptr<const kube::json::Document>> built_in_;  // CRDs, unlisted
  // Of each CRD, with the CRD that it was made for.
  mutable std::map<std::string, std::pair<std::shared_ptr<const kube::json::Document>,
                                          std::shared_ptr<const FakeStorage>>>
      storages_;
  std::map<long, std::map<std::string, Objects>> snapshots_;  // of begun lists, by their version
  std::vector<std::string> crd_versions_ = {"v1", "v1beta1"};
  std::set<std::string> forbidden_;
  std::function<bool()> is_stale_;
  FakeChanges changes_;
  std::set<std::string> denied_;  // "verb resource"
  bool empties_managed_fields_ = false;
  std::string token_;
  std::vector<std::pair<FakeFault, int>> faults_;  // and how many requests each has met
  long resource_version_ = 100;
};

/// An answer that is a metav1.Status, as an API server prints it. `details` is JSON or empty.
FakeAnswer FakeStatus(int code, const std::string& reason, const std::string& message,
                      const std::string& details = "", const std::string& continue_token = "");
/// An answer of any kind.
FakeAnswer FakeText(int code, const std::string& content_type, const std::string& body);

/// A continue token as the API server makes it: go on with the first key not before `start`, as of
/// `resource_version`, or of the present where that is -1.
std::string ContinueToken(long resource_version, const std::string& start);
/// What ContinueToken was made of.
kube::base::Result<std::pair<long, std::string>, std::string> ReadContinueToken(
    const std::string& token);

}  // namespace test_support
