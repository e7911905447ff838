#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/result.h"

namespace kube::go {

/// A URL as Go's net/url reads it, as far as the API server looks at it.
struct GoUrl {
  std::string scheme;               ///< in lower case
  std::optional<std::string> user;  ///< user name and password, escaped as url.Userinfo prints them
  std::string host;                 ///< with the port
  std::string escaped_path;         ///< url.URL's EscapedPath
  std::string raw_query;
  std::string fragment;
};

/// Whether the host of an HTTP URL may have colons before that of its port: Go 1.26 refuses them,
/// unless GODEBUG says urlstrictcolons=0 or the program is built as for an older Go.
enum class HostColons : std::uint8_t { kOne, kAny };

/// url.Parse. The error is Go's, e.g. `parse "http://[": missing ']' in host`.
base::Result<GoUrl, std::string> ParseUrl(std::string_view text,
                                          HostColons colons = HostColons::kOne);
/// url.ParseRequestURI: absolute, or a path from the root.
base::Result<GoUrl, std::string> ParseRequestUri(std::string_view text,
                                                 HostColons colons = HostColons::kOne);

/// `text` with everything escaped but letters, digits, "-_.~" and what is in `kept`.
std::string EscapeUrlPart(std::string_view text, std::string_view kept = "");
/// url.QueryUnescape; absent where an escape is wrong.
std::optional<std::string> UnescapeQuery(std::string_view text);

}  // namespace kube::go
