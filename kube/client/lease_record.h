#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "kube/json/json.h"

namespace kube::client {

/// The spec of a Lease of coordination.k8s.io/v1, as far as elections have to do with it.
struct LeaseRecord {
  std::string holder_identity;              ///< empty: nobody
  std::int32_t lease_duration_seconds = 0;  ///< 0: it does not say, and so has expired
  std::string acquire_time, renew_time;     ///< each a MicroTime, as written; empty: none is said
  std::int32_t lease_transitions = 0;       ///< how often the holder has changed

  bool operator==(const LeaseRecord&) const = default;
};

/// Reads a spec, which may be any value. What an API server would not store, such as a negative
/// number or a time that is none, is as if it were absent.
LeaseRecord ReadLeaseRecord(const json::Value& spec);

/// The spec. Borrows the texts of `record`. Times that are empty are left out.
json::Value MakeLeaseSpec(const LeaseRecord& record, json::Arena& arena);

/// A time as a MicroTime is written: "2006-01-02T15:04:05.000000Z". An API server takes no other
/// number of digits (apimachinery pkg/apis/meta/v1/micro_time.go).
std::string MicroTime(std::chrono::system_clock::time_point time);

/// For people: `the Lease "default/boss"`.
std::string LeaseText(const std::string& namespace_name, const std::string& name);

}  // namespace kube::client
