#pragma once

#include <optional>

#include "kube/base/release.h"
#include "kube/meta/field_error.h"

namespace migrate::check {

/// Which rules a server has.
struct ServerRules {
  bool ratchets = false;                         ///< KEP-4008
  std::optional<kube::base::Release> release{};  ///< absent: all that are known
};

/// Those of a server of that release, which lets errors be of values that a write does not change
/// (KEP-4008, CRDValidationRatcheting) by default since Kubernetes 1.30, always since 1.33: it
/// tells nobody of its feature gates. Absent: unknown, so that every error counts.
ServerRules RulesOf(const std::optional<kube::base::Release>& release);

/// From which release on API servers say so, of what older ones than the newest do not say: that a
/// number does not fit its format (1.36), that a CRD's caBundle has no certificate
/// (kubernetes#124061, 1.31). Absent: all do.
std::optional<kube::base::Release> FirstRelease(const kube::meta::FieldError& error);

/// That release, where it is later than the server's.
std::optional<kube::base::Release> LaterRelease(const kube::meta::FieldError& error,
                                                const std::optional<kube::base::Release>& server);

}  // namespace migrate::check
