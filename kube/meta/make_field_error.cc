#include "kube/meta/make_field_error.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "kube/go/go_format.h"
#include "kube/go/go_value.h"

namespace kube::meta {
namespace {

FieldError Make(ErrorType type, std::string path, std::string bad_value, std::string_view detail) {
  return {type, std::move(path), std::move(bad_value), std::string(detail)};
}

template <typename Text>
std::string PrintAnyStrings(std::span<const Text> texts) {
  std::string printed = "[";
  for (const Text& text : texts) {
    if (printed.size() > 1) printed += ',';
    printed += PrintJsonText(text);
  }
  return printed + "]";
}

std::string PrintScalarNumber(const json::Value& value) {
  const go::Number number = go::ReadNumber(value);
  return number.is_integer ? std::to_string(number.integer) : json::FormatFloatG(number.real);
}

}  // namespace

FieldError Required(std::string path, std::string_view detail) {
  return Make(ErrorType::kRequired, std::move(path), "", detail);
}

FieldError Invalid(std::string path, std::string bad_value, std::string_view detail) {
  return Make(ErrorType::kInvalid, std::move(path), std::move(bad_value), detail);
}

FieldError InvalidText(std::string path, std::string_view text, std::string_view detail) {
  return Invalid(std::move(path), go::GoQuote(text), detail);
}

void AppendInvalidTexts(std::vector<FieldError>& errors, const std::string& path,
                        std::string_view text, const std::vector<std::string>& details) {
  for (const std::string& detail : details) errors.push_back(InvalidText(path, text, detail));
}

FieldError Forbidden(std::string path, std::string_view detail) {
  return Make(ErrorType::kForbidden, std::move(path), "", detail);
}

FieldError NotSupported(std::string path, std::string bad_value,
                        std::span<const std::string> supported) {
  std::string detail;
  for (const std::string& value : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += go::GoQuote(value);
  }
  return Make(ErrorType::kNotSupported, std::move(path), std::move(bad_value), detail);
}

FieldError Duplicate(std::string path, std::string bad_value) {
  return Make(ErrorType::kDuplicate, std::move(path), std::move(bad_value), "");
}

FieldError TooLong(std::string path, std::int64_t limit) {
  const std::string detail = limit < 0 ? "value is too long"
                                       : "may not be more than " + std::to_string(limit) +
                                             (limit == 1 ? " byte" : " bytes");
  return Make(ErrorType::kTooLong, std::move(path), "", detail);
}

FieldError TooMany(std::string path, std::int64_t actual, std::int64_t limit) {
  const std::string detail =
      limit < 0 ? "has too many items"
                : "must have at most " + std::to_string(limit) + (limit == 1 ? " item" : " items");
  return Make(ErrorType::kTooMany, std::move(path), std::to_string(actual), detail);
}

std::string PrintBadValue(const json::Value& value) {
  if (value.is_string()) return go::GoQuote(value.text());
  if (value.is_number()) return PrintScalarNumber(value);
  return PrintAsJson(value);
}

std::string PrintAsJson(const json::Value& value) {
  // Of enums many are printed, and nearly all are scalars. What does not fit into a float64 never
  // gets as far as a validation.
  if (value.is_number()) {
    const auto stored = json::StoredNumber(value.text());
    return stored ? *stored : std::string(value.text());
  }
  if (!value.is_array() && !value.is_object()) return json::Print(value);
  json::Arena arena;
  json::Value copy = json::DeepCopy(value, arena);
  (void)json::StoreNumbers(copy, arena);
  return json::Print(copy);
}

std::string PrintStrings(std::span<const std::string_view> texts) { return PrintAnyStrings(texts); }

std::string PrintStrings(std::span<const std::string> texts) { return PrintAnyStrings(texts); }

std::string PrintJsonText(std::string_view text) { return json::Print(json::Value::String(text)); }

void Append(std::vector<FieldError>& all, std::vector<FieldError> errors) {
  all.insert(all.end(), std::make_move_iterator(errors.begin()),
             std::make_move_iterator(errors.end()));
}

void SortAndDeduplicate(std::vector<FieldError>& errors) {
  SortByString(errors);
  std::set<std::string> seen;
  std::erase_if(errors,
                [&seen](const FieldError& error) { return !seen.insert(error.ToString()).second; });
}

}  // namespace kube::meta
