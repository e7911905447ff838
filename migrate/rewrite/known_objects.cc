#include "migrate/rewrite/known_objects.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/gathered_call.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/rewrite/retry.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {
namespace {}  // namespace

/// The reading of one object.
class NamedObjects::Read : public kube::client::GatheredCall {
 public:
  Read(NamedObjects& owner, const ObjectName& name)
      : GatheredCall(owner.session_.client), owner_(owner) {
    object.namespace_ = name.namespace_;
    object.name = name.name;
  }

  /// Ends it; the object stays as far as it is known.
  void Leave() {
    Cancel();
    is_read = true;
  }

  /// Sends the request if it is due.
  void Advance() {
    if (is_read || is_under_way() || owner_.session_.clock.Now() < due) return;
    kube::client::ApiRequest request;
    request.target = ObjectPath(owner_.target_, object);
    request.accept = kMetadataAccept;
    request.retry = false;
    request.most_bytes = kMostObjectBytes;
    Start(std::move(request));
  }

  cluster::ListedObject object;
  bool is_read = false;
  bool is_gone = false;
  kube::base::Clock::TimePoint due{};

 private:
  void OnDone() override {
    is_read = true;
    if (error()) return OnFailure(*error());
    if (owner_.document_.Parse(body())) return;
    auto read = cluster::ReadObjectMetadata(owner_.document_.root(), owner_.target_.known());
    if (read && read->name == object.name) object = *std::move(read);
  }

  void OnFailure(const kube::client::CallError& error) {
    const auto now = owner_.session_.clock.Now();
    const auto retry_after = error.status ? error.status->retry_after : std::nullopt;
    const AnswerVerdict verdict = ClassifyAnswer(error, ObjectText(owner_.target_, object));
    is_gone = verdict.object_class == report::ObjectClass::kGone;
    const auto pause = budget_.Next(verdict, retry_after, now);
    if (!pause) return;
    is_read = false;
    due = now + *pause;
  }

  NamedObjects& owner_;
  RetryBudget budget_{owner_.session_.patience};
};

NamedObjects::NamedObjects(const SweepTarget& target, const std::vector<ObjectName>& names,
                           std::size_t at_once, cluster::Spool& spool,
                           const kube::client::Session& session)
    : target_(target),
      names_(names),
      at_once_(std::max<std::size_t>(at_once, 1)),
      spool_(spool),
      session_(session),
      is_done_(spool.is_complete()) {}

NamedObjects::~NamedObjects() = default;

void NamedObjects::NameOnly() {
  names_only_ = true;
  for (const auto& read : page_) read->Leave();
}

void NamedObjects::Stop() {
  page_.clear();
  is_done_ = true;
}

std::optional<std::uint64_t> NamedObjects::remaining() const {
  return names_.size() - spool_.listed();
}

kube::base::Clock::TimePoint NamedObjects::next_event() const {
  auto next = kube::base::Clock::TimePoint::max();
  if (!is_done_ && IsPageRead()) return kube::base::Clock::TimePoint::min();
  for (const auto& read : page_) {
    if (!read->is_read && !read->is_under_way()) next = std::min(next, read->due);
  }
  return next;
}

void NamedObjects::Advance() {
  if (is_done_) return;
  if (page_.empty()) BeginPage();
  for (const auto& read : page_) read->Advance();
  if (!IsPageRead()) return;
  const std::uint64_t first = spool_.listed();
  for (const auto& read : page_) spool_.Add(read->object);
  // Every name is an object of the spool.
  const std::uint64_t spooled =
      spool_.listed() + std::min<std::uint64_t>(at_once_, names_.size() - spool_.listed());
  is_done_ = spooled == names_.size();
  spool_.EndPage(is_done_ ? "" : std::to_string(spooled));
  for (std::size_t i = 0; i < page_.size(); ++i) {
    cluster::ObjectAnswer gone;
    gone.object_class = report::ObjectClass::kGone;
    if (page_[i]->is_gone) spool_.Answer(first + i, gone);
  }
  page_.clear();
}

void NamedObjects::BeginPage() {
  const std::size_t first = static_cast<std::size_t>(spool_.listed());
  const std::size_t end = std::min(names_.size(), first + at_once_);
  for (std::size_t i = first; i < end; ++i) {
    page_.push_back(std::make_unique<Read>(*this, names_[i]));
    if (names_only_) page_.back()->Leave();
  }
}

bool NamedObjects::IsPageRead() const {
  return std::all_of(page_.begin(), page_.end(), [](const auto& read) { return read->is_read; });
}

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
