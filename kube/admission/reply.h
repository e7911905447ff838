#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kube::admission {

/// The characters of a warning; the API server may cut what is above 256 (apiserver
/// pkg/endpoints/filters/warning.go), and the API asks for no more than 120.
inline constexpr std::size_t kMostWarningCharacters = 120;
/// The characters of all warnings of a request that the API server hands on.
inline constexpr std::size_t kMostCharactersOfWarnings = 4096;

/// What a handler says beside its verdict.
class Reply {
 public:
  /// Whoever made the request sees it as `Warning: TEXT`, whether it is let through or not. The
  /// text becomes one line, and ends in "..." where it is too long. An empty one is none.
  void AddWarning(std::string_view text);
  /// A note in the server's audit log, where it is `WEBHOOK-NAME/KEY`. The last value of a key
  /// counts.
  void Annotate(std::string key, std::string value) { annotations_[std::move(key)] = value; }

  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::map<std::string, std::string>& annotations() const { return annotations_; }

 private:
  std::vector<std::string> warnings_;
  std::map<std::string, std::string> annotations_;
};

/// A warning as the API server takes it: UTF-8 without control characters, as it drops any other
/// without a word (apimachinery pkg/util/net NewWarningHeader), and of no more characters than
/// kMostWarningCharacters.
std::string WarningLine(std::string_view text);

/// Those that the API server hands on: each once, in their order, as many as are within
/// kMostCharactersOfWarnings. Where some are left out the last says how many: "3 more warnings".
std::vector<std::string> WarningsWithin(const std::vector<std::string>& warnings);

}  // namespace kube::admission
