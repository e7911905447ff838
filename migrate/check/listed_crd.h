#pragma once

#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"

namespace migrate::check {

/// "apiextensions.k8s.io/v1" of "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", which
/// FindCrdsTarget gives.
std::string ApiVersionOfTarget(std::string_view target);

/// The name of an object as a server shows it; empty where it has none.
std::string NameOfItem(const kube::json::Value& item);

/// Reads a copy of an item of a list of CRDs, which does not say itself that it is one:
/// `api_version` is that of the list. Errors as kube::crd::ReadCrd.
kube::base::Result<kube::crd::Crd, std::string> ReadListedCrd(const kube::json::Value& item,
                                                              const std::string& api_version);

}  // namespace migrate::check
