#pragma once

#include <string>

#include "tests/bench/measure.h"

/// The ways to read a file that are measured. Each throws std::runtime_error on what it cannot
/// read.
namespace bench {

/// RapidJSON's own reader with a handler that keeps nothing: the least that reading JSON costs with
/// the library we build on. Same checks as ours: encoding, depth; numbers are not converted.
/// Counts no objects.
Counts ReadWithRapidJson(const std::string& path);

/// Ours: splits the List, parses each object and finds its unknown fields.
Counts PruneJson(const std::string& path);

/// Ours: parses each YAML document and finds its unknown fields.
Counts PruneYaml(const std::string& path);

}  // namespace bench
