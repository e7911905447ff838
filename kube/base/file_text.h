#pragma once

#include <string>
#include <string_view>

#include "kube/base/result.h"

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

struct FileError {
  bool missing;          ///< there is no such file; false for all other reasons
  std::string message;   ///< as Go words it: "open a/b: no such file or directory"
  std::string reason{};  ///< its last part, of what the system says: "no such file or directory"
};

/// Reads a whole file, or pipe, of at most 64 MiB.
Result<std::string, FileError> ReadFileText(const std::string& path);

/// What opening `path` for reading says; empty where it can be opened.
std::string OpenProblem(const std::string& path);

}  // namespace kube::base
