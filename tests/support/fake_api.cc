#include "tests/support/fake_api.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "tests/support/fake_apply.h"
#include "tests/support/fake_crd.h"
#include "tests/support/fake_crd_writes.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_list.h"
#include "tests/support/fake_object.h"
#include "tests/support/fake_patches.h"
#include "tests/support/fake_place.h"
#include "tests/support/fake_url.h"
#include "tests/support/fake_writes.h"

namespace test_support {
namespace {

using kube::json::Document;
using kube::json::Type;
using kube::json::Value;

constexpr char kExpired[] =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";
constexpr char kVersion[] =
    "{\n  \"major\": \"1\",\n  \"minor\": \"20\",\n  \"gitVersion\": \"v1.20.2\",\n"
    "  \"gitCommit\": \"faecb196815e248d3ecfb03c680a4507229c2a56\",\n"
    "  \"gitTreeState\": \"clean\",\n  \"buildDate\": \"2021-01-13T13:20:00Z\",\n"
    "  \"goVersion\": \"go1.15.5\",\n  \"compiler\": \"gc\",\n  \"platform\": \"linux/amd64\"\n}";

}  // namespace

FakeApi::FakeApi() {
  AddApiService("", "v1");
  AddApiService("apiextensions.k8s.io", "v1");
}

void FakeApi::Add(std::string_view json) { Add(Parse(json)->root()); }

void FakeApi::Add(const Value& object) {
  if (const Value* items = object.Find("items", Type::kArray)) {
    for (const Value& item : items->elements()) Add(item);
    return;
  }
  const std::string kind(object.FindText("kind"));
  const std::string name(MetadataText(object, "name"));
  if (name.empty()) throw std::invalid_argument("an object without a name");
  const bool is_namespace = kind == "Namespace" && object.FindText("apiVersion") == "v1";
  if (kind != "CustomResourceDefinition" && kind != "APIService" && !is_namespace) {
    return AddCustom(object);
  }
  auto document = std::make_shared<Document>();
  document->root() = kube::json::DeepCopy(object, document->arena());
  if (kind == "CustomResourceDefinition") AddCrd(*document);
  Put(is_namespace           ? kNamespaces
      : kind == "APIService" ? kApiServices
                             : kCrds,
      name, std::move(document));
}

void FakeApi::AddCrd(Document& crd) {
  CompleteCrd(crd);
  const std::string group(SpecText(crd.root(), "group"));
  const Value* versions = crd.root().Find("spec")->Find("versions");
  for (const Value& version : versions ? versions->elements() : std::span<const Value>()) {
    if (ServedVersion(crd.root(), std::string(version.FindText("name")))) {
      AddApiService(group, std::string(version.FindText("name")));
    }
  }
}

void FakeApi::AddApiService(const std::string& group, const std::string& version) {
  const std::string group_field = group.empty() ? "" : "\"group\":" + Quote(group) + ",";
  const std::string name = version + "." + group;
  Put(kApiServices, name,
      Parse(R"({"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","metadata":{"name":)" +
            Quote(name) +
            R"(,"labels":{"kube-aggregator.kubernetes.io/automanaged":"true"}},"spec":{)" +
            group_field + "\"version\":" + Quote(version) +
            R"(,"groupPriorityMinimum":1000,"versionPriority":100},"status":{"conditions":[{)"
            R"("type":"Available","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z",)"
            R"("reason":"Local","message":"Local APIServices are always available"}]}})"));
}

void FakeApi::AddCustom(const Value& object) {
  const std::vector<std::string> type = Split(object.FindText("apiVersion"), '/');
  for (const auto& [name, crd] : resources_[kCrds]) {
    if (type.size() != 2 || SpecText(crd->root(), "group") != type[0] ||
        NameText(crd->root(), "kind") != object.FindText("kind")) {
      continue;
    }
    auto document = std::make_shared<Document>();
    document->root() = kube::json::DeepCopy(object, document->arena());
    const std::string object_name(MetadataText(object, "name"));
    const std::string object_namespace(MetadataText(object, "namespace"));
    const bool cluster = SpecText(crd->root(), "scope") == "Cluster";
    if (cluster != object_namespace.empty()) {
      throw std::invalid_argument(object_name + ": a namespace where none may be, or none");
    }
    return Put(name, cluster ? object_name : object_namespace + "/" + object_name,
               std::move(document));
  }
  throw std::invalid_argument("no CRD for " + std::string(object.FindText("apiVersion")) + " " +
                              std::string(object.FindText("kind")));
}

void FakeApi::Put(const std::string& resource, const std::string& key,
                  std::shared_ptr<Document> object) {
  kube::json::Arena& arena = object->arena();
  Value& root = object->root();
  Value& metadata = root.Find("metadata") ? *root.Find("metadata")
                                          : *root.Set("metadata", Value::Object(), arena);
  ++resource_version_;
  const auto set_missing = [&](std::string_view name, const std::string& value) {
    if (!metadata.Find(name)) metadata.Set(name, Value::String(arena.Copy(value)), arena);
  };
  set_missing("uid", "00000000-0000-4000-8000-" +
                         std::to_string(1'000'000'000'000 + resource_version_).substr(1));
  set_missing("creationTimestamp", "2026-01-01T00:00:00Z");
  metadata.Set("resourceVersion", Value::String(arena.Copy(std::to_string(resource_version_))),
               arena);
  auto& stored = resources_[resource][key];
  changes_.Record({resource, stored ? "MODIFIED" : "ADDED", resource_version_, object});
  stored = std::move(object);
}

void FakeApi::Delete(const std::string& resource, const std::string& key) {
  ++resource_version_;
  const auto deleted = resources_[resource].extract(key);
  if (deleted.empty()) throw std::invalid_argument("nothing to delete: " + key);
  changes_.RecordDeleted(resource, *deleted.mapped(), resource_version_);
  if (resource == kCrds) resources_.erase(key);
}

void FakeApi::Compact() {
  snapshots_.clear();
  changes_.Forget(resource_version_);
}

const Value* FakeApi::FindObject(const std::string& resource, const std::string& key) const {
  const auto objects = resources_.find(resource);
  if (objects == resources_.end()) return nullptr;
  const auto found = objects->second.find(key);
  return found == objects->second.end() ? nullptr : &found->second->root();
}

FakeFault FakeApi::Meet(const kube::client::HttpRequest& request) {
  FakeFault all;
  std::vector<std::function<void()>> actions;
  for (auto& [fault, met] : faults_) {
    const bool is_met = fault.is_whole ? request.target == fault.target
                                       : request.target.find(fault.target) != std::string::npos;
    if (!is_met || (!fault.method.empty() && fault.method != request.method)) continue;
    ++met;
    if (met < fault.first || (fault.times != 0 && met >= fault.first + fault.times)) continue;
    if (fault.before) actions.push_back(fault.before);
    all.latency += fault.latency;
    if (fault.answer) all.answer = fault.answer;
    all.headers.insert(all.headers.end(), fault.headers.begin(), fault.headers.end());
    if (fault.lost_after) all.lost_after = fault.lost_after;
    all.lost = all.lost || fault.lost;
  }
  all.before = [actions] {
    for (const auto& action : actions) action();
  };
  return all;
}

FakeAnswer FakeApi::Answer(const kube::client::HttpRequest& request, const FakeFault& fault) {
  if (fault.before) fault.before();
  FakeAnswer answer = fault.answer ? *fault.answer : TrueAnswer(request);
  answer.headers.insert(answer.headers.end(), fault.headers.begin(), fault.headers.end());
  if (fault.lost_after) answer.lost_after = fault.lost_after;
  answer.lost = answer.lost || fault.lost;
  return answer;
}

FakeAnswer FakeApi::TrueAnswer(const kube::client::HttpRequest& request) {
  const std::vector<std::string> path = PathOf(request.target);
  const Query query = QueryOf(request.target);
  const kube::client::ResponseHead head{0, request.headers};
  const std::string* accept = head.Find("Accept");
  const bool writes = request.method == "PATCH" || request.method == "PUT";
  // Of one object, not of all.
  const bool deletes = request.method == "DELETE" && (path.size() == 5 || path.size() == 7);
  const bool known = request.method == "GET" || deletes || writes;
  if (known && !token_.empty()) {
    const std::string* authorization = head.Find("Authorization");
    if (!authorization || *authorization != "Bearer " + token_) {
      return FakeStatus(401, "Unauthorized", "Unauthorized");
    }
  }
  if (known && path == std::vector<std::string>{"version"}) {
    return FakeText(200, "application/json", kVersion);
  }
  const bool is_namespaces = path.size() >= 3 && path[0] == "api" && path[2] == kNamespaces;
  if (is_namespaces) {
    if (auto answer = AnswerNamespaces(request, path, query)) return *std::move(answer);
  }
  if (is_namespaces && path.size() >= 5 && path[4] == "configmaps") {
    if (auto answer = AnswerConfigMaps(request, path)) return *std::move(answer);
  }
  if (request.method == "GET" && path == std::vector<std::string>{"api", "v1"}) {
    return FakeCoreResources();
  }
  if (request.method == "GET" && path == std::vector<std::string>{"apis"}) {
    return FakeGroups(AllCrds());
  }
  if (request.method == "GET" && path.size() == 3 && path[0] == "apis") {
    return FakeResources(AllCrds(), path[1], path[2]);
  }
  if (request.method == "POST" && path.size() == 4 && path[3] == "selfsubjectaccessreviews") {
    return Review(request);
  }
  const bool may_create = request.method == "POST" && (path.size() == 4 || path.size() == 6);
  if ((known || may_create) && path.size() >= 2 && path[0] == "apis")
    return AnswerApis(request, path, query);
  throw std::logic_error("the fake API server does not know " + request.method + " " +
                         request.target + (accept ? " as " + *accept : ""));
}

std::vector<const Value*> FakeApi::AllCrds() const {
  std::vector<const Value*> crds;
  const auto found = resources_.find(kCrds);
  if (found == resources_.end()) return crds;
  for (const auto& [name, crd] : found->second) crds.push_back(&crd->root());
  return crds;
}

FakeAnswer FakeApi::AnswerApis(const kube::client::HttpRequest& request,
                               const std::vector<std::string>& path, const Query& query) {
  if (path.size() == 2 && path[1] == "apiextensions.k8s.io") return Discovery();
  if (path.size() == 2 && request.method == "GET") return FakeGroup(AllCrds(), path[1]);
  const bool is_status = request.method == "PATCH" && path.size() >= 6 && path.back() == "status";
  std::vector<std::string> object_path = path;
  if (is_status) object_path.pop_back();
  std::optional<FakePlace> place =
      FindFakePlace(object_path, crd_versions_, [this](const std::string& name) -> const Value* {
        const auto crd = FindCrd(name);
        return crd ? &crd->root() : nullptr;
      });
  if (!place) return FakeText(404, "text/plain; charset=utf-8", "404 page not found\n");
  if (IsDenied(place->VerbOf(request.method), place->resource + (is_status ? "/status" : ""))) {
    return place->Forbidden(request.method);
  }
  if (!place->typed) place->storage = StorageOf(place->resource);
  const kube::client::ResponseHead head{0, request.headers};
  if (const std::string* accept = head.Find("Accept"); accept && !place->typed) {
    place->metadata_version = MetadataVersion(
        *accept, place->name.empty() ? "PartialObjectMetadataList" : "PartialObjectMetadata");
  }
  std::optional<FakeAnswer> written = place->resource == kCrds && request.method != "GET"
                                          ? WriteCrd(*place, request, query, is_status)
                                          : Write(*place, request, query, is_status);
  const bool watches = !place->typed && place->name.empty() && query.contains("watch");
  FakeAnswer answer = written               ? *std::move(written)
                      : watches             ? Watch(*place, query)
                      : place->name.empty() ? List(*place, query)
                                            : Get(*place);
  if (!place->warning.empty()) {
    answer.headers.push_back({"Warning", "299 - " + Quote(place->warning)});
  }
  return answer;
}

FakeAnswer FakeApi::Discovery() const {
  const auto version = [](const std::string& name) {
    return R"({"groupVersion":"apiextensions.k8s.io/)" + name + R"(","version":")" + name + "\"}";
  };
  std::string versions;
  for (const std::string& name : crd_versions_)
    versions += (versions.empty() ? "" : ",") + version(name);
  return FakeText(200, "application/json",
                  R"({"kind":"APIGroup","apiVersion":"v1","name":"apiextensions.k8s.io",)"
                  R"("versions":[)" +
                      versions + R"(],"preferredVersion":)" + version(crd_versions_.at(0)) + "}\n");
}

