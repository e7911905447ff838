#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/go/go_value.h"
#include "kube/json/json.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// Is told what is wrong with a number.
class NumberFindingSink {
 public:
  virtual ~NumberFindingSink() = default;
  /// A limit or a multiple that the number misses: `message` follows the name of the field, as in
  /// "should be less than 3"; `bad_value` as Go prints it.
  virtual void OnOutside(std::string_view message, std::string bad_value) = 0;
  /// multipleOf is not positive; `factor` as Go prints it.
  virtual void OnBadFactor(std::string factor) = 0;
  /// The number, or a limit for it, does not fit its type: `what` is "Checked" or the limit's name,
  /// `type` e.g. "integer with format int32".
  virtual void OnWrongType(std::string_view what, std::string_view type) = 0;
};

/// Checks minimum, maximum, multipleOf and the range of the type as kube-openapi's numberValidator
/// does. `type` is "integer" or "number" where the schema has exactly that type, else empty;
/// `format` is one of that type or empty.
void ValidateNumber(const go::Number& number, const SchemaProps& schema, std::string_view type,
                    std::string_view format, NumberFindingSink& sink);

/// swag.IsFloat64AJSONInteger: whole or as good as, and exactly representable.
bool IsJsonInteger(double real);

/// True if kube-openapi takes `value` for one of `values`, or `values` is empty. It converts the
/// value to the Go type of each first, so that 1.5 is "in" [1] and 65 is "in" ["A"].
bool IsInEnum(const json::Value& value, std::span<const json::Value> values);
/// The values as an error lists them: strings as they are, the rest as JSON.
std::vector<std::string> PrintEnum(std::span<const json::Value> values);
/// The values as kube-openapi's own text lists them, by fmt's %v: "[a 1 map[b:2]]".
std::string FormatEnum(std::span<const json::Value> values);
/// True if two elements of `array` are deeply equal in Go.
bool HasDuplicates(const json::Value& array);

}  // namespace kube::schema
