#include "migrate/check/object_schemas.h"

#include <algorithm>
#include <optional>

#include "kube/crd/crd_validation.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/object_validation.h"

namespace migrate::check {

ObjectSchemas::ObjectSchemas(const kube::crd::Crd& crd, ServerRules server,
                             std::string_view only_version)
    : crd_(kube::crd::CopyCrd(crd)), server_(server) {
  for (const kube::crd::CrdVersion& version : crd_.versions) {
    if (!only_version.empty() && version.name != only_version) continue;
    if (version.schema == nullptr || kube::schema::ConversionError(*version.schema)) continue;
    versions_.push_back({version.name, version.schema,
                         kube::schema::MakeStructural(*version.schema, arena_),
                         RuleValidatorOf(*version.schema, server_)});
  }
}

std::vector<std::string> ObjectSchemas::Errors(const kube::json::Value& object,
                                               const kube::json::Value* old,
                                               std::string_view version) const {
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  return Errors(object, old, version, patterns);
}

std::string ObjectSchemas::Refusal(const kube::json::Value& object, const kube::json::Value* old,
                                   std::string_view version,
                                   kube::schema::PatternChecks& patterns) const {
  patterns.Allow(kPatternsOfObject);
  return FirstErrors(Errors(object, old, version, patterns));
}

std::vector<std::string> ObjectSchemas::Errors(const kube::json::Value& object,
                                               const kube::json::Value* old,
                                               std::string_view version,
                                               kube::schema::PatternChecks& patterns) const {
  const auto found = std::ranges::find(versions_, version, &Version::name);
  if (found == versions_.end()) return {};
  const kube::schema::StructuralSchema* reads =
      crd_.preserve_unknown_fields ? nullptr : &found->structural;
  kube::json::Arena arena;
  const auto read = [&](const kube::json::Value& value) {
    kube::json::Value copy = kube::json::CopyForChange(value, arena);
    const bool is_read = reads == nullptr || kube::schema::ReadBySchema(copy, reads, arena);
    return is_read ? std::optional(copy) : std::nullopt;
  };
  const std::optional<kube::json::Value> now = read(object);
  const std::optional<kube::json::Value> before = old == nullptr ? std::nullopt : read(*old);
  if (!now || before.has_value() != (old != nullptr)) return {};
  const kube::schema::ObjectRules rules{*found->props, found->structural, found->rules.get()};
  const auto ratcheting = server_.ratchets ? kube::schema::Ratcheting::kUnchangedValues
                                           : kube::schema::Ratcheting::kNone;
  const std::uint64_t undecided = patterns.undecided();
  auto errors = before ? kube::schema::ErrorsOfUpdate(*now, *before, rules, ratcheting, patterns)
                       : kube::schema::ErrorsOfCreate(*now, rules, patterns);
  if (patterns.undecided() > undecided) return {};
  std::erase_if(errors, [this](const kube::meta::FieldError& error) {
    return LaterRelease(error, server_.release).has_value();
  });
  return kube::meta::SortedStrings(errors);
}

}  // namespace migrate::check