FakeAnswer FakeApi::Get(const FakePlace& place) const {
  const Value* object = FindObject(place.resource, place.key());
  if (!object) return place.NotFound();
  return FakeText(200, "application/json", place.Print(*object, false) + "\n");
}

void FakeApi::ServeLeases() {
  constexpr char kLeases[] =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)"
      R"("name":"leases.coordination.k8s.io"},"spec":{"group":"coordination.k8s.io",)"
      R"("scope":"Namespaced","names":{"plural":"leases","kind":"Lease","listKind":"LeaseList"},)"
      R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{)"
      R"("type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
  auto leases = std::make_shared<Document>();
  if (leases->Parse(kLeases)) throw std::logic_error("no CRD of Leases");
  built_in_["leases.coordination.k8s.io"] = std::move(leases);
}

/// Also of what is served without a CRD; the null pointer: there is none.
std::shared_ptr<const Document> FakeApi::FindCrd(const std::string& name) const {
  const auto crds = resources_.find(kCrds);
  if (crds != resources_.end()) {
    if (const auto found = crds->second.find(name); found != crds->second.end()) {
      return found->second;
    }
  }
  const auto built_in = built_in_.find(name);
  return built_in == built_in_.end() ? nullptr : built_in->second;
}

std::shared_ptr<const FakeStorage> FakeApi::StorageOf(const std::string& resource) const {
  const std::shared_ptr<const Document> crd = FindCrd(resource);
  if (is_stale_ && is_stale_()) {
    Document preserving;
    preserving.root() = kube::json::DeepCopy(crd->root(), preserving.arena());
    preserving.root().Find("spec")->Set("preserveUnknownFields", Value::Bool(true),
                                        preserving.arena());
    return std::make_shared<FakeStorage>(preserving.root());
  }
  auto& [made_for, storage] = storages_[resource];
  if (made_for != crd) {
    storage = std::make_shared<FakeStorage>(crd->root());
    made_for = crd;
  }
  return storage;
}

