#include "kube/yaml/yaml_timestamp.h"

#include <cstddef>

#include "kube/base/ascii.h"

namespace kube::yaml {
namespace {

using kube::base::IsDigit;

// Reads as Go's time.Parse does for the layouts of go-yaml's resolve.go: one or two digits for
// everything but the year, fractions of a second may follow the seconds.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }

  bool Take(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A number of `least` to `most` digits that is at most `limit`.
  bool TakeNumber(std::size_t least, std::size_t most, int limit, int& number) {
    std::size_t count = 0;
    number = 0;
    for (; count < most && !AtEnd() && IsDigit(text_[at_]); ++count) {
      number = number * 10 + (text_[at_++] - '0');
    }
    return count >= least && number <= limit;
  }

  bool TakeClock() {
    int ignored = 0;
    if (!TakeNumber(1, 2, 23, ignored) || !Take(':')) return false;
    if (!TakeNumber(1, 2, 59, ignored) || !Take(':')) return false;
    if (!TakeNumber(1, 2, 59, ignored)) return false;
    TakeFraction();
    return true;
  }

  bool TakeZone() {
    if (Take('Z')) return true;
    if (!Take('+') && !Take('-')) return false;
    int ignored = 0;
    return TakeNumber(2, 2, 24, ignored) && Take(':') && TakeNumber(2, 2, 60, ignored);
  }

  bool TakeBlanks() {
    if (!Take(' ')) return false;
    while (Take(' ')) continue;
    return true;
  }

 private:
  void TakeFraction() {
    if (text_.size() - at_ < 2 || !IsDigit(text_[at_ + 1])) return;
    if (text_[at_] != '.' && text_[at_] != ',') return;
    ++at_;
    for (int i = 0; i < 9 && !AtEnd() && IsDigit(text_[at_]); ++i) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

int DaysIn(int month, int year) {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

bool TakeDate(Reader& reader) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!reader.TakeNumber(4, 4, 9999, year) || !reader.Take('-')) return false;
  if (!reader.TakeNumber(1, 2, 12, month) || !reader.Take('-')) return false;
  return month > 0 && reader.TakeNumber(1, 2, DaysIn(month, year), day) && day > 0;
}

}  // namespace

bool IsTimestamp(std::string_view text) {
  if (text.size() < 8 || text[4] != '-') return false;
  Reader reader(text);
  if (!TakeDate(reader)) return false;
  if (reader.AtEnd()) return true;
  if (reader.Take('T') || reader.Take('t')) {
    return reader.TakeClock() && reader.TakeZone() && reader.AtEnd();
  }
  return reader.TakeBlanks() && reader.TakeClock() && reader.AtEnd();
}

}  // namespace kube::yaml
