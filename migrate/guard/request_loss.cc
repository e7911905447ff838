#include "migrate/guard/request_loss.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/json/member_index.h"
#include "kube/schema/coercion.h"
#include "kube/schema/pruning.h"

namespace migrate::guard {
namespace {

using kube::json::Value;
using kube::schema::PathElement;
using kube::schema::StructuralSchema;
using kube::schema::UnknownField;

constexpr std::string_view kCut = "...";

std::string Limited(std::string_view path) {
  return kube::base::utf8::Shortened(path, RequestLoss::kMostPathBytes - kCut.size());
}

// Keys above a field may be as long as the object, and there may be many fields below them.
std::string LimitedPath(const UnknownField& field) {
  std::size_t bytes = 0;
  for (const PathElement& element : field.elements) bytes += element.key.size();
  return bytes <= RequestLoss::kMostPathBytes ? Limited(field.QuotedPath())
                                              : Limited(field.folded_path);
}

// Says whether the old object has a value at the place of a field of the new one. Fields come in
// the order of the object, so most of the way is that of the field before.
class OldPlaces {
 public:
  explicit OldPlaces(const Value* root) : root_(root) {}

  bool Have(std::span<const PathElement> elements) {
    std::size_t depth = 0;
    while (depth < way_.size() && depth < elements.size() &&
           IsSame(way_[depth].element, elements[depth])) {
      ++depth;
    }
    way_.resize(depth);
    const Value* value = way_.empty() ? root_ : way_.back().value;
    for (; depth < elements.size(); ++depth) {
      value = value == nullptr ? nullptr : FindBelow(*value, elements[depth]);
      way_.push_back({elements[depth], value});
    }
    return value != nullptr;
  }

 private:
  struct Step {
    PathElement element;
    const Value* value;  // of the old object; the null pointer where it has none
  };

  // Both keys are views into the new object: where they are is quicker to compare than what they
  // are, and an object has a key once.
  static bool IsSame(const PathElement& a, const PathElement& b) {
    return a.is_index == b.is_index && a.index == b.index && a.key.data() == b.key.data() &&
           a.key.size() == b.key.size();
  }

  const Value* FindBelow(const Value& value, const PathElement& element) {
    if (!element.is_index) return members_.Find(value, element.key);
    return element.index < value.elements().size() ? &value.elements()[element.index] : nullptr;
  }

  const Value* root_;
  std::vector<Step> way_;
  kube::json::MemberIndex members_;
};

// Counts the fields of one version by their paths: first those of the new object, then those of the
// old one.
class PathCounts {
 public:
  PathCounts(RequestLoss& loss, const std::string& version) : loss_(loss), version_(version) {}

  void CountNew(const UnknownField& field, OldPlaces& old) {
    const std::optional<std::size_t> place = PlaceOf(field.folded_path);
    if (!place) {
      ++left_out_;
      return;
    }
    Count& count = counts_[*place];
    ++loss_.fields[count.field].count;
    if (count.has_added_example) return;
    count.has_added_example = !old.Have(field.elements);
    std::string& example = loss_.fields[count.field].example;
    if (example.empty() || count.has_added_example) example = LimitedPath(field);
  }

  void CountOld(const UnknownField& field) {
    const auto known = places_.find(KeyOf(field.folded_path));
    ++(known == places_.end() ? old_left_out_ : counts_[known->second].old);
  }

  /// What the request adds.
  void Compare() {
    for (const Count& count : counts_) {
      LostField& field = loss_.fields[count.field];
      field.added = field.count - std::min(field.count, count.old);
    }
    loss_.left_out += left_out_;
    loss_.left_out_added += left_out_ - std::min(left_out_, old_left_out_);
  }

  bool found_any() const { return !counts_.empty() || left_out_ > 0; }

 private:
  struct Count {
    std::size_t field;  // in loss_
    std::uint64_t old = 0;
    bool has_added_example = false;
  };

  static std::string KeyOf(std::string_view folded_path) { return Limited(folded_path); }

  // Absent: there is no room for another path.
  std::optional<std::size_t> PlaceOf(std::string_view folded_path) {
    std::string key = KeyOf(folded_path);
    if (const auto known = places_.find(key); known != places_.end()) return known->second;
    if (loss_.fields.size() >= RequestLoss::kMostPaths) return std::nullopt;
    counts_.push_back({.field = loss_.fields.size()});
    loss_.fields.push_back({.path = key, .example = "", .version = version_});
    places_.emplace(std::move(key), counts_.size() - 1);
    return counts_.size() - 1;
  }

