#include "kube/client/lease_lock.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/go/go_time.h"

namespace kube::client {
namespace {

using json::Value;

std::int32_t ReadCount(const Value& spec, std::string_view key) {
  const std::int64_t number = json::AsInt64(spec.At(key)).value_or(0);
  const bool fits = number >= 0 && number <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(number) : 0;
}

// Go's layout "2006-01-02T15:04:05.000000Z07:00". Without a fraction the year's digits are counted,
// which are four.
bool IsMicroTime(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  const std::string_view fraction = text.substr(text.find_first_of(".,") + 1);
  return go::ParseGoTime(text) && fraction.find_first_not_of("0123456789") == kDigits;
}

std::string ReadTime(const Value& spec, std::string_view key) {
  const std::string_view text = spec.FindText(key);
  return IsMicroTime(text) ? std::string(text) : std::string();
}

}  // namespace

LeaseRecord ReadLeaseRecord(const Value& spec) {
  LeaseRecord record;
  record.holder_identity = spec.FindText("holderIdentity");
  record.lease_duration_seconds = ReadCount(spec, "leaseDurationSeconds");
  record.acquire_time = ReadTime(spec, "acquireTime");
  record.renew_time = ReadTime(spec, "renewTime");
  record.lease_transitions = ReadCount(spec, "leaseTransitions");
  return record;
}

Value MakeLeaseSpec(const LeaseRecord& record, json::Arena& arena) {
  Value spec = Value::Object();
  spec.Set("holderIdentity", Value::String(record.holder_identity), arena);
  spec.Set("leaseDurationSeconds", Value::Number(record.lease_duration_seconds, arena), arena);
  const auto set_time = [&](std::string_view key, const std::string& time) {
    if (!time.empty()) spec.Set(key, Value::String(time), arena);
  };
  set_time("acquireTime", record.acquire_time);
  set_time("renewTime", record.renew_time);
  spec.Set("leaseTransitions", Value::Number(record.lease_transitions, arena), arena);
  return spec;
}

std::string MicroTime(std::chrono::system_clock::time_point time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::floor<std::chrono::microseconds>(time - second);
  std::string text = go::FormatGoTime({second.time_since_epoch().count(), 0});
  std::array<char, 16> fraction{};
  (void)std::snprintf(fraction.data(), fraction.size(), ".%06d", static_cast<int>(rest.count()));
  text.insert(text.size() - 1, fraction.data());
  return text;
}

std::string LeaseText(const std::string& namespace_name, const std::string& name) {
  return "the Lease \"" + namespace_name + "/" + name + "\"";
}

namespace {

// etcd takes no object of more than 1.5 MiB.
constexpr std::size_t kMostBytes = std::size_t{4} * 1024 * 1024;

/// What an Update needs to be safe is there.
bool IsLease(const Value& root) {
  return root.FindText("kind") == "Lease" &&
         !root.At("metadata").FindText("resourceVersion").empty();
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
