#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/client/client.h"
#include "migrate/rewrite/metadata_list.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

namespace {

using fuzz::Require;

/// Answers each request with the next line: a digit for the status, then the body. Without another
/// line nobody listens any more.
class Script : public kube::client::Transport {
 public:
  explicit Script(std::string_view lines) : lines_(lines) {}
  RequestId Start(kube::client::HttpRequest, kube::base::Clock::Duration,
                  kube::client::ResponseSink& sink) override {
    waiting_.emplace_back(++last_, &sink);
    return last_;
  }
  void Cancel(RequestId id) override {
    std::erase_if(waiting_, [id](const auto& request) { return request.first == id; });
  }
  void Poll(kube::base::Clock::TimePoint) override {
    for (const auto& [id, sink] : std::exchange(waiting_, {})) Answer(*sink);
  }

 private:
  void Answer(kube::client::ResponseSink& sink) {
    if (lines_.empty()) {
      return sink.OnEnd(
          kube::client::TransportError{kube::client::TransportError::Kind::kRefused, "refused"});
    }
    std::string_view line = fuzz::TakeLine(lines_);
    const char kind = line.empty() ? '2' : line[0];
    line.remove_prefix(std::min<std::size_t>(1, line.size()));
    sink.OnHead({.status = StatusOf(kind), .headers = {{"Content-Type", "application/json"}}});
    sink.OnBytes(line);
    if (kind != 'x') return sink.OnEnd(std::nullopt);
    sink.OnEnd(
        kube::client::TransportError{kube::client::TransportError::Kind::kConnectionLost, "lost"});
  }
  static int StatusOf(char kind) {
    switch (kind) {
      case '3':
        return 429;
      case '4':
        return 410;
      case '5':
        return 503;
      default:
        return 200;
    }
  }

  std::string_view lines_;
  RequestId last_ = 0;
  std::vector<std::pair<RequestId, kube::client::ResponseSink*>> waiting_;
};

class Nobody : public kube::client::Credentials {
 public:
  std::vector<kube::client::HttpHeader> Headers() override { return {}; }
  bool Refresh() override { return false; }
};

void ReadAll(migrate::rewrite::ObjectSource& list, migrate::cluster::Spool& spool,
             kube::client::Client& client, test_support::FakeClock& clock) {
  while (!list.is_done()) {
    list.Advance();
    if (spool.listed() > 0) list.OnRewritten("7");
    // What was asked for comes with the next Poll; else there is a pause.
    const auto next = list.next_event();
    if (next != kube::base::Clock::TimePoint::max()) clock.AdvanceTo(next);
    client.Poll(clock.Now());
  }
  Require(spool.is_complete() != list.error().has_value());
}

void List(migrate::cluster::Spool& spool, std::string_view lines, bool in_one_piece) {
  const migrate::rewrite::SweepTarget target{.group = "g", .version = "v1", .plural = "widgets"};
  Script script(lines);
  Nobody nobody;
  test_support::FakeClock clock;
  kube::client::Client client(script, nobody, clock,
                              {.server = "https://server", .user_agent = ""});
  if (in_one_piece) {
    migrate::rewrite::CachedList list(target, 5, 2, spool, {client, clock});
    return ReadAll(list, spool, client, clock);
  }
  migrate::rewrite::MetadataList list(target, 2, spool, {client, clock});
  ReadAll(list, spool, client, clock);
}

/// Answers every object; returns how many there are.
std::uint64_t AnswerAll(migrate::cluster::Spool& spool) {
  std::uint64_t count = 0;
  while (const auto next = spool.Next()) {
    spool.Answer(next->number, {.object_class = migrate::report::ObjectClass::kGone});
    ++count;
  }
  Require(spool.is_answered() && count == spool.listed());
  spool.Flush();
  return count;
}

}  // namespace

// Whatever a server answers to a list, it ends, and what was listed is there for a later run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test_support::TempFolder folder;
  for (const bool in_one_piece : {false, true}) {
    for (const char* file : {"run.listed", "run.answered"}) folder.Write(file, "");
    std::uint64_t objects = 0;
    {
      migrate::cluster::Spool spool(folder.path(), "run", "fuzz");
      List(spool, fuzz::Text(data, size), in_one_piece);
      objects = AnswerAll(spool);
    }
    Require(migrate::cluster::Spool(folder.path(), "run", "fuzz").listed() == objects);
  }
  return 0;
}
