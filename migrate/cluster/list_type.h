#pragma once

#include <memory>
#include <string>

#include "kube/json/json.h"

namespace migrate::cluster {

/// What the items of a list are where they do not say so themselves: a WidgetList of
/// demo.example.com/v1 holds Widgets of demo.example.com/v1 (Unstructured of k8s.io/apimachinery).
struct ListType {
  std::string api_version, kind;

  /// Sets kind and apiVersion of `item` where it has none. Copies into `arena`.
  void ApplyTo(kube::json::Value& item, kube::json::Arena& arena) const;
};

/// The type of the items of `list`; null pointer where its kind is not that of a typed list ("List"
/// itself is not).
std::shared_ptr<const ListType> ListTypeOf(const kube::json::Value& list);

}  // namespace migrate::cluster
