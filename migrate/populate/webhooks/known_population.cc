#include "migrate/populate/webhooks/known_population.h"

#include <utility>

#include "kube/go/go_time.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/webhooks/namespace_view.h"

namespace migrate::populate::webhooks {
namespace {

using kube::json::Value;

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

// Only the thread that calls this changes what is there: nothing comes between.
void KnownPopulation::Change(
    const std::function<void(Population::Templates&, Population::Namespaces&)>& change) {
  Population next = current().value();
  Population::Templates templates = *next.templates;
  Population::Namespaces namespaces = *next.namespaces;
  change(templates, namespaces);
  next.templates = std::make_shared<const Population::Templates>(std::move(templates));
  next.namespaces = std::make_shared<const Population::Namespaces>(std::move(namespaces));
  Swap(std::move(next));
}

void KnownPopulation::Put(NamespaceTemplate changed) {
  Change([&changed](Population::Templates& templates, Population::Namespaces&) {
    const std::string name = changed.name;
    templates[name] = std::make_shared<const NamespaceTemplate>(std::move(changed));
  });
}

void KnownPopulation::Put(KnownNamespace changed) {
  Change([&changed](Population::Templates&, Population::Namespaces& namespaces) {
    const std::string name = changed.target.name;
    namespaces[name] = std::make_shared<const KnownNamespace>(std::move(changed));
  });
}

void KnownPopulation::RemoveTemplate(std::string_view name) {
  Change([name](Population::Templates& templates, Population::Namespaces&) {
    templates.erase(std::string(name));
  });
}

void KnownPopulation::RemoveNamespace(std::string_view name) {
  Change([name](Population::Templates&, Population::Namespaces& namespaces) {
    namespaces.erase(std::string(name));
  });
}

void KnownPopulation::NoteCurrent() {
  const std::lock_guard lock(mutex_);
  if (current_) current_->stale_since.reset();
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
