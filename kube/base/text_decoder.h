#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kube::base {

/// Makes UTF-8 of the bytes of a file as kubectl does: a byte order mark tells UTF-16 and is left
/// out; bytes that are no UTF-8 become U+FFFD.
class TextDecoder {
 public:
  /// Takes the next piece. What it returns is valid UTF-8, and holds until the next call or, at the
  /// latest, as long as `bytes`; it may lag behind by a character.
  std::string_view Decode(std::string_view bytes);
  /// What was still waiting for its other half.
  std::string_view Finish();

 private:
  enum class Encoding : std::uint8_t { kUnknown, kUtf8, kUtf16Little, kUtf16Big };

  std::string_view Join(std::string_view bytes);
  bool Detect(std::string_view& bytes, bool at_end);
  std::string_view DecodeUtf8(std::string_view bytes, bool at_end);
  std::string_view DecodeUtf16(std::string_view bytes, bool at_end);
  char16_t UnitAt(std::string_view bytes, std::size_t at) const;

  Encoding encoding_ = Encoding::kUnknown;
  std::string waiting_;  // the start of a character
  std::string joined_;
  std::string decoded_;
};

}  // namespace kube::base
