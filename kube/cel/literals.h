#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/result.h"

/// The values of literals as they are written.
namespace kube::cel {

/// The value of a string literal with its quotes, and the r of a raw one, but without the b of
/// bytes. In bytes \x and \ooo stand for bytes, and there are no \u. The error is cel-go's.
base::Result<std::string, std::string> Unescape(std::string_view literal, bool is_bytes);

/// "-12", "0x1F", "-0x1F"; absent where it does not fit.
std::optional<std::int64_t> ParseIntLiteral(std::string_view text);
/// The same without a sign and without the u at the end.
std::optional<std::uint64_t> ParseUintLiteral(std::string_view text);

}  // namespace kube::cel
