// The strings extension of cel-go, version 2 (ext/strings.go). Positions count characters.
#include <algorithm>
#include <string>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/cel/format_text.h"
#include "kube/cel/function.h"
#include "kube/go/go_printable.h"

namespace kube::cel {
namespace {

std::int64_t Characters(std::string_view text) { return base::utf8::CountCharacters(text); }

/// The byte at which the character `index` begins; `index` is no more than there are.
std::size_t ByteOf(std::string_view text, std::int64_t index) {
  std::size_t at = 0;
  while (index > 0) {
    at += std::max<std::size_t>(base::DecodeRune(text.substr(at)).size, 1);
    --index;
  }
  return at;
}

Value OutOfRange(Memory& memory, std::int64_t index) {
  return memory.Error("index out of range: " + std::to_string(index));
}

Value CharAt(Memory& memory, Args args) {
  const std::string_view text = args[0].text();
  const std::int64_t index = args[1].integer;
  const std::int64_t size = Characters(text);
  if (index < 0 || index > size) return OutOfRange(memory, index);
  if (index == size) return Value::String("");
  const std::string_view rest = text.substr(ByteOf(text, index));
  return Value::String(rest.substr(0, base::DecodeRune(rest).size));
}

Value IndexOfText(Memory& memory, Args args) {
  const std::string_view text = args[0].text();
  const std::string_view part = args[1].text();
  const std::int64_t offset = args.size() == 3 ? args[2].integer : 0;
  if (offset < 0) return OutOfRange(memory, offset);
  const std::int64_t size = Characters(text);
  if (part.empty()) return Value::Int(std::min(offset, size));
  if (offset >= size) return Value::Int(-1);
  const std::size_t found = base::FindText(text, part, ByteOf(text, offset));
  return Value::Int(found == std::string_view::npos ? -1 : Characters(text.substr(0, found)));
}

/// std::string_view::rfind in linear time: what comes last comes first from behind.
std::size_t FindLast(std::string_view text, std::string_view part, std::size_t from) {
  if (part.size() > text.size()) return std::string_view::npos;
  const std::string_view searched = text.substr(0, std::min(from, text.size()) + part.size());
  const std::string backwards(searched.rbegin(), searched.rend());
  const std::size_t found = base::FindText(backwards, std::string(part.rbegin(), part.rend()));
  return found == std::string_view::npos ? found : searched.size() - found - part.size();
}

Value LastIndexOfText(Memory& memory, Args args) {
  const std::string_view text = args[0].text();
  const std::string_view part = args[1].text();
  const std::int64_t size = Characters(text);
  if (args.size() == 2) {
    if (part.empty()) return Value::Int(size);
    if (text.size() < part.size()) return Value::Int(-1);
  }
  const std::int64_t offset = args.size() == 3 ? args[2].integer : size - 1;
  if (offset < 0) return OutOfRange(memory, offset);
  if (part.empty()) return Value::Int(std::min(offset, size));
  if (offset >= size) return Value::Int(-1);
  const std::size_t found = FindLast(text, part, ByteOf(text, offset));
  return Value::Int(found == std::string_view::npos ? -1 : Characters(text.substr(0, found)));
}

template <char from, char to, char first>
Value ChangeCase(Memory& memory, Args args) {
  const std::string_view text = args[0].text();
  char* changed = memory.Take<char>(text.size());
  std::transform(text.begin(), text.end(), changed, [](char c) {
    return c >= from && c <= to ? static_cast<char>(c - from + first) : c;
  });
  return Value::String({changed, text.size()});
}

/// strings.Replace: `count` times at most.
std::string Replace(std::string_view text, std::string_view old, std::string_view with,
                    std::int64_t count) {
  std::string out;
  std::size_t at = 0;
  for (; count != 0 && out.size() <= kLongestText; --count) {
    if (old.empty()) {
      // Before every character and at the end.
      out += with;
      if (at >= text.size()) return out;
      const std::size_t size = base::DecodeRune(text.substr(at)).size;
      out += text.substr(at, size);
      at += size;
      continue;
    }
    const std::size_t found = base::FindText(text, old, at);
    if (found == std::string_view::npos) break;
    out += text.substr(at, found - at);
    out += with;
    at = found + old.size();
  }
  out += text.substr(at);
  return out;
}

Value ReplaceAll(Memory& memory, Args args) {
  const std::int64_t count = MostOf(args, 3);
  if (args[1].text() == args[2].text()) return args[0];
  const std::string text = Replace(args[0].text(), args[1].text(), args[2].text(), count);
  return text.size() > kLongestText ? Value::Error(kCostLimitExceeded) : memory.String(text);
}

/// strings.SplitN.
Value SplitText(Memory& memory, Args args) {
  std::string_view rest = args[0].text();
  const std::string_view separator = args[1].text();
  std::int64_t count = MostOf(args, 2);
  const Value list = memory.NewList();
  if (count == 0) return list;
  if (separator.empty()) {
    for (; !rest.empty() && count != 1; --count) {
      const std::size_t size = base::DecodeRune(rest).size;
      memory.Append(list, Value::String(rest.substr(0, size)));
      rest.remove_prefix(size);
    }
    if (!rest.empty()) memory.Append(list, Value::String(rest));
    return list;
  }
  for (; count != 1; --count) {
    const std::size_t found = base::FindText(rest, separator);
    if (found == std::string_view::npos) break;
    memory.Append(list, Value::String(rest.substr(0, found)));
    rest.remove_prefix(found + separator.size());
  }
  memory.Append(list, Value::String(rest));
  return list;
}

Value Substring(Memory& memory, Args args) {
  const std::string_view text = args[0].text();
  const std::int64_t size = Characters(text);
  const std::int64_t start = args[1].integer;
  const std::int64_t end = args.size() == 3 ? args[2].integer : size;
  if (args.size() == 3 && start > end) {
    return memory.Error("invalid substring range. start: " + std::to_string(start) +
                        ", end: " + std::to_string(end));
  }
  if (start < 0 || start > size) return OutOfRange(memory, start);
  if (end < 0 || end > size) return OutOfRange(memory, end);
  const std::size_t first = ByteOf(text, start);
  return Value::String(text.substr(first, ByteOf(text.substr(first), end - start)));
}

Value Trim(Memory& /*memory*/, Args args) { return Value::String(go::TrimGoSpace(args[0].text())); }

Value FormatText(Memory& memory, Args args) {
  const Value& values = args[1];
  FormatReader reader(args[0].text());
  std::string out;
  while (true) {
    if (out.size() > kLongestText) return Value::Error(kCostLimitExceeded);
    switch (reader.Next(ListSize(values))) {
      case FormatReader::Step::kEnd:
        return memory.String(out);
      case FormatReader::Step::kError:
        return memory.Error(reader.error());
      case FormatReader::Step::kText:
        out += reader.text();
        break;
      case FormatReader::Step::kClause: {
        const Value value = ListItem(memory, values, static_cast<std::uint32_t>(reader.argument()));
        const auto text = FormatArgument(memory, reader.clause(), value);
        if (!text) return memory.Error("error during formatting: " + text.error());
        memory.VisitText(std::string_view(*text));
        out += *text;
        break;
      }
    }
  }
}

Value Quote(Memory& memory, Args args) {
  std::string out = "\"";
  for (const char c : base::utf8::Sanitize(args[0].text())) {
    constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view kLetters = "abfnrtv\\\"";
    const std::size_t at = kEscaped.find(c);
    if (at != std::string_view::npos) {
      out += '\\';
      out += kLetters[at];
    } else {
      out += c;
    }
  }
  return memory.String(out += '"');
}

Value Join(Memory& memory, Args args) {
  const std::string_view separator = args.size() == 2 ? args[1].text() : std::string_view();
  memory.Visit(ListSize(args[0]));
  std::string out;
  for (std::uint32_t i = 0; i < ListSize(args[0]); ++i) {
    if (i > 0) out += separator;
    const Value item = ListItem(memory, args[0], i);
    if (item.kind == Value::Kind::kNull) return Value::Error("join: invalid input: 0");
    if (!item.is_string()) return memory.Error("join: invalid input: " + Describe(item));
    out += item.text();
    if (out.size() > kLongestText) return Value::Error(kCostLimitExceeded);
  }
  return memory.String(out);
}

// ---- Costs (apiserver/pkg/cel/library/cost.go).

std::optional<CallEstimate> EstimateReplace(const EstimatedCall& call) {
  const Range size = call.Size(*call.target);
  const Range old = call.Size(call.args[0]);
  const Range with = call.Size(call.args[1]);
  const auto divide = [](std::uint64_t a, std::uint64_t b) {
    const double quotient = static_cast<double>(a) / static_cast<double>(b);
    return ScaleCost(1, quotient);
  };
  Range count = Range::Fixed(0);
  Range kept = Range::Fixed(0);
  if (old.min == 0) {
    count.max = AddCost(size.max, 1);
    kept.max = size.max;
  } else if (with.max <= old.min) {
    kept.max = size.max;
  } else {
    count.max = divide(size.max, old.min);
  }
  if (old.max == 0) {
    count.min = AddCost(size.min, 1);
    kept.min = size.min;
  } else if (old.max <= with.min) {
    kept.min = size.min;
  } else {
    count.min = divide(size.min, old.max);
  }
  return CallEstimate{size.Scale(2 * kStringFactor), count * with + kept};
}

std::optional<CallEstimate> EstimateSplit(const EstimatedCall& call) {
  const Range size = call.Size(*call.target);
  std::uint64_t most = size.max;
  if (call.args.size() > 1 && call.args[1].expr != nullptr &&
      call.args[1].expr->kind == Expr::Kind::kLiteral &&
      call.args[1].expr->constant.kind == Constant::Kind::kInt) {
    most = static_cast<std::uint64_t>(call.args[1].expr->constant.integer);
  }
  return CallEstimate{size.Scale(2 * kStringFactor), Range{0, most}};
}

std::optional<CallEstimate> EstimateJoin(const EstimatedCall& call) {
  const Range count = call.Size(*call.target);
  Range size = Range::Fixed(0);
  if (const auto element = call.Element(*call.target)) size = count * call.Size(*element);
  if (!call.args.empty()) {
    const Range separators{count.min > 0 ? count.min - 1 : 0, count.max > 0 ? count.max - 1 : 0};
    size = size + call.Size(call.args[0]) * separators;
  }
  return CallEstimate{size.Scale(kStringFactor), size};
}

std::uint64_t CostJoin(Memory& /*memory*/, Args /*args*/, const Value& result) {
  return ScaleCost(CostSize(result), 2 * kStringFactor);
}

std::optional<CallEstimate> EstimateFormat(const EstimatedCall& call) {
  return CallEstimate{call.target->size.value_or(Range()).Scale(kStringFactor), std::nullopt};
}

std::optional<CallEstimate> EstimateQuote(const EstimatedCall& call) {
  const Range size = call.args[0].size.value_or(Range());
  return CallEstimate{size.Scale(kStringFactor), Range{size.min + 2, size.max * 2 + 2}};
}

constexpr base::Release kStringsVersion2Since{1, 29};  // format(), strings.quote()

}  // namespace

std::int64_t MostOf(Args args, std::size_t index) {
  const bool has_limit = index < args.size() && args[index].integer >= 0;
  return has_limit ? args[index].integer : INT64_MAX;
}

std::span<const Overload> StringLibrary() {
  static const std::vector<Overload> rows = {
      {"charAt", "string_char_at_int", true, "string, int", "string", CharAt},
      {"indexOf", "string_index_of_string", true, "string, string", "int", IndexOfText,
       EstimateListScan, CostListScan, true},
      {"indexOf", "string_index_of_string_int", true, "string, string, int", "int", IndexOfText,
       EstimateListScan, CostListScan, true},
      {"lastIndexOf", "string_last_index_of_string", true, "string, string", "int", LastIndexOfText,
       EstimateListScan, CostListScan, true},
      {"lastIndexOf", "string_last_index_of_string_int", true, "string, string, int", "int",
       LastIndexOfText, EstimateListScan, CostListScan, true},
      {"lowerAscii", "string_lower_ascii", true, "string", "string", ChangeCase<'A', 'Z', 'a'>,
       EstimateTransform, CostTraversal, true},
      {"upperAscii", "string_upper_ascii", true, "string", "string", ChangeCase<'a', 'z', 'A'>,
       EstimateTransform, CostTraversal, true},
      {"replace", "string_replace_string_string", true, "string, string, string", "string",
       ReplaceAll, EstimateReplace, CostDoubleTraversal, true},
      {"replace", "string_replace_string_string_int", true, "string, string, string, int", "string",
       ReplaceAll, EstimateReplace, CostDoubleTraversal, true},
      {"split", "string_split_string", true, "string, string", "list(string)", SplitText,
       EstimateSplit, CostDoubleTraversal, true},
      {"split", "string_split_string_int", true, "string, string, int", "list(string)", SplitText,
       EstimateSplit, CostDoubleTraversal, true},
      {"substring", "string_substring_int", true, "string, int", "string", Substring,
       EstimateTransform, CostTraversal, true},
      {"substring", "string_substring_int_int", true, "string, int, int", "string", Substring,
       EstimateTransform, CostTraversal, true},
      {"trim", "string_trim", true, "string", "string", Trim, EstimateTransform, CostTraversal,
       true},
      {"format", "string_format", true, "string, list(dyn)", "string", FormatText, EstimateFormat,
       CostTraversal, false, Dispatch::kTyped, kStringsVersion2Since},
      {"strings.quote", "strings_quote", false, "string", "string", Quote, EstimateQuote,
       CostTraversal, false, Dispatch::kTyped, kStringsVersion2Since},
      {"join", "list_join", true, "list(string)", "string", Join, EstimateJoin, CostJoin, true},
      {"join", "list_join_string", true, "list(string), string", "string", Join, EstimateJoin,
       CostJoin, true},
  };
  return rows;
}

}  // namespace kube::cel
