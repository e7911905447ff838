#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"

namespace plugin::report {

/// Templates such as "{range .items[*]}{.metadata.name}{end}", taken apart as client-go does
/// (util/jsonpath/parser.go).
namespace json_path {

struct Node;
using Nodes = std::vector<Node>;  ///< each works on what the one before it found

struct Text {
  std::string text;
};
struct Number {
  std::string text;  ///< as Go prints it
};
struct Bool {
  bool value;
};
struct Field {
  std::string name;
};
/// One of first, end and step of a slice.
struct Bound {
  bool is_known = false;
  bool is_derived = false;  ///< an end that follows from the first: one element is meant
  long value = 0;
};
struct Slice {
  std::array<Bound, 3> bounds;
};
struct Filter {
  Nodes left, right;
  std::string comparison;  ///< "==", "<" ...; "exists" where there is no right
};
struct Wildcard {};
struct Descent {};  ///< ".."
struct Union {
  std::vector<Nodes> parts;
};
struct Identifier {
  std::string name;  ///< "range", "end", or one that has no meaning
};

struct Node {
  std::variant<Text, Number, Bool, Field, Slice, Filter, Wildcard, Descent, Union, Identifier>
      value;
};

/// What stands in one pair of braces, or the text between two of them.
using Actions = std::vector<Nodes>;

/// Takes `text` apart. The error is client-go's, e.g. "unclosed action".
kube::base::Result<Actions, std::string> ParseActions(std::string_view text);

}  // namespace json_path

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