/// Absent for a read.
std::optional<FakeAnswer> FakeApi::Write(const FakePlace& place,
                                         const kube::client::HttpRequest& request,
                                         const Query& query, bool is_status) {
  if (request.method == "GET") return std::nullopt;
  const kube::client::ResponseHead head{0, request.headers};
  const std::string* type = head.Find("Content-Type");
  const bool is_dry_run = ValueOf(query, "dryRun") == "All";
  if (request.method == "POST") return Create(place, Parse(request.body)->root(), is_dry_run);
  if (is_status && !place.storage->HasStatus(place.version)) return place.NotFound();
  if (request.method == "DELETE") {
    // Options in a body are taken in the place of those in the query.
    if (request.body.empty()) return Remove(place, Value::Object(), is_dry_run);
    const auto options = Parse(request.body);
    return Remove(place, options->root(), options->root().Find("dryRun") != nullptr);
  }
  if (type && *type == "application/apply-patch+yaml") {
    return ServerSideApply(place, request, query);
  }
  const Value* object = FindObject(place.resource, place.key());
  const bool is_patch = request.method == "PATCH";
  if (!object && is_patch) return place.NotFound();
  std::shared_ptr<Document> body;
  if (!place.typed && !place.name.empty() && type) {
    if (is_patch) {
      body = ApplyPatch(place.storage->Show(*object, place.version)->root(), *type, request.body);
    } else if (*type == "application/json") {
      body = Parse(request.body);
    }
  }
  if (!body) {
    throw std::logic_error("the fake API server does not know " + request.method + " " +
                           request.target + " of " + request.body);
  }
  if (object) place.storage->KeepOtherPart(*body, *object, place.version, is_status);
  return Update(place, body->root(), is_dry_run);
}

