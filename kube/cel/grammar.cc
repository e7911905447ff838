#include "kube/cel/recovery.h"
#include "kube/cel/syntax.h"

namespace kube::cel {
namespace {

using enum TokenKind;

constexpr TokenSet kComparisons =
    SetOf(kEquals, kNotEquals, kIn, kLess, kLessEquals, kGreaterEquals, kGreater);
constexpr TokenSet kProducts = SetOf(kStar, kSlash, kPercent);
constexpr TokenSet kSums = SetOf(kPlus, kMinus);
constexpr TokenSet kLiteralStart =
    SetOf(kMinus, kTrue, kFalse, kNull, kFloat, kInt, kUint, kString, kBytes);
constexpr TokenSet kMemberStart =
    kLiteralStart | SetOf(kLeftBracket, kLeftBrace, kLeftParen, kDot, kIdentifier);
constexpr TokenSet kExprStart = kMemberStart | SetOf(kExclamation);
constexpr TokenSet kOptExprStart = kExprStart | SetOf(kQuestionMark);
constexpr TokenSet kNameStart = SetOf(kIdentifier, kEscapedIdentifier);
constexpr TokenSet kFieldStart = kNameStart | SetOf(kQuestionMark);
constexpr TokenSet kMemberNext = SetOf(kDot, kLeftBracket) | kRuleEnd;

constexpr int kMostRuleDepth = 250;

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

/// The rules of the grammar.
class TreeParser : private RecoveringParser {
 public:
  explicit TreeParser(const Tokens& tokens)
      : RecoveringParser(tokens, kRuleCount, kMostRuleDepth) {}

  SyntaxTree Parse() {
    SyntaxNode* root = nullptr;
    const bool ended = RunFirst(kStartRule, [&] {
      root = Expr(34, SetOf(kEof));
      Match(kEof, 35, kRuleEnd);
    });
    tree_.root = ended ? root : nullptr;
    tree_.errors = std::move(errors_);
    tree_.made_up = std::move(made_up_);
    return std::move(tree_);
  }

 private:
  SyntaxNode* New(SyntaxNode::Kind kind, const Token* start) {
    SyntaxNode& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.start = start;
    return &node;
  }

  SyntaxNode* Expr(int state, TokenSet follow) {
    SyntaxNode* node = nullptr;
    Run(kExprRule, state, follow, [&] {
      const Token* start = &At(1);
      node = Logical(SyntaxNode::Kind::kOr, 37, SetOf(kQuestionMark) | kRuleEnd);
      if (!Synchronize(43, SetOf(kQuestionMark) | kRuleEnd) || Look(1) != kQuestionMark) return;
      SyntaxNode* conditional = New(SyntaxNode::Kind::kConditional, start);
      conditional->children = {node, nullptr, nullptr};
      node = conditional;
      conditional->op = Match(kQuestionMark, 38, kExprStart);
      conditional->children[1] = Logical(SyntaxNode::Kind::kOr, 39, SetOf(kColon));
      if (Match(kColon, 40, kExprStart) == nullptr) return;
      conditional->children[2] = Expr(41, kRuleEnd);
      conditional->end = Last();
    });
    return node;
  }

  /// conditionalOr and conditionalAnd.
  SyntaxNode* Logical(SyntaxNode::Kind kind, int state, TokenSet follow) {
    const bool is_or = kind == SyntaxNode::Kind::kOr;
    const TokenKind op = is_or ? kLogicalOr : kLogicalAnd;
    const int base = is_or ? 45 : 53;
    const TokenSet next = SetOf(op) | kRuleEnd;
    const auto operand = [&](int at) {
      return is_or ? Logical(SyntaxNode::Kind::kAnd, at, next) : Relation(0, at, next);
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
        chain->end = Last();
        Synchronize(base + 7, next);
      }
    });
    return node;
  }

  SyntaxNode* Binary(SyntaxNode* left, const Token* start) {
    SyntaxNode* node = New(SyntaxNode::Kind::kBinary, start);
    node->children = {left, nullptr};
    return node;
  }

