#include "kube/client/lease_lock.h"

#include <cstddef>
#include <utility>

#include "kube/client/answer_meaning.h"

namespace kube::client {
namespace {

using json::Value;

// etcd takes no object of more than 1.5 MiB.
constexpr std::size_t kMostBytes = std::size_t{4} * 1024 * 1024;

/// What an Update needs to be safe is there.
bool IsLease(const Value& root) {
  const Value* metadata = root.Find("metadata");
  return root.FindText("kind") == "Lease" && metadata != nullptr &&
         !metadata->FindText("resourceVersion").empty();
}

/// Borrows the texts of `owner`.
Value OwnerReferences(const LeaseOwner& owner, json::Arena& arena) {
  Value reference = Value::Object();
  reference.Set("apiVersion", Value::String(owner.api_version), arena);
  reference.Set("kind", Value::String(owner.kind), arena);
  reference.Set("name", Value::String(owner.name), arena);
  reference.Set("uid", Value::String(owner.uid), arena);
  Value references = Value::Array();
  references.Append(reference, arena);
  return references;
}

}  // namespace

LeaseLock::LeaseLock(std::string namespace_name, std::string name, const Session& session,
                     DoneFunction on_done, std::optional<LeaseOwner> owner)
    : GatheredCall(session.client),
      namespace_(std::move(namespace_name)),
      name_(std::move(name)),
      session_(session),
      on_done_(std::move(on_done)),
      owner_(std::move(owner)) {}

void LeaseLock::Get() { Begin(Action::kGet, "GET", "/" + UrlEscape(name_), ""); }

void LeaseLock::Create(const LeaseRecord& record) {
  json::Arena arena;
  Value lease = Value::Object();
  lease.Set("apiVersion", Value::String("coordination.k8s.io/v1"), arena);
  lease.Set("kind", Value::String("Lease"), arena);
  Value* metadata = lease.Set("metadata", Value::Object(), arena);
  metadata->Set("name", Value::String(name_), arena);
  metadata->Set("namespace", Value::String(namespace_), arena);
  if (owner_) metadata->Set("ownerReferences", OwnerReferences(*owner_, arena), arena);
  lease.Set("spec", MakeLeaseSpec(record, arena), arena);
  Begin(Action::kCreate, "POST", "", json::Print(lease));
}

void LeaseLock::Update(const LeaseRecord& record) {
  json::Arena arena;
  Value lease = json::CopyForChange(lease_.root(), arena);
  lease.Set("spec", MakeLeaseSpec(record, arena), arena);
  Begin(Action::kUpdate, "PUT", "/" + UrlEscape(name_), json::Print(lease));
}

void LeaseLock::Begin(Action action, std::string method, const std::string& path,
                      std::string body) {
  action_ = action;
  begun_at_ = session_.clock.Now();
  ApiRequest request;
  request.target =
      "/apis/coordination.k8s.io/v1/namespaces/" + UrlEscape(namespace_) + "/leases" + path;
  request_line_ = method + " " + request.target;
  request.method = std::move(method);
  if (!body.empty()) request.content_type = "application/json";
  request.body = std::move(body);
  request.retry = false;
  request.most_bytes = kMostBytes;
  request.fresh_connection = std::exchange(is_connection_doubtful_, false);
  Start(std::move(request));
}

void LeaseLock::Abandon() {
  if (!is_under_way()) return;
  is_connection_doubtful_ = true;
  Cancel();
}

void LeaseLock::OnDone() {
  const std::optional<CallError> problem = error() ? error() : HandleAnswer();
  is_connection_doubtful_ = problem && IsUnanswered(MeaningOf(*problem));
  on_done_(problem);
}

// Absent: the answer is a Lease.
std::optional<CallError> LeaseLock::HandleAnswer() {
  json::Document answer;
  if (answer.Parse(body()) || !IsLease(answer.root())) {
    CallError problem;
    problem.message = "the server's answer to " + request_line_ + " is no Lease";
    return problem;
  }
  lease_ = std::move(answer);
  const Value* spec = lease_.root().Find("spec");
  record_ = spec == nullptr ? LeaseRecord() : ReadLeaseRecord(*spec);
  spec_text_ = spec == nullptr ? "" : json::Print(*spec);
  return std::nullopt;
}

}  // namespace kube::client
