#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/report/object_class.h"
#include "migrate/rewrite/exchange_pool.h"

namespace migrate::rewrite {

/// Notices that nearly every object fails in the same way, so that going on would only bring more
/// of it: forty of the last fifty objects, and of the last fifty first answers about objects.
///
/// Objects that were put off, to be tried again, fail together long after others were written. That
/// says nothing of the next object, and so the first answers have to be alike, too.
class FailureStreak {
 public:
  /// An object was put off for the first time.
  void OnPutOff(const Exchange& object);
  /// An object is done, and that is no failure.
  void OnSuccess(const Exchange& object);
  /// An object has failed for good. The text says that it is enough, as there are many first
  /// answers like its own; absent: it is not. Answers are alike where code and message are, names
  /// and numbers in it aside.
  std::optional<std::string> OnFailure(const Exchange& object, report::ObjectClass object_class,
                                       int code, std::string_view message);

 private:
  static constexpr std::size_t kLast = 50;

  /// The last answers; 0 is a success.
  class Ring {
   public:
    void Add(std::size_t shape) { shapes_[next_++ % shapes_.size()] = shape; }
    bool IsMostly(std::size_t shape) const;

   private:
    std::array<std::size_t, kLast> shapes_{};
    std::size_t next_ = 0;
  };

  static std::size_t Shape(int code, std::string_view message);
  void AddEnd(const Exchange& object, std::size_t shape);

  Ring first_answers_, ends_;
};

}  // namespace migrate::rewrite
