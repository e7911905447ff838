#include "kube/cel/cost.h"

#include <cmath>

#include "kube/cel/numbers.h"

namespace kube::cel {

std::uint64_t AddCost(std::uint64_t a, std::uint64_t b) {
  return a > kUnbounded - b ? kUnbounded : a + b;
}

std::uint64_t MultiplyCost(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}

std::uint64_t ScaleCost(std::uint64_t a, double factor) {
  const double scaled = std::ceil(static_cast<double>(a) * factor);
  return scaled >= kTwoTo64 ? kUnbounded : static_cast<std::uint64_t>(scaled);
}

Range EstimatedCall::Size(const CostNode& node) const {
  if (node.size) return *node.size;
  const std::optional<Range> size = sizes == nullptr ? std::nullopt : sizes->SizeAt(node.path);
  return size.value_or(Range());
}

std::optional<CostNode> EstimatedCall::Element(const CostNode& list) const {
  if (list.type->params.empty()) return std::nullopt;
  CostNode element;
  element.type = list.type->params[0];
  if (!list.path.empty()) {
    element.path = list.path;
    element.path.emplace_back("@items");
  }
  return element;
}

std::optional<CallEstimate> EstimateOne(const EstimatedCall& /*call*/) {
  return CallEstimate{Range::Fixed(1), std::nullopt};
}

std::uint64_t CostOne(Memory& /*memory*/, Args /*args*/, const Value& /*result*/) { return 1; }

std::optional<CallEstimate> EstimateTraversal(const EstimatedCall& call) {
  const CostNode& node = call.target != nullptr ? *call.target : call.args[0];
  return CallEstimate{call.Size(node).Scale(kStringFactor), std::nullopt};
}

std::optional<CallEstimate> EstimateTransform(const EstimatedCall& call) {
  const Range size = call.Size(call.target != nullptr ? *call.target : call.args[0]);
  return CallEstimate{size.Scale(kStringFactor), size};
}

std::uint64_t CostTraversal(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return ScaleCost(CostSize(args[0]), kStringFactor);
}

std::uint64_t CostDoubleTraversal(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return ScaleCost(CostSize(args[0]), 2 * kStringFactor);
}

std::optional<CallEstimate> EstimateListScan(const EstimatedCall& call) {
  const Range size = call.Size(*call.target);
  const std::optional<CostNode> element = call.Element(*call.target);
  if (!element) return CallEstimate{size.Scale(kStringFactor), std::nullopt};
  Range cost = Range::Fixed(1);
  if (element->type->kind == Type::Kind::kString || element->type->kind == Type::Kind::kBytes) {
    cost = cost + call.Size(*element).Scale(kStringFactor);
  }
  return CallEstimate{size * cost, std::nullopt};
}

namespace {

/// What the values in a value cost, rounded down.
std::uint64_t ScanCost(Memory& memory, const Value& value) {
  memory.Visit();
  if (value.is_string() || value.kind == Value::Kind::kBytes) {
    return static_cast<std::uint64_t>(static_cast<double>(value.size) * kStringFactor);
  }
  if (!value.is_list() && !value.is_map()) return 1;
  const Memory::Level level(memory);
  std::uint64_t cost = 0;
  const auto add = [&](const Value& part) { cost = AddCost(cost, ScanCost(memory, part)); };
  if (value.is_list()) {
    for (std::uint32_t i = 0; i < ListSize(value); ++i) add(ListItem(memory, value, i));
    return cost;
  }
  for (MapCursor cursor(memory, value); !cursor.AtEnd(); cursor.Next()) {
    const MapEntry entry = cursor.Entry();
    add(entry.key);
    add(entry.value);
  }
  return cost;
}

}  // namespace

std::uint64_t CostListScan(Memory& memory, Args args, const Value& /*result*/) {
  return ScanCost(memory, args[0]);
}

std::optional<CallEstimate> EstimateMatch(const EstimatedCall& call) {
  const CostNode& text = call.target != nullptr ? *call.target : call.args[0];
  const CostNode& pattern = call.target != nullptr ? call.args[0] : call.args[1];
  const Range text_cost = (call.Size(text) + Range::Fixed(1)).Scale(kStringFactor);
  return CallEstimate{text_cost * call.Size(pattern).Scale(kPatternFactor), std::nullopt};
}

std::uint64_t CostMatch(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return MultiplyCost(ScaleCost(AddCost(CostSize(args[0]), 1), kStringFactor),
                      ScaleCost(CostSize(args[1]), kPatternFactor));
}

}  // namespace kube::cel
