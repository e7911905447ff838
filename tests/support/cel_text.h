#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "kube/cel/ast.h"
#include "kube/cel/numbers.h"
#include "kube/cel/operators.h"

/// Expressions of CEL as texts, by which tests tell whether the parser reads what they say.
namespace test_support::cel_text {

using namespace kube::cel;
using Kind = Expr::Kind;

struct Operator {
  std::string_view function;
  std::string_view text;
  int precedence;  // higher binds tighter
};

inline constexpr Operator kBinary[] = {
    {operators::kOr, " || ", 2},      {operators::kAnd, " && ", 3},
    {operators::kLess, " < ", 4},     {operators::kLessEquals, " <= ", 4},
    {operators::kGreater, " > ", 4},  {operators::kGreaterEquals, " >= ", 4},
    {operators::kEquals, " == ", 4},  {operators::kNotEquals, " != ", 4},
    {operators::kIn, " in ", 4},      {operators::kAdd, " + ", 5},
    {operators::kSubtract, " - ", 5}, {operators::kMultiply, " * ", 6},
    {operators::kDivide, " / ", 6},   {operators::kModulo, " % ", 6},
};
inline constexpr int kConditionalPrecedence = 1;
inline constexpr int kUnaryPrecedence = 7;
inline constexpr int kMemberPrecedence = 8;

inline const Operator* FindBinary(const Expr& expr) {
  if (expr.kind != Kind::kCall || expr.args.size() != 2 || expr.target != nullptr) return nullptr;
  const auto found = std::find_if(std::begin(kBinary), std::end(kBinary),
                                  [&](const Operator& op) { return op.function == expr.name; });
  return found == std::end(kBinary) ? nullptr : found;
}

inline std::string EscapeBytes(std::string_view text, bool is_bytes) {
  std::string out = is_bytes ? "b\"" : "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || byte == 0x7F || (is_bytes && byte >= 0x80)) {
      // Three digits of eight: a byte, or the character of that number.
      out += '\\';
      out += static_cast<char>('0' + (byte >> 6U));
      out += static_cast<char>('0' + (byte >> 3U & 7U));
      out += static_cast<char>('0' + (byte & 7U));
    } else {
      out += c;
    }
  }
  return out += '"';
}

inline std::string PrintConstant(const Constant& constant) {
  switch (constant.kind) {
    case Constant::Kind::kNull:
      return "null";
    case Constant::Kind::kBool:
      return constant.boolean ? "true" : "false";
    case Constant::Kind::kInt:
      return std::to_string(constant.integer);
    case Constant::Kind::kUint:
      return std::to_string(constant.natural) + "u";
    case Constant::Kind::kDouble:
      return FormatScientific(constant.real, 17);
    default:
      return EscapeBytes(constant.text, constant.kind == Constant::Kind::kBytes);
  }
}

inline bool IsPlainName(std::string_view name) {
  const auto is_letter = [](char c) { return kube::base::IsLetter(c) || c == '_'; };
  static constexpr std::array<std::string_view, 4> kWords = {"in", "true", "false", "null"};
  if (name.empty() || !is_letter(name[0])) return false;
  if (std::find(kWords.begin(), kWords.end(), name) != kWords.end()) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || kube::base::IsDigit(c); });
}

inline std::string PrintName(const std::string& name) {
  return IsPlainName(name) ? name : "`" + name + "`";
}

class Printer {
 public:
  std::string Print(const Expr& expr, int precedence) {
    const int own = PrecedenceOf(expr);
    std::string text = PrintBare(expr);
    return own < precedence ? "(" + text + ")" : text;
  }

 private:
  static int PrecedenceOf(const Expr& expr) {
    if (const Operator* op = FindBinary(expr)) return op->precedence;
    if (expr.kind == Kind::kLiteral) {
      // -1 as a receiver would be read as -(1.f()).
      const bool is_negative =
          (expr.constant.kind == Constant::Kind::kInt && expr.constant.integer < 0) ||
          (expr.constant.kind == Constant::Kind::kDouble && std::signbit(expr.constant.real));
      return is_negative ? kUnaryPrecedence : kMemberPrecedence;
    }
    if (expr.kind != Kind::kCall) return kMemberPrecedence;
    if (expr.name == operators::kConditional) return kConditionalPrecedence;
    return expr.name == operators::kNot || expr.name == operators::kNegate ? kUnaryPrecedence
                                                                           : kMemberPrecedence;
  }

  std::string PrintBare(const Expr& expr) {
    switch (expr.kind) {
      case Kind::kLiteral:
        return PrintConstant(expr.constant);
      case Kind::kIdent:
        return expr.name;
      case Kind::kSelect:
        return PrintSelect(expr);
      case Kind::kCall:
        return PrintCall(expr);
      case Kind::kList:
        return PrintList(expr);
      case Kind::kMap:
      case Kind::kMessage:
        return PrintEntries(expr);
      case Kind::kComprehension:
        return PrintFold(*expr.comprehension);
      default:
        return "";
    }
  }

  std::string PrintSelect(const Expr& expr) {
    std::string text = Print(*expr.target, kMemberPrecedence) + "." + PrintName(expr.name);
    return expr.is_test ? "has(" + text + ")" : text;
  }

