#pragma once

#include <string_view>

namespace kube::base {

/// A file descriptor of our own, which is closed at the end.
class Descriptor {
 public:
  /// Takes it over; a negative one, as open gives where it fails, is none.
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }

  int get() const { return descriptor_; }
  /// Gives it away: whoever takes it closes it.
  int Release();
  void Close();

 private:
  int descriptor_;
};

/// Writes all of `bytes`, however many calls it takes, and waits for room where the descriptor does
/// not block. Returns the error number, 0 where all was written.
[[nodiscard]] int WriteAll(int descriptor, std::string_view bytes);

}  // namespace kube::base
