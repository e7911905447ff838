#include "kube/client/transport.h"

#include <algorithm>
#include <utility>

#include "kube/base/result.h"
#include "kube/base/text.h"

namespace kube::client {
const std::string* ResponseHead::Find(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const HttpHeader& h) {
    return base::EqualFold(h.name, name);
  });
  return found == headers.end() ? nullptr : &found->value;
}

std::vector<std::string_view> ResponseHead::FindAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const HttpHeader& header : headers) {
    if (base::EqualFold(header.name, name)) values.push_back(header.value);
  }
  return values;
}

namespace {

constexpr std::string_view kAccessReviews =
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

// One is enough: the API server refuses a request that has another value beside it.
bool IsDryRun(std::string_view target) {
  std::string_view query = target.substr(std::min(PathOf(target).size() + 1, target.size()));
  bool is_dry_run = false;
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(parameter.size() + 1, query.size()));
    if (parameter == "dryRun=All") is_dry_run = true;
  }
  return is_dry_run;
}

bool OnlyReads(const HttpRequest& request) {
  // What is behind it is not sent.
  if (request.target.find('#') != std::string::npos) return false;
  if (request.method == "GET") return true;
  if (request.method == "POST" && PathOf(request.target) == kAccessReviews) return true;
  // DeleteOptions in a body are taken in the place of those in the query (apiserver
  // pkg/endpoints/handlers/delete.go).
  if (request.method == "DELETE" && !request.body.empty()) return false;
  return IsDryRun(request.target);
}

}  // namespace

Transport::RequestId ReadOnlyTransport::Start(HttpRequest request, base::Clock::Duration timeout,
                                              ResponseSink& sink) {
  if (!OnlyReads(request)) {
    throw base::Error("refused to send " + request.method + " " + request.target +
                      ": this command only reads");
  }
  return transport_.Start(std::move(request), timeout, sink);
}

}  // namespace kube::client