  RequestLoss& loss_;
  const std::string& version_;
  std::map<std::string, std::size_t, std::less<>> places_;  // in counts_, by path
  std::vector<Count> counts_;
  std::uint64_t left_out_ = 0, old_left_out_ = 0;
};

class Sink : public kube::schema::UnknownFieldSink {
 public:
  explicit Sink(std::function<void(const UnknownField&)> take) : take_(std::move(take)) {}
  void OnUnknownField(const UnknownField& field) override { take_(field); }

 private:
  std::function<void(const UnknownField&)> take_;
};

// An object on its way through the schemas: what earlier ones do not specify is removed from a copy
// once somebody looks.
class Pruned {
 public:
  /// The null pointer stays one.
  explicit Pruned(const Value* object) : object_(object) {}

  void Prune(const StructuralSchema* schema) { schemas_.push_back(schema); }
  const Value* Look() {
    if (object_ == nullptr || schemas_.empty()) return object_;
    if (object_ != &copy_) copy_ = kube::json::CopyForChange(*object_, arena_);
    object_ = &copy_;
    for (const StructuralSchema* schema : std::exchange(schemas_, {})) {
      kube::schema::DropLostFields(copy_, schema, arena_);
    }
    return object_;
  }

 private:
  const Value* object_;
  std::vector<const StructuralSchema*> schemas_;  // that it was not pruned by yet
  kube::json::Arena arena_;
  Value copy_;
};

std::size_t CharactersOf(std::string_view text) {
  return static_cast<std::size_t>(kube::base::utf8::CountCharacters(text));
}

// Without its first `count` characters.
std::string_view Behind(std::string_view text, std::size_t count) {
  for (; count > 0 && !text.empty(); --count) {
    text.remove_prefix(std::max<std::size_t>(1, kube::base::utf8::SequenceLength(text)));
  }
  return text;
}

// In `limit` characters at most: how it begins and how it ends.
std::string CutInMiddle(std::string_view text, std::size_t limit) {
  const std::size_t characters = CharactersOf(text);
  if (characters <= limit) return std::string(text);
  if (limit <= kCut.size()) return std::string(kCut.substr(0, limit));
  const std::size_t kept = limit - kCut.size(), at_end = kept / 2;
  std::string cut(text.substr(0, text.size() - Behind(text, kept - at_end).size()));
  return cut.append(kCut).append(Behind(text, characters - at_end));
}

}  // namespace

bool RequestLoss::AddsFields() const {
  return left_out_added > 0 ||
         std::ranges::any_of(fields, [](const LostField& field) { return field.added > 0; });
}

const LostField* RequestLoss::Find(std::string_view path) const {
  const auto found = std::ranges::find(fields, path, &LostField::path);
  return found == fields.end() ? nullptr : &*found;
}

RequestLoss FindRequestLoss(const Value& object, const Value* old_object,
                            std::span<const VersionSchema> schemas) {
  RequestLoss loss;
  Pruned pruned(&object), old_pruned(old_object);
  for (const VersionSchema& version : schemas) {
    PathCounts counts(loss, version.version);
    OldPlaces old_places(old_object);
    Sink take_new([&](const UnknownField& field) { counts.CountNew(field, old_places); });
    kube::schema::FindLostFields(*pruned.Look(), version.schema, take_new);
    if (counts.found_any()) {
      Sink take_old([&](const UnknownField& field) { counts.CountOld(field); });
      if (const Value* old = old_pruned.Look()) {
        kube::schema::FindLostFields(*old, version.schema, take_old);
      }
      counts.Compare();
      pruned.Prune(version.schema);
    }
    // What the old object loses here it may lose alone.
    old_pruned.Prune(version.schema);
  }
  return loss;
}

std::string LossText(const LostField& field, std::string_view crd, std::string_view when,
                     std::size_t limit) {
  // What still tells one path from another.
  static constexpr std::size_t kLeast = 24;
  constexpr std::string_view kOf = " of ";
  const std::string reason = std::string(when) + ": not in the schema of " + field.version;
  const std::size_t all =
      CharactersOf(field.path) + kOf.size() + CharactersOf(crd) + CharactersOf(reason);
  const auto shorter = [over = all - std::min(all, limit)](std::string_view text) {
    const std::size_t now = CharactersOf(text);
    return std::max(std::min(now, kLeast), now - std::min(now, over));
  };
  const std::string path = CutInMiddle(field.path, shorter(field.path));
  const std::size_t left =
      limit - std::min(limit, CharactersOf(path) + kOf.size() + CharactersOf(reason));
  return CutInMiddle(path + std::string(kOf) + CutInMiddle(crd, std::max(kLeast, left)) + reason,
                     limit);
}

}  // namespace migrate::guard
