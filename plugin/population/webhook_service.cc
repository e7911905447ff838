#include "plugin/population/webhook_service.h"

#include <cstdint>
#include <utility>

#include "kube/client/session.h"
#include "plugin/serving/serving_news.h"
#include "plugin/serving/webhook_run.h"

namespace plugin::population {
namespace {

using Right = access::ClusterAccess::Right;

// What configurations are called that are printed.
constexpr char kPrintedName[] = "populate.kubectl-prune.dev";

}  // namespace

WebhookService::WebhookService(const flags::CommonOptions& options,
                               const serving::ServingOptions& serving,
                               migrate::populate::webhooks::WebhookOptions webhooks,
                               const kube::system::Clock& clock)
    : serving_(serving),
      cluster_(options, serving.managed.empty() ? Right::kRead : Right::kWrite, clock,
               serving::Tell),
      review_cluster_(options, Right::kWrite, clock, serving::Tell),
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
    const serving::Webhooks webhooks = {
        .endpoint = endpoint_,
        .configured = [this] { return webhooks_.MakeHandlers(); },
        .revision = [] { return std::uint64_t{0}; },
        .advance = [] {},
        .server_certificate = [this] { return cluster_.ServerCertificate(); },
        .printed_name = kPrintedName};
    kube::client::Session session = cluster_.session();
    session.stop = &is_over_;
    serving::ServeWebhooks(serving_, webhooks, session, serving::Tell, serving::PrintOnce);
  } catch (...) {
    failure_ = std::current_exception();
    has_failed_ = true;
  }
}

}  // namespace plugin::population
