#include "kube/cel/estimate.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/cel/macros.h"
#include "kube/cel/operators.h"

namespace kube::cel {
namespace {

using KnownSize = std::optional<Range>;

/// The sizes of the keys or positions of a container, and of its values.
struct EntrySizes {
  bool is_list = false;
  Range key;
  Range value;
};
using Entries = std::optional<EntrySizes>;

Entries Union(const Entries& a, const Entries& b) {
  if (!a || !b) return std::nullopt;
  return EntrySizes{a->is_list, a->key.Union(b->key), a->value.Union(b->value)};
}

/// A variable of a macro.
struct Local {
  std::string name;
  ValuePath path;
  KnownSize size;
  Entries entries;
};

KnownSize LiteralSize(const Expr& expr) {
  if (expr.kind == Expr::Kind::kList) return Range::Fixed(expr.args.size());
  if (expr.kind == Expr::Kind::kMap) return Range::Fixed(expr.entries.size());
  if (expr.kind != Expr::Kind::kLiteral) return std::nullopt;
  const std::string& text = expr.constant.text;
  if (expr.constant.kind == Constant::Kind::kString) {
    return Range::Fixed(static_cast<std::uint64_t>(base::utf8::CountCharacters(text)));
  }
  return Range::Fixed(expr.constant.kind == Constant::Kind::kBytes ? text.size() : 1);
}

bool IsScalar(TypeRef type) {
  switch (type->kind) {
    case Type::Kind::kBool:
    case Type::Kind::kDouble:
    case Type::Kind::kDuration:
    case Type::Kind::kInt:
    case Type::Kind::kTimestamp:
    case Type::Kind::kUint:
      return true;
    default:
      return IsOptional(type) && IsScalar(type->params[0]);
  }
}

ValuePath Below(ValuePath path, std::string name) {
  path.push_back(std::move(name));
  return path;
}

class Estimator {
 public:
  Estimator(const CheckedExpression& checked, const SizeSource* sizes)
      : checked_(checked), sizes_(sizes), paths_(checked.ast->id_count()) {}

  Range Cost(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kIdent:
        SetPath(expr, IdentPath(expr.name));
        return Range::Fixed(1);
      case Expr::Kind::kSelect:
        return SelectCost(expr);
      case Expr::Kind::kCall:
        return CallCost(expr);
      case Expr::Kind::kList:
        return ListCost(expr);
      case Expr::Kind::kMap:
        return MapCost(expr);
      case Expr::Kind::kMessage: {
        Range sum = Range::Fixed(0);
        for (const Entry& entry : expr.entries) sum = sum + Cost(*entry.value);
        return sum + Range::Fixed(kMessageCost);
      }
      case Expr::Kind::kComprehension:
        return IsBind(*expr.comprehension) ? BindCost(expr) : FoldCost(expr);
      default:
        return Range::Fixed(0);
    }
  }

 private:
  // ---- What is known of a node.

  const Local* FindLocal(std::string_view name) const {
    const auto at = std::find_if(locals_.rbegin(), locals_.rend(),
                                 [&](const Local& local) { return local.name == name; });
    return at == locals_.rend() ? nullptr : &*at;
  }
  ValuePath IdentPath(const std::string& name) const {
    const Local* local = FindLocal(name);
    return local != nullptr ? local->path : ValuePath{name};
  }
  ValuePath Path(const Expr& expr) const {
    if (expr.kind == Expr::Kind::kIdent) {
      if (const Local* local = FindLocal(expr.name)) return local->path;
    }
    return paths_[static_cast<std::size_t>(expr.id)];
  }
  /// The same for an operand that only its selection asks for: chains of selections would keep the
  /// paths of all their parts.
  ValuePath TakePath(const Expr& expr) {
    if (expr.kind == Expr::Kind::kIdent && FindLocal(expr.name) != nullptr) return Path(expr);
    return std::exchange(paths_[static_cast<std::size_t>(expr.id)], {});
  }
  void SetPath(const Expr& expr, ValuePath path) {
    paths_[static_cast<std::size_t>(expr.id)] = std::move(path);
  }

