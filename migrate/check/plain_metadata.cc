#include "migrate/check/plain_metadata.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace migrate::check {
namespace {

using kube::json::Member;
using kube::json::Value;

bool IsString(const Value& value) { return value.is_string(); }

bool HoldsStrings(const Value& map) {
  return map.is_object() &&
         std::all_of(map.members().begin(), map.members().end(),
                     [](const Member& member) { return IsString(member.value); });
}

bool IsListOfStrings(const Value& list) {
  return list.is_array() && std::all_of(list.elements().begin(), list.elements().end(), IsString);
}

// "2006-01-02T15:04:05Z" with a month, a day and hours that every calendar has.
bool IsPlainTime(const Value& value) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  const std::string_view text = value.text();
  if (!value.is_string() || text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == 'd' ? std::isdigit(static_cast<unsigned char>(text[i])) != 0
                                      : text[i] == kForm[i];
    if (!fits) return false;
  }
  const auto number = [text](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  return number(5) >= 1 && number(5) <= 12 && number(8) >= 1 && number(8) <= 28 &&
         number(11) < 24 && number(14) < 60 && number(17) < 60;
}

// FieldsV1 as servers write it.
bool HoldsOnlyObjects(const Value& value) {
  return value.is_object() &&
         std::all_of(value.members().begin(), value.members().end(),
                     [](const Member& member) { return HoldsOnlyObjects(member.value); });
}

bool IsPlainOwnership(const Value& entry) {
  return entry.is_object() &&
         std::all_of(entry.members().begin(), entry.members().end(), [](const Member& member) {
           const std::string_view key = member.key.text();
           if (key == "fieldsV1") return HoldsOnlyObjects(member.value);
           if (key == "time") return IsPlainTime(member.value);
           return IsString(member.value);
         });
}

bool IsPlainField(const Member& member) {
  const std::string_view key = member.key.text();
  if (key == "managedFields") {
    return member.value.is_array() &&
           std::ranges::all_of(member.value.elements(), IsPlainOwnership);
  }
  if (key == "labels" || key == "annotations") return HoldsStrings(member.value);
  if (key == "creationTimestamp") return member.value.is_null() || IsPlainTime(member.value);
  if (key == "generation") return kube::json::AsInt64(member.value).has_value();
  if (key == "finalizers") return IsListOfStrings(member.value);
  constexpr std::string_view kStrings[] = {"name",     "namespace",       "uid",
                                           "selfLink", "resourceVersion", "generateName"};
  return std::find(std::begin(kStrings), std::end(kStrings), key) != std::end(kStrings) &&
         IsString(member.value);
}

}  // namespace

bool HasPlainMetadata(const Value& object) {
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return true;
  return metadata->is_object() &&
         std::all_of(metadata->members().begin(), metadata->members().end(), IsPlainField);
}

}  // namespace migrate::check
