#include "kube/suggest/suggestion.h"

#include <iterator>
#include <utility>

#include "kube/crd/v1_form.h"
#include "kube/json/json_patch.h"
#include "kube/suggest/completion.h"
#include "kube/suggest/crd_mending.h"
#include "kube/suggest/nested_validations.h"
#include "kube/suggest/unsupported_keywords.h"

namespace kube::suggest {
namespace {

using json::Value;

/// Of one version.
class VersionSuggestion {
 public:
  VersionSuggestion(Value& version, std::size_t index, SchemaEditor& editor)
      : version_(version), editor_(editor) {
    place_ = place_.Inside("spec").Inside("versions", index).Inside("schema");
    place_ = place_.Inside("openAPIV3Schema");
  }

  void Make(const ObservedShape& seen, Prefer prefer) {
    Value& root = Root(seen);
    ReplaceUnsupported(root, place_, editor_);
    LiftNestedValidations(root, place_, editor_);
    CompleteSchema(root, seen, prefer, place_, editor_);
  }

 private:
  Value& Root(const ObservedShape& seen) {
    if (SchemaAt(version_, "schema") == nullptr) editor_.Set(version_, "schema", Value::Object());
    Value& schema = *version_.Find("schema");
    if (Value* root = SchemaAt(schema, "openAPIV3Schema")) return *root;
    Value root = Value::Object();
    editor_.SetText(root, "type", "object");
    if (seen.objects == 0) editor_.SetTrue(root, kPreserveUnknown);
    editor_.Set(schema, "openAPIV3Schema", root);
    editor_.Mended(place_, seen.objects == 0 ? "a schema that keeps all fields, as there was none"
                                             : "a schema, as there was none");
    return *schema.Find("openAPIV3Schema");
  }

  Value& version_;
  SchemaEditor& editor_;
  SchemaPlace place_;
};

}  // namespace

Suggestion Suggest(const crd::Crd& crd, const ObservedShape& seen, const SuggestOptions& options,
                   json::Arena& arena) {
  Suggestion suggestion{.crd = crd::MakeV1Form(crd, options.is_live, arena),
                        .before = crd::MakeV1Form(crd, options.is_live, arena),
                        .changes = {}};
  suggestion.changes = MendCrd(suggestion.crd, arena);
  static const ObservedShape kNothing;
  Value* spec = suggestion.crd.Find("spec");
  Value* versions = spec == nullptr ? nullptr : spec->Find("versions");
  if (versions == nullptr) return suggestion;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    Value& version = versions->elements()[i];
    if (!version.is_object()) continue;
    const std::string name(version.FindText("name"));
    const bool is_known = options.only_version.empty() || options.only_version == name;
    SchemaEditor editor(name, arena);
    VersionSuggestion(version, i, editor).Make(is_known ? seen : kNothing, options.prefer);
    std::ranges::move(editor.TakeChanges(), std::back_inserter(suggestion.changes));
  }
  return suggestion;
}

json::Value PatchOf(const Suggestion& suggestion, const crd::Crd& crd, json::Arena& arena) {
  Value before = json::CopyForChange(suggestion.before, arena);
  const auto annotations_of = [](const Value& root) {
    const Value* metadata = root.Find("metadata", json::Type::kObject);
    return metadata == nullptr ? nullptr : metadata->Find("annotations");
  };
  // The form leaves out some: what is added goes beside these.
  const bool are_hidden = annotations_of(before) == nullptr &&
                          annotations_of(crd.document->root()) != nullptr &&
                          annotations_of(suggestion.crd) != nullptr;
  if (are_hidden) before.Find("metadata")->Set("annotations", Value::Object(), arena);
  return json::MakeJsonPatch(before, suggestion.crd, arena);
}

}  // namespace kube::suggest
