#include "kube/crd/unknown_keys.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "kube/base/suggestions.h"
#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "kube/schema/keywords.h"

namespace kube::crd {
namespace {

using json::Value;

constexpr std::size_t kMost = 100;

struct Shape;

/// What a key of an object leads to.
struct Key {
  std::string_view name;
  const Shape* shape = nullptr;  ///< the null pointer: anything
  enum class Form { kOne, kList, kMap } form = Form::kOne;
  int since = 0;  ///< Kubernetes 1.SINCE brought it; 0: all have it
};

/// An object with these keys.
struct Shape {
  std::span<const Key> keys;
};

using enum Key::Form;

constexpr Key kDocsKeys[] = {{"description"}, {"url"}};
constexpr Shape kDocs{kDocsKeys};
constexpr Key kRuleKeys[] = {{"rule"},
                             {"message"},
                             {"messageExpression", nullptr, kOne, 27},
                             {"reason", nullptr, kOne, 28},
                             {"fieldPath", nullptr, kOne, 28},
                             {"optionalOldSelf", nullptr, kOne, 29}};
constexpr Shape kRule{kRuleKeys};

extern const Shape kSchema;
// By the type of the keyword.
template <typename T>
using Row = schema::Keyword<T>;
template <typename T>
constexpr Key KeyOf(const Row<T>& row) {
  return {row.name, nullptr, kOne, row.since};
}
constexpr Key KeyOf(const Row<std::unique_ptr<schema::SchemaProps>>& row) {
  return {row.name, &kSchema, kOne, row.since};
}
constexpr Key KeyOf(const Row<schema::GoList<schema::SchemaProps>>& row) {
  return {row.name, &kSchema, kList, row.since};
}
constexpr Key KeyOf(const Row<schema::SortedMap<schema::SchemaProps>>& row) {
  return {row.name, &kSchema, kMap, row.since};
}
constexpr Key KeyOf(const Row<std::optional<schema::ExternalDocs>>& row) {
  return {row.name, &kDocs, kOne, row.since};
}
constexpr Key KeyOf(const Row<std::optional<std::vector<schema::ValidationRule>>>& row) {
  return {row.name, &kRule, kList, row.since};
}
constexpr auto kSchemaKeys = schema::OfEachKeyword([](const auto& row) { return KeyOf(row); });
const Shape kSchema{kSchemaKeys};

const Key kValidationKeys[] = {{"openAPIV3Schema", &kSchema}};
const Shape kValidation{kValidationKeys};
constexpr Key kScaleKeys[] = {{"specReplicasPath"}, {"statusReplicasPath"}, {"labelSelectorPath"}};
constexpr Shape kScale{kScaleKeys};
constexpr Key kSubresourcesKeys[] = {{"status"}, {"scale", &kScale}};
constexpr Shape kSubresources{kSubresourcesKeys};
constexpr Key kSelectableKeys[] = {{"jsonPath"}};
constexpr Shape kSelectable{kSelectableKeys};

constexpr std::array<Key, 6> ColumnKeys(std::string_view path) {
  return {{{"name"}, {"type"}, {"format"}, {"description"}, {"priority"}, {path}}};
}

constexpr std::array<Key, 9> VersionKeys(const Shape& column) {
  return {{{"name"},
           {"served"},
           {"storage"},
           {"deprecated"},
           {"deprecationWarning"},
           {"schema", &kValidation},
           {"subresources", &kSubresources},
           {"additionalPrinterColumns", &column, kList},
           {"selectableFields", &kSelectable, kList, 30}}};
}

constexpr auto kColumnKeys = ColumnKeys("jsonPath"), kOldColumnKeys = ColumnKeys("JSONPath");
constexpr Shape kColumn{kColumnKeys}, kOldColumn{kOldColumnKeys};
constexpr auto kVersionKeys = VersionKeys(kColumn), kOldVersionKeys = VersionKeys(kOldColumn);
constexpr Shape kVersion{kVersionKeys}, kOldVersion{kOldVersionKeys};

constexpr Key kServiceKeys[] = {{"namespace"}, {"name"}, {"path"}, {"port"}};
constexpr Shape kService{kServiceKeys};
constexpr Key kClientConfigKeys[] = {{"url"}, {"service", &kService}, {"caBundle"}};
constexpr Shape kClientConfigShape{kClientConfigKeys};
constexpr Key kWebhookKeys[] = {{"clientConfig", &kClientConfigShape},
                                {"conversionReviewVersions"}};
constexpr Shape kWebhook{kWebhookKeys};
constexpr Key kConversionKeys[] = {{"strategy"}, {"webhook", &kWebhook}};
constexpr Shape kConversion{kConversionKeys};
constexpr Key kOldConversionKeys[] = {
    {"strategy"}, {"webhookClientConfig", &kClientConfigShape}, {"conversionReviewVersions"}};
constexpr Shape kOldConversion{kOldConversionKeys};

constexpr Key kNamesKeys[] = {{"plural"}, {"singular"}, {"shortNames"},
                              {"kind"},   {"listKind"}, {"categories"}};
constexpr Shape kNames{kNamesKeys};
const Key kSpecKeys[] = {{"group"},
                         {"names", &kNames},
                         {"scope"},
                         {"versions", &kVersion, kList},
                         {"conversion", &kConversion},
                         {"preserveUnknownFields"}};
const Shape kSpec{kSpecKeys};
const Key kOldSpecKeys[] = {{"group"},
                            {"version"},
                            {"names", &kNames},
                            {"scope"},
                            {"validation", &kValidation},
                            {"subresources", &kSubresources},
                            {"versions", &kOldVersion, kList},
                            {"additionalPrinterColumns", &kOldColumn, kList},
                            {"selectableFields", &kSelectable, kList, 30},
                            {"conversion", &kOldConversion},
                            {"preserveUnknownFields"}};
const Shape kOldSpec{kOldSpecKeys};

constexpr Key kOwnerKeys[] = {{"apiVersion"}, {"kind"},       {"name"},
                              {"uid"},        {"controller"}, {"blockOwnerDeletion"}};
constexpr Shape kOwner{kOwnerKeys};
constexpr Key kMetadataKeys[] = {{"name"},
                                 {"generateName"},
                                 {"namespace"},
                                 {"selfLink"},
                                 {"uid"},
                                 {"resourceVersion"},
                                 {"generation"},
                                 {"creationTimestamp"},
                                 {"deletionTimestamp"},
                                 {"deletionGracePeriodSeconds"},
                                 {"labels"},
                                 {"annotations"},
                                 {"ownerReferences", &kOwner, kList},
                                 {"finalizers"},
                                 {"clusterName"},
                                 {"managedFields"}};
constexpr Shape kMetadata{kMetadataKeys};
constexpr std::array<Key, 5> CrdKeys(const Shape& spec) {
  return {{{"apiVersion"}, {"kind"}, {"metadata", &kMetadata}, {"spec", &spec}, {"status"}}};
}

constexpr auto kCrdKeys = CrdKeys(kSpec), kOldCrdKeys = CrdKeys(kOldSpec);
constexpr Shape kCrd{kCrdKeys}, kOldCrd{kOldCrdKeys};

std::string MeantBy(std::string_view word, const Shape& shape) {
  std::vector<std::string_view> names;
  for (const Key& key : shape.keys) {
    if (kube::base::EqualFold(word, key.name)) return std::string(key.name);
    names.push_back(key.name);
  }
  const auto like = kube::base::Suggest(word, names);
  return like.empty() ? "" : std::string(like.front());
}

/// One run of FindUnknownKeys. As deep as the manifest, which the parser limits.
class KeyFinder {
 public:
  explicit KeyFinder(const std::optional<base::Release>& release) : release_(release) {}

