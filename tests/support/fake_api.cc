#include "tests/support/fake_api.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "tests/support/fake_crd.h"
#include "tests/support/fake_crd_writes.h"
#include "tests/support/fake_writes.h"

namespace test_support {
namespace {

using kube::json::Document;
using kube::json::KeyOrder;
using kube::json::Type;
using kube::json::Value;

constexpr char kCrds[] = "customresourcedefinitions.apiextensions.k8s.io";
constexpr char kApiServices[] = "apiservices.apiregistration.k8s.io";
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

constexpr char kKubeSystem[] =
    R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system",)"
    R"("uid":"11111111-0000-4000-8000-000000000001"},"spec":{},"status":{"phase":"Active"}})"
    "\n";

std::string Quote(std::string_view text) { return kube::json::Print(Value::String(text)); }

int HexDigit(char c) {
  const std::size_t at = std::string_view("0123456789abcdefABCDEF").find(c);
  if (at == std::string_view::npos) throw std::invalid_argument("not percent-encoded");
  return static_cast<int>(at < 16 ? at : at - 6);
}

std::string Unescape(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      result += static_cast<char>(HexDigit(text[at + 1]) * 16 + HexDigit(text[at + 2]));
      at += 2;
    } else {
      result += text[at] == '+' ? ' ' : text[at];
    }
  }
  return result;
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
  }
  return parts;
}

std::vector<std::string> PathOf(std::string_view target) {
  target = target.substr(0, target.find('?'));
  target.remove_prefix(std::min<std::size_t>(1, target.size()));
  std::vector<std::string> path = Split(target, '/');
  for (std::string& part : path) part = Unescape(part);
  return path;
}

