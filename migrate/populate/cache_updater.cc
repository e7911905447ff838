#include "migrate/populate/cache_updater.h"

#include <chrono>
#include <memory>
#include <utility>

namespace migrate::populate {
namespace {

constexpr std::chrono::milliseconds kFeedPause(100);

}  // namespace

void CacheUpdater::Begin() {
  has_begun_ = true;
  if (known_ != nullptr) known_->Replace({}, {});
  Feed();
}

void CacheUpdater::Feed() {
  HandOn();
  if (known_ == nullptr) return;
  watch_.blind_since() ? known_->NoteStale(TimeOfDay()) : known_->NoteCurrent();
}

void CacheUpdater::FeedSoon() {
  if (has_begun_ && clock_.Now() >= fed_at_ + kFeedPause) HandOn();
}

void CacheUpdater::HandOn() {
  fed_at_ = clock_.Now();
  const PopulationChanges news = watch_.TakeNews();
  auto configurations = watch_.TakeConfigurations();
  if (known_ == nullptr) return;
  if (configurations) known_->SetConfigurations(*std::move(configurations));
  if (news.empty()) return;
  known_->Change([&news](Population::Templates& templates, Population::Namespaces& namespaces) {
    for (const auto& [name, entry] : news.templates) {
      templates.erase(name);
      if (!entry || !entry->usable) continue;
      templates[name] = std::make_shared<const NamespaceTemplate>(*entry->usable);
    }
    for (const auto& [name, found] : news.namespaces) {
      namespaces.erase(name);
      if (!found) continue;
      namespaces[name] = std::make_shared<const KnownNamespace>(
          KnownNamespace{.target = found->target, .created = found->created});
    }
  });
}

}  // namespace migrate::populate
