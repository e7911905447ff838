#pragma once

#include <string>
#include <string_view>

/// How Go prints strings.
namespace kube::go {

/// fmt.Sprintf("%q", text), quotes included.
std::string GoQuote(std::string_view text);

}  // namespace kube::go
