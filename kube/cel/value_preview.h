#pragma once

#include <cstddef>
#include <string>

#include "kube/cel/value.h"

namespace kube::cel {

/// A value on one line, as a person would write it in an expression: texts in double quotes,
/// `null`,
/// `[1, 2]`, `{"a": 1}`, `optional.none()`, `b"..."`. What has no such form is as errors print it.
/// At most about `most` bytes of UTF-8; "..." stands for what is left out.
std::string PreviewValue(const Value& value, std::size_t most);

/// A text on one line: white space and line breaks become one blank. Shortened as above.
std::string PreviewText(std::string_view text, std::size_t most);

}  // namespace kube::cel
