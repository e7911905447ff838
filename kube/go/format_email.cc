#include <algorithm>
#include <string>
#include <string_view>

#include "kube/base/text.h"
#include "kube/go/format_checks.h"

namespace kube::go {
namespace {

using kube::base::IsHexDigit;

bool IsMultibyte(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool IsVisible(char c) { return (c >= '!' && c <= '~') || IsMultibyte(c); }
bool IsSpace(char c) { return c == ' ' || c == '\t'; }
bool IsAtomCharacter(char c) {
  return IsVisible(c) && std::string_view("()<>[]:;@\\,\"").find(c) == std::string_view::npos;
}

bool IsBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '/';
  });
}

/// As qDecode of Go's package mime takes it.
bool IsQuotedPrintable(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=') {
      if (text.size() - i < 3 || !IsHexDigit(text[i + 1]) || !IsHexDigit(text[i + 2])) return false;
      i += 2;
    } else if (IsMultibyte(text[i])) {
      return false;
    }
  }
  return true;
}

/// False for an encoded word (RFC 2047) like =?big5?q?...?= in a charset that Go does not know.
/// What cannot be decoded is no encoded word, whatever its charset.
bool HasKnownCharset(std::string_view word) {
  if (word.size() < 8 || !word.starts_with("=?") || !word.ends_with("?=") ||
      std::count(word.begin(), word.end(), '?') != 4) {
    return true;
  }
  const std::string_view charset = word.substr(2, word.find('?', 2) - 2);
  const std::string_view encoding = word.substr(charset.size() + 3);
  if (charset.empty() || encoding[1] != '?') return true;
  const std::string_view text = encoding.substr(2, encoding.size() - 4);
  const bool is_base64 = encoding[0] == 'b' || encoding[0] == 'B';
  const bool is_quoted = encoding[0] == 'q' || encoding[0] == 'Q';
  if (!(is_base64 && IsBase64(text)) && !(is_quoted && IsQuotedPrintable(text))) return true;
  return base::EqualFold(charset, "utf-8") || base::EqualFold(charset, "iso-8859-1") ||
         base::EqualFold(charset, "us-ascii");
}

/// Parses as Go's net/mail does (RFC 5322 with its own leniency). Every Take function moves past
/// what it names and returns true, or returns false with the place undefined.
class AddressParser {
 public:
  explicit AddressParser(std::string_view text) : rest_(text) {}

  bool IsSingleAddress() {
    int addresses = 0;
    return TakeAddress(/*may_be_group=*/true, addresses) && SkipSpaceAndComments() &&
           rest_.empty() && addresses == 1;
  }

 private:
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void SkipSpace() {
    while (!rest_.empty() && IsSpace(rest_.front())) rest_.remove_prefix(1);
  }

  bool TakeAddress(bool may_be_group, int& addresses) {
    SkipSpace();
    if (rest_.empty()) return false;
    const std::string_view start = rest_;
    if (TakeAddressSpec()) {
      ++addresses;
      SkipSpace();
      return !rest_.starts_with('(') || TakeDisplayNameComment();
    }
    rest_ = start;
    if (!rest_.starts_with('<') && !TakePhrase()) return false;
    SkipSpace();
    if (may_be_group && Take(':')) return TakeGroup(addresses);
    ++addresses;
    return Take('<') && TakeAddressSpec() && Take('>');
  }

  bool TakeGroup(int& addresses) {
    SkipSpace();
    if (Take(';')) return SkipSpaceAndComments();
    while (true) {
      SkipSpace();
      if (!TakeAddress(/*may_be_group=*/false, addresses) || !SkipSpaceAndComments()) return false;
      if (Take(';')) return SkipSpaceAndComments();
      if (!Take(',')) return false;
    }
  }

  bool TakeAddressSpec() {
    SkipSpace();
    if (rest_.empty()) return false;
    bool is_empty = false;
    if (rest_.front() == '"' ? !TakeQuotedString(is_empty) || is_empty : !TakeDotAtom()) {
      return false;
    }
    if (!Take('@')) return false;
    SkipSpace();
    return rest_.starts_with('[') ? TakeDomainLiteral() : TakeDotAtom();
  }

  /// Words; one is enough, what follows that is no word is left.
  bool TakePhrase() {
    for (bool has_word = false;; has_word = true) {
      if (has_word && !SkipSpaceAndComments()) return false;
      SkipSpace();
      // Go takes no word at all for an empty phrase, too.
      if (rest_.empty()) return true;
      if (!TakeWord()) return has_word;
    }
  }

  bool TakeWord() {
    bool is_empty = false;
    if (rest_.front() == '"') {
      const std::string_view before = rest_;
      if (TakeQuotedString(is_empty)) return true;
      rest_ = before;
      return false;
    }
    const std::string_view atom = TakeAtom();
    return !atom.empty() && HasKnownCharset(atom);
  }

  std::string_view TakeAtom() {
    std::size_t size = 0;
    while (size < rest_.size() && IsAtomCharacter(rest_[size])) ++size;
    const std::string_view atom = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return atom;
  }

  bool TakeDotAtom() {
    const std::string_view atom = TakeAtom();
    return !atom.empty() && !atom.starts_with('.') && !atom.ends_with('.') &&
           atom.find("..") == std::string_view::npos;
  }

  bool TakeQuotedString(bool& is_empty) {
    is_empty = true;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == '"') {
        rest_.remove_prefix(i + 1);
        return true;
      }
      if (c == '\\') ++i;
      if (i == rest_.size() || !(IsVisible(rest_[i]) || IsSpace(rest_[i]))) return false;
      is_empty = false;
    }
    return false;
  }

  bool TakeDomainLiteral() {
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view literal = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return IsIp(literal);
  }

  bool TakeDisplayNameComment() {
    std::string comment;
    return TakeComment(comment) && WordsHaveKnownCharsets(comment);
  }

  bool SkipSpaceAndComments() {
    SkipSpace();
    while (rest_.starts_with('(')) {
      std::string comment;
      if (!TakeComment(comment)) return false;
      SkipSpace();
    }
    return true;
  }

  /// Comments may stand in comments; a backslash takes the meaning from what follows.
  bool TakeComment(std::string& comment) {
    rest_.remove_prefix(1);
    for (int depth = 1; depth > 0; rest_.remove_prefix(1)) {
      if (rest_.empty()) return false;
      if (rest_.front() == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
      } else if (rest_.front() == '(') {
        ++depth;
      } else if (rest_.front() == ')') {
        --depth;
      }
      comment += rest_.front();
    }
    comment.pop_back();
    return true;
  }

  static bool WordsHaveKnownCharsets(std::string_view comment) {
    while (!comment.empty()) {
      const std::size_t end = std::min(comment.find_first_of(" \t"), comment.size());
      if (!HasKnownCharset(comment.substr(0, end))) return false;
      comment.remove_prefix(std::min(end + 1, comment.size()));
    }
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool IsEmail(std::string_view text) { return AddressParser(text).IsSingleAddress(); }

}  // namespace kube::go