  KnownSize SizeOf(const Expr& expr) {
    const auto known = known_sizes_.find(expr.id);
    if (known != known_sizes_.end()) return known->second;
    if (const KnownSize literal = LiteralSize(expr)) return literal;
    if (sizes_ != nullptr) {
      if (const KnownSize size = sizes_->SizeAt(Path(expr))) {
        known_sizes_[expr.id] = *size;
        return size;
      }
    }
    if (IsScalar(checked_.TypeOf(expr))) return Range::Fixed(1);
    if (expr.kind != Expr::Kind::kIdent) return std::nullopt;
    const Local* local = FindLocal(expr.name);
    return local == nullptr ? std::nullopt : local->size;
  }
  Range SizeOrAny(const Expr& expr) { return SizeOf(expr).value_or(Range()); }
  void SetSize(const Expr& expr, const KnownSize& size) {
    if (size) known_sizes_[expr.id] = *size;
  }

  Entries EntriesOf(const Expr& expr) const {
    const auto known = known_entries_.find(expr.id);
    if (known != known_entries_.end()) return known->second;
    if (expr.kind != Expr::Kind::kIdent) return std::nullopt;
    const Local* local = FindLocal(expr.name);
    return local == nullptr ? std::nullopt : local->entries;
  }
  void SetEntries(const Expr& expr, const Entries& entries) {
    if (entries) known_entries_[expr.id] = *entries;
  }

  CostNode Node(const Expr& expr) {
    CostNode node;
    node.type = checked_.TypeOf(expr);
    node.expr = &expr;
    node.path = Path(expr);
    // Nothing is known of where an accumulator comes from.
    if (!node.path.empty() && (node.path[0] == kAccumulator || node.path[0] == "__result__")) {
      node.path.clear();
    }
    node.size = SizeOf(expr);
    return node;
  }

  // ---- Costs of nodes.

  Range SelectCost(const Expr& expr) {
    Range sum = Cost(*expr.target);
    if (expr.is_test) return sum;
    switch (checked_.TypeOf(*expr.target)->kind) {
      case Type::Kind::kMap:
      case Type::Kind::kStruct:
      case Type::Kind::kTypeParam:
        sum = sum + Range::Fixed(1);
        break;
      default:
        break;
    }
    SetPath(expr, Below(TakePath(*expr.target), expr.name));
    return sum;
  }

  Range ListCost(const Expr& expr) {
    Range sum = Range::Fixed(0);
    Range item{expr.args.empty() ? 0 : kUnbounded, 0};
    for (const Expr* arg : expr.args) {
      sum = sum + Cost(*arg);
      item = item.Union(SizeOrAny(*arg));
    }
    SetEntries(expr, EntrySizes{true, Range::Fixed(1), item});
    return sum + Range::Fixed(kListCost);
  }

  Range MapCost(const Expr& expr) {
    Range sum = Range::Fixed(0);
    const std::uint64_t least = expr.entries.empty() ? 0 : kUnbounded;
    EntrySizes sizes{false, {least, 0}, {least, 0}};
    for (const Entry& entry : expr.entries) {
      sum = sum + Cost(*entry.key);
      sum = sum + Cost(*entry.value);
      sizes.key = sizes.key.Union(SizeOrAny(*entry.key));
      sizes.value = sizes.value.Union(SizeOrAny(*entry.value));
    }
    SetEntries(expr, sizes);
    return sum + Range::Fixed(kMapCost);
  }

  static bool IsBind(const Comprehension& fold) {
    return fold.range->kind == Expr::Kind::kList && fold.range->args.empty() &&
           fold.condition->kind == Expr::Kind::kLiteral &&
           fold.condition->constant.kind == Constant::Kind::kBool &&
           !fold.condition->constant.boolean && fold.accumulator != "__result__";
  }

