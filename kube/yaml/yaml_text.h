#pragma once

#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/yaml/yaml.h"

namespace kube::yaml {

/// Checks `text` as go-yaml's reader does (UTF-8, no control characters) and brings it into the
/// form that yaml-cpp needs: without a byte order mark, with "\n" as the only line break (but for
/// U+2028 and U+2029) and at the end, where kubectl's reader of lines puts one as well. Returns
/// `text`, or `buffer` where something had to change.
base::Result<std::string_view, ParseError> NormaliseText(std::string_view text,
                                                         std::size_t first_line,
                                                         std::string& buffer);

}  // namespace kube::yaml
