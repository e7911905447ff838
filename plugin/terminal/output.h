#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "kube/json/json.h"
#include "plugin/terminal/output_format.h"

namespace plugin::terminal {

/// Writes all of `text` to stdout. Throws kube::base::Error if that fails (a full disk, say); a
/// reader that has gone away ends the program by SIGPIPE, quietly, as in any pipe.
void WriteStdout(std::string_view text);

/// Lets who reads stdout see its end, though the program goes on: what is written from then on is
/// lost.
void EndStdout();

/// Writes `text` to stderr, made harmless for a terminal; its line breaks stay. Failures are
/// ignored: there is nowhere left to tell them.
void WriteStderr(std::string_view text);

/// Writes a line to stderr: "note: TEXT", with `kind` "note".
void WriteLine(std::string_view kind, std::string_view text);

/// Writes `text` to stderr as it is, with what it may hold to steer a terminal.
void WriteStderrAsIs(std::string_view text);

/// True if a line can be written over on stderr: it is a terminal, as $TERM says no dumb one.
bool CanRewriteStderr();
/// The same of a terminal with this $TERM; the null pointer where it is not set.
bool CanRewriteLines(const char* term);

/// How many characters a line has of the terminal that stdout is, at least 40; absent where stdout
/// is no terminal.
std::optional<std::size_t> StdoutWidth();

/// True where stdout is a terminal that shows colours: $TERM is no dumb one, and $NO_COLOR is unset
/// or empty (no-color.org).
bool CanColourStdout();
/// The same of a terminal with this $TERM and $NO_COLOR; the null pointer where one is not set.
bool CanColour(const char* term, const char* no_color);

/// `value` as `-o json` prints it, without the last line break: indented, and with no control
/// character as such.
std::string PrintJson(const kube::json::Value& value);

/// The same on one line, for what holds JSON in something else.
std::string PrintCompactJson(const kube::json::Value& value);

/// `value` as `-o json` or `-o yaml` prints it.
std::string PrintValue(const kube::json::Value& value, OutputFormat format);

}  // namespace plugin::terminal