std::map<std::string, std::string> QueryOf(std::string_view target) {
  std::map<std::string, std::string> query;
  const std::size_t mark = target.find('?');
  if (mark == target.npos) return query;
  for (const std::string& part : Split(target.substr(mark + 1), '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    query[Unescape(part.substr(0, equals))] =
        Unescape(std::string_view(part).substr(std::min(equals + 1, part.size())));
  }
  return query;
}

std::string ValueOf(const std::map<std::string, std::string>& query, const std::string& key) {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

std::shared_ptr<Document> Parse(std::string_view json) {
  auto document = std::make_shared<Document>();
  if (const auto error = document->Parse(json)) throw std::invalid_argument(error->message);
  return document;
}

std::string_view MetadataText(const Value& object, std::string_view key) {
  const Value* metadata = object.Find("metadata");
  return metadata ? metadata->FindText(key) : std::string_view();
}

std::string_view SpecText(const Value& object, std::string_view key) {
  const Value* spec = object.Find("spec");
  return spec ? spec->FindText(key) : std::string_view();
}

std::string_view NameText(const Value& crd, std::string_view key) {
  const Value* spec = crd.Find("spec");
  const Value* names = spec ? spec->Find("names") : nullptr;
  return names ? names->FindText(key) : std::string_view();
}

/// The element of spec.versions that is served under this name.
const Value* ServedVersion(const Value& crd, const std::string& name) {
  const Value* spec = crd.Find("spec");
  const Value* versions = spec ? spec->Find("versions") : nullptr;
  for (const Value& version : versions ? versions->elements() : std::span<const Value>()) {
    const Value* served = version.Find("served", Type::kBool);
    if (version.FindText("name") == name && served && served->AsBool()) return &version;
  }
  return nullptr;
}

/// Text of a selector's left side in an object.
std::string_view SelectedText(const Value& object, const std::string& key, bool labels) {
  if (!labels && key.starts_with("metadata.")) return MetadataText(object, key.substr(9));
  const Value* metadata = object.Find("metadata");
  const Value* found = labels && metadata ? metadata->Find("labels") : nullptr;
  return found ? found->FindText(key) : std::string_view();
}

bool Matches(const Value& object, const std::string& selector, bool labels) {
  for (const std::string& term : Split(selector, ',')) {
    const std::size_t equals = term.find('=');
    if (equals == term.npos || term[equals - 1] == '!') {
      throw std::logic_error("the fake API server knows only selectors of a=b: " + selector);
    }
    const std::size_t value = term.find_first_not_of('=', equals);
    const std::string want = value == term.npos ? "" : term.substr(value);
    if (SelectedText(object, term.substr(0, equals), labels) != want) return false;
  }
  return true;
}

}  // namespace

/// What a path points to.
struct FakeApi::Place {
  std::string resource;  // "widgets.demo.example.com"
  std::string plural, group, version, kind, list_kind;
  bool namespaced = false;
  bool typed = true;  // a Go type of the server, not a custom resource
  std::string namespace_ = {}, name = {};
  std::string warning = {};
  std::optional<std::string> metadata_version = {};  // of meta.k8s.io, where only that is wanted
  std::shared_ptr<const FakeStorage> storage = {};   // of custom resources

  std::string api_version() const { return group + "/" + version; }
  std::string key() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  std::string details() const {
    return "{" + (name.empty() ? "" : "\"name\":" + Quote(name) + ",") +
           "\"group\":" + Quote(group) + ",\"kind\":" + Quote(plural) + "}";
  }
  FakeAnswer NotFound() const {
    return FakeStatus(404, "NotFound", resource + " \"" + name + "\" not found", details());
  }
  std::string VerbOf(const std::string& method) const {
    return method == "PATCH" ? "patch" : method == "PUT" ? "update" : name.empty() ? "list" : "get";
  }
  FakeAnswer Forbidden(const std::string& method) const {
    const std::string verb = VerbOf(method);
    const std::string named = name.empty() ? "" : " \"" + name + "\"";
    const std::string scope =
        namespace_.empty() ? "at the cluster scope" : "in the namespace \"" + namespace_ + "\"";
    return FakeStatus(403, "Forbidden",
                      resource + named + " is forbidden: User \"alice\" cannot " + verb +
                          " resource \"" + plural + "\" in API group \"" + group + "\" " + scope,
                      details());
  }
  std::string PrintTyped(const Value& object, bool in_list) const;
  std::string PrintCustom(const Value& object) const;
  std::string Print(const Value& object, bool in_list) const {
    if (!typed && storage && storage->prunes()) {
      return PrintCustom(storage->Show(object, version)->root());
    }
    return typed ? PrintTyped(object, in_list) : PrintCustom(object);
  }
};

/// Members as Go's struct has them, kind first; items of a list do not repeat their type.
std::string FakeApi::Place::PrintTyped(const Value& object, bool in_list) const {
  Document copy;
  copy.root() = kube::json::DeepCopy(object, copy.arena());
  if (resource == kCrds) ConvertCrd(copy, version);
  std::string text =
      in_list ? "{" : R"({"kind":")" + kind + R"(","apiVersion":")" + api_version() + "\",";
  for (const auto& [key, value] : copy.root().members()) {
    if (key.text() == "kind" || key.text() == "apiVersion") continue;
    text += Quote(key.text()) + ":" + kube::json::Print(value, KeyOrder::kAsWritten) + ",";
  }
  text.back() = '}';
  return text;
}

/// Unstructured is a map of Go: its keys are sorted. Conversion None replaces the apiVersion.
std::string FakeApi::Place::PrintCustom(const Value& object) const {
  if (metadata_version) return PartialObjectMetadata(object, *metadata_version);
  Document copy;
  copy.root() = kube::json::DeepCopy(object, copy.arena());
  const std::string shown = api_version();
  copy.root().Set("apiVersion", Value::String(shown), copy.arena());
  return kube::json::Print(copy.root());
}

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
  if (kind != "CustomResourceDefinition" && kind != "APIService") return AddCustom(object);
  auto document = std::make_shared<Document>();
  document->root() = kube::json::DeepCopy(object, document->arena());
  if (kind == "CustomResourceDefinition") AddCrd(*document);
  Put(kind == "APIService" ? kApiServices : kCrds, name, std::move(document));
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

