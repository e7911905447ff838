#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/cel/checker.h"
#include "kube/cel/cost.h"
#include "kube/cel/environment.h"
#include "kube/cel/value.h"
#include "kube/go/go_regexp.h"

namespace kube::cel {

/// Compiles the text of an expression. The error is what the server says, with lines and carets,
/// e.g. "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^".
base::Result<std::unique_ptr<CheckedExpression>, std::string> Compile(
    const Environment& environment, std::string_view text);

/// One step of a program. What a node refers to stands at an index of the program.
struct Node {
  enum class Op : std::uint8_t {
    kConstant,
    kAttribute,  ///< a variable or a value, and what is selected from it
    kCall,
    kAnd,
    kOr,
    kEquals,
    kNotEquals,
    kList,
    kMap,
    kMessage,
    kFold,
    kInSet,  ///< first argument in a list of constants
    kOptionalOr,
    kOptionalOrValue,
  };

  Op op = Op::kConstant;
  std::uint32_t first = 0;  ///< of the arguments, or the index of what the op needs
  std::uint32_t count = 0;  ///< of the arguments
  Span span;                ///< empty of constants and attributes
  Value constant;
};

/// A name, an index or a key that is selected.
struct Qualifier {
  Value key;                    ///< a constant
  std::int32_t attribute = -1;  ///< not below 0: the key is what this attribute is
  bool is_optional = false;
  bool is_test = false;  ///< has() asks whether it is there
};

/// A value and what is selected from it. Of a conditional both branches are.
struct Attribute {
  enum class Base : std::uint8_t { kVariable, kLocal, kNode, kConditional };

  Base base = Base::kVariable;
  bool is_test = false;       ///< has()
  std::uint32_t index = 0;    ///< of the variable, the local or the node; the condition
  std::uint32_t if_true = 0;  ///< of a conditional: attributes
  std::uint32_t if_false = 0;
  std::uint32_t lazy = 0;  ///< of a local: 1 + the node that makes its first value; 0: none
  Span span;               ///< of the whole
  std::vector<Qualifier> qualifiers;
};

/// A call, with the overload that the checker found; where it found several, all of the function.
struct CallPlan {
  const Function* function = nullptr;
  const Signature* signature = nullptr;  ///< null: chosen by the types of the arguments
  CostRule cost = nullptr;
  std::shared_ptr<const go::GoMatcher> pattern;  ///< of matches() with a constant one
};

struct FoldPlan {
  std::uint32_t range = 0;  ///< nodes
  std::uint32_t init = 0;
  std::uint32_t condition = 0;
  std::uint32_t step = 0;
  std::uint32_t result = 0;
  std::uint32_t accumulator = 0;  ///< locals
  std::uint32_t variable = 0;
  std::int32_t second_variable = -1;
  std::vector<std::string> names;  ///< of the variables
};

struct MessagePlan {
  std::string name;
  std::vector<std::string> fields;
  std::vector<bool> optional;
};

class StepObserver;

/// What an evaluation came to.
struct Evaluation {
  Value value;  ///< an error, too; lives as long as the arena, the variables and the program
  std::uint64_t cost = 0;
  std::uint64_t visits = 0;  ///< how many values it looked at, as Memory counts them
};

/// A compiled expression: flat, evaluated any number of times, by several threads. The
/// environment's function table lives as long as the process does.
class Program {
 public:
  /// The error is what keeps the server from making a program: a constant that cannot be converted,
  /// a pattern that is no regular expression.
  static base::Result<Program, std::string> Make(const Environment& environment,
                                                 const CheckedExpression& checked);

  /// Evaluates with the values of the environment's variables, in their order. Memory that the
  /// result needs comes from `arena`. Stops with kCostLimitExceeded where the cost goes beyond
  /// `limit`, and also where the evaluation takes more memory, or looks at more values, than Memory
  /// lets it: what the server counts cheaply may take it very long.
  /// `observer` is told of the steps; null: nobody is.
  Evaluation Evaluate(std::span<const Value> variables, json::Arena& arena,
                      std::uint64_t limit = kCallCostLimit, StepObserver* observer = nullptr) const;

 private:
  friend class Planner;
  friend class Evaluator;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> args_;
  std::vector<bool> optional_args_;  // of lists and maps, beside args_
  std::vector<Attribute> attributes_;
  std::vector<CallPlan> calls_;
  std::vector<FoldPlan> folds_;
  std::vector<MessagePlan> messages_;
  std::uint32_t root_ = 0;
  std::uint32_t local_count_ = 0;
  std::unique_ptr<json::Arena> constants_ = std::make_unique<json::Arena>();
  std::shared_ptr<TypePool> types_ = std::make_shared<TypePool>();
};

}  // namespace kube::cel
