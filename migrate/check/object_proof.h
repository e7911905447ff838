#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "kube/json/json.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// What is proven of the objects of a CRD that prunes, though no read shows it.
struct ObjectProof {
  /// What it rests on; absent: the CRD has changed since.
  std::optional<report::Verified> verified;
  bool is_somebodys_word = false;  ///< by an annotation of the CRD
  /// True if etcd has of `object`, as the server shows it, nothing that the schemas of then did not
  /// specify. May be called by several threads.
  std::function<bool(const kube::json::Value& object)> covers;
  /// Whether these schemas, where the CRD has changed since, specified a folded path. May be empty:
  /// they are those of now, which do not.
  std::function<bool(std::string_view path)> may_keep{};
};

}  // namespace migrate::check
