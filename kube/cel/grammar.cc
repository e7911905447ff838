#include "kube/cel/grammar.h"

#include <algorithm>
#include <array>
#include <optional>

namespace kube::cel {
namespace {

using Kind = SyntaxNode::Kind;

// Sets of tokens, one bit a kind; the last bit says that a rule may end here.
using Mask = std::uint64_t;
constexpr Mask kRuleEnd = Mask{1} << 63U;

constexpr Mask Bit(TokenKind kind) { return Mask{1} << static_cast<unsigned>(kind); }
template <typename... Kinds>
constexpr Mask Bits(Kinds... kinds) {
  return (Bit(kinds) | ...);
}

using enum TokenKind;

constexpr Mask kComparisons =
    Bits(kEquals, kNotEquals, kIn, kLess, kLessEquals, kGreaterEquals, kGreater);
constexpr Mask kProducts = Bits(kStar, kSlash, kPercent);
constexpr Mask kSums = Bits(kPlus, kMinus);
constexpr Mask kLiteralStart =
    Bits(kMinus, kTrue, kFalse, kNull, kFloat, kInt, kUint, kString, kBytes);
constexpr Mask kMemberStart =
    kLiteralStart | Bits(kLeftBracket, kLeftBrace, kLeftParen, kDot, kIdentifier);
constexpr Mask kExprStart = kMemberStart | Bit(kExclamation);
constexpr Mask kOptExprStart = kExprStart | Bit(kQuestionMark);
constexpr Mask kNameStart = Bits(kIdentifier, kEscapedIdentifier);
constexpr Mask kFieldStart = kNameStart | Bit(kQuestionMark);
constexpr Mask kMemberNext = Bits(kDot, kLeftBracket) | kRuleEnd;

constexpr int kMostDepth = 250;
constexpr int kMostErrors = 100;
constexpr int kMostRecoveries = 30;
constexpr int kMostSkipped = 256;

enum Rule : std::uint8_t {
  kStartRule,
  kExprRule,
  kOrRule,
  kAndRule,
  kRelationRule,
  kCalcRule,
  kUnaryRule,
  kMemberRule,
  kPrimaryRule,
  kExprListRule,
  kListInitRule,
  kFieldsRule,
  kOptFieldRule,
  kEntriesRule,
  kNameRule,
  kOptExprRule,
  kLiteralRule,
  kRuleCount,
};

/// Thrown to give up.
struct GivenUp {};

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += c;
    }
  }
  return out += '\'';
}

std::string Describe(Mask mask) {
  std::vector<std::string_view> names;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(kEscapedIdentifier); ++kind) {
    if ((mask >> kind & 1U) != 0) names.push_back(TokenName(static_cast<TokenKind>(kind)));
  }
  if (names.size() == 1) return std::string(names[0]);
  std::string out = "{";
  for (const std::string_view name : names) {
    if (out.size() > 1) out += ", ";
    out += name;
  }
  return out += '}';
}

/// A parser by recursive descent that finds and reports errors, and goes on after them, as ANTLR's
/// DefaultErrorStrategy does. Numbers of states are those of the generated parser: recovery must
/// not stop twice at the same place.
class TreeParser {
 public:
  explicit TreeParser(const Tokens& tokens) : lexed_(tokens), tokens_(tokens.tokens) {}

  SyntaxTree Parse() {
    try {
      SyntaxNode* root = nullptr;
      ++depths_[kStartRule];
      root = Expr(34, Bit(kEof));
      Match(kEof, 35, kRuleEnd);
      EndRule();
      tree_.root = root;
    } catch (const GivenUp&) {
      tree_.root = nullptr;
    }
    return std::move(tree_);
  }

 private:
  // ---- Tokens.

  const Token& At(std::size_t distance) {
    const std::size_t index = std::min(index_ + distance - 1, tokens_.size() - 1);
    // Characters that are no tokens are reported once the parser looks behind them.
    while (lexer_errors_ < lexed_.errors.size() &&
           lexed_.errors[lexer_errors_].tokens_before <= index) {
      const LexerError& error = lexed_.errors[lexer_errors_++];
      Report(error.start, "token recognition error at: '" + std::string(error.text) + "'");
    }
    return tokens_[index];
  }
  TokenKind Look(std::size_t distance) { return At(distance).kind; }
  bool LooksAt(std::size_t distance, Mask mask) { return (mask & Bit(Look(distance))) != 0; }
  void Consume() {
    if (skipped_left_ && (*skipped_left_)-- == 0) {
      tree_.errors.push_back(
          {-1, "error recovery token lookahead limit exceeded: " + std::to_string(kMostSkipped)});
      throw GivenUp();
    }
    if (Look(1) != kEof) ++index_;
  }

