#include "migrate/crds/crd_request.h"

#include <chrono>
#include <memory>
#include <utility>

namespace migrate {
namespace {

using kube::CallError;
using kube::Crd;
using kube::Result;
using kube::json::Document;

CallError Unreadable(const std::string& why) {
  CallError error;
  error.message = "the server's answer is no CustomResourceDefinition: " + why;
  error.transport = kube::TransportError{kube::TransportError::Kind::kOther, error.message};
  return error;
}

Result<Crd, CallError> CrdOf(Result<std::unique_ptr<Document>, CallError> answer) {
  if (!answer) return kube::Unexpected(std::move(answer).error());
  if (!kube::IsCrd((*answer)->root())) return kube::Unexpected(Unreadable("of another kind"));
  auto crd = kube::ReadCrd(*std::move(answer));
  if (!crd) return kube::Unexpected(Unreadable(crd.error()));
  return *std::move(crd);
}

}  // namespace

Result<Crd, CallError> GetCrd(kube::Client& client, const std::string& target) {
  return CrdOf(client.Get(target));
}

Result<Crd, CallError> PatchCrd(kube::Client& client, const std::string& target,
                                const std::string& body) {
  kube::ApiRequest request;
  request.method = "PATCH";
  request.target = target;
  request.content_type = "application/merge-patch+json";
  request.body = body;
  request.grace = std::chrono::seconds(10);
  return CrdOf(client.Send(std::move(request)));
}

}  // namespace migrate
