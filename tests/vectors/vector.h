#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"

/// Replays what the API server answers. Each line of a vector file is
/// {"name", "op", "input", "expected"}: what the server's own library answered to an input.
namespace vectors {

namespace json = kube::json;

/// Thrown where a line lacks what its op needs.
class BadVector : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value at `key` of an object. Throws BadVector where there is none.
const kube::json::Value& Get(const kube::json::Value& object, std::string_view key);
/// The same, and a string.
std::string_view GetText(const kube::json::Value& object, std::string_view key);
/// The boolean at `key`; false where there is none.
bool GetFlag(const kube::json::Value& object, std::string_view key);
/// The strings of a list of strings or of errors ({"string": ...}); empty where it is null or
/// absent.
std::vector<std::string> FindStrings(const kube::json::Value& object, std::string_view key);
/// The string at `key`; absent where there is none.
std::optional<std::string> FindString(const kube::json::Value& object, std::string_view key);

/// One line. Borrows all of it.
struct Vector {
  std::string_view op;
  const kube::json::Value& input;
  const kube::json::Value& expected;
  /// input.object as written, which the server quotes; empty where there is none.
  std::string_view object_text;
};

/// What came out otherwise than expected, in words.
class Mismatches {
 public:
  void Add(std::string_view what, std::string_view expected, std::string_view got);

  /// Each compares one thing and adds it where it differs. JSON is compared as values, numbers by
  /// value.
  void CompareJson(std::string_view what, const kube::json::Value& expected,
                   const kube::json::Value& got);
  void CompareStrings(std::string_view what, const std::vector<std::string>& expected,
                      const std::vector<std::string>& got);
  /// As CompareStrings, without regard to order and repetition.
  void CompareAsSets(std::string_view what, std::vector<std::string> expected,
                     std::vector<std::string> got);
  void CompareErrors(std::string_view what, const std::optional<std::string>& expected,
                     const std::optional<std::string>& got);

  bool empty() const { return text_.empty(); }
  /// Several indented lines for each mismatch.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The text of member `key` of the JSON object in `text`, as written; empty where there is none.
/// `text` is well-formed JSON.
std::string_view RawMember(std::string_view text, std::string_view key);

}  // namespace vectors
