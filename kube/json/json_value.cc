#include <algorithm>
#include <charconv>
#include <cstring>

#include "kube/base/text.h"
#include "kube/json/json.h"

namespace kube::json {
namespace {

constexpr std::size_t kFirstBlock = 16 * 1024;
constexpr std::size_t kLargestBlock = 1024 * 1024;
// A larger block is given back on Reset, so that one huge object does not hold memory for ever.
constexpr std::size_t kLargestKept = 8 * 1024 * 1024;
constexpr std::uint8_t kFirstCapacityLog2 = 2;

}  // namespace

std::string_view Arena::Copy(std::string_view text) {
  if (text.empty()) return {};
  char* copy = Allocate<char>(text.size());
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void Arena::Reset() {
  const auto largest =
      std::max_element(blocks_.begin(), blocks_.end(),
                       [](const Block& a, const Block& b) { return a.size < b.size; });
  if (largest == blocks_.end() || largest->size > kLargestKept) {
    blocks_.clear();
    next_ = nullptr;
    left_ = 0;
    return;
  }
  Block kept = std::move(*largest);
  blocks_.clear();
  next_ = kept.bytes.get();
  left_ = kept.size;
  blocks_.push_back(std::move(kept));
}

void* Arena::AllocateInNewBlock(std::size_t bytes) {
  const std::size_t grown =
      blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size * 2, kLargestBlock);
  const std::size_t size = std::max(grown, bytes);
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
  next_ = blocks_.back().bytes.get() + bytes;
  left_ = size - bytes;
  return blocks_.back().bytes.get();
}

Value Value::Number(std::int64_t number, Arena& arena) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return Number(arena.Copy({digits, static_cast<std::size_t>(end - digits)}));
}

Value Value::Array() { return Array(nullptr, 0); }

Value Value::Object() { return Object(nullptr, 0); }

Value Value::Array(Value* elements, std::size_t count) {
  Value result;
  result.type_ = Type::kArray;
  result.elements_ = elements;
  result.size_ = static_cast<std::uint32_t>(count);
  return result;
}

Value Value::Object(Member* members, std::size_t count) {
  Value result;
  result.type_ = Type::kObject;
  result.members_ = members;
  result.size_ = static_cast<std::uint32_t>(count);
  return result;
}

Value* Value::Find(std::string_view key) {
  for (Member& member : members()) {
    if (base::SameText(member.key.text(), key)) return &member.value;
  }
  return nullptr;
}

const Value* Value::Find(std::string_view key) const { return const_cast<Value*>(this)->Find(key); }

const Value* Value::Find(std::string_view key, Type type) const {
  const Value* value = Find(key);
  return value != nullptr && value->type() == type ? value : nullptr;
}

std::string_view Value::FindText(std::string_view key) const {
  const Value* value = Find(key, Type::kString);
  return value == nullptr ? std::string_view() : value->text();
}

const Value& Value::At(std::string_view key) const {
  static const Value kNone{};
  const Value* value = Find(key);
  return value == nullptr ? kNone : *value;
}

void Value::Append(Value element, Arena& arena) {
  if (capacity_log2_ == 0 || size_ == std::uint32_t{1} << capacity_log2_) {
    std::uint8_t log2 = kFirstCapacityLog2;
    while (std::uint32_t{1} << log2 <= size_) ++log2;
    Value* grown = arena.Allocate<Value>(std::size_t{1} << log2);
    std::copy_n(elements_, size_, grown);
    elements_ = grown;
    capacity_log2_ = log2;
  }
  new (elements_ + size_) Value(element);
  ++size_;
}

Value* Value::Set(std::string_view key, Value value, Arena& arena) {
  if (Value* found = Find(key)) {
    *found = value;
    return found;
  }
  return SetNew(key, value, arena);
}

Value* Value::SetNew(std::string_view key, Value value, Arena& arena) {
  if (capacity_log2_ == 0 || size_ == std::uint32_t{1} << capacity_log2_) {
    std::uint8_t log2 = kFirstCapacityLog2;
    while (std::uint32_t{1} << log2 <= size_) ++log2;
    Member* grown = arena.Allocate<Member>(std::size_t{1} << log2);
    std::copy_n(members_, size_, grown);
    members_ = grown;
    capacity_log2_ = log2;
  }
  Member* member = new (members_ + size_) Member{String(key), value};
  ++size_;
  return &member->value;
}

bool Value::Erase(std::string_view key) {
  Value* found = Find(key);
  if (found == nullptr) return false;
  for (Member& member : members()) {
    if (&member.value != found) continue;
    std::copy(&member + 1, members_ + size_, &member);
    --size_;
    break;
  }
  return true;
}

bool HasNull(const Value& value) {
  return value.is_null() || std::ranges::any_of(value.members(), HasNull, &Member::value) ||
         std::ranges::any_of(value.elements(), HasNull);
}

Value CopyForChange(const Value& value, Arena& arena) {
  if (!value.is_array() && !value.is_object()) return value;
  if (value.is_array()) {
    Value* elements = arena.Allocate<Value>(value.size());
    std::size_t count = 0;
    for (const Value& element : value.elements()) {
      new (elements + count++) Value(CopyForChange(element, arena));
    }
    return Value::Array(elements, count);
  }
  Member* members = arena.Allocate<Member>(value.size());
  std::size_t count = 0;
  for (const Member& member : value.members()) {
    new (members + count++) Member{member.key, CopyForChange(member.value, arena)};
  }
  return Value::Object(members, count);
}

Value DeepCopy(const Value& value, Arena& arena) {
  switch (value.type()) {
    case Type::kString:
      return Value::String(arena.Copy(value.text()));
    case Type::kNumber:
      return Value::Number(arena.Copy(value.text()));
    case Type::kArray: {
      Value* elements = arena.Allocate<Value>(value.size());
      std::size_t count = 0;
      for (const Value& element : value.elements()) {
        new (elements + count++) Value(DeepCopy(element, arena));
      }
      return Value::Array(elements, count);
    }
    case Type::kObject: {
      Member* members = arena.Allocate<Member>(value.size());
      std::size_t count = 0;
      for (const Member& member : value.members()) {
        new (members + count++) Member{DeepCopy(member.key, arena), DeepCopy(member.value, arena)};
      }
      return Value::Object(members, count);
    }
    case Type::kNull:
    case Type::kBool:
      break;
  }
  return value;
}

std::string_view TypeName(Type type) {
  constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view GoTypeName(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
      return "<nil>";
    case Type::kNumber:
      return AsInt64(value) ? "int64" : "float64";
    case Type::kArray:
      return "[]interface {}";
    case Type::kObject:
      return "map[string]interface {}";
    case Type::kBool:
    case Type::kString:
      break;
  }
  return TypeName(value.type());
}

}  // namespace kube::json