FakeAnswer FakeApi::Create(const FakePlace& of_list, const Value& body, bool is_dry_run) {
  FakePlace place = of_list;
  place.name = MetadataText(body, "name");
  if (FindObject(place.resource, place.key())) {
    return FakeStatus(409, "AlreadyExists",
                      place.resource + " \"" + place.name + "\" already exists");
  }
  const auto anew = place.storage->StoreNew(body, place.version);
  if (is_dry_run) return FakeText(201, "application/json", place.Print(anew->root(), false) + "\n");
  Put(place.resource, place.key(), anew);
  FakeAnswer answer = Get(place);
  answer.status = 201;
  return answer;
}

FakeAnswer FakeApi::ServerSideApply(const FakePlace& place,
                                    const kube::client::HttpRequest& request, const Query& query) {
  const Value* stored = FindObject(place.resource, place.key());
  const auto body = Parse(request.body);
  const FakeApplied applied = ApplyFake(stored, body->root(), ValueOf(query, "fieldManager"),
                                        ValueOf(query, "force") == "true");
  const bool is_dry_run = ValueOf(query, "dryRun") == "All";
  if (!applied.object) return applied.conflict;
  if (stored) return Update(place, applied.object->root(), is_dry_run);
  return Create(place, applied.object->root(), is_dry_run);
}