  // ---- Errors.

  void Report(std::int32_t position, const std::string& message) {
    if (reports_ < kMostErrors) {
      ++reports_;
      tree_.errors.push_back({position, "Syntax error: " + message});
      return;
    }
    tree_.errors.push_back(
        {position, "Syntax error: More than " + std::to_string(kMostErrors) + " syntax errors"});
    throw GivenUp();
  }

  struct Failure {
    bool is_no_viable = false;
    std::size_t first = 0;  // tokens, for is_no_viable
    std::size_t last = 0;
    Mask expected = 0;
  };

  bool Mismatch() {
    failure_ = Failure{false, index_, index_, Expected()};
    return false;
  }
  /// No alternative goes on with the token at `distance`.
  bool NoViable(std::size_t distance) {
    At(distance);
    failure_ = Failure{true, index_, std::min(index_ + distance - 1, tokens_.size() - 1), 0};
    return false;
  }

  /// What may come next: what the state takes, and behind the end of rules what their callers take.
  Mask Resolve(Mask mask) const {
    for (std::size_t i = follow_.size(); (mask & kRuleEnd) != 0 && i > 0; --i) {
      mask = (mask & ~kRuleEnd) | follow_[i - 1];
    }
    if ((mask & kRuleEnd) != 0) mask = (mask & ~kRuleEnd) | Bit(kEof);
    return mask;
  }
  Mask Expected() const { return Resolve(state_tokens_); }
  Mask RecoverySet() const {
    Mask mask = 0;
    for (const Mask follow : follow_) mask |= follow;
    return mask & ~kRuleEnd;
  }

  void ReportFailure() {
    if (is_recovering_) return;
    is_recovering_ = true;
    const Token& last = tokens_[failure_->last];
    if (!failure_->is_no_viable) {
      return Report(last.start, "mismatched input " + Quoted(last.text) + " expecting " +
                                    Describe(failure_->expected));
    }
    const Token& first = tokens_[failure_->first];
    // A reserved word where a name should be.
    if (failure_->last == failure_->first + 1 && first.text.size() == 1 &&
        (last.kind == kTrue || last.kind == kFalse || last.kind == kNull) &&
        first.text.data() + 1 == last.text.data()) {
      return Report(last.start,
                    "mismatched input '" + std::string(last.text) + "' expecting IDENTIFIER");
    }
    std::string_view text = first.text;
    if (first.kind != kEof) {
      const char* end = last.kind == kEof ? nullptr : last.text.data() + last.text.size();
      if (end == nullptr) {
        end = tokens_[failure_->last > 0 ? failure_->last - 1 : 0].text.data() +
              tokens_[failure_->last > 0 ? failure_->last - 1 : 0].text.size();
      }
      text = {first.text.data(), static_cast<std::size_t>(end - first.text.data())};
    }
    std::string input(text);
    if (last.kind == kEof && first.kind != kEof) input += "<EOF>";
    Report(last.start, "no viable alternative at input " + Quoted(input));
  }

  void ReportUnwanted() {
    if (is_recovering_) return;
    is_recovering_ = true;
    Report(At(1).start,
           "extraneous input " + Quoted(At(1).text) + " expecting " + Describe(Expected()));
  }

  void EndRecovery() {
    is_recovering_ = false;
    last_error_states_.clear();
    last_error_index_ = std::nullopt;
  }

  void CountRecovery() {
    if (recoveries_++ == kMostRecoveries) {
      Report(At(1).start,
             "error recovery attempt limit exceeded: " + std::to_string(kMostRecoveries));
      throw GivenUp();
    }
  }

  void ConsumeUntil(Mask mask) {
    while (Look(1) != kEof && !LooksAt(1, mask)) Consume();
  }

