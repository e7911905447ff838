#pragma once

#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "plugin/report/json_path_node.h"

namespace plugin::report {

/// A template of -o jsonpath: text, and in braces paths into an object, {range} and {end}.
/// Works as client-go's (util/jsonpath), but that members of objects come sorted by their keys
/// where Go's maps have no order.
class JsonPathTemplate {
 public:
  enum class Style {
    kText,  ///< what each pair of braces finds, with blanks between; arrays and objects as JSON
    kJson,  ///< what each finds as an array of JSON, indented (-o jsonpath-as-json)
  };

  /// The error is client-go's, e.g. "unclosed action".
  static kube::base::Result<JsonPathTemplate, std::string> Parse(std::string_view text);

  /// Prints what the template finds in `object`. With `allow_missing_keys` a field that is not
  /// there finds nothing. The error is client-go's, e.g. "array index out of bounds: index 5,
  /// length 3", or that the template finds too much, as ranges without end do: more than 20,000
  /// values, or 64 MiB, and four times all of `object`.
  kube::base::Result<std::string, std::string> Print(const kube::json::Value& object, Style style,
                                                     bool allow_missing_keys) const;

 private:
  explicit JsonPathTemplate(json_path::Actions actions) : actions_(std::move(actions)) {}

  json_path::Actions actions_;
};

}  // namespace plugin::report
