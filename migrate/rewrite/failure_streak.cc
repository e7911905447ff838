#include "migrate/rewrite/failure_streak.h"

#include <algorithm>
#include <functional>

#include "kube/base/text.h"

namespace migrate::rewrite {
namespace {

using kube::base::IsDigit;

constexpr std::ptrdiff_t kEnough = 40;

}  // namespace

bool FailureStreak::Ring::IsMostly(std::size_t shape) const {
  return std::count(shapes_.begin(), shapes_.end(), shape) >= kEnough;
}

void FailureStreak::OnPutOff(const Exchange& object) {
  first_answers_.Add(Shape(object.first_failure()->code, object.first_failure()->message));
}

void FailureStreak::OnSuccess(const Exchange& object) { AddEnd(object, 0); }

std::optional<std::string> FailureStreak::OnFailure(const Exchange& object,
                                                    report::ObjectClass object_class, int code,
                                                    std::string_view message) {
  const auto& first = object.first_failure();
  const std::size_t shape = first ? Shape(first->code, first->message) : Shape(code, message);
  AddEnd(object, shape);
  if (!first_answers_.IsMostly(shape) || !ends_.IsMostly(shape)) return std::nullopt;
  return std::to_string(kEnough) + " of the last " + std::to_string(kLast) +
         " objects failed in the same way (" + std::string(report::ClassName(object_class)) +
         "): " + std::string(message);
}

void FailureStreak::AddEnd(const Exchange& object, std::size_t shape) {
  ends_.Add(shape);
  if (!object.first_failure()) first_answers_.Add(shape);
}

// Of the message without what is in quotes, and without digits.
std::size_t FailureStreak::Shape(int code, std::string_view message) {
  std::string shape = std::to_string(code) + " ";
  bool is_quoted = false;
  for (const char c : message) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && !IsDigit(c)) shape += c;
  }
  return std::hash<std::string>()(shape) | 1;
}

}  // namespace migrate::rewrite
