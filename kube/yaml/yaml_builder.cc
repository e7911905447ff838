#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "kube/base/base64.h"
#include "kube/base/utf8.h"
#include "kube/yaml/yaml_events.h"
#include "kube/yaml/yaml_scalar.h"

namespace kube::yaml {
namespace {

constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";
constexpr std::string_view kBinaryTag = "tag:yaml.org,2002:binary";
constexpr const char* kWantMap = "map merge requires map or sequence of maps as the value";

// go-yaml has no such limit: many aliases of one long string would fill the memory when printed.
constexpr std::size_t kMaxAliasedBytes = 64 * 1024 * 1024;

double Ratio(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// How much of a document may come from aliases (go-yaml's decode.go): nearly all of a small one,
// a tenth of a large one.
double AllowedAliasRatio(std::size_t decoded) {
  constexpr std::size_t kLow = 400'000;
  constexpr std::size_t kHigh = 4'000'000;
  if (decoded <= kLow) return 0.99;
  if (decoded >= kHigh) return 0.10;
  return 0.99 - 0.89 * Ratio(decoded - kLow, kHigh - kLow);
}

template <typename T, typename E>
T ValueOrThrow(base::Result<T, E>&& result) {
  if (!result) throw BuildError(result.error());
  return *std::move(result);
}

json::Value BinaryText(std::string_view text, json::Arena& arena) {
  const auto bytes = base::DecodeBase64(text);
  if (!bytes) throw BuildError("!!binary value contains invalid base64 data");
  return json::Value::String(arena.Copy(base::utf8::Sanitize(*bytes)));
}

Scalar ResolveScalar(std::string_view tag, Builder::Style style, std::string_view text) {
  if (!tag.empty()) return ValueOrThrow(ResolveTagged(tag, text));
  return style == Builder::Style::kPlain ? ResolvePlain(text) : Scalar{};
}

// Copies the text only where the value is that text.
std::string_view Keep(const Scalar& scalar, std::string_view text, json::Arena& arena) {
  const bool is_text = scalar.kind == ScalarKind::kString || scalar.kind == ScalarKind::kTimestamp;
  return is_text ? arena.Copy(text) : text;
}

// An alias of a scalar as a key.
json::Value KeyOf(const json::Value& value, json::Arena& arena) {
  switch (value.type()) {
    case json::Type::kString:
      return value;
    case json::Type::kBool:
      return json::Value::String(value.AsBool() ? "true" : "false");
    case json::Type::kNumber:
      return ValueOrThrow(ToKey(ResolvePlain(value.text()), value.text(), arena));
    case json::Type::kNull:
      return ValueOrThrow(ToKey(ResolvePlain(""), "", arena));
    case json::Type::kArray:
    case json::Type::kObject:
      break;
  }
  throw BuildError("invalid map key");
}

template <typename T>
T* CopyRange(const T* first, std::size_t count, json::Arena& arena) {
  T* copy = arena.Allocate<T>(count);
  std::uninitialized_copy_n(first, count, copy);
  return copy;
}

}  // namespace

void Builder::Scalar(std::string_view tag, Style style, std::string_view text, std::size_t anchor) {
  if (ExpectsKey()) return Key(tag, style, text, anchor);
  json::Value value;
  if (tag == kBinaryTag) {
    value = BinaryText(text, arena_);
  } else {
    const yaml::Scalar scalar = ResolveScalar(tag, style, text);
    const std::string_view kept = Keep(scalar, text, arena_);
    value = FitOrNote(ToJson(scalar, kept, arena_), ToKey(scalar, kept, arena_));
  }
  AddScalar(value, value, text.size(), anchor);
}

void Builder::Key(std::string_view tag, Style style, std::string_view text, std::size_t anchor) {
  if (text == "<<" && (tag.empty() ? style != Style::kQuoted : tag == kMergeTag)) {
    frames_.back().expect = Expect::kMergeValue;
    return;
  }
  if (tag == kBinaryTag) {
    const json::Value key = BinaryText(text, arena_);
    return AddScalar(key, key, text.size(), anchor);
  }
  const yaml::Scalar scalar = ResolveScalar(tag, style, text);
  const std::string_view kept = Keep(scalar, text, arena_);
  const auto key = ToKey(scalar, kept, arena_);
  // An alias stands for what the key is, not for its text.
  json::Value value;
  if (anchor != 0) value = FitOrNote(ToJson(scalar, kept, arena_), key);
  AddScalar(FitOrNote(key, key), value, text.size(), anchor);
}

json::Value Builder::FitOrNote(const Fit& value, const Fit& key) {
  if (value) return *value;
  const std::string_view text = arena_.Copy(value.error());
  const json::Value unfit = json::Value::String(text);
  const std::size_t number = unfit_.size();
  unfit_[text.data()] = {value.error(), number, key ? *key : unfit};
  return unfit;
}

json::Value Builder::AliasAsKey(const json::Value& value) {
  const Unfit* unfit = value.is_string() ? FindUnfit(value) : nullptr;
  return unfit == nullptr ? KeyOf(value, arena_) : unfit->key;
}

std::optional<Builder::Unfit> Builder::FindUnfit() const {
  const Unfit* found = unfit_.empty() ? nullptr : FindUnfit(document_.root());
  return found == nullptr ? std::nullopt : std::optional<Unfit>(*found);
}

const Builder::Unfit* Builder::FindUnfit(const json::Value& value) const {
  if (value.is_string()) {
    const auto found = unfit_.find(value.text().data());
    return found == unfit_.end() ? nullptr : &found->second;
  }
  if (value.is_array()) {
    for (const json::Value& element : value.elements()) {
      if (const Unfit* found = FindUnfit(element)) return found;
    }
  } else if (value.is_object()) {
    for (const json::Member& member : value.members()) {
      if (const Unfit* found = FindUnfit(member.key)) return found;
      if (const Unfit* found = FindUnfit(member.value)) return found;
    }
  }
  return nullptr;
}

void Builder::AddScalar(json::Value value, json::Value anchored, std::size_t bytes,
                        std::size_t anchor) {
  Count({1, bytes}, {});
  Remember(anchor, anchored, {1, bytes}, 0);
  Add(value, false);
}

void Builder::Alias(std::size_t anchor, std::string_view name) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end() || !found->second.complete) {
    throw BuildError("anchor '" + std::string(name) + "' value contains itself");
  }
  const Anchored& anchored = found->second;
  Count({1, 0}, {});
  Count(anchored.size, anchored.size);
  RaiseHeight(anchored.height);
  if (ExpectsKey()) return Add(AliasAsKey(anchored.value), true);
  Add(Copy(anchored.value), true);
}

