#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/base/clock.h"
#include "kube/client/client.h"

namespace migrate::rewrite {

/// Brings the objects of a sweep into its spool, a page at a time, ahead of the writes.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  /// Begins what is due.
  virtual void Advance() = 0;
  /// Nothing of what is still to come will be written: only its names are needed.
  virtual void NameOnly() {}
  /// An object of it was stored anew, as of that resource version.
  virtual void OnRewritten(const std::string& /*resource_version*/) {}
  /// Ends it where it is.
  virtual void Stop() = 0;

  /// Nothing more will come, as all is there or because of error().
  virtual bool is_done() const = 0;
  virtual const std::optional<kube::client::CallError>& error() const = 0;
  /// How many objects are still to come, where that is known.
  virtual std::optional<std::uint64_t> remaining() const = 0;
  /// When time alone lets Advance do something; TimePoint::max() if it does not.
  virtual kube::base::Clock::TimePoint next_event() const = 0;
};

}  // namespace migrate::rewrite
