#include "kube/go/go_url.h"

#include <algorithm>

#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "kube/go/go_netip.h"

namespace kube::go {
namespace {

using kube::base::HexDigitValue;
using kube::base::IsDigit;
using kube::base::IsLetter;

enum class Part { kPath, kUser, kHost, kZone, kFragment };

/// Why a part of a URL is wrong; absent where it is not.
using Fault = std::optional<std::string>;

bool IsUnreserved(char c) {
  return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.' || c == '~';
}
bool IsOneOf(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

/// What may stand in a host as it is.
bool IsHostCharacter(char c) {
  return IsUnreserved(c) || IsOneOf(c, "!$&'()*+,;=:[]<>\"") ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsHostEscape(std::string_view escape, Part part) {
  if (escape == "%25" || (part != Part::kHost && part != Part::kZone)) return true;
  const int value = HexDigitValue(escape[1]) * 16 + HexDigitValue(escape[2]);
  if (part == Part::kHost) return value >= 0x80;
  // shouldEscape holds for all bytes that are not ASCII.
  return value == ' ' || (value < 0x80 && IsHostCharacter(static_cast<char>(value)));
}

std::string InvalidEscape(std::string_view escape) {
  return "invalid URL escape " + GoQuote(escape);
}

/// Appends `text` to `out` without its escapes.
Fault Unescape(std::string_view text, Part part, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if ((part == Part::kHost || part == Part::kZone) && !IsHostCharacter(text[i])) {
        return "invalid character " + GoQuote(text.substr(i, 1)) + " in host name";
      }
      out += text[i];
      continue;
    }
    const std::string_view escape = text.substr(i, 3);
    if (escape.size() < 3 || HexDigitValue(escape[1]) < 0 || HexDigitValue(escape[2]) < 0 ||
        !IsHostEscape(escape, part)) {
      return InvalidEscape(escape);
    }
    out += static_cast<char>(HexDigitValue(escape[1]) * 16 + HexDigitValue(escape[2]));
    i += 2;
  }
  return std::nullopt;
}

std::string EscapeUser(std::string_view text) { return EscapeUrlPart(text, "$&+,;="); }
std::string EscapePath(std::string_view text) { return EscapeUrlPart(text, "$&+,/:;=@"); }

/// True if a path can stay as it is written (validEncoded).
bool IsEscapedPath(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsUnreserved(c) || IsOneOf(c, "!$&'()*+,;=:@[]%/"); });
}

/// Why `address`, which stood in brackets, is no IPv6 address.
Fault BracketProblem(std::string_view address) {
  if (const auto problem = IpAddressProblem(address)) return "invalid host: " + *problem;
  if (address[address.find_first_of(".:")] == '.') return "invalid IP-literal";
  return std::nullopt;
}

Fault PortProblem(std::string_view colon_port) {
  if (colon_port.empty()) return std::nullopt;
  const std::string_view port = colon_port.substr(1);
  if (colon_port.front() == ':' && std::all_of(port.begin(), port.end(), IsDigit)) {
    return std::nullopt;
  }
  return "invalid port " + GoQuote(colon_port) + " after host";
}

Fault ReadBracketHost(std::string_view host, std::string& out) {
  const std::size_t close = host.rfind(']');
  if (close == std::string_view::npos) return "missing ']' in host";
  if (Fault problem = PortProblem(host.substr(close + 1))) return problem;
  const std::string_view name = host.substr(1, close - 1);
  const std::size_t zone = std::min(name.find("%25"), name.size());
  std::string address;
  if (Fault problem = Unescape(name.substr(0, zone), Part::kHost, address)) return problem;
  if (Fault problem = Unescape(name.substr(zone), Part::kZone, address)) return problem;
  if (Fault problem = BracketProblem(address)) return problem;
  out.append("[").append(address).append("]").append(host.substr(close + 1));
  return std::nullopt;
}

Fault ReadHost(std::string_view scheme, std::string_view host, HostColons colons,
               std::string& out) {
  const std::size_t bracket = host.rfind('[');
  if (bracket == 0) return ReadBracketHost(host, out);
  if (bracket != std::string_view::npos) return "invalid IP-literal";
  // Other schemes than HTTP may name several hosts with ports.
  const bool is_http = scheme == "http" || scheme == "https";
  const bool is_strict = is_http && colons == HostColons::kOne;
  const std::size_t colon = is_strict ? host.find(':') : host.rfind(':');
  if (colon != std::string_view::npos) {
    if (Fault problem = PortProblem(host.substr(colon))) return problem;
  }
  return Unescape(host, Part::kHost, out);
}

