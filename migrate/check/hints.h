#pragma once

#include <string>
#include <string_view>

#include "kube/meta/field_error.h"

/// How to mend what the API server finds fault with, in one line each: lower case, no full stop.
namespace migrate::check {

/// The hint for a structural error, an error of completeness or one of CRD validation, e.g.
/// `give spec a type, as a rule "type: object"`. Empty where nothing more helpful than the error
/// itself can be said.
std::string Hint(const kube::meta::FieldError& error);

/// The hint for a ConversionError, e.g. "replace $ref by the schema that it refers to".
std::string ConversionHint(std::string_view conversion_error);

}  // namespace migrate::check
