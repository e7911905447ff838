#include "kube/go/go_struct.h"

#include <algorithm>

#include "kube/go/go_time.h"

namespace kube::go {
namespace {

using json::Arena;
using json::Member;
using json::Value;

/// sigs.k8s.io/json keeps no more strict errors than this.
constexpr std::size_t kMaxUnknownFields = 100;

Value MakeObject(const std::vector<Member>& members, Arena& arena) {
  auto* copy = arena.Allocate<Member>(members.size());
  std::copy(members.begin(), members.end(), copy);
  return Value::Object(copy, members.size());
}

Value MakeArray(const std::vector<Value>& elements, Arena& arena) {
  auto* copy = arena.Allocate<Value>(elements.size());
  std::copy(elements.begin(), elements.end(), copy);
  return Value::Array(copy, elements.size());
}

/// The integer that the server stores for a number; absent where it stores a float64.
std::optional<std::int64_t> StoredInt64(const Value& number) {
  const auto stored = json::StoredNumber(number.text());
  if (!stored) return std::nullopt;
  return json::AsInt64(Value::Number(*stored));
}

bool HoldsNumbers(const Value& value) {
  const auto holds_numbers = [](const Member& member) { return HoldsNumbers(member.value); };
  return value.is_number() || std::ranges::any_of(value.elements(), HoldsNumbers) ||
         std::ranges::any_of(value.members(), holds_numbers);
}

class Decoder {
 public:
  explicit Decoder(Arena& arena) : arena_(arena) {}

  Value DecodeStruct(const Value& value, const GoStruct& type) {
    if (!value.is_object()) {
      if (!value.is_null()) SaveTypeError(json::TypeName(value.type()), type.type);
      return PrintStruct({}, type);
    }
    std::vector<Member> members;
    for (const Member* member : json::SortedMembers(value)) {
      const GoField* field = FindField(type, member->key.text());
      if (field == nullptr) {
        AddUnknownField(member->key.text());
        continue;
      }
      Place place{.outer = place_, .struct_name = type.name, .field = field->name, .index = {}};
      place_ = &place;
      const auto printed = DecodeField(member->value, *field);
      place_ = place.outer;
      if (is_fatal_) return {};
      if (printed) members.push_back({Value::String(field->name), *printed});
    }
    return PrintStruct(std::move(members), type);
  }

  std::optional<std::string> HandleError() { return std::move(error_); }
  std::vector<std::string> TakeUnknownFields() { return std::move(unknown_fields_); }

 private:
  /// Where the decoder is, for errors and for unknown fields.
  struct Place {
    Place* outer;
    std::string_view struct_name;
    std::string_view field;
    std::optional<std::size_t> index;  // in the list that the field holds

    /// E.g. "ownerReferences.controller".
    std::string Fields() const {
      return outer == nullptr ? std::string(field) : outer->Fields() + "." + std::string(field);
    }
    /// E.g. "ownerReferences[0].".
    std::string Prefix() const {
      const std::string list_index = index ? "[" + std::to_string(*index) + "]." : ".";
      return (outer == nullptr ? "" : outer->Prefix()) + std::string(field) + list_index;
    }
  };

  static const GoField* FindField(const GoStruct& type, std::string_view name) {
    const auto found = std::ranges::find(type.fields, name, &GoField::name);
    return found == type.fields.end() ? nullptr : &*found;
  }

  /// Adds the fields that are printed even where they were absent.
  Value PrintStruct(std::vector<Member> members, const GoStruct& type) {
    for (const GoField& field : type.fields) {
      const auto is_field = [&](const Member& m) { return m.key.text() == field.name; };
      if (!field.always_printed || std::ranges::any_of(members, is_field)) continue;
      const auto place =
          std::ranges::find_if(members, [&](const Member& m) { return m.key.text() > field.name; });
      members.insert(place, {Value::String(field.name), Value::String("")});
    }
    return MakeObject(members, arena_);
  }

  /// What is printed for the field; absent if nothing is.
  std::optional<Value> DecodeField(const Value& value, const GoField& field) {
    switch (field.kind) {
      case GoKind::kString:
        return DecodeString(value, field);
      case GoKind::kInt64:
      case GoKind::kInt64Pointer:
        return DecodeInt64(value, field);
      case GoKind::kBoolPointer:
        return DecodeBool(value, field);
      case GoKind::kTime:
      case GoKind::kTimePointer:
        return DecodeTime(value, field);
      case GoKind::kRawJson:
        return DecodeRawJson(value);
      case GoKind::kStringMap:
        return DecodeStringMap(value, field);
      case GoKind::kStringList:
        return DecodeStringList(value, field);
      case GoKind::kStructList:
        return DecodeStructList(value, field);
    }
    return std::nullopt;
  }

  std::optional<Value> DecodeString(const Value& value, const GoField& field) {
    const Value text = ReadString(value, field.type);
    if (text.text().empty() && !field.always_printed) return std::nullopt;
    return text;
  }

