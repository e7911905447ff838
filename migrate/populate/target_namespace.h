#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/label_match.h"

namespace migrate::populate {

/// What templates look at of a namespace.
struct TargetNamespace {
  std::string name;
  kube::meta::Labels labels;           ///< with that of its name, which an API server sets
  std::optional<std::string> creator;  ///< absent: nobody has noted who it was
  bool has_opt_out_annotation = false;
  std::vector<std::string> pending_initializers{};  ///< sorted

  bool operator==(const TargetNamespace&) const = default;
  /// What was made in it stays as it is, as a label or an annotation says.
  bool OptsOut() const { return has_opt_out_annotation || OptsOutByLabel(); }
  /// The same as far as selectors of webhooks see.
  bool OptsOutByLabel() const;
  /// It has what it is to have, as whoever populates it says by a label.
  bool IsPopulated() const;
};

/// True for the object of a Namespace.
bool IsNamespace(const kube::json::Value& object);

/// Reads a Namespace. The errors are the server's, e.g. "metadata.name: Required value: name is
/// required"; sorted bytewise.
kube::base::Result<TargetNamespace, std::vector<std::string>> ReadNamespace(
    const kube::json::Value& object);

/// What templates look at in the metadata of a Namespace. What is of a wrong type is as if it were
/// not there; where there is no name, as the server has yet to make one, there is no label of it
/// either.
TargetNamespace NamespaceOf(const kube::json::Value& metadata);

/// One of which no more is known than its name, which is valid.
TargetNamespace NamespaceNamed(std::string name);

}  // namespace migrate::populate
