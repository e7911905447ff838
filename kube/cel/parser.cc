#include "kube/cel/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "kube/base/result.h"
#include "kube/base/utf8.h"
#include "kube/cel/macros.h"
#include "kube/cel/numbers.h"
#include "kube/cel/operators.h"
#include "kube/cel/schema_type.h"
#include "kube/cel/syntax.h"

namespace kube::cel {
namespace {

constexpr int kMostDepth = 250;
constexpr std::size_t kMostNodes = 100000;

/// Thrown to give up.
struct TooDeep {};

// The values of literals as they are written.

constexpr char32_t kLastCodePoint = 0x10FFFF;

bool IsCodePoint(char32_t value) {
  return value <= kLastCodePoint && (value < 0xD800 || value > 0xDFFF);
}

std::optional<char> SimpleEscape(char c) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"`?";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"`?";
  const std::size_t at = kLetters.find(c);
  return at == std::string_view::npos ? std::nullopt : std::optional(kValues[at]);
}

std::string NormalizeLineBreaks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i] == '\r' ? '\n' : text[i];
  }
  return out;
}

/// The text of a literal with its escapes, one after the other.
class Unescaper {
 public:
  Unescaper(std::string_view text, bool is_bytes) : text_(text), is_bytes_(is_bytes) {}

  base::Result<std::string, std::string> Run() {
    while (!text_.empty()) {
      if (text_[0] != '\\') {
        out_ += text_[0];
        text_.remove_prefix(1);
      } else if (!Escape()) {
        return base::Unexpected(std::move(error_));
      }
    }
    return std::move(out_);
  }

 private:
  bool Fail(std::string_view error) {
    error_ = error;
    return false;
  }

  bool Escape() {
    if (text_.size() < 2) return Fail("unable to unescape string, found '\\' as last character");
    const char c = text_[1];
    text_.remove_prefix(2);
    if (const std::optional<char> simple = SimpleEscape(c)) {
      out_ += *simple;
      return true;
    }
    if (c == 'x' || c == 'X') return Number(2, 16, "unable to unescape string");
    if ((c == 'u' || c == 'U') && !is_bytes_) {
      return Number(c == 'u' ? 4 : 8, 16, "unable to unescape string");
    }
    if (c >= '0' && c <= '3') {
      text_ = {text_.data() - 1, text_.size() + 1};
      return Number(3, 8, "unable to unescape octal sequence in string");
    }
    return Fail("unable to unescape string");
  }

  bool Number(std::size_t digits, int base, std::string_view error) {
    const std::string_view number = text_.substr(0, digits);
    std::uint32_t value = 0;
    const auto [end, code] =
        std::from_chars(number.data(), number.data() + number.size(), value, base);
    if (number.size() < digits || end != number.data() + number.size()) return Fail(error);
    text_.remove_prefix(digits);
    if (is_bytes_) {
      out_ += static_cast<char>(value);
      return true;
    }
    if (!IsCodePoint(value)) return Fail("invalid unicode code point");
    base::utf8::Append(out_, value);
    return true;
  }

  std::string_view text_;
  bool is_bytes_;
  std::string out_;
  std::string error_;
};

/// The value of a string literal with its quotes, and the r of a raw one, but without the b of
/// bytes. In bytes \x and \ooo stand for bytes, and there are no \u. The error is cel-go's.
base::Result<std::string, std::string> Unescape(std::string_view written, bool is_bytes) {
  const std::string normalized = NormalizeLineBreaks(written);
  std::string_view literal = normalized;
  const bool is_raw = literal.starts_with('r') || literal.starts_with('R');
  if (is_raw) literal.remove_prefix(1);
  const std::size_t quotes =
      literal.size() >= 6 && literal[0] == literal[1] && literal[1] == literal[2] ? 3 : 1;
  if (literal.size() < 2 * quotes) {
    return base::Unexpected(std::string("unable to unescape string"));
  }
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  if (is_raw) return std::string(literal);
  return Unescaper(literal, is_bytes).Run();
}

/// "12", "0x1F", without the u at the end; absent where it does not fit.
std::optional<std::uint64_t> ParseUintLiteral(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The same with a sign: "-12", "-0x1F".
std::optional<std::int64_t> ParseIntLiteral(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::optional<std::uint64_t> size = ParseUintLiteral(text);
  const std::uint64_t most = std::uint64_t{INT64_MAX} + (is_negative ? 1 : 0);
  if (!size || *size > most) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? ~*size + 1 : *size);
}

