#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "migrate/report/run_facts.h"

namespace migrate::report {

/// A path that somebody writes though pruning removes it: one user by one field manager.
struct WriterUse {
  std::string crd{};      ///< "crontabs.stable.example.com"
  std::string user{};     ///< as the API server authenticated it; what is very long ends in "..."
  std::string manager{};  ///< the field manager; empty if it is not known
  std::string path{};     ///< as FieldUse::path; what is very long ends in "..."
  std::string version{};  ///< whose schema lacks it: that of the request, else the storage version
  std::uint64_t requests = 0;  ///< that had it
  std::uint64_t added = 0;     ///< of these, which brought more of it than the object had before
  std::uint64_t denied = 0;    ///< of these, which were refused
  std::uint64_t moved = 0;     ///< of these, in which the mutation left nothing of it
  std::string first_seen{}, last_seen{};  ///< RFC 3339, UTC
  std::string example_object{};           ///< "namespace/name" of the request seen last
  std::string example_path{};             ///< where it was there: "spec.rules[1].host"

  bool operator==(const WriterUse&) const = default;
};

/// A CRD whose requests are looked at.
struct GuardedUse {
  std::string name{};
  std::string source{};                  ///< the file of the schemas; empty: they are the cluster's
  bool preserve_unknown_fields = false;  ///< in the cluster
  std::vector<std::string> unusable_versions{};  ///< by whose schemas nothing can be pruned, sorted

  bool operator==(const GuardedUse&) const = default;
};

/// What requests were seen since a guard was started, and who wrote what is going to be lost.
struct GuardReport {
  RunFacts run{};
  std::string action{};        ///< "warn" or "deny"
  std::string since{};         ///< RFC 3339, UTC
  std::uint64_t requests = 0;  ///< to create or change objects of these CRDs
  std::uint64_t requests_losing_fields = 0;
  std::uint64_t requests_denied = 0;
  std::vector<GuardedUse> crds{};    ///< by name
  std::vector<WriterUse> writers{};  ///< by CRD, path, user and manager
  /// Fields of requests that there was no room for among the writers.
  std::uint64_t left_out = 0;
};

}  // namespace migrate::report
