#pragma once

#include <span>

#include "kube/cel/program.h"
#include "kube/cel/step_observer.h"

namespace kube::cel {

/// One evaluation of a program, or of a part of it while it is planned. Counts costs as cel-go's
/// interpreter does (interpreter/runtimecost.go): a step costs once all its operands have values.
class Evaluator {
 public:
  Evaluator(const Program& program, std::span<const Value> variables, json::Arena& arena,
            std::uint64_t limit, StepObserver* observer = nullptr);

  /// The value of a node. Throws GivenUp.
  Value Run(std::uint32_t node);
  std::uint64_t cost() const { return cost_; }
  std::uint64_t visits() const { return memory_.visits(); }

 private:
  struct Qualified {
    Value value;
    bool is_present = true;
  };

  void Count(std::uint64_t cost) {
    cost_ = AddCost(cost_, cost);
    if (cost_ > limit_) throw GivenUp();
  }
  void Observe(Span span, const Value& value) {
    if (observer_ != nullptr && !span.empty()) observer_->OnStep(span, value);
  }
  Value RunNode(const Node& node);
  Value RunCall(const Node& node);
  void CountCall(const CallPlan& call, Args args, const Value& result);
  Value Dispatch(const CallPlan& call, Args args);
  Value RunLogical(const Node& node, bool is_or);
  Value RunEquals(const Node& node, bool is_equal);
  Value EqualityOf(const std::array<Value, 2>& args, bool is_equal);
  Value RunList(const Node& node);
  Value RunMap(const Node& node);
  Value RunMessage(const Node& node);
  Value RunFold(const Node& node);
  bool RunElement(const FoldPlan& fold, const Value& first, const Value& second);
  void RunElements(const FoldPlan& fold, const Value& range);
  Value RunInSet(const Node& node);
  Value RunOptionalOr(const Node& node, bool is_value);

  Value Resolve(const Attribute& attribute);
  Value ValueOf(const Attribute& attribute);
  Value BaseOf(const Attribute& attribute);
  Value Qualify(Value object, const std::vector<Qualifier>& qualifiers);
  Value KeyOf(const Qualifier& qualifier);
  Qualified Find(const Value& object, const Value& key, bool may_miss);
  Value TestField(const Value& object, const Value& key);

  const Program& program_;
  std::span<const Value> variables_;
  Memory memory_;
  std::uint64_t limit_;
  std::uint64_t cost_ = 0;
  Value* locals_;
  StepObserver* observer_;
};

/// The message of protobuf with these fields, as a value; an error where it has none here. A field
/// is absent where its value is kUnset.
Value MakeMessage(Memory& memory, std::string_view name, std::span<const std::string> fields,
                  std::span<const Value> values);

}  // namespace kube::cel