  void PushBound(const std::string& name, const Expr& value) {
    locals_.push_back({name, Path(value), SizeOf(value), EntriesOf(value)});
  }

  Range BindCost(const Expr& expr) {
    const Comprehension& fold = *expr.comprehension;
    Range sum = Cost(*fold.range) + Cost(*fold.init);
    PushBound(fold.accumulator, *fold.init);
    sum = sum + Cost(*fold.result);
    locals_.pop_back();
    SetSize(expr, SizeOf(*fold.result));
    SetEntries(expr, EntriesOf(*fold.result));
    return sum;
  }

  /// The variables of a fold, whose sizes are those of the entries of its range.
  void PushVariables(const Comprehension& fold) {
    const Entries entries = EntriesOf(*fold.range);
    const bool is_list =
        entries ? entries->is_list : checked_.TypeOf(*fold.range)->kind == Type::Kind::kList;
    const ValuePath path = Path(*fold.range);
    const KnownSize key = entries ? KnownSize(entries->key) : std::nullopt;
    const KnownSize value = entries ? KnownSize(entries->value) : std::nullopt;
    if (fold.second_variable.empty()) {
      locals_.push_back({fold.variable, Below(path, is_list ? "@items" : "@keys"),
                         is_list ? value : key, std::nullopt});
      return;
    }
    locals_.push_back(
        {fold.variable, Below(path, is_list ? "@indices" : "@keys"), key, std::nullopt});
    locals_.push_back(
        {fold.second_variable, Below(path, is_list ? "@items" : "@values"), value, std::nullopt});
  }

  Range FoldCost(const Expr& expr) {
    const Comprehension& fold = *expr.comprehension;
    Range sum = Cost(*fold.range) + Cost(*fold.init);
    PushBound(fold.accumulator, *fold.init);
    const std::size_t outer = locals_.size();
    PushVariables(fold);
    const Range condition = Cost(*fold.condition);
    const Range step = Cost(*fold.step);
    locals_.resize(outer);
    sum = sum + Cost(*fold.result);
    locals_.pop_back();
    const Range count = SizeOrAny(*fold.range);
    sum = sum + count * (step + condition);
    if (fold.init->kind == Expr::Kind::kLiteral) SetSize(expr, SizeOf(*fold.init));
    if (fold.init->kind == Expr::Kind::kList || fold.init->kind == Expr::Kind::kMap) {
      SetSize(expr, count);
      SetEntries(expr, EntriesOf(*fold.step));
    }
    return sum;
  }

  // ---- Calls.

  Range CallCost(const Expr& expr) {
    if (expr.name == "dyn") {
      const Range cost = Cost(*expr.args[0]);
      SetSize(expr, SizeOf(*expr.args[0]));
      SetEntries(expr, EntriesOf(*expr.args[0]));
      return cost + Range::Fixed(1);
    }
    std::vector<Range> costs;
    EstimatedCall call;
    call.sizes = sizes_;
    for (const Expr* arg : expr.args) {
      costs.push_back(Cost(*arg));
      call.args.push_back(Node(*arg));
    }
    const auto& signatures = checked_.ReferenceOf(expr).signatures;
    if (signatures.empty()) return Range::Fixed(0);
    Range sum = Range::Fixed(0);
    CostNode target;
    if (expr.target != nullptr) {
      sum = Cost(*expr.target);
      target = Node(*expr.target);
      call.target = &target;
    }
    Range cost{kUnbounded, 0};
    KnownSize size;
    for (const Signature* signature : signatures) {
      const CallEstimate estimate = OverloadCost(expr, *signature->overload, call, costs);
      cost = cost.Union(estimate.cost);
      if (estimate.size) size = size ? size->Union(*estimate.size) : *estimate.size;
      AddElementPath(expr, signature->overload->id, size);
      if (!size) size = SizeOf(expr);
    }
    if (expr.name == operators::kIndex) TakePath(*expr.args[0]);
    SetSize(expr, size);
    return sum + cost;
  }

