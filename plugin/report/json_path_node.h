#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/base/result.h"

/// Templates such as "{range .items[*]}{.metadata.name}{end}", taken apart as client-go does
/// (util/jsonpath/parser.go).
namespace plugin::report::json_path {

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

}  // namespace plugin::report::json_path