std::string_view BinaryFunction(TokenKind kind) {
  switch (kind) {
    case TokenKind::kPlus:
      return operators::kAdd;
    case TokenKind::kMinus:
      return operators::kSubtract;
    case TokenKind::kStar:
      return operators::kMultiply;
    case TokenKind::kSlash:
      return operators::kDivide;
    case TokenKind::kPercent:
      return operators::kModulo;
    case TokenKind::kEquals:
      return operators::kEquals;
    case TokenKind::kNotEquals:
      return operators::kNotEquals;
    case TokenKind::kLess:
      return operators::kLess;
    case TokenKind::kLessEquals:
      return operators::kLessEquals;
    case TokenKind::kGreater:
      return operators::kGreater;
    case TokenKind::kGreaterEquals:
      return operators::kGreaterEquals;
    default:
      return operators::kIn;
  }
}

/// The name that a token stands for, without the quotes of an escaped one.
std::string_view NameOf(const Token& token) {
  if (token.kind != TokenKind::kEscapedIdentifier) return token.text;
  return token.text.substr(1, token.text.size() - 2);
}

/// Makes an expression of a syntax tree. Ids are given in the order of cel-go's parser, as errors
/// at the same place are reported in the order in which they were found.
class Builder {
 public:
  Builder(const Source& source, base::Release release, Ast& ast, std::vector<Issue>& issues)
      : source_(source), release_(release), ast_(ast), issues_(issues) {}

  Expr* Build(const SyntaxNode* node) {
    if (node == nullptr) return Broken(-1);
    Expr* expr = BuildAny(node);
    if (node->start != nullptr && node->end != nullptr) ast_.SetSpan(expr->id, SpanOf(*node));
    return expr;
  }

 private:
  static Span SpanOf(const SyntaxNode& node) {
    const auto size = static_cast<std::int32_t>(base::utf8::CountCharacters(node.end->text));
    return {node.start->start, node.end->start + size};
  }

  Expr* BuildAny(const SyntaxNode* node) {
    switch (node->kind) {
      case SyntaxNode::Kind::kBroken:
        return Broken(node->start == nullptr ? -1 : node->start->start);
      case SyntaxNode::Kind::kConditional:
        return Nested([&] { return Conditional(*node); });
      case SyntaxNode::Kind::kOr:
      case SyntaxNode::Kind::kAnd:
        return Logical(*node);
      case SyntaxNode::Kind::kBinary:
        return Nested([&] { return Binary(*node); });
      case SyntaxNode::Kind::kNot:
      case SyntaxNode::Kind::kNegate:
        return Unary(*node);
      case SyntaxNode::Kind::kSelect:
        return Nested([&] { return Select(*node); });
      case SyntaxNode::Kind::kMemberCall:
        return Nested([&] { return MemberCall(*node); });
      case SyntaxNode::Kind::kIndex:
        return Nested([&] { return Index(*node); });
      case SyntaxNode::Kind::kIdent:
      case SyntaxNode::Kind::kGlobalCall:
        return Named(*node);
      case SyntaxNode::Kind::kList:
        return List(*node);
      case SyntaxNode::Kind::kMap:
        return Map(*node);
      case SyntaxNode::Kind::kMessage:
        return Message(*node);
      default:
        return Literal(*node);
    }
  }

  /// Runs `build` one level deeper.
  template <typename Function>
  Expr* Nested(Function build) {
    if (++depth_ > kMostDepth) {
      issues_.push_back({-1, -1, "max recursion depth exceeded"});
      throw TooDeep();
    }
    Expr* expr = build();
    --depth_;
    return expr;
  }

  Expr* Broken(std::int32_t position) { return ast_.New(Expr::Kind::kUnspecified, position); }
  Expr* Fail(std::int32_t position, std::string message) {
    issues_.push_back(source_.At(position, std::move(message)));
    return Broken(position);
  }

  Expr* Call(std::int32_t position, std::string_view function, Expr* target,
             std::vector<Expr*> args) {
    const MacroCall call{function, target, &args, position};
    if (ast_.id_count() > kMostNodes) return TooMany(call);
    const Expansion expansion = ExpandMacro(ast_, call, release_);
    if (ast_.id_count() > kMostNodes && expansion.expr != nullptr) return TooMany(call);
    if (!expansion.error.empty()) return Fail(expansion.position, expansion.error);
    if (expansion.expr != nullptr) return expansion.expr;
    Expr* expr = ast_.New(Expr::Kind::kCall, position);
    expr->name = function;
    expr->target = target;
    expr->args = std::move(args);
    return expr;
  }
  Expr* TooMany(const MacroCall& call) {
    return Fail(call.position, "expression count exceeds limit of " + std::to_string(kMostNodes) +
                                   " while expanding macro '" + std::string(call.function) + "'");
  }

  Expr* Conditional(const SyntaxNode& node) {
    Expr* condition = Build(node.children[0]);
    Expr* if_true = Build(node.children[1]);
    Expr* if_false = Build(node.children[2]);
    return Call(node.op->start, operators::kConditional, nullptr, {condition, if_true, if_false});
  }

