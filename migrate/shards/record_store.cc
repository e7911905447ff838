#include "migrate/shards/record_store.h"

#include <chrono>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/json/json.h"
#include "migrate/lists/pause.h"
#include "migrate/shards/shard_record_json.h"

namespace migrate::shards {
namespace {

using kube::base::Result;
using kube::base::Unexpected;
using kube::client::CallError;
using kube::client::Meaning;
using kube::json::Arena;
using kube::json::Type;
using kube::json::Value;

constexpr char kRecord[] = "record";
constexpr std::chrono::seconds kPatience(30);
constexpr std::chrono::seconds kPause(1);
constexpr std::chrono::seconds kGrace(10);

}  // namespace

RecordStore::RecordStore(RecordPlace place, const kube::client::Session& session)
    : place_(std::move(place)), session_(session) {}

std::string RecordStore::ListTarget() const {
  return "/api/v1/namespaces/" + kube::client::UrlEscape(place_.namespace_) + "/configmaps";
}

std::string RecordStore::Target() const {
  return ListTarget() + "/" + kube::client::UrlEscape(place_.name);
}

std::string RecordStore::Problem(const std::string& verb, const CallError& error) const {
  const std::string text = "cannot " + verb + " the ConfigMap \"" + place_.namespace_ + "/" +
                           place_.name + "\", by which shards know of each other: " + error.message;
  if (MeaningOf(error) != Meaning::kForbidden) return text;
  return text +
         "; have a Role in that namespace allow get, create and update of configmaps, or leave "
         "--shard out";
}

Result<StoredRecord, std::string> RecordStore::Read() const {
  const auto answer = session_.client.Get(Target());
  if (!answer) {
    if (MeaningOf(answer.error()) == Meaning::kNotFound) return StoredRecord();
    return Unexpected(Problem("get", answer.error()));
  }
  const Value& root = (*answer)->root();
  StoredRecord stored;
  if (const Value* metadata = root.Find("metadata")) {
    stored.resource_version = metadata->FindText("resourceVersion");
  }
  const Value* data = root.Find("data", Type::kObject);
  if (data == nullptr || data->Find(kRecord) == nullptr) return stored;
  stored.record = ReadShardRecord(data->FindText(kRecord));
  if (stored.record) return stored;
  return Unexpected("the ConfigMap \"" + place_.namespace_ + "/" + place_.name +
                    "\" is not what shards of this release write; delete it (kubectl delete "
                    "configmap -n " +
                    place_.namespace_ + " " + place_.name +
                    ") where no shard is at work, then run the same command again");
}

std::string RecordStore::BodyOf(const std::string& text, const StoredRecord& read) const {
  Arena arena;
  Value owner = Value::Object();
  owner.Set("apiVersion", Value::String("apiextensions.k8s.io/v1"), arena);
  owner.Set("kind", Value::String("CustomResourceDefinition"), arena);
  owner.Set("name", Value::String(place_.crd_name), arena);
  owner.Set("uid", Value::String(place_.crd_uid), arena);
  Value owners = Value::Array();
  owners.Append(owner, arena);
  Value metadata = Value::Object();
  metadata.Set("name", Value::String(place_.name), arena);
  metadata.Set("namespace", Value::String(place_.namespace_), arena);
  metadata.Set("ownerReferences", owners, arena);
  if (!read.resource_version.empty()) {
    metadata.Set("resourceVersion", Value::String(read.resource_version), arena);
  }
  Value data = Value::Object();
  data.Set(kRecord, Value::String(text), arena);
  Value root = Value::Object();
  root.Set("apiVersion", Value::String("v1"), arena);
  root.Set("kind", Value::String("ConfigMap"), arena);
  root.Set("metadata", metadata, arena);
  root.Set("data", data, arena);
  return kube::json::Print(root);
}

Result<RecordStore::Tried, std::string> RecordStore::TryWrite(const std::string& text,
                                                              const StoredRecord& read) const {
  const bool exists = !read.resource_version.empty();
  kube::client::ApiRequest request;
  request.method = exists ? "PUT" : "POST";
  request.target = exists ? Target() : ListTarget();
  request.content_type = "application/json";
  request.body = BodyOf(text, read);
  request.retry = false;
  request.grace = kGrace;
  const auto answer = session_.client.Send(std::move(request));
  if (answer) return Tried::kDone;
  const Meaning meaning = MeaningOf(answer.error());
  // What was deleted is as good as changed; of a POST it is the namespace that is not there.
  if (meaning == Meaning::kConflict || (exists && meaning == Meaning::kNotFound)) {
    return Tried::kOvertaken;
  }
  if (kube::client::MayPass(meaning)) return Tried::kUnknown;
  return Unexpected(Problem(exists ? "update" : "create", answer.error()));
}

// A try without an answer may have been done, and one behind it then is overtaken by ourselves.
Result<Stored, std::string> RecordStore::Write(const ShardRecord& record,
                                               const StoredRecord& read) const {
  const std::string text = PrintShardRecord(record);
  const kube::system::Clock::TimePoint end = session_.clock.Now() + kPatience;
  for (;;) {
    const auto tried = TryWrite(text, read);
    if (!tried) return Unexpected(tried.error());
    if (*tried == Tried::kDone) return Stored::kYes;
    const auto now = Read();
    if (now && now->record && PrintShardRecord(*now->record) == text) return Stored::kYes;
    if (*tried == Tried::kOvertaken) return Stored::kOvertaken;
    if (now && now->resource_version != read.resource_version) return Stored::kOvertaken;
    if (session_.clock.Now() >= end ||
        !lists::PauseUntil(session_.clock.Now() + kPause, session_)) {
      return Unexpected("it is not known whether the ConfigMap \"" + place_.namespace_ + "/" +
                        place_.name + "\" was written: the server has trouble");
    }
  }
}

}  // namespace migrate::shards