  SyntaxNode* Relation(int precedence, int state, TokenSet follow) {
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
        node->end = Last();
        Synchronize(71, kComparisons | kRuleEnd);
      }
    });
    return node;
  }

  SyntaxNode* Calc(int precedence, int state, TokenSet follow) {
    constexpr TokenSet kNext = kProducts | kSums | kRuleEnd;
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
        node->end = Last();
        Synchronize(85, kNext);
      }
    });
    return node;
  }

  SyntaxNode* Unary(int state, TokenSet follow) {
    SyntaxNode* node = nullptr;
    const Token* start = nullptr;
    Run(kUnaryRule, state, follow, [&] {
      start = &At(1);
      if (!Synchronize(99, kExprStart)) return;
      start = &At(1);
      const bool is_number = Look(1) == kMinus && LooksAt(2, SetOf(kInt, kFloat));
      if (Look(1) == kExclamation) return Not(node = New(SyntaxNode::Kind::kNot, start));
      if (Look(1) == kMinus && !is_number) {
        if (!LooksAt(2, kMemberStart)) return void(NoViable(2));
        return Negate(node = New(SyntaxNode::Kind::kNegate, start));
      }
      if (!LooksAt(1, kMemberStart)) return void(NoViable(1));
      node = Member(86, kRuleEnd);
    });
    return node != nullptr ? node : New(SyntaxNode::Kind::kBroken, start);
  }

  void Not(SyntaxNode* node) {
    if (!Synchronize(88, SetOf(kExclamation))) return;
    do {
      const Token* op = Match(kExclamation, 87, kMemberStart | SetOf(kExclamation));
      if (op == nullptr) return;
      node->tokens.push_back(op);
      Synchronize(90, kMemberStart | SetOf(kExclamation), Sync::kLoop);
    } while (Look(1) == kExclamation);
    node->children.push_back(Member(92, kRuleEnd));
    node->end = Last();
  }

  void Negate(SyntaxNode* node) {
    if (!Synchronize(94, SetOf(kMinus))) return;
    do {
      const Token* op = Match(kMinus, 93, kMemberStart);
      if (op == nullptr) return;
      node->tokens.push_back(op);
      Synchronize(96, kMemberStart, Sync::kLoop);
      if (Look(1) == kMinus && !LooksAt(2, kMemberStart)) return void(NoViable(2));
      if (!LooksAt(1, kMemberStart)) return void(NoViable(1));
    } while (Look(1) == kMinus);
    node->children.push_back(Member(98, kRuleEnd));
    node->end = Last();
  }

  SyntaxNode* Member(int state, TokenSet follow) {
    SyntaxNode* node = nullptr;
    Run(kMemberRule, state, follow, [&] {
      const Token* start = &At(1);
      node = Primary(102, kMemberNext);
      Synchronize(128, kMemberNext);
      while (LooksAt(1, SetOf(kDot, kLeftBracket))) {
        SetState(126, SetOf(kDot, kLeftBracket));
        SyntaxNode* member = nullptr;
        if (Look(1) == kLeftBracket) {
          member = New(SyntaxNode::Kind::kIndex, start);
        } else if (LooksAt(2, SetOf(kQuestionMark, kEscapedIdentifier))) {
          member = New(SyntaxNode::Kind::kSelect, start);
        } else if (Look(2) == kIdentifier) {
          member =
              New(Look(3) == kLeftParen ? SyntaxNode::Kind::kMemberCall : SyntaxNode::Kind::kSelect,
                  start);
        } else {
          return void(NoViable(2));
        }
        member->children.push_back(node);
        node = member;
        if (!EndMember(member)) return;
        member->end = Last();
        Synchronize(130, kMemberNext);
      }
    });
    return node;
  }

  /// What follows the operand of a selection, a call or an index.
  bool EndMember(SyntaxNode* node) {
    if (node->kind == SyntaxNode::Kind::kSelect) {
      node->op = Match(kDot, 105, kFieldStart);
      if (!Synchronize(107, kFieldStart)) return false;
      if (Look(1) == kQuestionMark) {
        node->is_optional = true;
        Match(kQuestionMark, 106, kNameStart);
      }
      Name(node->name, node->name_start, 109, kMemberNext);
      return true;
    }
    if (node->kind == SyntaxNode::Kind::kMemberCall) {
      Match(kDot, 111, SetOf(kIdentifier));
      node->name = Match(kIdentifier, 112, SetOf(kLeftParen));
      return Arguments(node, 113, kMemberNext);
    }
    node->op = Match(kLeftBracket, 119, kOptExprStart);
    if (!Synchronize(121, kOptExprStart)) return false;
    if (Look(1) == kQuestionMark) {
      node->is_optional = true;
      if (Match(kQuestionMark, 120, kExprStart) == nullptr) return false;
    }
    node->children.push_back(Expr(123, SetOf(kRightBracket)));
    return Match(kRightBracket, 124, kMemberNext) != nullptr;
  }

  SyntaxNode* Primary(int state, TokenSet follow) {
    SyntaxNode* const primary = New(SyntaxNode::Kind::kBroken, nullptr);
    SyntaxNode* node = primary;
    Run(kPrimaryRule, state, follow, [&] {
      node->start = &At(1);
      if (!Synchronize(184, kMemberStart)) return;
      node->start = &At(1);
      switch (Look(1)) {
        case kLeftParen:
          Match(kLeftParen, 144, kExprStart);
          node = Expr(145, SetOf(kRightParen));
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
    if (primary->kind == SyntaxNode::Kind::kBroken) {
      primary->start = nullptr;  // cel-go has no place for it
    }
    if (node == primary) node->end = Last();
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
    node->kind = SyntaxNode::Kind::kIdent;
    if (!Synchronize(132, SetOf(kDot, kIdentifier))) return;
    if (Look(1) == kDot) node->has_leading_dot = Match(kDot, 131, SetOf(kIdentifier)) != nullptr;
    node->name = Match(kIdentifier, 134, kRuleEnd);
  }

  void Call(SyntaxNode* node) {
    node->kind = SyntaxNode::Kind::kGlobalCall;
    if (Look(1) == kDot) node->has_leading_dot = Match(kDot, 135, SetOf(kIdentifier)) != nullptr;
    node->name = Match(kIdentifier, 138, SetOf(kLeftParen));
    Arguments(node, 139, kRuleEnd);
  }

  /// The parentheses of a call, and what is between them. False: a failure is set.
  bool Arguments(SyntaxNode* node, int state, TokenSet next) {
    constexpr TokenSet kFirst = kExprStart | SetOf(kRightParen);
    node->op = Match(kLeftParen, state, kFirst);
    if (!Synchronize(state + 2, kFirst)) return false;
    if (LooksAt(1, kExprStart)) ExprList(node, state + 1, SetOf(kRightParen));
    return Match(kRightParen, state + 4, next) != nullptr;
  }

  /// What stands between brackets or braces, with a comma behind it or none. `content` begins with
  /// one of `first`, in the state that it is given; its caller takes the other argument behind it.
  template <typename Content>
  void Enclosed(SyntaxNode* node, TokenKind open, TokenKind close, int state, TokenSet first,
                Content content) {
    const TokenSet end = SetOf(kComma, close);
    node->op = Match(open, state, first | end);
    if (!Synchronize(state + 2, first | end)) return;
    if (LooksAt(1, first)) content(state + 1, end);
    if (!Synchronize(state + 5, end)) return;
    if (Look(1) == kComma) Match(kComma, state + 4, SetOf(close));
    Match(close, state + 7, kRuleEnd);
  }

  void List(SyntaxNode* node) {
    node->kind = SyntaxNode::Kind::kList;
    Enclosed(node, kLeftBracket, kRightBracket, 148, kOptExprStart,
             [&](int state, TokenSet follow) { ListInit(node, state, follow); });
  }

  void Map(SyntaxNode* node) {
    node->kind = SyntaxNode::Kind::kMap;
    Enclosed(node, kLeftBrace, kRightBrace, 156, kOptExprStart,
             [&](int state, TokenSet follow) { Entries(node, state, follow); });
  }

  void Message(SyntaxNode* node) {
    node->kind = SyntaxNode::Kind::kMessage;
    if (Look(1) == kDot) node->has_leading_dot = Match(kDot, 164, SetOf(kIdentifier)) != nullptr;
    node->tokens.push_back(Match(kIdentifier, 167, SetOf(kDot, kLeftBrace)));
    while (Look(1) == kDot) {
      Match(kDot, 168, SetOf(kIdentifier));
      node->tokens.push_back(Match(kIdentifier, 169, SetOf(kDot, kLeftBrace)));
    }
    Enclosed(node, kLeftBrace, kRightBrace, 175, kFieldStart,
             [&](int state, TokenSet follow) { Fields(node, state, follow); });
  }

  void ExprList(SyntaxNode* node, int state, TokenSet follow) {
    constexpr TokenSet kNext = SetOf(kComma) | kRuleEnd;
    Run(kExprListRule, state, follow, [&] {
      node->children.push_back(Expr(186, kNext));
      while (Look(1) == kComma) {
        Match(kComma, 187, kExprStart);
        node->children.push_back(Expr(188, kNext));
      }
    });
  }

  void ListInit(SyntaxNode* node, int state, TokenSet follow) {
    constexpr TokenSet kNext = SetOf(kComma) | kRuleEnd;
    Run(kListInitRule, state, follow, [&] {
      OptExpr(node, 194, kNext);
      while (Look(1) == kComma && LooksAt(2, kOptExprStart)) {
        Match(kComma, 195, kOptExprStart);
        OptExpr(node, 196, kNext);
      }
    });
  }

  /// An element or key, which is added to `node`.
  void OptExpr(SyntaxNode* node, int state, TokenSet follow) {
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

  void Entries(SyntaxNode* node, int state, TokenSet follow) {
    constexpr TokenSet kNext = SetOf(kComma) | kRuleEnd;
    Run(kEntriesRule, state, follow, [&] {
      OptExpr(node, 220, SetOf(kColon));
      if (!EndEntry(node, 221, kNext)) return;
      while (Look(1) == kComma && LooksAt(2, kOptExprStart)) {
        Match(kComma, 223, kOptExprStart);
        OptExpr(node, 224, SetOf(kColon));
        if (!EndEntry(node, 225, kNext)) return;
      }
    });
  }

  bool EndEntry(SyntaxNode* node, int state, TokenSet follow) {
    const Token* colon = Match(kColon, state, kExprStart);
    if (colon == nullptr) return false;
    node->colons.push_back(colon);
    node->values.push_back(Expr(state + 1, follow));
    return true;
  }

  void Fields(SyntaxNode* node, int state, TokenSet follow) {
    constexpr TokenSet kNext = SetOf(kComma) | kRuleEnd;
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
    Run(kOptFieldRule, state, SetOf(kColon), [&] {
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
  void Name(const Token*& name, const Token*& start, int state, TokenSet follow) {
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

  void Literal(SyntaxNode* node, int state, TokenSet follow) {
    Run(kLiteralRule, state, follow, [&] {
      if (Look(1) == kMinus) {
        if (!LooksAt(2, SetOf(kInt, kFloat))) return void(NoViable(2));
        node->sign = Match(kMinus, 242, SetOf(kInt, kFloat));
      }
      node->kind = LiteralKind(Look(1));
      node->name = TakeToken();
    });
  }

  static SyntaxNode::Kind LiteralKind(TokenKind kind) {
    switch (kind) {
      case kInt:
        return SyntaxNode::Kind::kInt;
      case kUint:
        return SyntaxNode::Kind::kUint;
      case kFloat:
        return SyntaxNode::Kind::kDouble;
      case kString:
        return SyntaxNode::Kind::kString;
      case kBytes:
        return SyntaxNode::Kind::kBytes;
      case kTrue:
        return SyntaxNode::Kind::kTrue;
      case kFalse:
        return SyntaxNode::Kind::kFalse;
      default:
        return SyntaxNode::Kind::kNull;
    }
  }

  SyntaxTree tree_;
};

}  // namespace

SyntaxTree ParseTokens(const Tokens& tokens) { return TreeParser(tokens).Parse(); }

}  // namespace kube::cel