  /// A chain of && or || becomes a balanced tree.
  Expr* Logical(const SyntaxNode& node) {
    std::vector<Expr*> terms;
    for (const SyntaxNode* child : node.children) terms.push_back(Build(child));
    return Balance(node, terms, 0, node.tokens.size() - 1);
  }
  Expr* Balance(const SyntaxNode& node, const std::vector<Expr*>& terms, std::size_t first,
                std::size_t last) {
    const std::size_t middle = (first + last + 1) / 2;
    Expr* left = middle == first ? terms[middle] : Balance(node, terms, first, middle - 1);
    Expr* right = middle == last ? terms[middle + 1] : Balance(node, terms, middle + 1, last);
    Expr* expr = ast_.New(Expr::Kind::kCall, node.tokens[middle]->start);
    expr->name = node.kind == SyntaxNode::Kind::kOr ? operators::kOr : operators::kAnd;
    expr->args = {left, right};
    return expr;
  }

  Expr* Binary(const SyntaxNode& node) {
    Expr* left = Build(node.children[0]);
    Expr* right = Build(node.children[1]);
    return Call(node.op->start, BinaryFunction(node.op->kind), nullptr, {left, right});
  }

  /// Signs that are doubled cancel each other.
  Expr* Unary(const SyntaxNode& node) {
    Expr* operand = Build(node.children.empty() ? nullptr : node.children[0]);
    if (node.tokens.size() % 2 == 0) return operand;
    return Call(node.tokens[0]->start,
                node.kind == SyntaxNode::Kind::kNot ? operators::kNot : operators::kNegate, nullptr,
                {operand});
  }

  Expr* Select(const SyntaxNode& node) {
    Expr* operand = Build(node.children[0]);
    std::string_view name;
    if (node.name == nullptr) {
      Fail(node.name_start == nullptr ? -1 : node.name_start->start, "unsupported ident kind");
    } else {
      name = NameOf(*node.name);
    }
    if (node.is_optional) {
      if (release_ < base::Release{1, 28}) return Fail(node.op->start, "unsupported syntax '.?'");
      Expr* expr = ast_.New(Expr::Kind::kCall, node.op->start);
      expr->name = operators::kOptionalSelect;
      Expr* field = ast_.New(Expr::Kind::kLiteral, node.name_start->start);
      field->constant.kind = Constant::Kind::kString;
      field->constant.text = name;
      expr->args = {operand, field};
      return expr;
    }
    Expr* expr = ast_.New(Expr::Kind::kSelect, node.op->start);
    expr->target = operand;
    expr->name = name;
    return expr;
  }

  std::vector<Expr*> BuildAll(const std::vector<SyntaxNode*>& nodes) {
    std::vector<Expr*> result;
    result.reserve(nodes.size());
    for (const SyntaxNode* node : nodes) result.push_back(Build(node));
    return result;
  }

  Expr* MemberCall(const SyntaxNode& node) {
    std::vector<Expr*> args = BuildAll(node.children);
    Expr* target = args[0];
    args.erase(args.begin());
    return Call(node.op->start, node.name->text, target, std::move(args));
  }

  Expr* Index(const SyntaxNode& node) {
    Expr* target = Build(node.children[0]);
    Expr* index = Build(node.children.size() > 1 ? node.children[1] : nullptr);
    if (node.is_optional && release_ < base::Release{1, 28}) {
      return Fail(node.op->start, "unsupported syntax '[?'");
    }
    return Call(node.op->start, node.is_optional ? operators::kOptionalIndex : operators::kIndex,
                nullptr, {target, index});
  }

  Expr* Named(const SyntaxNode& node) {
    if (node.name == nullptr) return Broken(node.start->start);
    if (IsReservedWord(node.name->text)) {
      return Fail(node.start->start, "reserved identifier: " + std::string(node.name->text));
    }
    std::string name = node.has_leading_dot ? "." : "";
    name += node.name->text;
    if (node.kind == SyntaxNode::Kind::kGlobalCall) {
      return Call(node.op->start, name, nullptr, BuildAll(node.children));
    }
    Expr* expr = ast_.New(Expr::Kind::kIdent, node.name->start);
    expr->name = std::move(name);
    return expr;
  }

  /// False: an error was reported, as the release does not know the syntax.
  bool CheckOptional(bool is_optional, const SyntaxNode* place) {
    if (!is_optional || release_ >= base::Release{1, 28}) return true;
    Fail(place == nullptr ? -1 : place->start->start, "unsupported syntax '?'");
    return false;
  }

  Expr* List(const SyntaxNode& node) {
    Expr* expr = ast_.New(Expr::Kind::kList, node.op->start);
    expr->args = BuildAll(node.children);
    for (std::size_t i = 0; i < node.optional_children.size(); ++i) {
      if (!node.optional_children[i] || !CheckOptional(true, node.children[i])) continue;
      expr->optional_indices.push_back(static_cast<std::int32_t>(i));
    }
    return expr;
  }

