#pragma once

#include <cstdint>
#include <string>

namespace bench {

/// Answers as an API server gives them of any number of widgets that all need to be rewritten:
/// lists of metadata in chunks, and merge patches of {}. Holds nothing.
class SyntheticApi {
 public:
  explicit SyntheticApi(std::uint64_t objects) : objects_(objects) {}

  /// The body of the answer to `method` and `target`; empty for what it does not know.
  std::string Answer(const std::string& method, const std::string& target) const;

 private:
  std::string List(const std::string& target) const;

  std::uint64_t objects_;
};

}  // namespace bench