  /// Skips to where a caller of the rule can go on.
  void Recover() {
    CountRecovery();
    skipped_left_ = kMostSkipped;
    const bool was_here = std::find(last_error_states_.begin(), last_error_states_.end(), state_) !=
                          last_error_states_.end();
    if (last_error_index_ == index_ && was_here) Consume();
    last_error_index_ = index_;
    if (!was_here) last_error_states_.push_back(state_);
    ConsumeUntil(RecoverySet());
    skipped_left_ = std::nullopt;
  }

  bool DeleteToken() {
    if (!LooksAt(2, Expected())) return false;
    ReportUnwanted();
    Consume();
    EndRecovery();
    return true;
  }

  void SetState(int state, Mask tokens) {
    state_ = state;
    state_tokens_ = tokens;
  }

  /// The token of `kind`, or null and a failure. `next` is what may come behind it.
  const Token* Match(TokenKind kind, int state, Mask next) {
    SetState(state, Bit(kind));
    if (Look(1) == kind) return TakeToken();
    CountRecovery();
    skipped_left_ = kMostSkipped;
    const Token* token = nullptr;
    if (DeleteToken()) {
      token = &At(1);
      Consume();
    } else if ((Resolve(next) & Bit(Look(1))) != 0) {
      token = InsertToken(kind);
    } else {
      Mismatch();
    }
    skipped_left_ = std::nullopt;
    return token;
  }

  const Token* TakeToken() {
    const Token* token = &At(1);
    EndRecovery();
    Consume();
    return token;
  }

  const Token* InsertToken(TokenKind kind) {
    if (!is_recovering_) {
      is_recovering_ = true;
      Report(At(1).start, "missing " + Describe(Expected()) + " at " + Quoted(At(1).text));
    }
    const Token& place = Look(1) == kEof && index_ > 0 ? tokens_[index_ - 1] : At(1);
    return &tree_.made_up.emplace_back(Token{kind, place.start, "<missing undefined>"});
  }

  enum class Sync : std::uint8_t { kBlock, kLoop };

  /// Makes sure that the next token is one of `tokens`. False: it is not, and a failure is set.
  bool Synchronize(int state, Mask tokens, Sync sync = Sync::kBlock) {
    SetState(state, tokens);
    if (is_recovering_ || (tokens & kRuleEnd) != 0 || LooksAt(1, tokens)) return true;
    if (sync == Sync::kBlock) return DeleteToken() || Mismatch();
    ReportUnwanted();
    ConsumeUntil(Expected() | RecoverySet());
    return true;
  }

  // ---- Rules.

  void EndRule() {
    if (!failure_) return;
    ReportFailure();
    Recover();
    failure_ = std::nullopt;
  }

  /// Runs the body of a rule that was invoked in `state`; its caller takes `follow` behind it.
  template <typename Body>
  void Run(Rule rule, int state, Mask follow, Body body) {
    SetState(state, 0);
    if (++depths_[rule] > kMostDepth) {
      tree_.errors.push_back(
          {-1, "expression recursion limit exceeded: " + std::to_string(kMostDepth)});
      throw GivenUp();
    }
    follow_.push_back(follow);
    body();
    EndRule();
    follow_.pop_back();
    --depths_[rule];
    state_ = state;
  }

  SyntaxNode* New(Kind kind, const Token* start) {
    SyntaxNode& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.start = start;
    return &node;
  }

  SyntaxNode* Expr(int state, Mask follow) {
    SyntaxNode* node = nullptr;
    Run(kExprRule, state, follow, [&] {
      const Token* start = &At(1);
      node = Logical(Kind::kOr, 37, Bit(kQuestionMark) | kRuleEnd);
      if (!Synchronize(43, Bit(kQuestionMark) | kRuleEnd) || Look(1) != kQuestionMark) return;
      SyntaxNode* conditional = New(Kind::kConditional, start);
      conditional->children = {node, nullptr, nullptr};
      node = conditional;
      conditional->op = Match(kQuestionMark, 38, kExprStart);
      conditional->children[1] = Logical(Kind::kOr, 39, Bit(kColon));
      if (Match(kColon, 40, kExprStart) == nullptr) return;
      conditional->children[2] = Expr(41, kRuleEnd);
    });
    return node;
  }

