#include "migrate/rewrite/previous_objects.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kube/base/result.h"

namespace migrate::rewrite {
namespace {

constexpr std::uint64_t kPage = 1000;
// Answers are not in the order of the objects: for so many at a time it is looked up where they
// are.
constexpr std::uint64_t kBlock = 1024 * 1024;
constexpr std::uint64_t kNoAnswer = ~std::uint64_t{0};

std::uint64_t ReadNumber(const std::string& token) {
  std::uint64_t number = 0;
  std::from_chars(token.data(), token.data() + token.size(), number);
  return number;
}

}  // namespace

PreviousObjects::PreviousObjects(const cluster::Spool& previous,
                                 std::set<report::ObjectClass> classes, cluster::Spool& spool)
    : previous_(previous),
      classes_(std::move(classes)),
      spool_(spool),
      is_done_(spool.is_complete()),
      objects_(previous_.ObjectLines()) {
  for (std::uint64_t i = 0; i < previous_.listed(); ++i) {
    if (classes_.contains(previous_.class_of(i))) ++remaining_;
  }
  remaining_ -= std::min(remaining_, spool_.listed());
  if (is_done_) return;
  // The token is the number of the object to go on with.
  const std::uint64_t first = std::min(ReadNumber(spool_.continue_token()), previous_.listed());
  while (next_ < first) ReadObject();
}

kube::base::Clock::TimePoint PreviousObjects::next_event() const {
  return is_done_ ? kube::base::Clock::TimePoint::max() : kube::base::Clock::TimePoint::min();
}

void PreviousObjects::Advance() {
  if (is_done_) return;
  for (std::uint64_t added = 0; added < kPage && next_ < previous_.listed();) {
    const std::uint64_t number = next_;
    cluster::ListedObject object = ReadObject();
    if (!classes_.contains(previous_.class_of(number))) continue;
    if (answers_.empty() || number >= answers_from_ + kBlock) {
      answers_from_ = number;
      FindAnswers();
    }
    const std::uint64_t at = answers_[number - answers_from_];
    if (at != kNoAnswer) HandleAnswer(at, object);
    spool_.Add(object);
    ++added;
    --remaining_;
  }
  is_done_ = next_ == previous_.listed();
  spool_.EndPage(is_done_ ? "" : std::to_string(next_));
}

cluster::ListedObject PreviousObjects::ReadObject() {
  for (;;) {
    const auto line = objects_.Next(previous_.listed_end());
    if (!line) throw kube::base::Error("cannot read what an earlier sweep listed: it was changed");
    if (auto object = cluster::ReadObjectLine(*line)) {
      ++next_;
      return *std::move(object);
    }
  }
}

void PreviousObjects::FindAnswers() {
  answers_.assign(static_cast<std::size_t>(std::min(kBlock, previous_.listed() - answers_from_)),
                  kNoAnswer);
  cluster::LineReader lines = previous_.AnswerLines();
  for (;;) {
    const std::uint64_t at = lines.next_offset();
    const auto line = lines.Next(previous_.answered_end());
    if (!line) return;
    std::uint64_t number = 0;
    std::from_chars(line->data(), line->data() + line->size(), number);
    if (number >= answers_from_ && number - answers_from_ < answers_.size()) {
      answers_[number - answers_from_] = at;
    }
  }
}

void PreviousObjects::HandleAnswer(std::uint64_t at, cluster::ListedObject& object) {
  cluster::LineReader lines = previous_.AnswerLineAt(at);
  const auto line = lines.Next(previous_.answered_end());
  const auto read = line ? cluster::ReadAnswerLine(*line) : std::nullopt;
  if (!read || read->answer.resource_version.empty()) return;  // a failure tells none
  object.resource_version = read->answer.resource_version;
  object.generation = read->answer.generation;
  object.entries = read->answer.entries;
  if (!read->answer.uid.empty()) object.uid = read->answer.uid;
}

}  // namespace migrate::rewrite
