#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plugin::command {

/// The lines of a text, without their ends.
std::vector<std::string> LinesOf(std::string_view text);

/// Lines about clusters, each with those that it is said of: what is wrong with files is of all.
class DeduplicatedMessages {
 public:
  /// `text`, line by line, is said of `cluster`.
  void Take(const std::string& cluster, std::string_view text);

  /// Each line once, in the order in which they were first said, behind whom it is said of:
  /// "prod-a, prod-b: LINE", or "all clusters: LINE" where there are `all` of them.
  std::string Print(std::size_t all) const;

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<std::string, std::vector<std::string>>> remarks_;
};

}  // namespace plugin::command
