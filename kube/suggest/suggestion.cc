#include "kube/suggest/suggestion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/crd/v1_form.h"
#include "kube/json/json_patch.h"
#include "kube/suggest/schema_fixes.h"

namespace kube::suggest {
namespace {

using json::Value;

constexpr std::string_view kApproval = "api-approved.kubernetes.io";

// "unapproved" in front is what the server asks for of all others.
void FixApproval(Value& crd, SchemaEditor& editor) {
  const Value* spec = crd.Find("spec");
  Value* metadata = SchemaAt(crd, "metadata");
  if (spec == nullptr || metadata == nullptr || !crd::IsProtectedGroup(spec->FindText("group")))
    return;
  if (SchemaAt(*metadata, "annotations") == nullptr) {
    editor.Set(*metadata, "annotations", Value::Object());
  }
  Value& annotations = *metadata->Find("annotations");
  if (annotations.Find(kApproval) != nullptr) return;
  editor.SetText(annotations, kApproval, "unapproved, the CRD named no approval");
  SchemaPlace place;
  place = place.Inside("metadata").Inside("annotations").Inside(kApproval);
  place.path = "metadata.annotations";
  editor.Fixed(place,
               std::string(kApproval) + ": unapproved, as a group of Kubernetes asks for it");
}

void FixColumns(Value& version, std::size_t index, std::vector<SchemaChange>& changes,
                json::Arena& arena) {
  Value* columns = ListAt(version, "additionalPrinterColumns");
  if (columns == nullptr) return;
  SchemaEditor editor(std::string(version.FindText("name")), arena);
  for (std::size_t i = 0; i < columns->size(); ++i) {
    Value& column = columns->elements()[i];
    const std::string path(column.FindText("jsonPath"));
    if (path.empty() || path.starts_with('.') || path.starts_with('{')) continue;
    editor.SetText(column, "jsonPath", "." + path);
    SchemaPlace place;
    place = place.Inside("spec").Inside("versions", index).Inside("additionalPrinterColumns", i);
    place = place.Inside("jsonPath");
    place.path = "additionalPrinterColumns[" + std::to_string(i) + "]";
    editor.Fixed(place, "a dot before the path");
  }
  for (SchemaChange& change : editor.TakeChanges()) changes.push_back(std::move(change));
}

}  // namespace

std::vector<SchemaChange> FixCrd(json::Value& crd, json::Arena& arena) {
  SchemaEditor editor("", arena);
  FixApproval(crd, editor);
  std::vector<SchemaChange> changes = editor.TakeChanges();
  Value* spec = SchemaAt(crd, "spec");
  Value* versions = spec == nullptr ? nullptr : ListAt(*spec, "versions");
  if (versions == nullptr) return changes;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    FixColumns(versions->elements()[i], i, changes, arena);
  }
  return changes;
}

namespace {

// Definitions may name each other twice each, and so grow without end.
constexpr std::size_t kMostReferences = 10'000;

class Replacement {
 public:
  Replacement(Value& root, SchemaEditor& editor) : editor_(editor) {
    if (const Value* definitions = root.Find("definitions", json::Type::kObject)) {
      definitions_ = json::DeepCopy(*definitions, editor.arena());
    }
  }

  void Replace(Value& schema, const SchemaPlace& place) {
    std::size_t written_out = 0;
    while (WriteOutReference(schema, place)) ++written_out;
    DropMeaningless(schema, place);
    ReplacePatternProperties(schema, place);
    ReplaceSchemasOfItems(schema, place);
    LeaveTheRest(schema, place);
    ReplaceInside(schema, place);
    inside_.resize(inside_.size() - written_out);
  }

 private:
  // What stands beside a $ref stays. True where the schema is that of a definition now.
  bool WriteOutReference(Value& schema, const SchemaPlace& place) {
    const std::string name(schema.FindText("$ref"));
    if (schema.Erase("$ref") && name.empty()) editor_.Fixed(place, "$ref removed, which is empty");
    if (name.empty()) return false;
    constexpr std::string_view kHere = "#/definitions/";
    const Value* definition =
        name.starts_with(kHere)
            ? definitions_.Find(std::string_view(name).substr(kHere.size()), json::Type::kObject)
            : nullptr;
    if (definition == nullptr) {
      editor_.Fixed(place, "$ref " + name + " removed: the CRD has nothing that is called so");
      return false;
    }
    if (std::ranges::count(inside_, name) > 0 || written_out_ == kMostReferences) {
      editor_.SetTrue(schema, kPreserveUnknown);
      editor_.Fixed(place, "$ref " + name + " without an end: all fields are kept from here");
      return false;
    }
    ++written_out_;
    inside_.push_back(name);
    editor_.Fixed(place, "$ref " + name + " written out");
    const Value copy = json::DeepCopy(*definition, editor_.arena());
    for (const json::Member& member : copy.members()) {
      const std::string_view keyword = member.key.text();
      Value* own = schema.Find(keyword);
      if (own == nullptr) {
        editor_.Set(schema, keyword, member.value);
      } else if (keyword == "properties" && own->is_object() && member.value.is_object()) {
        AddMissing(*own, member.value);
      } else if (keyword == "required" && own->is_array() && member.value.is_array()) {
        for (const Value& name_of : member.value.elements()) own->Append(name_of, editor_.arena());
      }
    }
    return true;
  }

  void AddMissing(Value& properties, const Value& others) {
    for (const json::Member& other : others.members()) {
      if (properties.Find(other.key.text()) == nullptr)
        editor_.Set(properties, other.key.text(), other.value);
    }
  }

