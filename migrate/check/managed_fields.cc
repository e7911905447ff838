#include "migrate/check/managed_fields.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "kube/meta/object_path.h"
#include "migrate/cluster/stale_entries.h"

namespace migrate::check {

using kube::json::Document;
using kube::json::Type;
using kube::json::Value;
using kube::schema::PathElement;
using kube::schema::StructuralSchema;

// The server writes keys sorted and without blanks, and leaves out those that an element lacks: all
// selectors together tell which keys there are.
ElementSelectors::ElementSelectors(const Value& fields) {
  for (const auto& [selector, below] : fields.members()) {
    const std::string_view text = selector.text();
    if (text.size() < 2 || text[1] != ':' || text[0] == 'f') continue;
    if (kind_ == 0) kind_ = text[0];
    if (kind_ != 'k') return;
    if (text[0] == 'k') AddKeys(text.substr(2));
  }
}

std::string ElementSelectors::Of(const Value& element, std::size_t index) const {
  switch (kind_) {
    case 'k':
      return "k:" + Keys(element);
    case 'v':
      return "v:" + kube::json::Print(element);
    case 'i':
      return "i:" + std::to_string(index);
    default:
      return "";
  }
}

void ElementSelectors::AddKeys(std::string_view selector) {
  Document keys;
  if (keys.Parse(selector)) return;
  for (const auto& [key, unused] : keys.root().members()) keys_.emplace(key.text());
}

std::string ElementSelectors::Keys(const Value& element) const {
  kube::json::Arena arena;
  Value keys = Value::Object();
  for (const std::string& key : keys_) {
    if (const Value* value = element.Find(key)) keys.Set(key, *value, arena);
  }
  return kube::json::Print(keys);
}

namespace {

// The parts of FieldsV1: "f:" a field, "k:" an element by its keys, "v:" an element by its value,
// "i:" an element by its index, "." the thing itself.
constexpr std::string_view kSelf = ".";

// Without a copy of the key, which may be long.
const Value* FindFieldInNarrow(const Value& fields, std::string_view key) {
  for (const auto& [selector, below] : fields.members()) {
    const std::string_view text = selector.text();
    if (text.starts_with("f:") && text.substr(2) == key) return &below;
  }
  return nullptr;
}

// Collects what one manager's entry owns and the object lacks.
class LackingCollector {
 public:
  /// `path_bytes` counts those of all entries of the object.
  LackingCollector(std::string_view manager, kube::json::MemberIndex& members,
                   std::size_t& path_bytes, std::vector<LackingField>& found)
      : manager_(manager), members_(members), path_bytes_(path_bytes), found_(found) {}

  void Collect(const Value& fields, const Value& value, const StructuralSchema* schema) {
    for (const auto& [selector, below] : fields.members()) {
      if (!selector.text().starts_with("f:")) continue;
      CollectField(selector.text().substr(2), below, value, schema);
    }
    if (value.is_array()) CollectElements(fields, value, schema ? schema->items.get() : nullptr);
  }

 private:
  void CollectField(std::string_view name, const Value& below, const Value& value,
                    const StructuralSchema* schema) {
    const StructuralSchema* property = schema ? schema->FindProperty(name) : nullptr;
    const bool is_key = schema && !property && schema->has_additional_properties;
    const std::size_t length = path_.size();
    is_key ? kube::meta::AppendPathOfKeys(path_) : kube::meta::AppendPathName(path_, name);
    const Value* there = members_.Find(value, name);
    if (there == nullptr) {
      Add();
    } else {
      Collect(below, *there, is_key ? schema->additional_schema.get() : property);
    }
    path_.resize(length);
  }

  void CollectElements(const Value& fields, const Value& array, const StructuralSchema* schema) {
    const ElementSelectors selectors(fields);
    const std::size_t length = path_.size();
    path_ += "[*]";
    std::size_t index = 0;
    for (const Value& element : array.elements()) {
      const std::string selector = selectors.Of(element, index++);
      const Value* below = selector.empty() ? nullptr : members_.Find(fields, selector);
      if (below != nullptr) Collect(*below, element, schema);
    }
    path_.resize(length);
  }

