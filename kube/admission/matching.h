#pragma once

#include <cstdint>

#include "kube/admission/handler.h"

namespace kube::admission {

/// True if the handler is for such requests, by all of its options but the labels of a namespace
/// and HandlerOptions::when (apiserver pkg/admission/plugin/webhook/predicates/rules, .../object).
bool Matches(const Handler& handler, const Review& review);

/// Whether the resource of a review is one only. A person who writes a review by hand may leave its
/// version out, or its group and its version; the API server never does.
enum class ResourceIdentity : std::uint8_t { kClear, kAmbiguous };
/// Completes the resource of such a review where the handlers are for one resource of that name.
/// kAmbiguous: for several. Where they are for none the review stays as it is. Borrows from
/// `handlers`.
ResourceIdentity IdentifyResource(const Handlers& handlers, Review& review);

}  // namespace kube::admission
