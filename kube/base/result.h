#pragma once

#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace kube::base {

/// Thrown when a run cannot go on and only a person can help: the text names the thing, the
/// cause comes last, and main prints it after "error: ".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An error on its way into a Result; `Result<int, std::string> r = Unexpected(text);`.
template <typename E>
struct Unexpected {
  explicit Unexpected(E e) : error(std::move(e)) {}
  E error;
};

/// A value, or the error that stands in its place, for what the caller branches on.
///
/// Member names are those of std::expected (C++23), which may replace it one day.
template <typename T, typename E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Unexpected<E> unexpected) : state_(std::in_place_index<1>, std::move(unexpected.error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// The value; only where has_value().
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  /// The error; only where not has_value().
  const E& error() const& { return std::get<1>(state_); }
  E&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, E> state_;
};

}  // namespace kube::base
