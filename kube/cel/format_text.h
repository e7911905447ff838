#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/cel/value.h"

/// 'text'.format([...]): the clauses %s, %d, %f, %e, %b, %x, %X and %o (cel-go ext/formatting.go,
/// the first version, which the server has).
namespace kube::cel {

/// A clause of a format, as %.3f.
struct FormatClause {
  char letter = 's';
  std::int64_t precision = 6;
};

/// Prints one argument; the error says why the clause takes none of its type. Throws GivenUp, also
/// where the text gets longer than kLongestText.
base::Result<std::string, std::string> FormatArgument(Memory& memory, const FormatClause& clause,
                                                      const Value& value);

/// What is wrong with a clause for values of a type with this name, which it does not take.
std::string ClauseProblem(const FormatClause& clause, std::string_view type_name);

/// What is between the clauses of a format, and the clauses, in turn.
class FormatReader {
 public:
  explicit FormatReader(std::string_view format) : rest_(format) {}

  enum class Step : std::uint8_t { kText, kClause, kError, kEnd };
  /// The next text, or the next clause, for which there are `argument_count` arguments.
  Step Next(std::size_t argument_count);

  std::string_view text() const { return text_; }
  const FormatClause& clause() const { return clause_; }
  const std::string& error() const { return error_; }
  /// The argument of the clause, from 0.
  std::size_t argument() const { return next_argument_ - 1; }

 private:
  Step Fail(std::string error);
  Step ReadClause(std::size_t argument_count);
  bool ReadPrecision();

  std::string_view rest_;
  std::string_view text_;
  FormatClause clause_;
  std::string error_;
  std::size_t next_argument_ = 0;
};

}  // namespace kube::cel