  void AddElementPath(const Expr& expr, std::string_view overload, KnownSize& size) {
    if (overload != "index_list" && overload != "index_map") return;
    const Entries entries = EntriesOf(*expr.args[0]);
    size = entries ? KnownSize(entries->value) : std::nullopt;
    SetPath(expr, Below(Path(*expr.args[0]), overload == "index_list" ? "@items" : "@values"));
  }

  CallEstimate OverloadCost(const Expr& expr, const Overload& overload, const EstimatedCall& call,
                            const std::vector<Range>& costs) {
    Range args = Range::Fixed(0);
    for (const Range& cost : costs) args = args + cost;
    if (overload.id == "logical_and" || overload.id == "logical_or") {
      return {Range{costs[0].min, (costs[0] + costs[1]).max}, std::nullopt};
    }
    if (overload.id == "conditional") return ConditionalCost(expr, call, costs);
    if (overload.id == "add_string" || overload.id == "add_bytes" || overload.id == "add_list") {
      return SumCost(expr, overload, call, args);
    }
    if (overload.id == "equals") {
      if (const auto special = OpaqueEqualsCost(call)) return {*special + args, std::nullopt};
    }
    std::optional<CallEstimate> estimate;
    if (overload.estimate != nullptr) estimate = overload.estimate(call);
    if (!estimate) return {Range::Fixed(1) + args, std::nullopt};
    return {estimate->cost + args, estimate->size};
  }

  CallEstimate ConditionalCost(const Expr& expr, const EstimatedCall& call,
                               const std::vector<Range>& costs) {
    SetEntries(expr, Union(EntriesOf(*expr.args[1]), EntriesOf(*expr.args[2])));
    const Range size =
        call.args[1].size.value_or(Range()).Union(call.args[2].size.value_or(Range()));
    return {costs[0] + costs[1].Union(costs[2]), size};
  }

  CallEstimate SumCost(const Expr& expr, const Overload& overload, const EstimatedCall& call,
                       Range args) {
    const Range size = call.args[0].size.value_or(Range()) + call.args[1].size.value_or(Range());
    SetEntries(expr, Union(EntriesOf(*expr.args[0]), EntriesOf(*expr.args[1])));
    const bool is_list = overload.id == "add_list";
    return {(is_list ? Range::Fixed(1) : size.Scale(kStringFactor)) + args, size};
  }

  /// == of values of the libraries.
  static std::optional<Range> OpaqueEqualsCost(const EstimatedCall& call) {
    constexpr std::uint64_t kLongestFormat = 64;
    const TypeRef type = call.args[0].type;
    if (type->name != call.args[1].type->name) return std::nullopt;
    const std::string_view name = type->name;
    if (name == "net.IP" || name == "net.CIDR" || name == "kubernetes.Quantity" ||
        name == "kubernetes.Semver" || name.starts_with("kubernetes.authorization.")) {
      return Range::Fixed(1);
    }
    if (name == "kubernetes.NamedFormat") return Range{1, kLongestFormat}.Scale(kStringFactor);
    if (name != "kubernetes.URL") return std::nullopt;
    const std::uint64_t most = call.args[1].size ? call.args[1].size->max : 1;
    return Range{1, most}.Scale(kStringFactor);
  }

  const CheckedExpression& checked_;
  const SizeSource* sizes_;
  std::vector<ValuePath> paths_;  // by id
  std::unordered_map<std::int64_t, Range> known_sizes_;
  std::unordered_map<std::int64_t, EntrySizes> known_entries_;
  std::vector<Local> locals_;  // the innermost last
};

}  // namespace

Range EstimateCost(const CheckedExpression& checked, const SizeSource* sizes) {
  return Estimator(checked, sizes).Cost(*checked.ast->root);
}

}  // namespace kube::cel