  /// null leaves a string as it is: empty.
  Value ReadString(const Value& value, std::string_view type) {
    if (value.is_string()) return value;
    if (!value.is_null()) SaveTypeError(json::TypeName(value.type()), type);
    return Value::String("");
  }

  std::optional<Value> DecodeInt64(const Value& value, const GoField& field) {
    if (value.is_null()) return std::nullopt;
    if (!value.is_number()) {
      SaveTypeError(json::TypeName(value.type()), field.type);
      return std::nullopt;
    }
    const std::optional<std::int64_t> number = StoredInt64(value);
    if (!number) {
      const auto stored = json::StoredNumber(value.text());
      SaveTypeError("number " + (stored ? *stored : std::string(value.text())), field.type);
      return std::nullopt;
    }
    if (*number == 0 && field.kind == GoKind::kInt64) return std::nullopt;
    return Value::Number(*number, arena_);
  }

  std::optional<Value> DecodeBool(const Value& value, const GoField& field) {
    if (value.is_bool()) return value;
    if (!value.is_null()) SaveTypeError(json::TypeName(value.type()), field.type);
    return std::nullopt;
  }

  /// metav1.Time.UnmarshalJSON, which decodes a string on its own: any error of it ends the
  /// decoding.
  std::optional<Value> DecodeTime(const Value& value, const GoField& field) {
    if (value.is_null()) return std::nullopt;
    if (!value.is_string()) {
      Fail(TypeError(json::TypeName(value.type()), "string"));
      return std::nullopt;
    }
    const auto time = ParseGoTime(value.text());
    if (!time) {
      Fail(time.error());
      return std::nullopt;
    }
    if (!time->IsZero()) return Value::String(arena_.Copy(FormatGoTime(*time)));
    if (field.kind == GoKind::kTimePointer) return Value();
    return std::nullopt;
  }

  std::optional<Value> DecodeRawJson(const Value& value) {
    if (value.is_null()) return std::nullopt;
    if (!HoldsNumbers(value)) return value;
    Value copy = json::DeepCopy(value, arena_);
    if (auto error = json::StoreNumbers(copy, arena_)) Fail(std::move(*error));
    return copy;
  }

  std::optional<Value> DecodeStringMap(const Value& value, const GoField& field) {
    if (value.is_null()) return std::nullopt;
    if (!value.is_object()) SaveTypeError(json::TypeName(value.type()), field.type);
    if (value.empty() || !value.is_object()) return std::nullopt;
    std::vector<Member> members;
    for (const Member* member : json::SortedMembers(value)) {
      members.push_back({member->key, ReadString(member->value, "string")});
    }
    return MakeObject(members, arena_);
  }

  std::optional<Value> DecodeStringList(const Value& value, const GoField& field) {
    if (!CheckList(value, field)) return std::nullopt;
    std::vector<Value> elements;
    for (const Value& element : value.elements()) {
      elements.push_back(ReadString(element, "string"));
    }
    return MakeArray(elements, arena_);
  }

  std::optional<Value> DecodeStructList(const Value& value, const GoField& field) {
    if (!CheckList(value, field)) return std::nullopt;
    std::vector<Value> elements;
    for (std::size_t i = 0; i < value.size() && !is_fatal_; ++i) {
      place_->index = i;
      elements.push_back(DecodeStruct(value.elements()[i], *field.elements));
    }
    return MakeArray(elements, arena_);
  }

  /// False if there is no list or nothing in it.
  bool CheckList(const Value& value, const GoField& field) {
    if (!value.is_array() && !value.is_null())
      SaveTypeError(json::TypeName(value.type()), field.type);
    return value.is_array() && !value.empty();
  }

  void AddUnknownField(std::string_view name) {
    if (unknown_fields_.size() >= kMaxUnknownFields) return;
    std::string path = (place_ == nullptr ? "" : place_->Prefix()) + std::string(name);
    if (std::ranges::find(unknown_fields_, path) == unknown_fields_.end()) {
      unknown_fields_.push_back(std::move(path));
    }
  }

  std::string TypeError(std::string_view what, std::string_view type) const {
    std::string text = "json: cannot unmarshal ";
    text.append(what).append(" into Go ");
    if (place_ == nullptr) {
      text += "value";
    } else {
      text.append("struct field ").append(place_->struct_name).append(".").append(place_->Fields());
    }
    return text.append(" of type ").append(type);
  }

  /// Go goes on after a value of a wrong type and tells the first of them at the end.
  void SaveTypeError(std::string_view what, std::string_view type) {
    if (!error_) error_ = TypeError(what, type);
  }

  void Fail(std::string error) {
    error_ = std::move(error);
    is_fatal_ = true;
  }

  Arena& arena_;
  Place* place_ = nullptr;
  std::optional<std::string> error_;
  bool is_fatal_ = false;
  std::vector<std::string> unknown_fields_;
};

}  // namespace

GoRoundTrip RoundTrip(const Value& value, const GoStruct& type, Arena& arena) {
  Decoder decoder(arena);
  const Value printed = decoder.DecodeStruct(value, type);
  return {printed, decoder.HandleError(), decoder.TakeUnknownFields()};
}

}  // namespace kube::go
