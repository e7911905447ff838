#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/json/json.h"
#include "migrate/report/field_tally.h"

namespace migrate::restore {

/// An object of a backup during the call that hands it out.
struct ReadObject {
  const kube::json::Value& value;
  report::Place place;
  std::string_view group, kind, namespace_, name, uid;

  /// "namespace/name", or the name alone.
  std::string FullName() const;
  /// What tells it from all others of the backup.
  std::string Identity() const;
  /// On its own.
  std::unique_ptr<kube::json::Document> Copy() const;
};

/// Hands out the objects of a backup one after the other, in its order, in a thread that is not the
/// caller's, while this one waits. Lists are taken apart. Memory does not grow with the file.
///
/// Throws kube::base::Error, behind the last object, where something of it cannot be read, or is no
/// object that a server could have; what `take` throws goes through.
void ReadBackup(const std::string& path, const std::function<void(const ReadObject&)>& take);

}  // namespace migrate::restore
