#pragma once

#include <string>

#include "kube/json/json.h"

namespace test_support {

/// Adds what a server fills in when a CRD of v1 or v1beta1 is created and accepted: names that were
/// left out, preserveUnknownFields, status with its conditions and storedVersions. What is there
/// stays.
void CompleteCrd(kube::json::Document& crd);

/// Makes of a complete CRD the form of `version`, "v1" or "v1beta1".
void ConvertCrd(kube::json::Document& crd, const std::string& version);

}  // namespace test_support
