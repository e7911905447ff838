#include "migrate/rewrite/named_objects.h"

#include <algorithm>
#include <utility>

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

}  // namespace migrate::rewrite
