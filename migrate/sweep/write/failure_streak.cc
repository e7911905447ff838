#include "migrate/sweep/write/failure_streak.h"

#include <algorithm>
#include <functional>

#include "kube/base/ascii.h"

namespace migrate::sweep::write {
namespace {

using kube::base::IsDigit;

constexpr std::ptrdiff_t kEnough = 40;

/// The message without what is in quotes, and without digits.
std::string Shape(report::ObjectClass object_class, int code, std::string_view message) {
  std::string shape(report::ClassName(object_class));
  shape.append(" ").append(std::to_string(code)).append(" ");
  bool is_quoted = false;
  for (const char c : message) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && !IsDigit(c)) shape += c;
  }
  return shape;
}

}  // namespace

std::optional<std::string> FailureStreak::OnFailure(report::ObjectClass object_class, int code,
                                                    std::string_view message) {
  const std::size_t shape = std::hash<std::string>()(Shape(object_class, code, message)) | 1;
  Take(shape);
  if (std::count(shapes_.begin(), shapes_.end(), shape) < kEnough) return std::nullopt;
  return std::to_string(kEnough) + " of the last " + std::to_string(shapes_.size()) +
         " objects failed in the same way (" + std::string(report::ClassName(object_class)) +
         "): " + std::string(message);
}

void FailureStreak::Take(std::size_t shape) {
  shapes_[next_] = shape;
  next_ = (next_ + 1) % shapes_.size();
}

}  // namespace migrate::sweep::write