  /// conditionalOr and conditionalAnd.
  SyntaxNode* Logical(Kind kind, int state, Mask follow) {
    const bool is_or = kind == Kind::kOr;
    const TokenKind op = is_or ? kLogicalOr : kLogicalAnd;
    const int base = is_or ? 45 : 53;
    const Mask next = Bit(op) | kRuleEnd;
    const auto operand = [&](int at) {
      return is_or ? Logical(Kind::kAnd, at, next) : Relation(0, at, next);
    };
    SyntaxNode* node = nullptr;
    Run(is_or ? kOrRule : kAndRule, state, follow, [&] {
      const Token* start = &At(1);
      node = operand(base);
      Synchronize(base + 5, next);
      SyntaxNode* chain = nullptr;
      while (Look(1) == op) {
        if (chain == nullptr) {
          chain = New(kind, start);
          chain->children.push_back(node);
          node = chain;
        }
        chain->tokens.push_back(Match(op, base + 1, kExprStart));
        chain->children.push_back(operand(base + 2));
        Synchronize(base + 7, next);
      }
    });
    return node;
  }

  SyntaxNode* Binary(SyntaxNode* left, const Token* start) {
    SyntaxNode* node = New(Kind::kBinary, start);
    node->children = {left, nullptr};
    return node;
  }

  SyntaxNode* Relation(int precedence, int state, Mask follow) {
    SyntaxNode* node = nullptr;
    Run(kRelationRule, state, follow, [&] {
      const Token* start = &At(1);
      node = Calc(0, 62, kComparisons | kRuleEnd);
      Synchronize(69, kComparisons | kRuleEnd);
      while (precedence <= 1 && LooksAt(1, kComparisons)) {
        node = Binary(node, start);
        SetState(65, kComparisons);
        node->op = TakeToken();
        node->children[1] = Relation(2, 66, kComparisons | kRuleEnd);
        Synchronize(71, kComparisons | kRuleEnd);
      }
    });
    return node;
  }

  SyntaxNode* Calc(int precedence, int state, Mask follow) {
    constexpr Mask kNext = kProducts | kSums | kRuleEnd;
    SyntaxNode* node = nullptr;
    Run(kCalcRule, state, follow, [&] {
      const Token* start = &At(1);
      node = Unary(73, kNext);
      Synchronize(83, kNext);
      while ((precedence <= 2 && LooksAt(1, kProducts)) || (precedence <= 1 && LooksAt(1, kSums))) {
        const bool is_product = LooksAt(1, kProducts);
        node = Binary(node, start);
        SetState(is_product ? 76 : 79, is_product ? kProducts : kSums);
        node->op = TakeToken();
        node->children[1] = Calc(is_product ? 3 : 2, is_product ? 77 : 80, kNext);
        Synchronize(85, kNext);
      }
    });
    return node;
  }

  SyntaxNode* Unary(int state, Mask follow) {
    SyntaxNode* node = New(Kind::kBroken, nullptr);
    Run(kUnaryRule, state, follow, [&] {
      node->start = &At(1);
      if (!Synchronize(99, kExprStart)) return;
      node->start = &At(1);
      const bool is_number = Look(1) == kMinus && LooksAt(2, Bits(kInt, kFloat));
      if (Look(1) == kExclamation) return Not(node);
      if (Look(1) == kMinus && !is_number) {
        if (!LooksAt(2, kMemberStart)) return void(NoViable(2));
        return Negate(node);
      }
      if (!LooksAt(1, kMemberStart)) return void(NoViable(1));
      node = Member(86, kRuleEnd);
    });
    return node;
  }

  void Not(SyntaxNode* node) {
    node->kind = Kind::kNot;
    if (!Synchronize(88, Bit(kExclamation))) return;
    do {
      const Token* op = Match(kExclamation, 87, kMemberStart | Bit(kExclamation));
      if (op == nullptr) return;
      node->tokens.push_back(op);
      Synchronize(90, kMemberStart | Bit(kExclamation), Sync::kLoop);
    } while (Look(1) == kExclamation);
    node->children.push_back(Member(92, kRuleEnd));
  }

  void Negate(SyntaxNode* node) {
    node->kind = Kind::kNegate;
    if (!Synchronize(94, Bit(kMinus))) return;
    do {
      const Token* op = Match(kMinus, 93, kMemberStart);
      if (op == nullptr) return;
      node->tokens.push_back(op);
      Synchronize(96, kMemberStart, Sync::kLoop);
      if (Look(1) == kMinus && !LooksAt(2, kMemberStart)) return void(NoViable(2));
      if (!LooksAt(1, kMemberStart)) return void(NoViable(1));
    } while (Look(1) == kMinus);
    node->children.push_back(Member(98, kRuleEnd));
  }

