#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kube/cel/ast.h"
#include "kube/cel/type.h"
#include "kube/cel/value.h"

/// What calls cost: estimated from sizes before anything runs, and counted when it does.
namespace kube::cel {

inline constexpr std::uint64_t kUnbounded = UINT64_MAX;
inline constexpr double kStringFactor = 0.1;    ///< a character that is looked at
inline constexpr double kPatternFactor = 0.25;  ///< a character of a regular expression
inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;
inline constexpr std::uint64_t kMessageCost = 40;

/// The server's limit of one call (apiserver/pkg/apis/cel).
inline constexpr std::uint64_t kCallCostLimit = 1000000;

/// The longest text that a function makes, in bytes: to look at a longer one costs more than the
/// limit.
inline constexpr std::size_t kLongestText = 10 * kCallCostLimit;

std::uint64_t AddCost(std::uint64_t a, std::uint64_t b);       ///< kUnbounded where it overflows
std::uint64_t MultiplyCost(std::uint64_t a, std::uint64_t b);  ///< the same
std::uint64_t ScaleCost(std::uint64_t a, double factor);       ///< the same, rounded up

/// From the least to the most that something can be: a size or a cost.
struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = kUnbounded;

  static Range Fixed(std::uint64_t value) { return {value, value}; }
  Range operator+(Range other) const { return {AddCost(min, other.min), AddCost(max, other.max)}; }
  Range operator*(Range other) const {
    return {MultiplyCost(min, other.min), MultiplyCost(max, other.max)};
  }
  Range Scale(double factor) const { return {ScaleCost(min, factor), ScaleCost(max, factor)}; }
  Range Union(Range other) const {
    return {min < other.min ? min : other.min, max > other.max ? max : other.max};
  }
  bool operator==(const Range&) const = default;
};

/// Where a value comes from: a variable, then names of fields, "@items", "@keys", "@values".
using ValuePath = std::vector<std::string>;

/// A receiver or argument of a call that is estimated.
struct CostNode {
  TypeRef type = nullptr;
  const Expr* expr = nullptr;  ///< null: an element of a list
  ValuePath path;              ///< empty: from nowhere
  std::optional<Range> size;   ///< by the expression alone
};

/// What schemas say about sizes.
class SizeSource {
 public:
  virtual ~SizeSource() = default;
  virtual std::optional<Range> SizeAt(const ValuePath& path) const = 0;
};

struct CallEstimate {
  Range cost;
  std::optional<Range> size;  ///< of the result
};

/// A call that is estimated.
struct EstimatedCall {
  const CostNode* target = nullptr;  ///< null: a global call
  std::vector<CostNode> args;
  const SizeSource* sizes = nullptr;

  /// The size of a node: computed, from a schema, or anything.
  Range Size(const CostNode& node) const;
  /// The elements of a list; absent where the type has no parameters.
  std::optional<CostNode> Element(const CostNode& list) const;
};

using EstimateRule = std::optional<CallEstimate> (*)(const EstimatedCall& call);
/// Throws GivenUp.
using CostRule = std::uint64_t (*)(Memory& memory, Args args, const Value& result);

// ---- Rules that several functions share.

std::optional<CallEstimate> EstimateOne(const EstimatedCall& call);
std::uint64_t CostOne(Memory& memory, Args args, const Value& result);
/// A tenth of the size of the argument, or of the receiver.
std::optional<CallEstimate> EstimateTraversal(const EstimatedCall& call);
/// The same for a function whose result is as large.
std::optional<CallEstimate> EstimateTransform(const EstimatedCall& call);
std::uint64_t CostTraversal(Memory& memory, Args args, const Value& result);
std::uint64_t CostDoubleTraversal(Memory& memory, Args args, const Value& result);
/// What a list costs whose elements are all looked at.
std::optional<CallEstimate> EstimateListScan(const EstimatedCall& call);
std::uint64_t CostListScan(Memory& memory, Args args, const Value& result);
/// A regular expression held against a text.
std::optional<CallEstimate> EstimateMatch(const EstimatedCall& call);
std::uint64_t CostMatch(Memory& memory, Args args, const Value& result);

}  // namespace kube::cel