void Builder::Begin(json::Type type, std::size_t anchor) {
  if (ExpectsKey()) throw BuildError("invalid map key");
  if (frames_.size() >= json::kMaxDepth) throw BuildError("exceeded max depth");
  const Size before = built_;
  Count({1, 0}, {});
  if (anchor != 0) anchors_[anchor] = Anchored();
  const Expect expect = type == json::Type::kObject ? Expect::kKey : Expect::kElement;
  frames_.push_back({type, expect, values_.size(), anchor, before, 1});
}

Builder::Frame Builder::PopFrame() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  values_.resize(frame.first);
  return frame;
}

void Builder::EndSequence() {
  const std::size_t first = frames_.back().first;
  const std::size_t count = values_.size() - first;
  const json::Value value =
      json::Value::Array(CopyRange(values_.data() + first, count, arena_), count);
  EndCollection(value, PopFrame());
}

void Builder::EndMap() {
  const json::Value value = MakeObject(frames_.back().first);
  EndCollection(value, PopFrame());
}

void Builder::EndCollection(json::Value value, const Frame& frame) {
  const Size size{built_.values - frame.before.values, built_.bytes - frame.before.bytes};
  Remember(frame.anchor, value, size, frame.height);
  RaiseHeight(frame.height);
  Add(value, false);
}

void Builder::Add(json::Value value, bool is_alias) {
  if (frames_.empty()) {
    document_.root() = value;
    return;
  }
  Frame& frame = frames_.back();
  switch (frame.expect) {
    case Expect::kElement:
      break;
    case Expect::kKey:
      frame.expect = Expect::kValue;
      break;
    case Expect::kValue:
      frame.expect = Expect::kKey;
      break;
    case Expect::kMergeValue:
      frame.expect = Expect::kKey;
      return Merge(value, is_alias);
  }
  values_.push_back(value);
}