  // For the server a property that is null has a schema that says nothing.
  static void WriteNullsOut(Value& properties) {
    for (json::Member& member : properties.members()) {
      if (member.value.is_null()) member.value = Value::Object();
    }
  }

  void DropMeaningless(Value& schema, const SchemaPlace& place) {
    for (const std::string_view keyword : {"$schema", "id", "additionalItems"}) {
      if (schema.Erase(keyword)) editor_.Fixed(place, std::string(keyword) + " removed");
    }
    for (const std::string_view keyword : {kPreserveUnknown, std::string_view("uniqueItems")}) {
      const Value* value = schema.Find(keyword, json::Type::kBool);
      if (value == nullptr || value->AsBool() != (keyword == "uniqueItems")) continue;
      editor_.Fixed(place, std::string(keyword) + (value->AsBool() ? ": true" : ": false") +
                               " removed, which the server does not take");
      schema.Erase(keyword);
    }
  }

  void ReplacePatternProperties(Value& schema, const SchemaPlace& place) {
    const Value* patterns = SchemaAt(schema, "patternProperties");
    if (patterns == nullptr || patterns->size() > 1) return;
    if (!schema.At("properties").empty() || schema.At("additionalProperties").is_object()) return;
    if (!patterns->empty()) {
      const json::Member& only = patterns->members()[0];
      const bool is_of_all = TakesAllKeys(only.key.text());
      editor_.Fixed(place, is_of_all ? "patternProperties written as additionalProperties"
                                     : "additionalProperties that take anything in the place of "
                                       "patternProperties: less is checked");
      Value any = Value::Object();
      editor_.SetTrue(any, kPreserveUnknown);
      editor_.Set(schema, "additionalProperties", is_of_all ? only.value : any);
    }
    schema.Erase("patternProperties");
  }

  // Other keys were free to hold anything.
  static bool TakesAllKeys(std::string_view pattern) {
    constexpr std::array<std::string_view, 6> kAll{"", ".*", ".+", "^.*", "^.*$", "^.+$"};
    return std::ranges::count(kAll, pattern) > 0;
  }

  // What is left of them changes meaning, whatever takes its place.
  void LeaveTheRest(Value& schema, const SchemaPlace& place) {
    const Value* dependencies = schema.Find("dependencies", json::Type::kObject);
    if (dependencies != nullptr && dependencies->empty()) {
      schema.Erase("dependencies");
      editor_.Fixed(place, "dependencies removed, which are empty");
    } else if (dependencies != nullptr) {
      editor_.Left(place, "dependencies cannot be said by a CRD of v1");
    }
    if (SchemaAt(schema, "patternProperties") != nullptr) {
      editor_.Left(place, "patternProperties cannot be said by a CRD of v1 beside other fields");
    }
    if (schema.At("items").is_array()) {
      editor_.Left(place, "a CRD of v1 has one schema for all items");
    }
  }

  void ReplaceSchemasOfItems(Value& schema, const SchemaPlace& place) {
    const std::span<const Value> items = schema.At("items").elements();
    if (items.empty()) return;
    const Value first = items[0];
    const bool are_equal = std::ranges::all_of(
        items, [&first](const Value& other) { return json::Equal(first, other); });
    if (!are_equal) return;
    editor_.Fixed(place, "one schema for items in the place of a list");
    editor_.Set(schema, "items", first);
  }

  void ReplaceInside(Value& schema, const SchemaPlace& place) {
    if (Value* properties = SchemaAt(schema, "properties")) {
      WriteNullsOut(*properties);
      for (json::Member& member : properties->members()) {
        if (member.value.is_object()) Replace(member.value, place.Property(member.key.text()));
      }
    }
    if (Value* items = SchemaAt(schema, "items")) Replace(*items, place.Elements());
    if (Value* values = SchemaAt(schema, "additionalProperties")) {
      Replace(*values, place.Values());
    }
    if (Value* nested = SchemaAt(schema, "not")) Replace(*nested, place.Inside("not"));
    for (const std::string_view junctor : {"allOf", "anyOf", "oneOf"}) {
      Value* list = ListAt(schema, junctor);
      if (list == nullptr) continue;
      for (std::size_t i = 0; i < list->size(); ++i) {
        if (list->elements()[i].is_object()) Replace(list->elements()[i], place.Inside(junctor, i));
      }
    }
  }

  SchemaEditor& editor_;
  Value definitions_ = Value::Object();
  std::size_t written_out_ = 0;
  std::vector<std::string> inside_;  // the definitions that are being written out
};

}  // namespace

void ReplaceUnsupported(Value& root, const SchemaPlace& place, SchemaEditor& editor) {
  Replacement(root, editor).Replace(root, place);
  if (root.Erase("definitions")) editor.Fixed(place, "definitions removed");
}

namespace {

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
    editor_.Fixed(place_, seen.objects == 0 ? "a schema that keeps all fields, as there was none"
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
  suggestion.changes = FixCrd(suggestion.crd, arena);
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
    return root.At("metadata").Find("annotations");
  };
  // The form leaves out some: what is added goes beside these.
  const bool are_hidden = annotations_of(before) == nullptr &&
                          annotations_of(crd.document->root()) != nullptr &&
                          annotations_of(suggestion.crd) != nullptr;
  if (are_hidden) before.Find("metadata")->Set("annotations", Value::Object(), arena);
  return json::MakeJsonPatch(before, suggestion.crd, arena);
}

}  // namespace kube::suggest
