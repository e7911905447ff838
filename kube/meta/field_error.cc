#include "kube/meta/field_error.h"

#include <algorithm>
#include <set>

namespace kube::meta {
namespace {

std::string_view TypeText(ErrorType type) {
  switch (type) {
    case ErrorType::kRequired:
      return "Required value";
    case ErrorType::kInvalid:
    case ErrorType::kTypeInvalid:
      return "Invalid value";
    case ErrorType::kForbidden:
      return "Forbidden";
    case ErrorType::kNotSupported:
      return "Unsupported value";
    case ErrorType::kDuplicate:
      return "Duplicate value";
    case ErrorType::kTooLong:
      return "Too long";
    case ErrorType::kTooMany:
      return "Too many";
    case ErrorType::kInternal:
      return "Internal error";
  }
  return "";
}

bool PrintsValue(ErrorType type) {
  return type == ErrorType::kInvalid || type == ErrorType::kTypeInvalid ||
         type == ErrorType::kNotSupported || type == ErrorType::kDuplicate ||
         type == ErrorType::kTooMany;
}

std::string InBrackets(std::string_view path, std::string_view key) {
  std::string result;
  result.reserve(path.size() + key.size() + 2);
  result.append(path).append("[").append(key).append("]");
  return result;
}

}  // namespace

std::string FieldError::ToString() const {
  std::string text = field;
  text.append(": ").append(TypeText(type));
  if (PrintsValue(type) && !omits_value) text.append(": ").append(bad_value);
  if (!detail.empty()) text.append(": ").append(detail);
  return text;
}

std::string Child(std::string_view path, std::string_view name) {
  std::string result;
  result.reserve(path.size() + name.size() + 1);
  result.append(path);
  if (!path.empty()) result += '.';
  result.append(name);
  return result;
}

std::string Index(std::string_view path, std::size_t index) {
  return InBrackets(path, std::to_string(index));
}

std::string Key(std::string_view path, std::string_view key) { return InBrackets(path, key); }

void SortByString(std::vector<FieldError>& errors) {
  std::vector<std::pair<std::string, std::size_t>> order;
  order.reserve(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) order.emplace_back(errors[i].ToString(), i);
  std::sort(order.begin(), order.end());
  std::vector<FieldError> sorted;
  sorted.reserve(errors.size());
  for (const auto& [text, i] : order) sorted.push_back(std::move(errors[i]));
  errors = std::move(sorted);
}

std::vector<std::string> SortedStrings(const std::vector<FieldError>& errors) {
  std::vector<std::string> strings;
  strings.reserve(errors.size());
  for (const FieldError& error : errors) strings.push_back(error.ToString());
  std::sort(strings.begin(), strings.end());
  return strings;
}

std::string Aggregate(const std::vector<std::string>& messages) {
  std::set<std::string_view> seen;
  std::string joined;
  for (const std::string& message : messages) {
    if (!seen.insert(message).second) continue;
    if (seen.size() > 1) joined += ", ";
    joined += message;
  }
  return seen.size() > 1 ? "[" + joined + "]" : joined;
}

}  // namespace kube::meta