// Unlike YAML's own words, go-yaml v2 lets a merge win over keys that stand before it; the later
// entry wins, as everywhere. Of a sequence the first map wins.
void Builder::Merge(const json::Value& value, bool is_alias) {
  if (value.is_object()) return MergeMap(value);
  if (!value.is_array() || is_alias) throw BuildError(kWantMap);
  const auto maps = value.elements();
  for (auto map = maps.rbegin(); map != maps.rend(); ++map) {
    if (!map->is_object()) throw BuildError(kWantMap);
    MergeMap(*map);
  }
}

void Builder::MergeMap(const json::Value& map) {
  for (const json::Member& member : map.members()) {
    values_.push_back(member.key);
    values_.push_back(member.value);
  }
}

// The JSON that sigs.k8s.io/yaml makes is read by encoding/json, which limits the depth.
void Builder::RaiseHeight(std::size_t height) {
  if (frames_.size() + height > json::kMaxDepth) throw BuildError("exceeded max depth");
  if (!frames_.empty()) {
    frames_.back().height = std::max(frames_.back().height, height + 1);
  }
}

void Builder::Remember(std::size_t anchor, json::Value value, Size size, std::size_t height) {
  if (anchor != 0) anchors_[anchor] = {value, size, height, true};
}

void Builder::Count(Size built, Size aliased) {
  built_.values += built.values;
  built_.bytes += built.bytes;
  aliased_.values += aliased.values;
  aliased_.bytes += aliased.bytes;
  const bool too_many = aliased_.values > 100 && built_.values > 1000 &&
                        Ratio(aliased_.values, built_.values) > AllowedAliasRatio(built_.values);
  if (too_many || aliased_.bytes > kMaxAliasedBytes) {
    throw BuildError("document contains excessive aliasing");
  }
}

// Whoever changes the value at one alias must not change it at the others. Text cannot change, so
// it is shared, and what an alias costs is bounded by Count.
json::Value Builder::Copy(const json::Value& value) {
  if (value.is_array()) {
    json::Value* elements = CopyRange(value.elements().data(), value.size(), arena_);
    for (std::size_t i = 0; i < value.size(); ++i) elements[i] = Copy(elements[i]);
    return json::Value::Array(elements, value.size());
  }
  if (value.is_object()) {
    json::Member* members = CopyRange(value.members().data(), value.size(), arena_);
    for (std::size_t i = 0; i < value.size(); ++i) members[i].value = Copy(members[i].value);
    return json::Value::Object(members, value.size());
  }
  return value;
}

json::Value Builder::MakeObject(std::size_t first) {
  const std::size_t count = (values_.size() - first) / 2;
  json::Member* members = arena_.Allocate<json::Member>(count);
  for (std::size_t i = 0; i < count; ++i) {
    new (members + i) json::Member{values_[first + 2 * i], values_[first + 2 * i + 1]};
  }
  return json::Value::Object(members, DropDuplicates(members, count));
}

// The last of equal keys wins, at the place of the first. Sorting keeps many hostile keys cheap.
std::size_t Builder::DropDuplicates(json::Member* members, std::size_t count) {
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [members](std::uint32_t a, std::uint32_t b) {
    const int order = members[a].key.text().compare(members[b].key.text());
    return order != 0 ? order < 0 : a < b;
  });
  bool dropped = false;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    json::Member& member = members[order_[i]];
    const json::Member& next = members[order_[i + 1]];
    if (member.key.text() != next.key.text()) continue;
    member.value = next.value;  // order_[i + 1] takes the place of the earlier one
    members[order_[i + 1]].key = json::Value();
    std::swap(order_[i], order_[i + 1]);
    dropped = true;
  }
  if (!dropped) return count;
  return static_cast<std::size_t>(
      std::remove_if(members, members + count,
                     [](const json::Member& member) { return member.key.is_null(); }) -
      members);
}

}  // namespace kube::yaml
