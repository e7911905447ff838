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

#include "kube/clock.h"
#include "kube/json.h"
#include "kube/result.h"
#include "kube/transport.h"

namespace test_support {

/// What the fake server says to one request, or how it fails to.
struct FakeAnswer {
  int status = 200;
  std::vector<kube::HttpHeader> headers;
  std::string body;
  /// The connection is lost after so many bytes of the body.
  std::optional<std::size_t> lost_after;
  /// The connection is lost before anything is answered.
  bool lost = false;
};

/// Bad weather for some requests. What is not set stays as it would be.
struct FakeFault {
  /// Which: those whose target contains this, from the `first` of them on (from 1), `times` of
  /// them (0: all). Each fault counts by itself.
  std::string target;
  int first = 1, times = 1;

  std::function<void()> before;           ///< is run before the answer is made
  kube::Clock::Duration latency{};        ///< until the answer begins
  std::optional<FakeAnswer> answer;       ///< in the place of the true one
  std::vector<kube::HttpHeader> headers;  ///< beside those of the answer
  std::optional<std::size_t> lost_after;  ///< as FakeAnswer::lost_after
  bool lost = false;                      ///< as FakeAnswer::lost
};

/// What an API server of Kubernetes 1.20 with some CRDs and custom resources answers to GET, held
/// in memory. Its answers were compared with a real server's.
///
/// Knows /version, the discovery of apiextensions.k8s.io, APIServices, CRDs in v1 and v1beta1, and
/// the custom resources in every served version: single ones, and lists with limit, continue, and
/// labelSelector and fieldSelector of equalities. A list goes on as of its first chunk until
/// Compact. Objects are served as they were given: nothing is pruned, nothing defaulted.
class FakeApi {
 public:
  FakeApi();

  /// Takes a CRD, an APIService, an object of a known CRD, or a List of them, as JSON. Adds what
  /// a server would: uid, resourceVersion, of a CRD its status. Replaces an object of that name.
  /// Throws std::invalid_argument if it cannot be served.
  void Add(std::string_view json);
  void Add(const kube::json::Value& object);
  /// `resource` as "widgets.demo.example.com"; a CRD takes its objects with it.
  void Delete(const std::string& resource, const std::string& key);
  /// Forgets all but the present: lists that were begun are expired, as after etcd's compaction.
  void Compact() { snapshots_.clear(); }

  /// Refuses all requests for a resource: 403, as RBAC does to the user alice.
  void Forbid(const std::string& resource) { forbidden_.insert(resource); }
  /// Whether apiextensions.k8s.io/v1 and v1beta1 are served.
  void ServeCrdVersions(std::vector<std::string> versions) { crd_versions_ = std::move(versions); }
  /// Refuses requests without this bearer token: 401.
  void RequireToken(const std::string& token) { token_ = token; }
  void AddFault(FakeFault fault) { faults_.push_back({std::move(fault), 0}); }

  /// The faults that meet this request, as one; counts it.
  FakeFault Meet(const kube::HttpRequest& request);
  /// Throws std::logic_error for a request of which it knows nothing.
  FakeAnswer Answer(const kube::HttpRequest& request, const FakeFault& fault);

 private:
  /// By etcd's key, "namespace/name" or "name".
  using Objects = std::map<std::string, std::shared_ptr<const kube::json::Document>>;
  using Query = std::map<std::string, std::string>;
  struct Place;
  struct Chunk;

  FakeAnswer TrueAnswer(const kube::HttpRequest& request);
  FakeAnswer AnswerApis(const std::vector<std::string>& path, const Query& query);
  std::optional<Place> FindPlace(const std::vector<std::string>& path) const;
  std::optional<Place> CrdPlace(const std::string& version) const;
  std::optional<Place> CustomPlace(const std::string& resource, const std::string& version) const;
  FakeAnswer Get(const Place& place) const;
  FakeAnswer List(const Place& place, const Query& query);
  static FakeAnswer PrintList(const Place& place, const Chunk& chunk, long version);
  const Objects* Snapshot(const std::string& resource, long& version) const;
  FakeAnswer Discovery() const;

  void AddCrd(kube::json::Document& crd);
  void AddCustom(const kube::json::Value& object);
  void AddApiService(const std::string& group, const std::string& version);
  void Put(const std::string& resource, const std::string& key,
           std::shared_ptr<kube::json::Document> object);
  const kube::json::Value* FindObject(const std::string& resource, const std::string& key) const;

  std::map<std::string, Objects> resources_;                  // by "plural.group"
  std::map<long, std::map<std::string, Objects>> snapshots_;  // of begun lists, by their version
  std::vector<std::string> crd_versions_ = {"v1", "v1beta1"};
  std::set<std::string> forbidden_;
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
kube::Result<std::pair<long, std::string>, std::string> ReadContinueToken(const std::string& token);

}  // namespace test_support
