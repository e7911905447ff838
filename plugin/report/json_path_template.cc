#include "plugin/report/json_path_template.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "kube/go/go_value.h"

namespace plugin::report {
namespace {

using json_path::Bound;
using json_path::Node;
using json_path::Nodes;
using kube::json::Value;

using Values = std::vector<Value>;
using Found = kube::base::Result<Values, std::string>;

kube::base::Unexpected<std::string> Error(std::string text) {
  return kube::base::Unexpected(std::move(text));
}

bool IsInteger(const Value& value) { return kube::json::GoTypeName(value) == "int64"; }

// A number as fmt's %v prints it.
std::string NumberText(const Value& value) {
  const kube::go::Number number = kube::go::ReadNumber(value);
  return number.is_integer ? std::to_string(number.integer) : kube::json::FormatFloatG(number.real);
}

// fmt's %v of what encoding/json makes of a value.
std::string GoText(const Value& value) {
  std::string text;
  switch (value.type()) {
    case kube::json::Type::kNull:
      return "<nil>";
    case kube::json::Type::kBool:
      return value.AsBool() ? "true" : "false";
    case kube::json::Type::kNumber:
      return NumberText(value);
    case kube::json::Type::kString:
      return std::string(value.text());
    case kube::json::Type::kArray:
      for (const Value& element : value.elements()) text.append(" ").append(GoText(element));
      return "[" + text.substr(text.empty() ? 0 : 1) + "]";
    case kube::json::Type::kObject:
      for (const kube::json::Member* member : kube::json::SortedMembers(value)) {
        text.append(" ").append(member->key.text()).append(":").append(GoText(member->value));
      }
      return "map[" + text.substr(text.empty() ? 0 : 1) + "]";
  }
  return text;
}

// What a comparison (text/template's funcs.go) takes for one kind.
enum class Kind { kNone, kBool, kInteger, kReal, kString };

Kind KindOf(const Value& value) {
  if (value.is_bool()) return Kind::kBool;
  if (value.is_string()) return Kind::kString;
  if (value.is_number()) return IsInteger(value) ? Kind::kInteger : Kind::kReal;
  return Kind::kNone;
}

std::partial_ordering CompareSame(const Value& a, const Value& b, Kind kind) {
  if (kind == Kind::kBool) return a.AsBool() <=> b.AsBool();
  if (kind == Kind::kString) return a.text() <=> b.text();
  const kube::go::Number left = kube::go::ReadNumber(a), right = kube::go::ReadNumber(b);
  if (kind == Kind::kInteger) return left.integer <=> right.integer;
  return left.real <=> right.real;
}

bool Holds(std::partial_ordering order, std::string_view comparison) {
  if (comparison == "==") return order == 0;
  if (comparison == "!=") return order != 0;
  if (comparison == "<") return order < 0;
  if (comparison == "<=") return order <= 0;
  return comparison == ">" ? order > 0 : order >= 0;
}

kube::base::Result<bool, std::string> Compare(const Value& a, const std::string& comparison,
                                              const Value& b) {
  const bool is_equality = comparison == "==" || comparison == "!=";
  const bool is_order = comparison == "<" || comparison == "<=" ||  //
                        comparison == ">" || comparison == ">=";
  if (!is_equality && !is_order) return Error("unrecognized filter operator " + comparison);
  const Kind kind = KindOf(a), other = KindOf(b);
  if (kind == Kind::kNone || other == Kind::kNone) return Error("invalid type for comparison");
  if (kind != other) return Error("incompatible types for comparison");
  if (kind == Kind::kBool && is_order) return Error("invalid type for comparison");
  return Holds(CompareSame(a, b, kind), comparison);
}

struct Range {
  long first, end;
};

// Which elements of `length` are meant; the error where there are no such.
kube::base::Result<Range, std::string> Resolve(const Bound& first, const Bound& end, long length) {
  Range range{first.is_known ? first.value : 0, end.is_known ? end.value : length};
  if (range.first < 0) range.first += length;
  if (range.end < 0 || (range.end == 0 && end.is_derived)) range.end += length;
  if (range.first == range.end) return range;  // asking for nothing is always right
  const auto out_of_bounds = [length](long index) {
    return Error("array index out of bounds: index " + std::to_string(index) + ", length " +
                 std::to_string(length));
  };
  if (range.first >= length || range.first < 0) return out_of_bounds(range.first);
  if (range.end > length || range.end < 0) return out_of_bounds(range.end - 1);
  if (range.first > range.end) {
    return Error("starting index " + std::to_string(range.first) +
                 " is greater than ending index " + std::to_string(range.end));
  }
  return range;
}

// What a template may find and print: each range without an end, and each ".." behind another,
// multiplies it (kubectl would go on until the memory is used up).
constexpr std::size_t kMostValues = 20'000;
constexpr std::size_t kMostBytes = 64 * 1024 * 1024;
constexpr std::size_t kMostTimes = 4;  // that again of all there is in the object
constexpr char kTooMuch[] = "the template finds too much; end each {range} by {end}";

/// The values within a value, itself included, and the bytes of their texts.
std::size_t SizeOf(const Value& value) {
  if (value.is_string() || value.is_number()) return 1 + value.text().size();
  std::size_t size = 1;
  if (value.is_array()) {
    for (const Value& element : value.elements()) size += SizeOf(element);
  } else if (value.is_object()) {
    for (const kube::json::Member& member : value.members()) {
      size += member.key.text().size() + SizeOf(member.value);
    }
  }
  return size;
}

/// Looks for what a template names, in one object.
class Walker {
 public:
  /// Finds no more than `most` values, on the way too.
  Walker(const json_path::Actions& actions, bool allow_missing_keys, std::size_t most)
      : actions_(actions), allow_missing_keys_(allow_missing_keys), left_(most) {}

