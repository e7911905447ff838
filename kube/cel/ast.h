#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kube::cel {

/// Where a part of an expression stands in its text, in code points.
struct Span {
  std::int32_t begin = 0;
  std::int32_t end = 0;  ///< behind its last character

  bool empty() const { return begin == end; }  ///< it stands nowhere: a macro made it
};

/// A literal of an expression.
struct Constant {
  enum class Kind : std::uint8_t { kNull, kBool, kInt, kUint, kDouble, kString, kBytes };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  double real = 0;
  std::string text;  ///< of a string (UTF-8) or of bytes

  bool operator==(const Constant&) const = default;
};

struct Expr;

/// key: value of a map, or field: value of a message.
struct Entry {
  std::int64_t id = 0;
  Expr* key = nullptr;  ///< of a map
  std::string field;    ///< of a message
  Expr* value = nullptr;
  bool is_optional = false;  ///< {?key: value}
};

/// What a macro over the elements of a list or the keys of a map becomes: `result` once
/// `accumulator`, which begins as `init`, has been through `step` for each element while
/// `condition` holds.
struct Comprehension {
  std::string variable;
  std::string second_variable;  ///< empty: there is one variable
  std::string accumulator;
  Expr* range = nullptr;
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

/// One node of an expression. Lives in the Ast.
struct Expr {
  enum class Kind : std::uint8_t {
    kUnspecified,  ///< in the place of what could not be parsed
    kLiteral,
    kIdent,
    kSelect,
    kCall,
    kList,
    kMap,
    kMessage,
    kComprehension,
  };

  Kind kind = Kind::kUnspecified;
  bool is_test = false;     ///< a selection within has()
  std::int64_t id = 0;      ///< unique, from 1; Ast::position says where it stands
  Constant constant;        ///< kLiteral
  std::string name;         ///< an identifier, a selected field, a function or a message
  Expr* target = nullptr;   ///< what is selected from, or the receiver of a call; null: none
  std::vector<Expr*> args;  ///< of a call, or the elements of a list
  std::vector<std::int32_t> optional_indices;  ///< the elements of a list written [?element]
  std::vector<Entry> entries;
  std::unique_ptr<Comprehension> comprehension;
};

/// An expression and the memory of its nodes.
class Ast {
 public:
  Expr* New(Expr::Kind kind, std::int32_t position) {
    Expr& expr = nodes_.emplace_back();
    expr.kind = kind;
    expr.id = NextId(position);
    return &expr;
  }
  /// An id for an entry, or for a node that is made by hand.
  std::int64_t NextId(std::int32_t position) {
    positions_.push_back(position);
    return static_cast<std::int64_t>(positions_.size()) - 1;
  }
  /// In code points; -1 where the node stands nowhere in the text.
  std::int32_t position(std::int64_t id) const {
    return id > 0 && static_cast<std::size_t>(id) < positions_.size()
               ? positions_[static_cast<std::size_t>(id)]
               : -1;
  }
  std::size_t id_count() const { return positions_.size(); }
  /// The text that a node was written as, without parentheses around it.
  void SetSpan(std::int64_t id, Span span) {
    if (spans_.size() < positions_.size()) spans_.resize(positions_.size());
    spans_[static_cast<std::size_t>(id)] = span;
  }
  Span span(std::int64_t id) const {
    return id > 0 && static_cast<std::size_t>(id) < spans_.size()
               ? spans_[static_cast<std::size_t>(id)]
               : Span();
  }

  Expr* root = nullptr;

 private:
  std::deque<Expr> nodes_;
  std::vector<std::int32_t> positions_{-1};
  std::vector<Span> spans_;
};

}  // namespace kube::cel
