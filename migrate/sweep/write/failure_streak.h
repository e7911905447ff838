#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/report/object_class.h"

namespace migrate::sweep::write {

/// Notices that nearly every object fails in the same way, so that going on would only bring more
/// of it: forty of the last fifty that were answered.
class FailureStreak {
 public:
  void OnSuccess() { Take(0); }
  /// Failures are the same where class, code and message are, names and numbers in it aside. The
  /// text says that it is enough; absent: it is not.
  std::optional<std::string> OnFailure(report::ObjectClass object_class, int code,
                                       std::string_view message);

 private:
  void Take(std::size_t shape);

  std::array<std::size_t, 50> shapes_{};  // of the last answers, in a ring; 0: a success
  std::size_t next_ = 0;
};

}  // namespace migrate::sweep::write