  // Whoever writes an object can have its managedFields say anything.
  void Add() {
    constexpr std::size_t kMostPathBytes = std::size_t{1} << 20;
    path_bytes_ += path_.size();
    if (path_bytes_ <= kMostPathBytes) found_.push_back({path_, manager_});
  }

  std::string_view manager_;
  kube::json::MemberIndex& members_;
  std::size_t& path_bytes_;
  std::vector<LackingField>& found_;
  std::string path_;
};

}  // namespace

OwnerFinder::OwnerFinder(const Value& object) : object_(object) {}

OwnerFinder::~OwnerFinder() = default;

const Value* OwnerFinder::FindField(const Value& fields, std::string_view key) {
  if (fields.size() <= kube::json::MemberIndex::kNarrow) return FindFieldInNarrow(fields, key);
  return members_.Find(fields, "f:" + std::string(key));
}

const Value* OwnerFinder::FindElement(const Value& fields, const Value& element,
                                      std::size_t index) {
  std::unique_ptr<ElementSelectors>& selectors = selectors_[&fields];
  if (!selectors) selectors = std::make_unique<ElementSelectors>(fields);
  const std::string selector = selectors->Of(element, index);
  return selector.empty() ? nullptr : members_.Find(fields, selector);
}

// How many steps of the way from the root the deepest thing is away that `fields` own; 0 for none.
std::size_t OwnerFinder::OwnedDepth(const Value& fields, std::span<const PathElement> elements) {
  std::size_t owned = 0;
  const Value* level = &fields;
  const Value* value = &object_;
  for (std::size_t depth = 0; depth < elements.size(); ++depth) {
    const PathElement& step = elements[depth];
    if (step.is_index) {
      if (step.index >= value->size() || !value->is_array()) break;
      value = &value->elements()[step.index];
      level = FindElement(*level, *value, step.index);
    } else {
      value = members_.Find(*value, step.key);
      level = FindField(*level, step.key);
    }
    if (level == nullptr || value == nullptr) break;
    // Of what the writer's schema specifies the parts are owned, and not the whole.
    const bool is_owned =
        depth + 1 == elements.size() || level->empty() || members_.Find(*level, kSelf) != nullptr;
    if (is_owned) owned = depth + 1;
  }
  return owned;
}

FieldOwners OwnerFinder::Find(std::span<const PathElement> elements) {
  FieldOwners owners;
  std::size_t deepest = 0;
  for (const Value& entry : cluster::FirstEntriesOf(object_)) {
    const Value* fields = entry.Find("fieldsV1", Type::kObject);
    const std::size_t depth = fields == nullptr ? 0 : OwnedDepth(*fields, elements);
    if (depth == 0 || depth < deepest) continue;
    if (depth > deepest) owners = {};
    deepest = depth;
    owners.managers.push_back(entry.FindText("manager"));
    // RFC 3339 in UTC: the order of the text is the order in time.
    owners.last_written = std::max(owners.last_written, entry.FindText("time"));
  }
  std::sort(owners.managers.begin(), owners.managers.end());
  owners.managers.erase(std::unique(owners.managers.begin(), owners.managers.end()),
                        owners.managers.end());
  return owners;
}

std::vector<LackingField> FindLackingFields(const Value& object, const StructuralSchema* schema,
                                            std::string_view api_version) {
  std::vector<LackingField> found;
  kube::json::MemberIndex members;
  std::size_t path_bytes = 0;
  for (const Value& entry : cluster::FirstEntriesOf(object)) {
    if (!api_version.empty() && entry.FindText("apiVersion") != api_version) continue;
    const Value* fields = entry.Find("fieldsV1", Type::kObject);
    if (fields != nullptr)
      LackingCollector(entry.FindText("manager"), members, path_bytes, found)
          .Collect(*fields, object, schema);
  }
  const auto key = [](const LackingField& field) { return std::tie(field.path, field.manager); };
  std::sort(found.begin(), found.end(),
            [&key](const LackingField& a, const LackingField& b) { return key(a) < key(b); });
  found.erase(std::unique(found.begin(), found.end(),
                          [&key](const LackingField& a, const LackingField& b) {
                            return key(a) == key(b);
                          }),
              found.end());
  return found;
}

}  // namespace migrate::check
