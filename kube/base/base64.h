#pragma once

#include <string>
#include <string_view>

#include "kube/base/result.h"

namespace kube::base {

/// Which signs stand for 62 and 63: + and /, or - and _ (RFC 4648, sections 4 and 5).
enum class Base64Alphabet { kStandard, kUrl };

/// Decodes base64 with padding as Go's base64.StdEncoding or URLEncoding does: line breaks are
/// skipped. The error is Go's, e.g. "illegal base64 data at input byte 4".
Result<std::string, std::string> DecodeBase64(std::string_view text,
                                              Base64Alphabet alphabet = Base64Alphabet::kStandard);

/// Encodes as standard base64 with padding.
std::string EncodeBase64(std::string_view bytes);

/// Encodes as base64 for URLs and names of files (RFC 4648, section 5), without padding: Go's
/// base64.RawURLEncoding.
std::string EncodeBase64Url(std::string_view bytes);

}  // namespace kube::base