  SyntaxNode* Member(int state, Mask follow) {
    SyntaxNode* node = nullptr;
    Run(kMemberRule, state, follow, [&] {
      const Token* start = &At(1);
      node = Primary(102, kMemberNext);
      Synchronize(128, kMemberNext);
      while (LooksAt(1, Bits(kDot, kLeftBracket))) {
        SetState(126, Bits(kDot, kLeftBracket));
        SyntaxNode* member = nullptr;
        if (Look(1) == kLeftBracket) {
          member = New(Kind::kIndex, start);
        } else if (LooksAt(2, Bits(kQuestionMark, kEscapedIdentifier))) {
          member = New(Kind::kSelect, start);
        } else if (Look(2) == kIdentifier) {
          member = New(Look(3) == kLeftParen ? Kind::kMemberCall : Kind::kSelect, start);
        } else {
          return void(NoViable(2));
        }
        member->children.push_back(node);
        node = member;
        if (!EndMember(member)) return;
        Synchronize(130, kMemberNext);
      }
    });
    return node;
  }

  /// What follows the operand of a selection, a call or an index.
  bool EndMember(SyntaxNode* node) {
    if (node->kind == Kind::kSelect) {
      node->op = Match(kDot, 105, kFieldStart);
      if (!Synchronize(107, kFieldStart)) return false;
      if (Look(1) == kQuestionMark) {
        node->is_optional = true;
        Match(kQuestionMark, 106, kNameStart);
      }
      Name(node->name, node->name_start, 109, kMemberNext);
      return true;
    }
    if (node->kind == Kind::kMemberCall) {
      Match(kDot, 111, Bit(kIdentifier));
      node->name = Match(kIdentifier, 112, Bit(kLeftParen));
      node->op = Match(kLeftParen, 113, kExprStart | Bit(kRightParen));
      if (!Synchronize(115, kExprStart | Bit(kRightParen))) return false;
      if (LooksAt(1, kExprStart)) ExprList(node, 114, Bit(kRightParen));
      return Match(kRightParen, 117, kMemberNext) != nullptr;
    }
    node->op = Match(kLeftBracket, 119, kOptExprStart);
    if (!Synchronize(121, kOptExprStart)) return false;
    if (Look(1) == kQuestionMark) {
      node->is_optional = true;
      if (Match(kQuestionMark, 120, kExprStart) == nullptr) return false;
    }
    node->children.push_back(Expr(123, Bit(kRightBracket)));
    return Match(kRightBracket, 124, kMemberNext) != nullptr;
  }

  SyntaxNode* Primary(int state, Mask follow) {
    SyntaxNode* node = New(Kind::kBroken, nullptr);
    Run(kPrimaryRule, state, follow, [&] {
      node->start = &At(1);
      if (!Synchronize(184, kMemberStart)) return;
      node->start = &At(1);
      switch (Look(1)) {
        case kLeftParen:
          Match(kLeftParen, 144, kExprStart);
          node = Expr(145, Bit(kRightParen));
          Match(kRightParen, 146, kRuleEnd);
          return;
        case kLeftBracket:
          return List(node);
        case kLeftBrace:
          return Map(node);
        case kDot:
        case kIdentifier:
          return Named(node);
        default:
          if (!LooksAt(1, kLiteralStart)) return void(NoViable(1));
          return Literal(node, 183, kRuleEnd);
      }
    });
    return node;
  }

  /// An identifier, a call or a message.
  void Named(SyntaxNode* node) {
    std::size_t behind = 2;
    if (Look(1) == kDot) {
      if (Look(2) != kIdentifier) return void(NoViable(2));
      behind = 3;
    }
    if (Look(behind) == kLeftParen) return Call(node);
    // Only a brace behind all names tells a message from selections.
    std::size_t end = behind;
    while (Look(end) == kDot && Look(end + 1) == kIdentifier) end += 2;
    if (Look(end) == kLeftBrace) return Message(node);
    node->kind = Kind::kIdent;
    if (!Synchronize(132, Bits(kDot, kIdentifier))) return;
    if (Look(1) == kDot) node->has_leading_dot = Match(kDot, 131, Bit(kIdentifier)) != nullptr;
    node->name = Match(kIdentifier, 134, kRuleEnd);
  }

