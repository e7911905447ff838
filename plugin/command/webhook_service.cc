#include "plugin/command/webhook_service.h"

#include <cstdint>
#include <utility>

#include "kube/client/session.h"
#include "plugin/command/serving_news.h"
#include "plugin/command/webhook_run.h"

namespace plugin::command {
namespace {

using Right = ClusterAccess::Right;

// What configurations are called that are printed.
constexpr char kPopulateName[] = "populate.kubectl-prune.dev";

}  // namespace

WebhookService::WebhookService(const cli::CommonOptions& options, const ServingOptions& serving,
                               migrate::populate::WebhookOptions webhooks,
                               const kube::base::Clock& clock)
    : serving_(serving),
      cluster_(options, serving.managed.empty() ? Right::kRead : Right::kWrite, clock, Tell),
      review_cluster_(options, Right::kWrite, clock, Tell),
      reviewer_(review_cluster_.client(), clock),
      access_(reviewer_, clock),
      webhooks_(known_, access_, std::move(webhooks)),
      handlers_(webhooks_.MakeHandlers()),
      endpoint_(handlers_, clock) {}

WebhookService::~WebhookService() { End(); }

void WebhookService::End() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
}

void WebhookService::Begin() {
  thread_ = std::thread([this] { Run(); });
}

// Handlers are the same from beginning to end.
void WebhookService::Run() noexcept {
  try {
    const Webhooks webhooks = {
        .endpoint = endpoint_,
        .configured = [this] { return webhooks_.MakeHandlers(); },
        .revision = [] { return std::uint64_t{0}; },
        .advance = [] {},
        .server_certificate = [this] { return cluster_.ServerCertificate(); },
        .printed_name = kPopulateName};
    kube::client::Session session = cluster_.session();
    session.stop = &is_over_;
    ServeWebhooks(serving_, webhooks, session, Tell, PrintOnce);
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_ = true;
  }
}

}  // namespace plugin::command
