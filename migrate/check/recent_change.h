#pragma once

#include <chrono>
#include <cstdint>

#include "kube/json/json.h"

namespace migrate::check {

/// A CRD's change may be taken for noticed by every API server after this time.
inline constexpr std::chrono::seconds kNoticed{5};

/// How long to wait from `now` on until every API server may be taken to have noticed the last
/// change of a CRD's spec: five seconds from that change, as metadata.managedFields tell it, and
/// never more, whatever the clocks say. Zero where they do not tell.
///
/// A server that has not noticed a change stores objects as before it, and takes them for stored as
/// they should be, so that no later pass over the same server would show it (k/k#130235). Usually
/// it takes a fraction of a second.
std::chrono::system_clock::duration TimeUntilNoticed(const kube::json::Value& crd,
                                                     std::chrono::system_clock::time_point now);

/// The same by what we have seen ourselves, as managedFields do not tell of every change: five
/// seconds from `seen`, MigrationState::generation_seen, on.
std::chrono::system_clock::duration TimeUntilNoticed(std::int64_t seen,
                                                     std::chrono::system_clock::time_point now);

/// A time as MigrationState::generation_seen.
std::int64_t Milliseconds(std::chrono::system_clock::time_point time);

}  // namespace migrate::check