  void Call(SyntaxNode* node) {
    node->kind = Kind::kGlobalCall;
    if (Look(1) == kDot) node->has_leading_dot = Match(kDot, 135, Bit(kIdentifier)) != nullptr;
    node->name = Match(kIdentifier, 138, Bit(kLeftParen));
    node->op = Match(kLeftParen, 139, kExprStart | Bit(kRightParen));
    if (!Synchronize(141, kExprStart | Bit(kRightParen))) return;
    if (LooksAt(1, kExprStart)) ExprList(node, 140, Bit(kRightParen));
    Match(kRightParen, 143, kRuleEnd);
  }

  void List(SyntaxNode* node) {
    node->kind = Kind::kList;
    node->op = Match(kLeftBracket, 148, kOptExprStart | Bits(kComma, kRightBracket));
    if (!Synchronize(150, kOptExprStart | Bits(kComma, kRightBracket))) return;
    if (LooksAt(1, kOptExprStart)) ListInit(node, 149, Bits(kComma, kRightBracket));
    if (!Synchronize(153, Bits(kComma, kRightBracket))) return;
    if (Look(1) == kComma) Match(kComma, 152, Bit(kRightBracket));
    Match(kRightBracket, 155, kRuleEnd);
  }

  void Map(SyntaxNode* node) {
    node->kind = Kind::kMap;
    node->op = Match(kLeftBrace, 156, kOptExprStart | Bits(kComma, kRightBrace));
    if (!Synchronize(158, kOptExprStart | Bits(kComma, kRightBrace))) return;
    if (LooksAt(1, kOptExprStart)) Entries(node, 157, Bits(kComma, kRightBrace));
    if (!Synchronize(161, Bits(kComma, kRightBrace))) return;
    if (Look(1) == kComma) Match(kComma, 160, Bit(kRightBrace));
    Match(kRightBrace, 163, kRuleEnd);
  }

  void Message(SyntaxNode* node) {
    node->kind = Kind::kMessage;
    if (Look(1) == kDot) node->has_leading_dot = Match(kDot, 164, Bit(kIdentifier)) != nullptr;
    node->tokens.push_back(Match(kIdentifier, 167, Bits(kDot, kLeftBrace)));
    while (Look(1) == kDot) {
      Match(kDot, 168, Bit(kIdentifier));
      node->tokens.push_back(Match(kIdentifier, 169, Bits(kDot, kLeftBrace)));
    }
    node->op = Match(kLeftBrace, 175, kFieldStart | Bits(kComma, kRightBrace));
    if (!Synchronize(177, kFieldStart | Bits(kComma, kRightBrace))) return;
    if (LooksAt(1, kFieldStart)) Fields(node, 176, Bits(kComma, kRightBrace));
    if (!Synchronize(180, Bits(kComma, kRightBrace))) return;
    if (Look(1) == kComma) Match(kComma, 179, Bit(kRightBrace));
    Match(kRightBrace, 182, kRuleEnd);
  }

  void ExprList(SyntaxNode* node, int state, Mask follow) {
    constexpr Mask kNext = Bit(kComma) | kRuleEnd;
    Run(kExprListRule, state, follow, [&] {
      node->children.push_back(Expr(186, kNext));
      while (Look(1) == kComma) {
        Match(kComma, 187, kExprStart);
        node->children.push_back(Expr(188, kNext));
      }
    });
  }

  void ListInit(SyntaxNode* node, int state, Mask follow) {
    constexpr Mask kNext = Bit(kComma) | kRuleEnd;
    Run(kListInitRule, state, follow, [&] {
      OptExpr(node, 194, kNext);
      while (Look(1) == kComma && LooksAt(2, kOptExprStart)) {
        Match(kComma, 195, kOptExprStart);
        OptExpr(node, 196, kNext);
      }
    });
  }

  /// An element or key, which is added to `node`.
  void OptExpr(SyntaxNode* node, int state, Mask follow) {
    SyntaxNode* expr = nullptr;
    bool is_optional = false;
    Run(kOptExprRule, state, follow, [&] {
      if (!Synchronize(238, kOptExprStart)) return;
      if (Look(1) == kQuestionMark) {
        is_optional = true;
        Match(kQuestionMark, 237, kExprStart);
      }
      expr = Expr(240, kRuleEnd);
    });
    node->children.push_back(expr);
    node->optional_children.push_back(is_optional);
  }

