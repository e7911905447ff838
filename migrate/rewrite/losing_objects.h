#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/rewrite/migration_state.h"

namespace migrate::rewrite {

/// Picks a few of the objects that lose a field, the first ones of the list, for the wait until the
/// server prunes. May be used by several threads.
class LosingObjects {
 public:
  /// Looks at the object with this number in the list.
  void Look(const kube::json::Value& object, std::uint64_t number,
            const check::RewriteForecast& forecast);
  /// Forgets all: the list is read anew.
  void Clear();
  /// Those that are left without the ones that `is_unfit` says; by their place in the list.
  std::vector<LosingObject> Pick(const std::function<bool(std::string_view uid)>& is_unfit) const;

 private:
  bool IsWanted(std::uint64_t number) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, LosingObject> objects_;  // by number
};

}  // namespace migrate::rewrite