  void Look(const Value& value, const Shape& shape, const std::string& path) {
    for (const json::Member& member : value.members()) {
      if (found.size() == kMost) return;
      const std::string_view name = member.key.text();
      const std::string below = path + (path.empty() ? "" : ".") + std::string(name);
      const auto key = std::ranges::find(shape.keys, name, &Key::name);
      if (key == shape.keys.end()) {
        found.push_back({.path = below, .meant = MeantBy(name, shape)});
      } else if (release_ && *release_ < base::Release{1, key->since}) {
        found.push_back({.path = below, .since = base::Release{1, key->since}});
      } else if (key->shape != nullptr) {
        LookBelow(member.value, *key, below);
      }
    }
  }

  std::vector<UnknownKey> found{};

 private:
  void LookBelow(const Value& value, const Key& key, const std::string& path) {
    if (key.form == Key::Form::kOne) return Look(value, *key.shape, path);
    if (key.form == Key::Form::kList) {
      std::size_t index = 0;
      for (const Value& element : value.elements()) {
        Look(element, *key.shape, path + "[" + std::to_string(index++) + "]");
      }
      return;
    }
    for (const json::Member& member : value.members()) {
      Look(member.value, *key.shape, path + "." + std::string(member.key.text()));
    }
  }

  const std::optional<base::Release>& release_;
};

}  // namespace

std::string UnknownKey::Message() const {
  return "unknown field " + go::GoQuote(base::utf8::Shortened(path, 1024));
}

std::vector<UnknownKey> FindUnknownKeys(const Value& crd,
                                        const std::optional<base::Release>& release) {
  KeyFinder finder(release);
  const bool is_old = crd.FindText("apiVersion").ends_with("/v1beta1");
  finder.Look(crd, is_old ? kOldCrd : kCrd, "");
  return std::move(finder.found);
}

}  // namespace kube::crd