  /// What each of the actions finds, repeated as ranges say.
  kube::base::Result<std::vector<Values>, std::string> FindAll(const Value& object) {
    return FindFrom(0, {object});
  }

 private:
  kube::base::Result<std::vector<Values>, std::string> FindFrom(std::size_t first,
                                                                const Values& current) {
    std::vector<Values> all;
    for (std::size_t i = first; i < actions_.size(); ++i) {
      Found found = Walk(actions_[i], current);
      if (!found) return kube::base::Unexpected(std::move(found).error());
      if (ended_ > 0 && ended_ <= open_) {
        --ended_;
        last_end_ = i;
        break;
      }
      if (begun_ == 0) {
        all.push_back(*std::move(found));
        continue;
      }
      --begun_;
      if (auto error = Repeat(i + 1, *found, all)) return kube::base::Unexpected(*std::move(error));
      if (last_end_ > i) i = last_end_;
    }
    return all;
  }

  // Of no elements nothing is printed, but the end of the range is to be found all the same.
  std::optional<std::string> Repeat(std::size_t first, const Values& elements,
                                    std::vector<Values>& all) {
    ++open_;
    last_end_ = 0;
    if (elements.empty()) {
      const auto nothing = FindFrom(first, {Value()});
      if (!nothing) return nothing.error();
    }
    for (const Value& element : elements) {
      auto found = FindFrom(first, {element});
      if (!found) return std::move(found).error();
      std::ranges::move(*found, std::back_inserter(all));
    }
    --open_;
    return std::nullopt;
  }

  Found Walk(const Nodes& nodes, Values current) {
    for (const Node& node : nodes) {
      Found next = std::visit([&](const auto& n) { return Step(n, current); }, node.value);
      if (!next) return next;
      if (!Spend(1 + next->size())) return Error(kTooMuch);
      current = *std::move(next);
    }
    return current;
  }

  bool Spend(std::size_t values) {
    left_ -= std::min(left_, values);
    return left_ > 0;
  }

  Found Step(const json_path::Text& node, const Values&) {
    return Values{Value::String(node.text)};
  }
  Found Step(const json_path::Number& node, const Values& current) {
    return Values(current.size(), Value::Number(node.text));
  }
  Found Step(const json_path::Bool& node, const Values& current) {
    return Values(current.size(), Value::Bool(node.value));
  }

  Found Step(const json_path::Field& node, const Values& current) {
    Values found;
    for (const Value& value : current) {
      if (const Value* field = value.Find(node.name)) found.push_back(*field);
    }
    if (!found.empty() || current.empty() || allow_missing_keys_) return found;
    return Error(node.name + " is not found");
  }

  Found Step(const json_path::Slice& node, const Values& current) {
    Values found;
    for (const Value& value : current) {
      if (value.is_null()) continue;
      if (!value.is_array()) {
        return Error(std::string(kube::json::GoTypeName(value)) + " is not array or slice");
      }
      const auto range =
          Resolve(node.bounds[0], node.bounds[1], static_cast<long>(value.elements().size()));
      if (!range) return kube::base::Unexpected(range.error());
      if (range->first == range->end) return found;
      const Bound& step = node.bounds[2];
      if (step.is_known && step.value <= 0) return Error("step must be > 0");
      Append(found, value.elements(), *range, step.is_known ? step.value : 1);
      if (found.size() > left_) return Error(kTooMuch);
    }
    return found;
  }

  static void Append(Values& found, std::span<const Value> elements, Range range, long step) {
    for (long i = range.first;; i += step) {
      found.push_back(elements[static_cast<std::size_t>(i)]);
      if (step >= range.end - i) return;
    }
  }

  Found Step(const json_path::Filter& node, const Values& current) {
    Values found;
    for (const Value& value : current) {
      if (!value.is_array()) {
        return Error(GoText(value) + " is not array or slice and cannot be filtered");
      }
      for (const Value& element : value.elements()) {
        const auto passes = Passes(node, element);
        if (!passes) return kube::base::Unexpected(passes.error());
        if (*passes) found.push_back(element);
      }
      if (found.size() > left_) return Error(kTooMuch);
    }
    return found;
  }

