#include "plugin/terminal/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/base/utf8.h"
#include "kube/yaml/yaml.h"
#include "plugin/terminal/terminal.h"

namespace plugin::terminal {
namespace {

using kube::base::WriteAll;

// The place of the next byte that may have to be escaped, from `start` on: DEL, and those with
// which characters begin that steer a terminal (utf8::SteeringLength).
std::size_t FindSuspect(std::string_view json, std::size_t start) {
  return std::min(json.find_first_of("\x7F\xC2\xD8\xE2\xEF", start), json.size());
}

// JSON leaves DEL, the C1 controls and all that is bidirectional as they are; inside its strings an
// escape means the same.
std::string EscapeControls(std::string json) {
  std::size_t next = FindSuspect(json, 0);
  if (next == json.size()) return json;
  std::string out;
  std::size_t done = 0;
  for (; next < json.size(); next = FindSuspect(json, next + 1)) {
    const std::size_t length =
        kube::base::utf8::SteeringLength(std::string_view(json).substr(next));
    if (length == 0) continue;
    out.append(json, done, next - done);
    if (json[next] == '\x7F') {
      out += "\\u007f";
    } else {
      AppendPrintable(out, std::string_view(json).substr(next, length));
    }
    done = next + length;
  }
  return out.append(json, done);
}

}  // namespace

void WriteStderrAsIs(std::string_view text) { static_cast<void>(WriteAll(STDERR_FILENO, text)); }

bool CanRewriteStderr() {
  return isatty(STDERR_FILENO) != 0 && CanRewriteLines(std::getenv("TERM"));
}

bool CanRewriteLines(const char* term) {
  return term != nullptr && std::string_view(term) != "" && std::string_view(term) != "dumb";
}

std::optional<std::size_t> StdoutWidth() {
  constexpr std::size_t kLeast = 40;
  constexpr std::size_t kUsual = 80;
  if (isatty(STDOUT_FILENO) == 0) return std::nullopt;
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::max<std::size_t>(size.ws_col, kLeast) : kUsual;
}

bool CanColourStdout() {
  return isatty(STDOUT_FILENO) != 0 && CanColour(std::getenv("TERM"), std::getenv("NO_COLOR"));
}

bool CanColour(const char* term, const char* no_color) {
  return CanRewriteLines(term) && (no_color == nullptr || std::string_view(no_color).empty());
}

std::string PrintJson(const kube::json::Value& value) {
  return EscapeControls(kube::json::PrintIndented(value));
}

std::string PrintCompactJson(const kube::json::Value& value) {
  return EscapeControls(kube::json::Print(value));
}

void WriteStdout(std::string_view text) {
  if (const int error = WriteAll(STDOUT_FILENO, text)) {
    throw kube::base::Error("cannot write to stdout: " + std::generic_category().message(error));
  }
}

void EndStdout() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
}

void WriteStderr(std::string_view text) { WriteStderrAsIs(PrintableLines(text)); }

void WriteLine(std::string_view kind, std::string_view text) {
  WriteStderrAsIs(std::string(kind) + ": " + Printable(text) + "\n");
}

std::string PrintValue(const kube::json::Value& value, OutputFormat format) {
  if (format == OutputFormat::kYaml) return kube::yaml::Print(value);
  return PrintJson(value) + "\n";
}

}  // namespace plugin::terminal
