#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plugin::terminal {

/// Appends `text` to `out` so that it cannot steer a terminal or break a line: ESC as ^[, other
/// control characters as ^G and the like, but \n, \r and \t by their escapes; characters above
/// U+007F that steer (C1 controls, bidirectional overrides, line separators) as \u202e; bytes that
/// are not UTF-8 as U+FFFD. ESC and CR look as kubectl's tables show them.
void AppendPrintable(std::string& out, std::string_view text);
std::string Printable(std::string_view text);

/// The same for text that is already laid out: line breaks and tabs stay.
std::string PrintableLines(std::string_view text);

/// Where a text is cut: in its middle, or behind three quarters of what is kept.
enum class CutAt { kMiddle, kThreeQuarters };

/// `text` in at most `width` characters, at least 4. What is too much is left out, and "..." stands
/// there.
std::string CutMiddle(std::string_view text, std::size_t width, CutAt at = CutAt::kMiddle);

/// `text` in lines of at most `width` characters, broken at blanks; each but the first begins with
/// `indent`. A word that is longer has a line of its own.
std::string Wrapped(std::string_view text, std::size_t width, std::string_view indent = "");

/// The lines of a text, without their ends.
std::vector<std::string> LinesOf(std::string_view text);

/// The number of characters (code points) in UTF-8 text.
std::size_t CharacterCount(std::string_view text);

}  // namespace plugin::terminal
