#pragma once

#include <string>
#include <string_view>

#include "kube/meta/field_error.h"
#include "kube/suggest/observed_shape.h"

/// How to fix what the API server finds fault with, in one line each: lower case, no full stop.
namespace migrate::check {

/// The hint for a structural error, an error of completeness or one of CRD validation, e.g.
/// "reduce metadata to ...". Empty where nothing more helpful than the error
/// itself can be said.
std::string Hint(const kube::meta::FieldError& error);

/// Whether an error with this detail is that an expression of CEL does not compile.
bool IsOfCompilation(std::string_view detail);

/// What the compiler says first, of the detail or the whole string of such an error: "undefined
/// field 'a'". Empty for other errors. Borrows from `message`.
std::string_view FirstCompileError(std::string_view message);

/// Whether what is to be done about the error with this message is told by what objects hold:
/// HintByObjects.
bool NeedsObjects(std::string_view message);

/// The hint for a structural error of which that is so, by what all objects were `seen` to hold:
/// `give mode a type: "type: string", as in 12 objects`. Empty where none holds anything there, and
/// for other errors.
std::string HintByObjects(std::string_view field, std::string_view message,
                          const kube::suggest::ObservedShape& seen);

/// The hint for a ConversionError, e.g. "replace $ref by the schema that it refers to".
std::string ConversionHint(std::string_view conversion_error);

}  // namespace migrate::check
