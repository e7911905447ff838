#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kube/crd/crd.h"

/// The CRD by which the objects of a backup were pruned: a file beside it, by which it can be told
/// later what pruning took.
namespace migrate::rewrite {

/// "FOLDER/widgets.demo.example.com-20261121T031500Z.crd.json" of the same with .ndjson.
std::filesystem::path PrunedByPath(const std::filesystem::path& backup);

/// Writes it: `crd` as it is, but with these status.storedVersions: those of which objects are when
/// they are pruned. Mode 0600, on the disk when the call returns. Throws kube::base::Error, also if
/// there is something of that name.
void WritePrunedBy(const std::filesystem::path& backup, const kube::crd::Crd& crd,
                   const std::vector<std::string>& stored_versions);

/// Reads the CRD of a file, which may hold anything: JSON or YAML, one CRD. Throws
/// kube::base::Error with the path and why it cannot be read.
kube::crd::Crd ReadPrunedBy(const std::filesystem::path& file);

}  // namespace migrate::rewrite
