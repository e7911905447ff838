#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "kube/client/transport.h"
#include "tests/support/recording_sink.h"

namespace kube::client {
namespace {

/// Only counts what reaches it.
class CountingTransport : public Transport {
 public:
  RequestId Start(HttpRequest request, base::Clock::Duration timeout, ResponseSink&) override {
    sent.push_back(request.method + " " + request.target + " " + request.body);
    timeouts.push_back(timeout);
    return 7;
  }
  void Cancel(RequestId id) override { cancelled = id; }
  void Poll(base::Clock::TimePoint deadline) override { polled_to = deadline; }
  void Wake() override { is_woken = true; }

  std::vector<std::string> sent;
  std::vector<base::Clock::Duration> timeouts;
  RequestId cancelled = 0;
  base::Clock::TimePoint polled_to{};
  bool is_woken = false;
};

constexpr char kWidget[] = "/apis/demo.example.com/v1/namespaces/shop/widgets/a";
constexpr char kReviews[] = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

HttpRequest Request(const std::string& method, const std::string& target,
                    const std::string& body = "") {
  HttpRequest request;
  request.method = method;
  request.target = target;
  request.body = body;
  return request;
}

TEST_CASE("What only reads is sent as it is", "[kube][read_only_transport]") {
  const auto [method, target, body] = GENERATE(table<std::string, std::string, std::string>({
      {"GET", kWidget, ""},
      {"GET", std::string(kWidget) + "?watch=true", ""},
      {"POST", kReviews, "{}"},
      {"POST", std::string(kReviews) + "?pretty=true", "{}"},
      {"PATCH", std::string(kWidget) + "?dryRun=All", "{}"},
      {"PUT", std::string(kWidget) + "?fieldManager=x&dryRun=All&fieldValidation=Strict", "{}"},
      {"POST", "/apis/demo.example.com/v1/widgets?dryRun=All", "{}"},
      {"DELETE", std::string(kWidget) + "?dryRun=All", ""},
  }));
  CountingTransport inner;
  ReadOnlyTransport transport(inner);
  test_support::RecordingSink sink;
  CHECK(transport.Start(Request(method, target, body), std::chrono::seconds(3), sink) == 7);
  CHECK(inner.sent == std::vector<std::string>{method + " " + target + " " + body});
  CHECK(inner.timeouts == std::vector<base::Clock::Duration>{std::chrono::seconds(3)});
}

TEST_CASE("What could change something is not sent", "[kube][read_only_transport]") {
  const std::string widget = kWidget;
  const auto [method, target, body] = GENERATE_COPY(table<std::string, std::string, std::string>({
      {"POST", "/apis/demo.example.com/v1/namespaces/shop/widgets", "{}"},
      {"PUT", widget, "{}"},
      {"PATCH", widget, "{}"},
      {"DELETE", widget, ""},
      {"DELETE", "/apis/demo.example.com/v1/namespaces/shop/widgets", ""},
      {"get", widget, ""},
      {"", widget, ""},
      {"HEAD", widget, ""},
      {"CONNECT", widget, ""},
      // No dry run, though it looks like one.
      {"PATCH", widget + "?dryRun=", "{}"},
      {"PATCH", widget + "?dryRun=None", "{}"},
      {"PATCH", widget + "?dryRun=all", "{}"},
      {"PATCH", widget + "?dryrun=All", "{}"},
      {"PATCH", widget + "?dryRun=All%20", "{}"},
      {"PATCH", widget + "?fieldManager=dryRun=All", "{}"},
      {"PATCH", widget + "?x=1;dryRun=All", "{}"},
      {"PATCH", widget + "/dryRun=All", "{}"},
      {"PATCH", widget + "&dryRun=All", "{}"},
      {"PATCH", widget + "#?dryRun=All", "{}"},
      {"PATCH", widget + "?#&dryRun=All", "{}"},
      // Its body says what counts.
      {"DELETE", widget + "?dryRun=All", "{}"},
      // No review of our own rights, though it looks like one.
      {"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "{}"},
      {"POST", std::string(kReviews) + "/x", "{}"},
      {"POST", widget + "?" + kReviews, "{}"},
      {"PUT", kReviews, "{}"},
  }));
  CountingTransport inner;
  ReadOnlyTransport transport(inner);
  test_support::RecordingSink sink;
  CHECK_THROWS_WITH(transport.Start(Request(method, target, body), {}, sink),
                    "refused to send " + method + " " + target + ": this command only reads");
  CHECK(inner.sent.empty());
}

TEST_CASE("The rest is the transport's behind it", "[kube][read_only_transport]") {
  CountingTransport inner;
  ReadOnlyTransport transport(inner);
  transport.Cancel(3);
  CHECK(inner.cancelled == 3);
  transport.Poll(base::Clock::TimePoint(std::chrono::seconds(5)));
  CHECK(inner.polled_to == base::Clock::TimePoint(std::chrono::seconds(5)));
  transport.Wake();
  CHECK(inner.is_woken);
}

}  // namespace
}  // namespace kube::client