FakeFault FakeApi::Meet(const kube::http::HttpRequest& request) {
  FakeFault all;
  std::vector<std::function<void()>> actions;
  for (auto& [fault, met] : faults_) {
    if (request.target.find(fault.target) == std::string::npos) continue;
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

FakeAnswer FakeApi::Answer(const kube::http::HttpRequest& request, const FakeFault& fault) {
  if (fault.before) fault.before();
  FakeAnswer answer = fault.answer ? *fault.answer : TrueAnswer(request);
  answer.headers.insert(answer.headers.end(), fault.headers.begin(), fault.headers.end());
  if (fault.lost_after) answer.lost_after = fault.lost_after;
  answer.lost = answer.lost || fault.lost;
  return answer;
}

FakeAnswer FakeApi::TrueAnswer(const kube::http::HttpRequest& request) {
  const std::vector<std::string> path = PathOf(request.target);
  const Query query = QueryOf(request.target);
  const kube::http::ResponseHead head{0, request.headers};
  const std::string* accept = head.Find("Accept");
  const bool writes = request.method == "PATCH" || request.method == "PUT";
  const bool known = request.method == "GET" || writes;
  if (known && !token_.empty()) {
    const std::string* authorization = head.Find("Authorization");
    if (!authorization || *authorization != "Bearer " + token_) {
      return FakeStatus(401, "Unauthorized", "Unauthorized");
    }
  }
  if (known && path == std::vector<std::string>{"version"}) {
    return FakeText(200, "application/json", kVersion);
  }
  if (known && path == std::vector<std::string>{"api", "v1", "namespaces", "kube-system"}) {
    return FakeText(200, "application/json", kKubeSystem);
  }
  if (request.method == "POST" && path.size() == 4 && path[3] == "selfsubjectaccessreviews") {
    return Review(request);
  }
  if (known && path.size() >= 2 && path[0] == "apis") return AnswerApis(request, path, query);
  throw std::logic_error("the fake API server does not know " + request.method + " " +
                         request.target + (accept ? " as " + *accept : ""));
}

FakeAnswer FakeApi::AnswerApis(const kube::http::HttpRequest& request,
                               const std::vector<std::string>& path, const Query& query) {
  if (path.size() == 2 && path[1] == "apiextensions.k8s.io") return Discovery();
  const bool is_status = request.method == "PATCH" && path.size() == 6 && path[5] == "status";
  std::vector<std::string> object_path = path;
  if (is_status) object_path.pop_back();
  std::optional<Place> place = FindPlace(object_path);
  if (!place) return FakeText(404, "text/plain; charset=utf-8", "404 page not found\n");
  if (IsDenied(place->VerbOf(request.method), place->resource + (is_status ? "/status" : ""))) {
    return place->Forbidden(request.method);
  }
  if (!place->typed) place->storage = StorageOf(place->resource);
  const kube::http::ResponseHead head{0, request.headers};
  if (const std::string* accept = head.Find("Accept"); accept && !place->typed) {
    place->metadata_version = MetadataVersion(
        *accept, place->name.empty() ? "PartialObjectMetadataList" : "PartialObjectMetadata");
  }
  std::optional<FakeAnswer> written = place->resource == kCrds && request.method == "PATCH"
                                          ? WriteCrd(*place, request, query, is_status)
                                          : Write(*place, request, query);
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

std::optional<FakeApi::Place> FakeApi::CrdPlace(const std::string& version) const {
  if (std::find(crd_versions_.begin(), crd_versions_.end(), version) == crd_versions_.end()) {
    return std::nullopt;
  }
  Place place{kCrds,   "customresourcedefinitions", "apiextensions.k8s.io",
              version, "CustomResourceDefinition",  "CustomResourceDefinitionList"};
  if (version == "v1beta1") {
    place.warning =
        "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, "
        "unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition";
  }
  return place;
}

std::optional<FakeApi::Place> FakeApi::CustomPlace(const std::string& resource,
                                                   const std::string& version) const {
  const Value* crd = FindObject(kCrds, resource);
  const Value* served = crd ? ServedVersion(*crd, version) : nullptr;
  if (!served) return std::nullopt;
  Place place{resource,
              std::string(NameText(*crd, "plural")),
              std::string(SpecText(*crd, "group")),
              version,
              std::string(NameText(*crd, "kind")),
              std::string(NameText(*crd, "listKind")),
              SpecText(*crd, "scope") != "Cluster",
              false};
  const Value* deprecated = served->Find("deprecated", Type::kBool);
  if (deprecated && deprecated->AsBool()) {
    const std::string_view text = served->FindText("deprecationWarning");
    place.warning = !text.empty() ? std::string(text)
                                  : place.api_version() + " " + place.kind + " is deprecated";
  }
  return place;
}

/// apis/GROUP/VERSION[/namespaces/NAMESPACE]/PLURAL[/NAME]
std::optional<FakeApi::Place> FakeApi::FindPlace(const std::vector<std::string>& path) const {
  if (path.size() < 4) return std::nullopt;
  const bool in_namespace = path.size() >= 6 && path[3] == "namespaces";
  const std::size_t plural = in_namespace ? 5 : 3;
  if (path.size() > plural + 2) return std::nullopt;
  std::optional<Place> place;
  if (path[plural] + "." + path[1] == kCrds) {
    place = CrdPlace(path[2]);
  } else if (path[plural] + "." + path[1] == kApiServices && path[2] == "v1") {
    place = Place{kApiServices, "apiservices", "apiregistration.k8s.io",
                  "v1",         "APIService",  "APIServiceList"};
  } else {
    place = CustomPlace(path[plural] + "." + path[1], path[2]);
  }
  if (!place) return std::nullopt;
  if (in_namespace) place->namespace_ = path[4];
  if (path.size() == plural + 2) place->name = path[plural + 1];
  // One object of a namespaced resource is only found within its namespace.
  const bool wants_namespace = in_namespace || !place->name.empty();
  if (in_namespace > place->namespaced) return std::nullopt;
  if (place->namespaced && wants_namespace && !in_namespace) return std::nullopt;
  return place;
}

FakeAnswer FakeApi::Get(const Place& place) const {
  const Value* object = FindObject(place.resource, place.key());
  if (!object) return place.NotFound();
  return FakeText(200, "application/json", place.Print(*object, false) + "\n");
}

std::shared_ptr<const FakeStorage> FakeApi::StorageOf(const std::string& resource) const {
  const std::shared_ptr<const Document>& crd = resources_.at(kCrds).at(resource);
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

namespace {

/// The resourceVersion in a merge patch that has nothing else; empty of {}, absent of others.
std::optional<std::string> GuardOf(const std::string& patch) {
  const auto document = Parse(patch);
  const std::string version(MetadataText(document->root(), "resourceVersion"));
  const std::string guard = R"({"metadata":{"resourceVersion":")" + version + R"("}})";
  if (patch != "{}" && patch != guard) return std::nullopt;
  return version;
}

}  // namespace

/// Absent for a read.
std::optional<FakeAnswer> FakeApi::Write(const Place& place, const kube::http::HttpRequest& request,
                                         const Query& query) {
  if (request.method == "GET") return std::nullopt;
  const kube::http::ResponseHead head{0, request.headers};
  const std::string* type = head.Find("Content-Type");
  const bool is_patch = request.method == "PATCH";
  const auto version = is_patch ? GuardOf(request.body) : std::nullopt;
  const bool known =
      !place.typed && !place.name.empty() && type &&
      (is_patch ? *type == "application/merge-patch+json" && version : *type == "application/json");
  if (!known) {
    throw std::logic_error("the fake API server does not know " + request.method + " " +
                           request.target + " of " + request.body);
  }
  const Value* object = FindObject(place.resource, place.key());
  if (!object && is_patch) return place.NotFound();
  const bool is_dry_run = ValueOf(query, "dryRun") == "All";
  const auto body = is_patch ? place.storage->Show(*object, place.version) : Parse(request.body);
  if (version && !version->empty()) {
    body->root().Find("metadata")->Set("resourceVersion", Value::String(*version), body->arena());
  }
  return Update(place, body->root(), is_dry_run);
}

FakeAnswer FakeApi::WriteCrd(const Place& place, const kube::http::HttpRequest& request,
                             const Query& query, bool is_status) {
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

FakeAnswer FakeApi::Review(const kube::http::HttpRequest& request) const {
  const auto review = Parse(request.body);
  const std::string key = DeniedKey(review->root());
  const std::size_t blank = key.find(' ');
  const bool is_allowed = !IsDenied(key.substr(0, blank), key.substr(blank + 1));
  return FakeText(201, "application/json", AnswerReview(review->root(), is_allowed));
}

FakeAnswer FakeApi::Conflict(const Place& place, const std::string& why) {
  return FakeStatus(
      409, "Conflict",
      "Operation cannot be fulfilled on " + place.resource + " \"" + place.name + "\": " + why,
      place.details());
}

FakeAnswer FakeApi::Update(const Place& place, const Value& body, bool is_dry_run) {
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
    return Conflict(place, "StorageError: invalid object, Code: 4, Key: /registry/" + place.group +
                               "/" + place.plural + "/" + place.key() +
                               ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
                               "UID in precondition: " +
                               uid + ", UID in object meta: " + stored_uid);
  }
  if (!stored) return place.NotFound();
  const std::string_view version = MetadataText(body, "resourceVersion");
  if (!version.empty() && version != MetadataText(*stored, "resourceVersion")) {
    return Conflict(place,
                    "the object has been modified; please apply your changes to the latest "
                    "version and try again");
  }
  auto anew = place.storage->Store(*stored, body, place.version);
  if (!is_dry_run && !IsStoredAlike(*stored, anew->root())) {
    Put(place.resource, place.key(), std::move(anew));
    return Get(place);
  }
  return FakeText(200, "application/json", place.Print(*stored, false) + "\n");
}

/// Goes on as long as the CRD is what it is now: then the server makes its storage anew.
FakeAnswer FakeApi::Watch(const Place& place, const Query& query) const {
  const std::string from = ValueOf(query, "resourceVersion");
  auto version = std::make_shared<long>(from.empty() ? resource_version_ : std::stol(from));
  FakeAnswer answer = FakeText(200, "application/json", "");
  if (changes_.HasForgotten(*version)) {
    answer.body = FakeExpiredEvent(*version, resource_version_);
    return answer;
  }
  const auto crd = resources_.at(kCrds).at(place.resource);
  const auto is_over = [this, crd, resource = place.resource] {
    const auto now = resources_.at(kCrds).find(resource);
    return now == resources_.at(kCrds).end() || now->second != crd;
  };
  const auto next = [this, place, version, is_over] {
    std::string events;
    if (is_over()) return events;
    for (const auto& change : changes_.After(place.resource, *version)) {
      *version = change.version;
      events += FakeEvent(change.type, place.Print(change.object->root(), true));
    }
    return events;
  };
  answer.watch = std::make_shared<FakeWatch>(FakeWatch{next, is_over});
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

/// A part of a list.
struct FakeApi::Chunk {
  std::size_t limit = 0;  // 0: none
  std::string labels, fields;
  std::string items;  // printed, with commas between
  std::string next;   // where the next chunk starts
  std::size_t count = 0, left = 0;

  void Take(const Place& place, const std::string& key, const Value& object) {
    if (!Matches(object, labels, true) || !Matches(object, fields, false)) return;
    if (limit != 0 && count == limit) {
      ++left;
      return;
    }
    if (count++ > 0) items += ",";
    items += place.Print(object, true);
    next = key + '\0';
  }
  bool selects() const { return !labels.empty() || !fields.empty(); }
};

FakeAnswer FakeApi::List(const Place& place, const Query& query) {
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

  Chunk chunk;
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
  return PrintList(place, chunk, version);
}

FakeAnswer FakeApi::PrintList(const Place& place, const Chunk& chunk, long version) {
  const std::string resource_version = "\"resourceVersion\":\"" + std::to_string(version) + "\"";
  const std::string next = chunk.left == 0 ? "" : ContinueToken(version, chunk.next);
  // With a selector the server cannot tell how many are left.
  std::string remaining;
  if (chunk.left > 0 && !chunk.selects()) {
    remaining = "\"remainingItemCount\":" + std::to_string(chunk.left);
  }
  const std::string items = "\"items\":[" + chunk.items + "]";
  const std::string comma = remaining.empty() ? "" : ",";
  if (place.metadata_version) {
    // 1.20 does not tell here how many are left.
    return FakeText(200, "application/json",
                    R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/)" +
                        *place.metadata_version + R"(","metadata":{)" + resource_version +
                        (next.empty() ? "" : ",\"continue\":\"" + next + "\"") + "}," + items +
                        "}\n");
  }
  if (!place.typed) {
    return FakeText(200, "application/json",
                    R"({"apiVersion":")" + place.api_version() + "\"," + items + R"(,"kind":")" +
                        place.list_kind + R"(","metadata":{"continue":")" + next + "\"," +
                        remaining + comma + resource_version + "}}\n");
  }
  return FakeText(200, "application/json",
                  R"({"kind":")" + place.list_kind + R"(","apiVersion":")" + place.api_version() +
                      R"(","metadata":{)" + resource_version +
                      (next.empty() ? "" : ",\"continue\":\"" + next + "\"") + comma + remaining +
                      "}," + items + "}\n");
}

}  // namespace test_support
