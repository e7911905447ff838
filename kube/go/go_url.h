#pragma once

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
  std::string raw_query;
  std::string fragment;
};

/// url.Parse. The error is Go's, e.g. `parse "http://[": missing ']' in host`.
base::Result<GoUrl, std::string> ParseUrl(std::string_view text);
/// url.ParseRequestURI: absolute, or a path from the root.
base::Result<GoUrl, std::string> ParseRequestUri(std::string_view text);

}  // namespace kube::go
