#include "migrate/rewrite/losing_objects.h"

#include <iterator>
#include <string>
#include <utility>

namespace migrate::rewrite {
namespace {

// Some of them for those that are deleted or written meanwhile.
constexpr std::size_t kMostObjects = 50;
// One would do; an object may lose a thousand.
constexpr std::size_t kMostPaths = 5;

}  // namespace

bool LosingObjects::IsWanted(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return objects_.size() < kMostObjects || number < std::prev(objects_.end())->first;
}

void LosingObjects::Look(const kube::json::Value& object, std::uint64_t number,
                         const check::RewriteForecast& forecast) {
  const kube::json::Value* metadata = object.Find("metadata");
  if (metadata == nullptr || !IsWanted(number)) return;
  LosingObject losing{std::string(metadata->FindText("namespace")),
                      std::string(metadata->FindText("name")),
                      std::string(metadata->FindText("uid")), forecast.LosingPaths(object)};
  if (losing.paths.empty()) return;
  if (losing.paths.size() > kMostPaths) losing.paths.resize(kMostPaths);
  const std::lock_guard lock(mutex_);
  objects_.insert_or_assign(number, std::move(losing));
  if (objects_.size() > kMostObjects) objects_.erase(std::prev(objects_.end()));
}

void LosingObjects::Clear() {
  const std::lock_guard lock(mutex_);
  objects_.clear();
}

std::vector<LosingObject> LosingObjects::Pick(
    const std::function<bool(std::string_view uid)>& is_unfit) const {
  const std::lock_guard lock(mutex_);
  std::vector<LosingObject> picked;
  for (const auto& [number, object] : objects_) {
    if (!is_unfit(object.uid)) picked.push_back(object);
  }
  return picked;
}

}  // namespace migrate::rewrite