// As the server words it in 1.20 (apiserver pkg/storage Preconditions.Check).
FakeAnswer FakeApi::Remove(const FakePlace& place, const Value& options, bool is_dry_run) {
  const Value* stored = FindObject(place.resource, place.key());
  if (!stored) return place.NotFound();
  const Value* preconditions = options.Find("preconditions");
  for (const auto& [key, name] :
       {std::pair("uid", "UID"), {"resourceVersion", "ResourceVersion"}}) {
    const std::string wanted(preconditions ? preconditions->FindText(key) : "");
    const std::string is(MetadataText(*stored, key));
    if (!wanted.empty() && wanted != is) {
      return place.Conflict("Precondition failed: " + std::string(name) +
                            " in precondition: " + wanted + ", " + name + " in object meta: " + is);
    }
  }
  if (!is_dry_run) Delete(place.resource, place.key());
  return FakeText(200, "application/json",
                  R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"
                  "\n");
}

FakeAnswer FakeApi::WriteCrd(const FakePlace& place, const kube::client::HttpRequest& request,
                             const Query& query, bool is_status) {
  if (request.method == "POST" && ValueOf(query, "dryRun") == "All") {
    return FakeText(201, "application/json",
                    place.Print(Parse(request.body)->root(), false) + "\n");
  }
  if (request.method != "PATCH") throw std::invalid_argument("a CRD is only to be patched");
  const Value* stored = FindObject(kCrds, place.name);
  if (!stored) return place.NotFound();
  auto crd = PatchFakeCrd(*stored, Parse(request.body)->root(), place.version, is_status);
  if (!crd) return crd.error();
  if (ValueOf(query, "dryRun") == "All") {
    return FakeText(200, "application/json", place.Print((*crd)->root(), false) + "\n");
  }
  if (!kube::json::Equal(*stored, (*crd)->root())) Put(kCrds, place.name, *std::move(crd));
  return Get(place);
}

void FakeApi::PatchCrd(const std::string& name, std::string_view merge_patch) {
  const auto patch = Parse(merge_patch);
  const Value* stored = FindObject(kCrds, name);
  if (!stored) throw std::invalid_argument("no CRD " + name);
  const bool is_status = patch->root().Find("status") != nullptr;
  auto crd = PatchFakeCrd(*stored, patch->root(), "v1beta1", is_status);
  if (!crd) throw std::invalid_argument(crd.error().body);
  Put(kCrds, name, *std::move(crd));
}

bool FakeApi::IsDenied(const std::string& verb, const std::string& resource) const {
  const std::string whole = resource.substr(0, resource.find('/'));
  return forbidden_.contains(whole) || denied_.contains(verb + " " + resource);
}

FakeAnswer FakeApi::Review(const kube::client::HttpRequest& request) const {
  const auto review = Parse(request.body);
  const std::string key = DeniedKey(review->root());
  const std::size_t blank = key.find(' ');
  const bool is_allowed = !IsDenied(key.substr(0, blank), key.substr(blank + 1));
  return FakeText(201, "application/json", AnswerReview(review->root(), is_allowed));
}