Fault ReadUser(std::string_view user_info, GoUrl& url) {
  const bool is_valid = std::all_of(user_info.begin(), user_info.end(), [](char c) {
    return IsUnreserved(c) || IsOneOf(c, ":!$&'()*+,;=%@");
  });
  if (!is_valid) return "net/url: invalid userinfo";
  const std::size_t colon = user_info.find(':');
  std::string name;
  if (Fault problem = Unescape(user_info.substr(0, colon), Part::kUser, name)) return problem;
  url.user = EscapeUser(name);
  if (colon == std::string_view::npos) return std::nullopt;
  std::string password;
  if (Fault problem = Unescape(user_info.substr(colon + 1), Part::kUser, password)) {
    return problem;
  }
  url.user->append(":").append(EscapeUser(password));
  return std::nullopt;
}

Fault ReadAuthority(std::string_view authority, HostColons colons, GoUrl& url) {
  const std::size_t at = authority.rfind('@');
  const std::string_view host = at == std::string_view::npos ? authority : authority.substr(at + 1);
  if (Fault problem = ReadHost(url.scheme, host, colons, url.host)) return problem;
  return at == std::string_view::npos ? std::nullopt : ReadUser(authority.substr(0, at), url);
}

/// Takes "scheme:" from the front of `text`, if it starts so.
Fault TakeScheme(std::string_view& text, std::string& scheme) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') {
      if (i == 0) return "missing protocol scheme";
      scheme = base::ToLower(text.substr(0, i));
      text.remove_prefix(i + 1);
      return std::nullopt;
    }
    if (!IsLetter(c) && (i == 0 || !(IsDigit(c) || IsOneOf(c, "+-.")))) return std::nullopt;
  }
  return std::nullopt;
}

void TakeQuery(std::string_view& text, std::string& raw_query) {
  const std::size_t mark = text.find('?');
  if (mark == std::string_view::npos) return;
  raw_query = text.substr(mark + 1);
  text = text.substr(0, mark);
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

/// Reads everything but the fragment.
Fault Read(std::string_view text, bool is_request, HostColons colons, GoUrl& url) {
  if (std::any_of(text.begin(), text.end(), IsControl)) {
    return "net/url: invalid control character in URL";
  }
  if (text.empty() && is_request) return "empty url";
  if (text == "*") return std::nullopt;
  if (Fault problem = TakeScheme(text, url.scheme)) return problem;
  TakeQuery(text, url.raw_query);
  if (!text.starts_with('/')) {
    if (!url.scheme.empty()) return std::nullopt;
    if (is_request) return "invalid URI for request";
    if (text.substr(0, text.find('/')).find(':') != std::string_view::npos) {
      return "first path segment in URL cannot contain colon";
    }
  }
  const bool may_have_authority = !url.scheme.empty() || (!is_request && !text.starts_with("///"));
  if (may_have_authority && text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t slash = std::min(text.find('/'), text.size());
    if (Fault problem = ReadAuthority(text.substr(0, slash), colons, url)) return problem;
    text.remove_prefix(slash);
  }
  std::string path;
  if (Fault problem = Unescape(text, Part::kPath, path)) return problem;
  url.escaped_path = IsEscapedPath(text) ? std::string(text) : EscapePath(path);
  return std::nullopt;
}

base::Unexpected<std::string> ParseError(std::string_view text, const std::string& problem) {
  return base::Unexpected("parse " + GoQuote(text) + ": " + problem);
}

}  // namespace

std::string EscapeUrlPart(std::string_view text, std::string_view kept) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (IsUnreserved(c) || IsOneOf(c, kept)) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return escaped;
}

base::Result<GoUrl, std::string> ParseUrl(std::string_view text, HostColons colons) {
  GoUrl url;
  const std::string_view before = text.substr(0, text.find('#'));
  if (const Fault problem = Read(before, false, colons, url)) return ParseError(before, *problem);
  if (before.size() == text.size()) return url;
  const std::string_view fragment = text.substr(before.size() + 1);
  if (const Fault problem = Unescape(fragment, Part::kFragment, url.fragment)) {
    return ParseError(text, *problem);
  }
  return url;
}

std::optional<std::string> UnescapeQuery(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  std::string out;
  if (Unescape(spaced, Part::kPath, out)) return std::nullopt;
  return out;
}

base::Result<GoUrl, std::string> ParseRequestUri(std::string_view text, HostColons colons) {
  GoUrl url;
  if (const Fault problem = Read(text, true, colons, url)) return ParseError(text, *problem);
  return url;
}

}  // namespace kube::go