  std::string PrintArgs(const std::vector<Expr*>& args) {
    std::string text;
    for (const Expr* arg : args) {
      if (arg != args[0]) text += ", ";
      text += Print(*arg, 0);
    }
    return text;
  }

  std::string PrintCall(const Expr& expr) {
    if (const Operator* op = FindBinary(expr)) {
      // && and || are balanced when they are read: any tree of them needs its parentheses.
      const bool is_logical = expr.name == operators::kAnd || expr.name == operators::kOr;
      const int left = is_logical ? op->precedence + 1 : op->precedence;
      return Print(*expr.args[0], left) + std::string(op->text) +
             Print(*expr.args[1], op->precedence + 1);
    }
    if (expr.name == operators::kConditional) {
      return Print(*expr.args[0], kConditionalPrecedence + 1) + " ? " +
             Print(*expr.args[1], kConditionalPrecedence + 1) + " : " +
             Print(*expr.args[2], kConditionalPrecedence);
    }
    if (expr.name == operators::kNot || expr.name == operators::kNegate) {
      // A sign before a number would be read as part of it, and two of a kind cancel each other.
      return (expr.name == operators::kNot ? "!" : "-") + PrintOperand(*expr.args[0]);
    }
    if (expr.name == operators::kIndex || expr.name == operators::kOptionalIndex) {
      return Print(*expr.args[0], kMemberPrecedence) +
             (expr.name == operators::kIndex ? "[" : "[?") + Print(*expr.args[1], 0) + "]";
    }
    if (expr.name == operators::kOptionalSelect) {
      return Print(*expr.args[0], kMemberPrecedence) + ".?" +
             PrintName(expr.args[1]->constant.text);
    }
    const std::string receiver =
        expr.target == nullptr ? "" : Print(*expr.target, kMemberPrecedence) + ".";
    return receiver + expr.name + "(" + PrintArgs(expr.args) + ")";
  }

  std::string PrintOperand(const Expr& operand) {
    if (operand.kind == Kind::kLiteral) return "(" + PrintBare(operand) + ")";
    return Print(operand, kMemberPrecedence);
  }

  std::string PrintList(const Expr& expr) {
    std::string text = "[";
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      if (i > 0) text += ", ";
      const auto& optional = expr.optional_indices;
      const auto index = static_cast<std::int32_t>(i);
      if (std::find(optional.begin(), optional.end(), index) != optional.end()) text += '?';
      text += Print(*expr.args[i], 0);
    }
    return text + "]";
  }

  std::string PrintEntries(const Expr& expr) {
    std::string text = expr.name + "{";
    for (const Entry& entry : expr.entries) {
      if (&entry != expr.entries.data()) text += ", ";
      if (entry.is_optional) text += '?';
      text += entry.key != nullptr ? Print(*entry.key, 0) : PrintName(entry.field);
      text += ": " + Print(*entry.value, 0);
    }
    return text + "}";
  }

  std::string PrintFold(const Comprehension& fold) {
    return "__fold__(" + fold.variable + ", " + fold.second_variable + ", " +
           Print(*fold.range, 0) + ", " + fold.accumulator + ", " + Print(*fold.init, 0) + ", " +
           Print(*fold.condition, 0) + ", " + Print(*fold.step, 0) + ", " + Print(*fold.result, 0) +
           ")";
  }
};

inline bool SameTree(const Expr& a, const Expr& b);

inline bool SameEntry(const Entry& a, const Entry& b) {
  if (a.field != b.field || a.is_optional != b.is_optional) return false;
  if ((a.key == nullptr) != (b.key == nullptr)) return false;
  return (a.key == nullptr || SameTree(*a.key, *b.key)) && SameTree(*a.value, *b.value);
}

inline bool SameFold(const Comprehension& a, const Comprehension& b) {
  return a.variable == b.variable && a.second_variable == b.second_variable &&
         a.accumulator == b.accumulator && SameTree(*a.range, *b.range) &&
         SameTree(*a.init, *b.init) && SameTree(*a.condition, *b.condition) &&
         SameTree(*a.step, *b.step) && SameTree(*a.result, *b.result);
}

/// The expression as a text that parses to the same tree, with no more parentheses than it takes.
/// Macros are printed as what they became: those trees do not parse again.
inline std::string Print(const Expr& expr) { return Printer().Print(expr, 0); }

/// True if both trees are the same but for their ids.
inline bool SameTree(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.is_test != b.is_test || a.name != b.name ||
      !(a.constant == b.constant) || a.optional_indices != b.optional_indices ||
      (a.target == nullptr) != (b.target == nullptr) ||
      (a.comprehension == nullptr) != (b.comprehension == nullptr)) {
    return false;
  }
  if (a.target != nullptr && !SameTree(*a.target, *b.target)) return false;
  if (a.comprehension != nullptr && !SameFold(*a.comprehension, *b.comprehension)) return false;
  return std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                    [](const Expr* x, const Expr* y) { return SameTree(*x, *y); }) &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    SameEntry);
}

}  // namespace test_support::cel_text
