#include "migrate/populate/webhooks/known_population.h"

#include <utility>

#include "kube/go/go_time.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/webhooks/namespace_view.h"

namespace migrate::populate::webhooks {
namespace {

using kube::json::Value;

template <typename Map, typename Entry>
std::shared_ptr<const Map> With(const std::shared_ptr<const Map>& shared, const std::string& name,
                                Entry entry) {
  Map changed = *shared;
  changed.insert_or_assign(name, std::make_shared<const Entry>(std::move(entry)));
  return std::make_shared<const Map>(std::move(changed));
}

template <typename Map>
std::shared_ptr<const Map> Without(const std::shared_ptr<const Map>& shared,
                                   std::string_view name) {
  Map changed = *shared;
  const auto found = changed.find(name);
  if (found != changed.end()) changed.erase(found);
  return std::make_shared<const Map>(std::move(changed));
}

}  // namespace

TimePoint TimeOfDay() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

bool KnownNamespace::IsPopulated() const {
  const auto label = target.labels.find(kPopulatedLabel);
  return label != target.labels.end() && label->second == "true";
}

KnownNamespace ReadKnownNamespace(const Value& object) {
  KnownNamespace read{.target = ViewNamespace(&object)};
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return read;
  const auto time = kube::go::ParseGoTime(metadata->FindText("creationTimestamp"));
  if (time) read.created = TimePoint(std::chrono::seconds(time->unix_seconds));
  return read;
}

std::shared_ptr<const KnownNamespace> Population::FindNamespace(std::string_view name) const {
  const auto found = namespaces->find(name);
  return found == namespaces->end() ? nullptr : found->second;
}

std::optional<Population> KnownPopulation::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void KnownPopulation::Replace(Population::Templates templates, Population::Namespaces namespaces) {
  Swap(Population{
      .templates = std::make_shared<const Population::Templates>(std::move(templates)),
      .namespaces = std::make_shared<const Population::Namespaces>(std::move(namespaces))});
}

// Only the thread that calls these changes what is there: nothing comes between the two.
void KnownPopulation::Put(NamespaceTemplate changed) {
  Population next = current().value();
  const std::string name = changed.name;
  next.templates = With(next.templates, name, std::move(changed));
  Swap(std::move(next));
}

void KnownPopulation::Put(KnownNamespace changed) {
  Population next = current().value();
  const std::string name = changed.target.name;
  next.namespaces = With(next.namespaces, name, std::move(changed));
  Swap(std::move(next));
}

void KnownPopulation::RemoveTemplate(std::string_view name) {
  Population next = current().value();
  next.templates = Without(next.templates, name);
  Swap(std::move(next));
}

void KnownPopulation::RemoveNamespace(std::string_view name) {
  Population next = current().value();
  next.namespaces = Without(next.namespaces, name);
  Swap(std::move(next));
}

// What was there is let go behind the lock: it may be large.
void KnownPopulation::Swap(std::optional<Population> next) {
  const std::lock_guard lock(mutex_);
  current_.swap(next);
}

void KnownPopulation::NoteStale(TimePoint time) {
  const std::lock_guard lock(mutex_);
  if (current_ && !current_->stale_since) current_->stale_since = time;
}

}  // namespace migrate::populate::webhooks
