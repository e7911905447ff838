#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "migrate/check/object_mutation.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

struct FileRewriteOptions {
  std::vector<std::string> filenames{};  ///< values of -f
  bool recursive = false;
  std::vector<std::string> crd_names{};  ///< only objects of these; empty: of all
  bool enable_pruning = false;           ///< as if spec.preserveUnknownFields were false
  /// Is applied to each object before it is rewritten; the null pointer: there is none.
  std::shared_ptr<const ObjectMutation> mutation{};
};

struct FileRewriteReport {
  bool has_crds = false;                   ///< the files hold some
  std::uint64_t objects = 0;               ///< that were handed out
  std::vector<std::string> object_errors;  ///< "namespace/name: why", in the order of reading
  std::vector<report::UnknownKind> unknown_kinds;
  std::vector<std::string> preserving;   ///< CRDs whose objects were not pruned; sorted
  std::vector<std::string> ambiguous;    ///< CRDs that were given more than once; sorted
  std::vector<std::string> file_errors;  ///< "file:line:column: why"
  std::vector<std::string> file_hints;   ///< as CheckReport::file_hints
};

/// Hands out the custom resources of files as the server stores them: read in the version they are
/// written in, pruned, defaulted, stored in the storage version; numbers as etcd holds them
/// (migrate --local). A CRD that preserves unknown fields prunes nothing unless `enable_pruning`.
///
/// In the order of reading, but objects that come before their CRD in a large file or on the
/// standard input are last. Where several CRDs have the same name the last one counts.
///
/// Throws kube::base::Error for a path that does not exist and for a name that does not fit one
/// CRD, before the first object if all files are small.
FileRewriteReport RewriteFiles(const FileRewriteOptions& options,
                               const std::function<void(const kube::json::Value&)>& take);

}  // namespace migrate::check
