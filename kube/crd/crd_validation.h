#pragma once

#include <vector>

#include "kube/base/release.h"
#include "kube/crd/crd.h"
#include "kube/meta/field_error.h"
#include "kube/schema/pattern_checks.h"

namespace kube::crd {

/// Something that the API server refuses a CRD for.
struct CrdFinding {
  meta::FieldError error;
  /// True for what makes a schema not structural (kube/schema/structural.h,
  /// kube/schema/validation.h).
  bool structural;
};

/// To hold the defaults of one CRD against their patterns, by the processor time of this thread.
schema::PatternChecks MakePatternChecks();

/// What the API server (1.36) would say to the creation of `crd`, or to its update from `old` if
/// that is given (apiextensions pkg/apis/apiextensions/validation). Sorted bytewise by the whole
/// string, duplicates removed; empty: accepted. Of rules of x-kubernetes-validations it is what the
/// release `server` says: it compiles what it knows, and before 1.25 it drops them.
///
/// As the server does, the status of `crd` does not count: on creation it is empty but for the
/// storage version, on an update it is that of `old`. Nor do resourceVersion and generation.
///
/// Where `patterns` cannot tell whether a default is right there is no finding (ValidateValue).
std::vector<CrdFinding> ValidateCrd(const Crd& crd, const Crd* old, schema::PatternChecks& patterns,
                                    base::Release server = base::kNewestRelease);
/// The same with MakePatternChecks().
std::vector<CrdFinding> ValidateCrd(const Crd& crd, const Crd* old = nullptr);

/// What the API server says to a request to create `crd`, or to update `old` to it: ValidateCrd,
/// but that a namespace of a new CRD is cleared before, and that updates of all kinds of objects
/// have rules of their own (apiserver pkg/registry/rest, BeforeCreate and BeforeUpdate).
std::vector<CrdFinding> ValidateCrdRequest(const Crd& crd, const Crd* old,
                                           schema::PatternChecks& patterns,
                                           base::Release server = base::kNewestRelease);

}  // namespace kube::crd
