#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/json/json.h"

namespace kube::yaml {

/// True if go-yaml takes `text` for a timestamp, e.g. "2001-1-2", "2001-01-02T03:04:05.6Z" or
/// "2001-01-02 03:04:05": kept as a string when read, but quoted when printed.
bool IsTimestamp(std::string_view text);

// What a scalar of YAML 1.1 stands for, as go-yaml v2 (resolve.go) has it.

enum class ScalarKind : std::uint8_t { kNull, kBool, kInt, kUint, kFloat, kTimestamp, kString };

struct Scalar {
  ScalarKind kind = ScalarKind::kString;
  union {
    bool boolean;
    std::int64_t integer = 0;
    std::uint64_t unsigned_integer;  ///< kUint: only what is beyond int64
    double number;
  };
};

/// What `text` is where it stands unquoted and without a tag. kTimestamp and kString are both read
/// as strings; printing has to keep them apart.
Scalar ResolvePlain(std::string_view text);

/// The same under an explicit tag ("tag:yaml.org,2002:int"; unknown tags make strings). The error
/// is go-yaml's, e.g. "cannot decode !!str `x` as a !!int". `!!binary` is not decoded here.
base::Result<Scalar, std::string> ResolveTagged(std::string_view tag, std::string_view text);

/// The JSON value of a scalar that was written as `text`; may borrow `text`. The error is for
/// .inf and .nan, which JSON does not have.
base::Result<json::Value, std::string> ToJson(const Scalar& scalar, std::string_view text,
                                              json::Arena& arena);
/// The same for a key, which has to be a string: 010 becomes "8", yes "true". Null is no key.
base::Result<json::Value, std::string> ToKey(const Scalar& scalar, std::string_view text,
                                             json::Arena& arena);

}  // namespace kube::yaml
