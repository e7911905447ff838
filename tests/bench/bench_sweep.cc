/// Measures the rewriting sweep: how near it comes to what a slow server allows, and its memory.
///
///   bench_sweep [FOLDER [OBJECTS [LISTED]]]     default: the temporary folder, 20000 and 1000000
///
/// Exit code 1 where a goal is missed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "kube/client/curl_transport.h"
#include "migrate/rewrite/sweep.h"
#include "tests/bench/measure.h"
#include "tests/bench/slow_server.h"
#include "tests/bench/synthetic_api.h"

namespace bench {
namespace {

constexpr std::chrono::milliseconds kLatency(10);
constexpr std::size_t kConcurrency = 16;
constexpr double kMinRate = 1440;  ///< 0.9 of what 16 requests of 10 ms allow
constexpr double kMaxMib = 64;

class NoCredentials : public kube::client::Credentials {
 public:
  std::vector<kube::client::HttpHeader> Headers() override { return {}; }
  bool Refresh() override { return false; }
};

/// Answers at once, without a network: so that a million objects take seconds.
class InstantTransport : public kube::client::Transport {
 public:
  explicit InstantTransport(std::uint64_t objects) : api_(objects) {}

  RequestId Start(kube::client::HttpRequest request, kube::base::Clock::Duration,
                  kube::client::ResponseSink& sink) override {
    waiting_.push_back({std::move(request), &sink});
    return ++last_id_;
  }
  void Cancel(RequestId) override {}
  void Poll(kube::base::Clock::TimePoint) override {
    if (waiting_.empty()) throw std::logic_error("nothing is under way");
    const auto [request, sink] = std::move(waiting_.front());
    waiting_.pop_front();
    const std::string body = api_.Answer(request.method, request.target);
    sink->OnHead({200, {{"Content-Type", "application/json"}}});
    sink->OnBytes(body);
    sink->OnEnd(std::nullopt);
  }

 private:
  SyntheticApi api_;
  std::deque<std::pair<kube::client::HttpRequest, kube::client::ResponseSink*>> waiting_;
  RequestId last_id_ = 0;
};

/// A folder for the files of a sweep that lives as long as this.
class StateFolder {
 public:
  explicit StateFolder(const std::filesystem::path& parent) : path_(parent / "bench_sweep-state") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~StateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

const migrate::rewrite::SweepTarget kTarget{
    .group = "demo.example.com", .version = "v1", .plural = "widgets"};

migrate::rewrite::SweepResult Sweep(kube::client::Transport& transport,
                                    const std::filesystem::path& folder, bool again) {
  const kube::base::SystemClock clock;
  NoCredentials credentials;
  kube::client::Client client(transport, credentials, clock,
                              {.server = "http://127.0.0.1",
                               .user_agent = "bench",
                               .on_warning = nullptr,
                               .on_request = nullptr});
  const migrate::rewrite::SweepOptions options{.pace = {.concurrency = kConcurrency}};
  if (!again) return migrate::rewrite::Sweep(kTarget, options, folder, "run", {client, clock});
  return migrate::rewrite::SweepAgain(kTarget, options, folder, "run", "again", {client, clock});
}

void RequireAll(const migrate::rewrite::SweepResult& result,
                migrate::report::ObjectClass object_class, std::uint64_t objects) {
  if (result.counts[object_class] == objects && result.counts.Total() == objects) return;
  throw std::runtime_error("not every object was counted: " +
                           result.stopped.value_or("no reason was given"));
}

bool BenchRate(const std::filesystem::path& parent, std::uint64_t objects) {
  std::printf("a server that takes 10 ms, %zu at once, %llu objects\n", kConcurrency,
              static_cast<unsigned long long>(objects));
  const SyntheticApi api(objects);
  const SlowServer server(kLatency, [&](const std::string& method, const std::string& target) {
    return api.Answer(method, target);
  });
  double rate = 0;
  for (int i = 0; i < 3; ++i) {
    const StateFolder folder(parent);
    kube::client::ConnectionConfig config;
    config.server = server.url();
    kube::client::CurlTransport transport(config);
    const migrate::rewrite::SweepResult result = Sweep(transport, folder.path(), false);
    RequireAll(result, migrate::report::ObjectClass::kRewritten, objects);
    const double seconds = std::chrono::duration<double>(result.duration).count();
    rate = std::max(rate, static_cast<double>(objects) / seconds);
  }
  const bool good = rate >= kMinRate;
  std::printf("  %.0f objects/s (goal: at least %.0f)%s\n", rate, kMinRate, good ? "" : " MISSED");
  return good;
}

bool BenchMemory(const std::filesystem::path& parent, std::uint64_t objects) {
  std::printf("%llu objects, swept and swept again\n", static_cast<unsigned long long>(objects));
  const StateFolder folder(parent);
  const Cost cost = Measure(1, [&] {
    InstantTransport transport(objects);
    RequireAll(Sweep(transport, folder.path(), false), migrate::report::ObjectClass::kRewritten,
               objects);
    RequireAll(Sweep(transport, folder.path(), true), migrate::report::ObjectClass::kUnchanged,
               objects);
    return Counts{objects, 0};
  });
  const bool good = cost.peak_mib <= kMaxMib;
  std::printf("  %.1f MiB resident (goal: at most %.0f)%s, %.2f CPU s, %.1f us an object\n",
              cost.peak_mib, kMaxMib, good ? "" : " MISSED", cost.cpu_seconds,
              cost.cpu_seconds * 1e6 / static_cast<double>(2 * objects));
  return good;
}

bool Run(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path();
  const std::uint64_t objects = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
  const std::uint64_t listed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1'000'000;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const bool is_small = BenchMemory(folder, listed);
  return BenchRate(folder, objects) && is_small;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    return bench::Run(argc, argv) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