  Expr* Map(const SyntaxNode& node) {
    Expr* expr = ast_.New(Expr::Kind::kMap, node.op->start);
    for (std::size_t i = 0; i < node.values.size(); ++i) {
      Entry entry;
      entry.id = ast_.NextId(node.colons[i]->start);
      if (!CheckOptional(node.optional_children[i], node.children[i])) continue;
      entry.is_optional = node.optional_children[i];
      entry.key = Build(node.children[i]);
      entry.value = Build(node.values[i]);
      expr->entries.push_back(std::move(entry));
    }
    return expr;
  }

  Expr* Message(const SyntaxNode& node) {
    Expr* expr = ast_.New(Expr::Kind::kMessage, node.op->start);
    if (node.has_leading_dot) expr->name = ".";
    for (const Token* token : node.tokens) {
      if (token != node.tokens[0]) expr->name += '.';
      expr->name += token->text;
    }
    for (std::size_t i = 0; i < node.values.size(); ++i) {
      Entry entry;
      entry.id = ast_.NextId(node.colons[i]->start);
      if (!CheckOptional(node.optional_children[i], &node)) continue;
      if (node.fields[i] == nullptr) {
        Fail(node.entries_start->start, "unsupported ident kind");
        continue;
      }
      entry.is_optional = node.optional_children[i];
      entry.field = NameOf(*node.fields[i]);
      entry.value = Build(node.values[i]);
      expr->entries.push_back(std::move(entry));
    }
    return expr;
  }

  Expr* Literal(const SyntaxNode& node) {
    const std::int32_t position = node.start->start;
    Constant constant;
    std::string text = node.sign == nullptr ? "" : "-";
    if (node.name != nullptr) text += node.name->text;
    switch (node.kind) {
      case SyntaxNode::Kind::kInt: {
        const auto value = ParseIntLiteral(text);
        if (!value) return Fail(position, "invalid int literal");
        constant.kind = Constant::Kind::kInt;
        constant.integer = *value;
        break;
      }
      case SyntaxNode::Kind::kUint: {
        text.pop_back();
        const auto value = ParseUintLiteral(text);
        if (!value) return Fail(position, "invalid uint literal");
        constant.kind = Constant::Kind::kUint;
        constant.natural = *value;
        break;
      }
      case SyntaxNode::Kind::kDouble: {
        const auto value = ParseFloat(text);
        if (!value) return Fail(position, "invalid double literal");
        constant.kind = Constant::Kind::kDouble;
        constant.real = *value;
        break;
      }
      case SyntaxNode::Kind::kString:
      case SyntaxNode::Kind::kBytes: {
        const bool is_bytes = node.kind == SyntaxNode::Kind::kBytes;
        auto value = Unescape(is_bytes ? std::string_view(text).substr(1) : text, is_bytes);
        if (!value) return Fail(position, value.error());
        constant.kind = is_bytes ? Constant::Kind::kBytes : Constant::Kind::kString;
        constant.text = *std::move(value);
        break;
      }
      case SyntaxNode::Kind::kTrue:
      case SyntaxNode::Kind::kFalse:
        constant.kind = Constant::Kind::kBool;
        constant.boolean = node.kind == SyntaxNode::Kind::kTrue;
        break;
      default:
        break;
    }
    Expr* expr = ast_.New(Expr::Kind::kLiteral, position);
    expr->constant = std::move(constant);
    return expr;
  }

  const Source& source_;
  base::Release release_;
  Ast& ast_;
  std::vector<Issue>& issues_;
  int depth_ = 0;
};

}  // namespace

ParsedExpression Parse(const Source& source, base::Release release) {
  ParsedExpression result;
  result.ast = std::make_unique<Ast>();
  if (source.size() > kLongestExpression) {
    result.issues.push_back(
        {-1, -1,
         "expression code point size exceeds limit: size: " + std::to_string(source.size()) +
             ", limit " + std::to_string(kLongestExpression)});
    return result;
  }
  const Tokens tokens = Tokenize(source.text());
  const SyntaxTree tree = ParseTokens(tokens);
  for (const SyntaxError& error : tree.errors) {
    // Of no text at all, the server says that its end stands before the first column.
    result.issues.push_back(source.text().empty() ? Issue{1, -1, error.message}
                                                  : source.At(error.position, error.message));
  }
  if (tree.root == nullptr) return result;
  try {
    Expr* root = Builder(source, release, *result.ast, result.issues).Build(tree.root);
    if (result.issues.empty()) result.ast->root = root;
  } catch (const TooDeep&) {
    result.ast->root = nullptr;
  }
  return result;
}

}  // namespace kube::cel
