#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// One predicate a format; formats.h has the table. Each takes what the Go function takes that the
/// API server calls.
namespace kube::go {

// format_net.cc
bool IsIp(std::string_view text);    ///< net.ParseIP
bool IsIpv4(std::string_view text);  ///< with leading zeros, and IPv6 that ends in one
bool IsIpv6(std::string_view text);  ///< net.ParseIP, with a colon
bool IsCidr(std::string_view text);  ///< with leading zeros
bool IsMac(std::string_view text);   ///< net.ParseMAC

// format_email.cc
bool IsEmail(std::string_view text);  ///< net/mail.ParseAddress

// format_time.cc
bool IsDate(std::string_view text);
bool IsDateTime(std::string_view text);
bool IsDuration(std::string_view text);
/// The nanoseconds of a duration as strfmt.ParseDuration reads it: Go's "1m30s", or "2 days".
std::optional<std::int64_t> ParseFormatDuration(std::string_view text);

// format_text.cc
bool IsBsonObjectId(std::string_view text);
bool IsByte(std::string_view text);
bool IsCreditCard(std::string_view text);
bool IsHexColor(std::string_view text);
bool IsHostname(std::string_view text);
bool IsIsbn10(std::string_view text);
bool IsIsbn13(std::string_view text);
bool IsRgbColor(std::string_view text);
bool IsSsn(std::string_view text);
bool IsUuid(std::string_view text);
bool IsUuid3(std::string_view text);
bool IsUuid4(std::string_view text);
bool IsUuid5(std::string_view text);

}  // namespace kube::go
