#include "kube/meta/typed_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kube/go/go_time.h"
#include "kube/meta/field_error.h"

namespace kube::meta {
TypedReader::Step::Step(TypedReader& reader, std::string_view type, std::string_view name)
    : reader_(reader) {
  reader.places_.push_back({Kind::kField, type, name, 0});
}

TypedReader::Step::Step(TypedReader& reader, std::string_view key) : reader_(reader) {
  reader.places_.push_back({Kind::kKey, {}, key, 0});
}

TypedReader::Step::Step(TypedReader& reader, std::size_t index) : reader_(reader) {
  reader.places_.push_back({Kind::kIndex, {}, {}, index});
}

TypedReader::Step::~Step() { reader_.places_.pop_back(); }

TypedReader::Unmarshaler::Unmarshaler(TypedReader& reader)
    : reader_(reader),
      earlier_(std::exchange(reader.error_, std::nullopt)),
      outer_visible_(reader.visible_) {
  reader.visible_ = std::min(reader.visible_, reader.places_.size());
}

TypedReader::Unmarshaler::~Unmarshaler() {
  reader_.visible_ = outer_visible_;
  if (reader_.error_) {
    reader_.ended_ = true;
  } else {
    reader_.error_ = std::move(earlier_);
  }
}

void TypedReader::Read(const json::Value& value, std::string_view& out, GoType go_type) {
  if (value.is_string()) {
    out = value.text();
  } else {
    NoteMismatch(value, go_type);
  }
}

void TypedReader::Read(const json::Value& value, std::string& out, GoType go_type) {
  std::string_view text = out;
  Read(value, text, go_type);
  out = std::string(text);
}

void TypedReader::Read(const json::Value& value, bool& out) {
  if (value.is_bool()) {
    out = value.AsBool();
  } else {
    NoteMismatch(value, "bool");
  }
}

template <typename T>
void TypedReader::ReadInteger(const json::Value& value, T& out, GoType go_type) {
  if (!value.is_number()) return NoteMismatch(value, go_type);
  // As strconv.ParseInt: "1.0" and "1e3" are no integers.
  const std::string_view text = value.text();
  T number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc() && end == text.data() + text.size()) {
    out = number;
  } else {
    Note("number " + std::string(text), go_type);
  }
}

void TypedReader::Read(const json::Value& value, std::int32_t& out) {
  ReadInteger(value, out, "int32");
}

void TypedReader::Read(const json::Value& value, std::int64_t& out) {
  ReadInteger(value, out, "int64");
}

void TypedReader::Read(const json::Value& value, double& out) {
  if (!value.is_number()) return NoteMismatch(value, "float64");
  if (const auto number = json::AsDouble(value)) {
    out = *number;
  } else {
    Note("number " + std::string(value.text()), "float64");
  }
}

void TypedReader::CheckTime(const json::Value& value) {
  if (value.is_null()) return;
  const Unmarshaler unmarshaler(*this);
  if (!value.is_string()) return NoteMismatch(value, "string");
  if (const auto time = go::ParseGoTime(value.text()); !time) Refuse(time.error());
}

bool TypedReader::ExpectObject(const json::Value& value, GoType go_type) {
  if (value.is_object()) return true;
  NoteMismatch(value, go_type);
  return false;
}

bool TypedReader::ExpectArray(const json::Value& value, GoType go_type) {
  if (value.is_array()) return true;
  NoteMismatch(value, go_type);
  return false;
}

void TypedReader::NoteMismatch(const json::Value& value, GoType go_type) {
  if (!value.is_null()) Note(json::TypeName(value.type()), go_type);
}

void TypedReader::Note(std::string_view json_type, GoType go_type) {
  if (error_) return;
  std::string_view type;
  std::string fields;
  for (std::size_t i = 0; i < std::min(visible_, places_.size()); ++i) {
    if (places_[i].kind != Kind::kField) continue;
    type = places_[i].type;
    fields.append(".").append(places_[i].name);
  }
  std::string message = "json: cannot unmarshal " + std::string(json_type) + " into Go ";
  if (fields.empty()) {
    message += "value";
  } else {
    message.append("struct field ").append(type).append(fields);
  }
  error_ = Error{Path(), message.append(" of type ").append(Print(go_type))};
}

void TypedReader::Refuse(std::string message) {
  error_ = Error{Path(), std::move(message)};
  ended_ = true;
}

std::string TypedReader::Print(GoType type) const {
  std::string text(type.prefix);
  if (type.is_api) text.append(package_).append(".");
  return text.append(type.name);
}

std::string TypedReader::Path() const {
  std::string path;
  for (const Place& place : places_) {
    switch (place.kind) {
      case Kind::kField:
        path = Child(path, place.name);
        break;
      case Kind::kKey:
        path = Key(path, place.name);
        break;
      case Kind::kIndex:
        path = Index(path, place.index);
        break;
    }
  }
  return path;
}

}  // namespace kube::meta
