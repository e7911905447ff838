#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/json/json.h"

/// JSON values as the Go values that the API server makes of them.
namespace kube::go {

/// A number is an int64 where it is written as a whole number that fits, else a float64
/// (sigs.k8s.io/json).
struct Number {
  bool is_integer;
  std::int64_t integer;  ///< only where is_integer
  double real;           ///< the value in both cases
};

/// The number that `value` is; infinite where no float64 can hold it.
Number ReadNumber(const json::Value& value);

/// reflect.DeepEqual: as json::Equal, but an int64 and a float64 are never equal.
bool GoDeepEqual(const json::Value& a, const json::Value& b);

/// A text that two values share only if they are GoDeepEqual; for sets of values.
std::string GoIdentity(const json::Value& value);

/// int64(real), as amd64 converts what does not fit.
std::int64_t ToInt64(double real);

}  // namespace kube::go