  void Entries(SyntaxNode* node, int state, Mask follow) {
    constexpr Mask kNext = Bit(kComma) | kRuleEnd;
    Run(kEntriesRule, state, follow, [&] {
      OptExpr(node, 220, Bit(kColon));
      if (!EndEntry(node, 221, kNext)) return;
      while (Look(1) == kComma && LooksAt(2, kOptExprStart)) {
        Match(kComma, 223, kOptExprStart);
        OptExpr(node, 224, Bit(kColon));
        if (!EndEntry(node, 225, kNext)) return;
      }
    });
  }

  bool EndEntry(SyntaxNode* node, int state, Mask follow) {
    const Token* colon = Match(kColon, state, kExprStart);
    if (colon == nullptr) return false;
    node->colons.push_back(colon);
    node->values.push_back(Expr(state + 1, follow));
    return true;
  }

  void Fields(SyntaxNode* node, int state, Mask follow) {
    constexpr Mask kNext = Bit(kComma) | kRuleEnd;
    node->entries_start = &At(1);
    Run(kFieldsRule, state, follow, [&] {
      OptField(node, 202);
      if (!EndEntry(node, 203, kNext)) return;
      while (Look(1) == kComma && LooksAt(2, kFieldStart)) {
        Match(kComma, 205, kFieldStart);
        OptField(node, 206);
        if (!EndEntry(node, 207, kNext)) return;
      }
    });
  }

  void OptField(SyntaxNode* node, int state) {
    const Token* name = nullptr;
    bool is_optional = false;
    Run(kOptFieldRule, state, Bit(kColon), [&] {
      if (!Synchronize(216, kFieldStart)) return;
      if (Look(1) == kQuestionMark) {
        is_optional = true;
        Match(kQuestionMark, 215, kNameStart);
      }
      const Token* name_start = nullptr;
      Name(name, name_start, 218, kRuleEnd);
    });
    node->fields.push_back(name);
    node->optional_children.push_back(is_optional);
  }

  /// escapeIdent.
  void Name(const Token*& name, const Token*& start, int state, Mask follow) {
    Run(kNameRule, state, follow, [&] {
      start = &At(1);
      if (!Synchronize(235, kNameStart)) return;
      start = &At(1);
      if (Look(1) == kIdentifier) {
        name = Match(kIdentifier, 233, kRuleEnd);
      } else if (Look(1) == kEscapedIdentifier) {
        name = Match(kEscapedIdentifier, 234, kRuleEnd);
      } else {
        NoViable(1);
      }
    });
  }

  void Literal(SyntaxNode* node, int state, Mask follow) {
    Run(kLiteralRule, state, follow, [&] {
      if (Look(1) == kMinus) {
        if (!LooksAt(2, Bits(kInt, kFloat))) return void(NoViable(2));
        node->sign = Match(kMinus, 242, Bits(kInt, kFloat));
      }
      node->kind = LiteralKind(Look(1));
      node->name = TakeToken();
    });
  }

  static Kind LiteralKind(TokenKind kind) {
    switch (kind) {
      case kInt:
        return Kind::kInt;
      case kUint:
        return Kind::kUint;
      case kFloat:
        return Kind::kDouble;
      case kString:
        return Kind::kString;
      case kBytes:
        return Kind::kBytes;
      case kTrue:
        return Kind::kTrue;
      case kFalse:
        return Kind::kFalse;
      default:
        return Kind::kNull;
    }
  }

  const Tokens& lexed_;
  const std::vector<Token>& tokens_;
  SyntaxTree tree_;
  std::size_t index_ = 0;
  std::size_t lexer_errors_ = 0;

  int state_ = 0;
  Mask state_tokens_ = 0;
  std::vector<Mask> follow_;  // of the rules that run
  std::array<int, kRuleCount> depths_{};

  std::optional<Failure> failure_;
  bool is_recovering_ = false;
  std::optional<std::size_t> last_error_index_;
  std::vector<int> last_error_states_;
  std::optional<int> skipped_left_;
  int recoveries_ = 0;
  int reports_ = 0;
};

}  // namespace

SyntaxTree ParseTokens(const Tokens& tokens) { return TreeParser(tokens).Parse(); }

}  // namespace kube::cel
