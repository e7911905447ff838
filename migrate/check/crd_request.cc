#include "migrate/check/crd_request.h"

#include <chrono>
#include <memory>
#include <utility>

namespace migrate::check {
namespace {

constexpr char kDryRun[] = "?dryRun=All";
constexpr char kMetadataAccept[] =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

using kube::base::Result;
using kube::client::CallError;
using kube::crd::Crd;
using kube::json::Document;
using kube::json::Value;

CallError Unreadable(const std::string& why) {
  CallError error;
  error.message = "the server's answer is no CustomResourceDefinition: " + why;
  error.transport =
      kube::client::TransportError{kube::client::TransportError::Kind::kOther, error.message};
  return error;
}

Result<Crd, CallError> CrdOf(Result<std::unique_ptr<Document>, CallError> answer) {
  if (!answer) return kube::base::Unexpected(std::move(answer).error());
  if (!kube::crd::IsCrd((*answer)->root()))
    return kube::base::Unexpected(Unreadable("of another kind"));
  auto crd = kube::crd::ReadCrd(*std::move(answer));
  if (!crd) return kube::base::Unexpected(Unreadable(crd.error()));
  return *std::move(crd);
}

}  // namespace

Result<Crd, CallError> GetCrd(kube::client::Client& client, const std::string& target) {
  return CrdOf(client.Get(target));
}

Result<std::unique_ptr<Document>, CallError> GetCrdMetadata(kube::client::Client& client,
                                                            const std::string& target) {
  return client.Send({.target = target, .accept = kMetadataAccept, .retry = false});
}

Result<Crd, CallError> PatchCrd(kube::client::Client& client, const std::string& target,
                                const std::string& body) {
  return CrdOf(client.Send({.method = "PATCH",
                            .target = target,
                            .content_type = "application/merge-patch+json",
                            .body = body,
                            .changes_nothing = target.ends_with(kDryRun),
                            .grace = std::chrono::seconds(10)}));
}

Result<Crd, CallError> PatchPruningOn(kube::client::Client& client, const std::string& target,
                                      std::string_view patch, const std::string& resource_version,
                                      bool dry_run) {
  Document document;
  Value body = document.Parse(patch) ? Value::Object() : document.root();
  kube::json::Arena& arena = document.arena();
  const Value* given = body.Find("metadata", kube::json::Type::kObject);
  Value metadata = given == nullptr ? Value::Object() : *given;
  metadata.Set("resourceVersion", Value::String(resource_version), arena);
  body.Set("metadata", metadata, arena);
  return PatchCrd(client, dry_run ? target + kDryRun : target, kube::json::Print(body));
}

}  // namespace migrate::check
