#pragma once

#include <functional>

#include "kube/meta/field_choice.h"
#include "kube/schema/pruning.h"

namespace migrate::check {

/// Hands `take` the leaves of an unknown field that holds objects or arrays, where `opened` chooses
/// it or something below it: scalars, and what is empty. Any other field it is handed as it is.
///
/// A leaf is told as the field is: indices as [*], and as .* the keys of which `opened` says so.
void OpenField(const kube::schema::UnknownField& field, const kube::meta::FieldChoice& opened,
               const std::function<void(const kube::schema::UnknownField&)>& take);

}  // namespace migrate::check
