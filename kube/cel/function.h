#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kube/base/release.h"
#include "kube/cel/cost.h"
#include "kube/cel/value.h"

namespace kube::go {
class GoMatcher;
}

namespace kube::cel {

/// What a function does.
using Implementation = Value (*)(Memory& memory, Args args);

/// How an overload of a function is found at run time where its arguments are dyn.
enum class Dispatch : std::uint8_t {
  kTyped,    ///< the first overload that takes the types of the arguments
  kGeneric,  ///< all overloads have one implementation, which looks at the types itself
};

/// One overload of a function: the row of a library's table. All there is to know of it.
struct Overload {
  std::string_view function;
  std::string_view id;    ///< as cel-go calls it; costs and errors depend on it
  bool is_member;         ///< called as receiver.function(...): args[0] is the receiver
  std::string_view args;  ///< types as TypePool::Parse reads them, with ", " between them
  std::string_view result;
  Implementation run = nullptr;     ///< null: the evaluator does it
  EstimateRule estimate = nullptr;  ///< null, or absent: 1
  CostRule cost = nullptr;          ///< null: 1
  bool cost_by_name = false;  ///< `cost` counts also where it is not known which overload it is
  Dispatch dispatch = Dispatch::kTyped;
  base::Release since{1, 0};
};

/// A row for values of the libraries: to make one costs a tenth of the text, all else 1.
Overload ValueRow(std::string_view function, std::string_view id, bool is_member,
                  std::string_view args, std::string_view result, Implementation run,
                  base::Release since);
/// isGreaterThan(), isLessThan() and compareTo() of quantities and versions.
Value IsGreaterThan(Memory& memory, Args args);
Value IsLessThan(Memory& memory, Args args);
Value CompareTo(Memory& memory, Args args);

/// The argument that says how many there are to be at most: of a negative one, or of none, all.
std::int64_t MostOf(Args args, std::size_t index);

/// A compiled regular expression, or Go's error where it is none.
struct Pattern {
  std::shared_ptr<const go::GoMatcher> matcher;  ///< null: there is an error
  std::string error;
};
/// The compiled pattern. Those of rules are kept, so that they are compiled once. Throws GivenUp.
Pattern CompilePattern(Memory& memory, std::string_view pattern);
/// Whether it matches anywhere in `text`: a bool, or an error.
Value MatchText(Memory& memory, const go::GoMatcher& matcher, std::string_view text);
/// matches().
Value Matches(Memory& memory, Args args);

/// The first releases of what has functions in a library and macros beside.
inline constexpr base::Release kOptionalsSince{1, 28};
inline constexpr base::Release kListsVersion3Since{1, 34};

/// The tables of the libraries, each in a file of its own.
std::span<const Overload> OperatorLibrary();
std::span<const Overload> ConversionLibrary();
std::span<const Overload> TimeLibrary();
std::span<const Overload> StringLibrary();
std::span<const Overload> ListLibrary();
std::span<const Overload> RegexLibrary();
std::span<const Overload> UrlLibrary();
std::span<const Overload> QuantityLibrary();
std::span<const Overload> NetLibrary();
std::span<const Overload> SemverLibrary();
std::span<const Overload> NamedFormatLibrary();
std::span<const Overload> OptionalLibrary();
std::span<const Overload> AuthorizationLibrary();

}  // namespace kube::cel