FakeAnswer FakeApi::Update(const FakePlace& place, const Value& body, bool is_dry_run) {
  const std::string name(MetadataText(body, "name"));
  if (name != place.name) {
    return FakeStatus(400, "BadRequest",
                      "the name of the object (" + name + ") does not match the name on the URL (" +
                          place.name + ")");
  }
  const Value* stored = FindObject(place.resource, place.key());
  const std::string uid(MetadataText(body, "uid"));
  const std::string stored_uid(stored ? MetadataText(*stored, "uid") : "");
  if (!uid.empty() && uid != stored_uid) {
    return place.Conflict("StorageError: invalid object, Code: 4, Key: /registry/" + place.group +
                          "/" + place.plural + "/" + place.key() +
                          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
                          "UID in precondition: " +
                          uid + ", UID in object meta: " + stored_uid);
  }
  if (!stored) return place.NotFound();
  const std::string_view version = MetadataText(body, "resourceVersion");
  if (!version.empty() && version != MetadataText(*stored, "resourceVersion")) {
    return place.Conflict(
        "the object has been modified; please apply your changes to the latest "
        "version and try again");
  }
  auto anew = place.storage->Store(*stored, body, place.version);
  if (empties_managed_fields_) place.storage->EmptyManagedFields(*anew);
  if (is_dry_run) return FakeText(200, "application/json", place.Print(anew->root(), false) + "\n");
  if (!IsStoredAlike(*stored, anew->root())) {
    Put(place.resource, place.key(), std::move(anew));
    return Get(place);
  }
  return FakeText(200, "application/json", place.Print(*stored, false) + "\n");
}

/// Goes on as long as the CRD is what it is now: then the server makes its storage anew.
FakeAnswer FakeApi::Watch(const FakePlace& place, const Query& query) const {
  const auto crd = resources_.at(kCrds).at(place.resource);
  const auto is_over = [this, crd, resource = place.resource] {
    const auto now = resources_.at(kCrds).find(resource);
    return now == resources_.at(kCrds).end() || now->second != crd;
  };
  const auto print = [place](const Value& object) { return place.Print(object, true); };
  return WatchChanges(place.resource, query, print, is_over);
}

FakeAnswer FakeApi::WatchChanges(const std::string& resource, const Query& query,
                                 std::function<std::string(const Value&)> print,
                                 std::function<bool()> is_over) const {
  const std::string from = ValueOf(query, "resourceVersion");
  auto version = std::make_shared<long>(from.empty() ? resource_version_ : std::stol(from));
  FakeAnswer answer = FakeText(200, "application/json", "");
  if (changes_.HasForgotten(*version)) {
    answer.body = FakeExpiredEvent(*version, resource_version_);
    return answer;
  }
  const auto next = [this, resource, version, print = std::move(print), is_over] {
    std::string events;
    if (is_over()) return events;
    for (const auto& change : changes_.After(resource, *version)) {
      *version = change.version;
      events += FakeEvent(change.type, print(change.object->root()));
    }
    return events;
  };
  answer.watch = std::make_shared<FakeWatch>(FakeWatch{next, std::move(is_over)});
  return answer;
}

/// The objects as of `version`, which becomes the present one where it is -1. Null pointer if they
/// are forgotten.
const FakeApi::Objects* FakeApi::Snapshot(const std::string& resource, long& version) const {
  static const Objects kNone;
  const std::map<std::string, Objects>* all = &resources_;
  if (version == -1) {
    version = resource_version_;
  } else {
    const auto found = snapshots_.find(version);
    if (found == snapshots_.end()) return nullptr;
    all = &found->second;
  }
  const auto objects = all->find(resource);
  return objects == all->end() ? &kNone : &objects->second;
}

FakeAnswer FakeApi::List(const FakePlace& place, const Query& query) {
  long version = -1;
  std::string start;
  if (const std::string token = ValueOf(query, "continue"); !token.empty()) {
    const auto decoded = ReadContinueToken(token);
    if (!decoded) {
      return FakeStatus(400, "BadRequest",
                        "invalid continue token: continue key is not valid: " + decoded.error());
    }
    std::tie(version, start) = *decoded;
  }
  const Objects* objects = Snapshot(place.resource, version);
  if (!objects) return FakeStatus(410, "Expired", kExpired, "", ContinueToken(-1, start));

  FakeChunk chunk;
  const std::string limit = ValueOf(query, "limit");
  chunk.limit = limit.empty() ? 0 : std::stoul(limit);
  chunk.labels = ValueOf(query, "labelSelector");
  chunk.fields = ValueOf(query, "fieldSelector");
  const std::string prefix = place.namespace_.empty() ? "" : place.namespace_ + "/";
  for (auto at = objects->lower_bound(prefix + start);
       at != objects->end() && at->first.starts_with(prefix); ++at) {
    chunk.Take(place, at->first.substr(prefix.size()), at->second->root());
  }
  if (chunk.left > 0) snapshots_.try_emplace(version, resources_);
  return PrintFakeList(place, chunk, version);
}

}  // namespace test_support
