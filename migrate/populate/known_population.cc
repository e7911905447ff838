#include "migrate/populate/known_population.h"

#include <utility>

namespace migrate::populate {

TimePoint TimeOfDay() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
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

void KnownPopulation::SetConfigurations(Population::Configurations configurations) {
  Population next = current().value();
  next.configurations =
      std::make_shared<const Population::Configurations>(std::move(configurations));
  Swap(std::move(next));
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

}  // namespace migrate::populate