  kube::base::Result<bool, std::string> Passes(const json_path::Filter& filter,
                                               const Value& element) {
    const Found left = Walk(filter.left, {element});
    if (filter.comparison == "exists") return left && !left->empty();
    if (!left) return kube::base::Unexpected(left.error());
    if (left->empty()) return false;
    if (left->size() > 1) return Error("can only compare one element at a time");
    const Found right = Walk(filter.right, {element});
    if (!right) return kube::base::Unexpected(right.error());
    if (right->empty()) return false;
    if (right->size() > 1) return Error("can only compare one element at a time");
    return Compare(left->front(), filter.comparison, right->front());
  }

  Found Step(const json_path::Wildcard&, const Values& current) {
    Values found;
    for (const Value& value : current) {
      std::ranges::move(ChildrenOf(value), std::back_inserter(found));
      if (found.size() > left_) return Error(kTooMuch);
    }
    return found;
  }

  // Go takes a string for its bytes.
  Values ChildrenOf(const Value& value) {
    if (value.is_array()) return {value.elements().begin(), value.elements().end()};
    Values children;
    for (const kube::json::Member* member : kube::json::SortedMembers(value))
      children.push_back(member->value);
    if (!value.is_string()) return children;
    for (const char c : value.text()) {
      children.push_back(Value::Number(static_cast<unsigned char>(c), arena_));
    }
    return children;
  }

  Found Step(const json_path::Descent&, const Values& current) {
    Values found;
    for (const Value& value : current) {
      AppendContainers(value, found);
      if (found.size() > left_) return Error(kTooMuch);
    }
    return found;
  }

  // Everything that has something in it, a string included.
  void AppendContainers(const Value& value, Values& found) {
    if (value.is_string()) {
      if (!value.text().empty()) found.push_back(value);
      return;
    }
    if (value.empty()) return;
    found.push_back(value);
    for (const Value& child : ChildrenOf(value)) AppendContainers(child, found);
  }

  Found Step(const json_path::Union& node, const Values& current) {
    Values all;
    for (const Nodes& part : node.parts) {
      Found found = Walk(part, current);
      if (!found) return found;
      std::ranges::move(*found, std::back_inserter(all));
    }
    return all;
  }

  Found Step(const json_path::Identifier& node, const Values& current) {
    if (node.name == "range") {
      ++begun_;
      return current;
    }
    if (node.name != "end") return Error("unrecognized identifier " + node.name);
    if (open_ == 0) return Error("not in range, nothing to end");
    ++ended_;
    return Values();
  }

  const json_path::Actions& actions_;
  const bool allow_missing_keys_;
  std::size_t left_;  // values to be found
  kube::json::Arena arena_;
  int begun_ = 0, open_ = 0, ended_ = 0;  // ranges
  std::size_t last_end_ = 0;              // the action that ended one last
};

/// Appends what was found to `text`; false where it becomes longer than `most`.
bool AddText(std::string& text, const Values& values, std::size_t most) {
  for (const Value& value : values) {
    if (&value != &values.front()) text += ' ';
    if (value.is_array() || value.is_object()) {
      kube::json::PrintTo(text, value);
    } else {
      text += value.is_null() ? "null" : GoText(value);
    }
    if (text.size() > most) return false;
  }
  return true;
}

bool AddJson(std::string& text, Values values, std::size_t most) {
  std::size_t size = text.size();
  for (const Value& value : values) size += SizeOf(value);
  if (size > most) return false;
  text += kube::json::PrintIndented(Value::Array(values.data(), values.size())) + "\n";
  return text.size() <= most;
}

}  // namespace

kube::base::Result<JsonPathTemplate, std::string> JsonPathTemplate::Parse(std::string_view text) {
  auto actions = json_path::ParseActions(text);
  if (!actions) return kube::base::Unexpected(std::move(actions).error());
  return JsonPathTemplate(*std::move(actions));
}

kube::base::Result<std::string, std::string> JsonPathTemplate::Print(
    const kube::json::Value& object, Style style, bool allow_missing_keys) const {
  const std::size_t size = SizeOf(object);
  Walker walker(actions_, allow_missing_keys, kMostValues + kMostTimes * size);
  auto found = walker.FindAll(object);
  if (!found) return kube::base::Unexpected(std::move(found).error());
  const std::size_t most = kMostBytes + kMostTimes * size;
  std::string text;
  for (Values& values : *found) {
    const bool fits = style == Style::kJson ? AddJson(text, std::move(values), most)
                                            : AddText(text, values, most);
    if (!fits) return Error(kTooMuch);
  }
  return text;
}

}  // namespace plugin::report
