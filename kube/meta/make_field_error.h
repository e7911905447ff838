#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"

/// Makes FieldErrors as the functions of the same names in apimachinery's field package do.
namespace kube::meta {

FieldError Required(std::string path, std::string_view detail = "");
/// `bad_value` is printed already: see PrintBadValue, GoQuote and PrintStrings.
FieldError Invalid(std::string path, std::string bad_value, std::string_view detail);
/// A bad value that is a string.
FieldError InvalidText(std::string path, std::string_view text, std::string_view detail);
/// Appends one such for each of `details`.
void AppendInvalidTexts(std::vector<FieldError>& errors, const std::string& path,
                        std::string_view text, const std::vector<std::string>& details);
FieldError Forbidden(std::string path, std::string_view detail);
FieldError NotSupported(std::string path, std::string bad_value,
                        std::span<const std::string> supported);
FieldError Duplicate(std::string path, std::string bad_value);
FieldError TooLong(std::string path, std::int64_t limit);
FieldError TooMany(std::string path, std::int64_t actual, std::int64_t limit);

/// A value as an error shows it: scalars bare, strings by %q, the rest as JSON.
std::string PrintBadValue(const json::Value& value);
/// A value as JSON, with numbers as the server stores them.
std::string PrintAsJson(const json::Value& value);
/// A list of strings as JSON.
std::string PrintStrings(std::span<const std::string_view> texts);
std::string PrintStrings(std::span<const std::string> texts);
/// A text as a JSON string.
std::string PrintJsonText(std::string_view text);

/// Moves `errors` to the end of `all`.
void Append(std::vector<FieldError>& all, std::vector<FieldError> errors);
/// Sorts bytewise by the whole string and keeps one of each string.
void SortAndDeduplicate(std::vector<FieldError>& errors);

}  // namespace kube::meta
