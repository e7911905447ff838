#pragma once

#include <string>
#include <string_view>

namespace plugin::terminal {

/// Appends `text` to `out` so that it cannot steer a terminal or break a line: ESC as ^[, other
/// control characters as ^G and the like, but \n, \r and \t by their escapes; characters above
/// U+007F that steer (C1 controls, bidirectional overrides, line separators) as \u202e; bytes that
/// are not UTF-8 as U+FFFD. ESC and CR look as kubectl's tables show them.
void AppendPrintable(std::string& out, std::string_view text);
std::string Printable(std::string_view text);

/// The same for text that is already laid out: line breaks and tabs stay.
std::string PrintableLines(std::string_view text);

/// The number of characters (code points) in UTF-8 text.
std::size_t CharacterCount(std::string_view text);

}  // namespace plugin::terminal
