#include "migrate/cluster/list_watch.h"

#include <utility>
#include <vector>

namespace migrate::cluster {
namespace {

constexpr std::chrono::seconds kListPause(5);

}  // namespace

ListWatch::ListWatch(Options options, const kube::client::Session& session)
    : options_(std::move(options)),
      session_(session),
      watch_(
          options_.target,
          [this](WatchEventType type, kube::json::Value& object, kube::json::Document&) {
            options_.on_event(type, object);
          },
          session) {}

std::optional<kube::client::CallError> ListWatch::Begin() {
  auto problem = List();
  if (session_.is_stopped()) return std::nullopt;
  return problem;
}

// From its resource version on it is watched.
std::optional<kube::client::CallError> ListWatch::List() {
  std::vector<ListJob> jobs = {{options_.target, options_.make_taker}};
  ReadLists(jobs, session_, {.chunk_size = options_.chunk_size});
  if (jobs[0].error) return jobs[0].error;
  options_.on_list();
  watch_.Start(jobs[0].resource_version);
  return std::nullopt;
}

void ListWatch::Advance() {
  using State = ObjectWatch::State;
  watch_.Advance();
  if (session_.clock.Now() < due_) return;
  if (watch_.is_steady()) NoteRecovery();
  if (watch_.state() == State::kWatching) return;
  due_ = session_.clock.Now() + kListPause;
  if (watch_.state() == State::kFailed) NoteProblem(watch_.error());
  const auto problem = List();
  if (problem && !session_.is_stopped()) NoteProblem(problem->message);
}

// Where it may list but not watch, each list is followed by a watch that fails, soon or after some
// tries.
void ListWatch::NoteRecovery() {
  blind_since_.reset();
  if (!std::exchange(is_problem_told_, false)) return;
  options_.tell("changes of " + options_.what + " are seen again");
}

void ListWatch::NoteProblem(const std::string& problem) {
  if (!blind_since_) blind_since_ = session_.clock.Now();
  if (std::exchange(is_problem_told_, true)) return;
  options_.tell("changes of " + options_.what + " are not seen at the moment: " + problem);
}

}  // namespace migrate::cluster
