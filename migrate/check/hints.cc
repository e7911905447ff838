#include "migrate/check/hints.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kube/base/text.h"
#include "kube/suggest/observed_schema.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::suggest::ObservedShape;
using kube::suggest::OnlyTypeOf;
using kube::suggest::TypesText;

/// A step of a path: "properties[spec]" is {properties, spec}.
struct Step {
  std::string_view name;
  std::string_view key;
};

/// The place of the '[' that the ']' at the end of `path` closes. Keys are not escaped, but as a
/// rule brackets in them match.
std::size_t OpeningBracket(std::string_view path) {
  std::size_t depth = 0;
  for (std::size_t i = path.size(); i-- > 0;) {
    if (path[i] == ']') ++depth;
    if (path[i] == '[' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// The steps of a path, the last one first.
std::vector<Step> StepsFromTheEnd(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    Step step;
    if (path.ends_with(']')) {
      const std::size_t bracket = OpeningBracket(path);
      if (bracket == std::string_view::npos) return steps;
      step.key = path.substr(bracket + 1, path.size() - bracket - 2);
      path = path.substr(0, bracket);
    }
    const std::size_t dot = path.rfind('.');
    step.name = path.substr(dot == std::string_view::npos ? 0 : dot + 1);
    steps.push_back(step);
    if (dot == std::string_view::npos) break;
    path = path.substr(0, dot);
  }
  return steps;
}

bool IsJunctor(std::string_view name) {
  return name == "anyOf" || name == "allOf" || name == "oneOf" || name == "not";
}

/// What the schema at steps[first] is the schema of: "spec", "the items of ports", "the root".
std::string SubjectName(const std::vector<Step>& steps, std::size_t first) {
  std::string prefix;
  for (std::size_t i = first; i < steps.size(); ++i) {
    if (steps[i].name == "properties" && !steps[i].key.empty()) {
      return prefix + std::string(steps[i].key);
    }
    if (steps[i].name == "items") prefix += "the items of ";
    if (steps[i].name == "additionalProperties") prefix += "the values of ";
    if (steps[i].name == "openAPIV3Schema") break;
  }
  return prefix + "the root";
}

/// The innermost of anyOf, allOf, oneOf and not in `path`.
std::string JunctorIn(std::string_view path) {
  for (const Step& step : StepsFromTheEnd(path)) {
    if (IsJunctor(step.name)) return std::string(step.name);
  }
  return "the value validation";
}

/// In hints {owner} is what has the faulty keyword at the end of the path, {self} what the path
/// itself leads to, {last} the end of the path, {junctor} the value validation around.
struct Entry {
  std::string_view last;    ///< the end of the path; empty: any
  std::string_view detail;  ///< how the detail starts
  std::string_view hint;
};

constexpr auto kStructural = std::to_array<Entry>({
    {"items", "must be specified",
     "say what {owner} holds, for example \"items: {type: string}\" where it holds strings"},
    {"type", "must not be empty at the root", "add \"type: object\" at the root of the schema"},
    {"type", "must not be empty for specified",
     "give {owner} a type: \"type: object\" where it has properties, else that of what objects "
     "hold"},
    {"type", "must be object at the root", "set \"type: object\" at the root of the schema"},
    {"type", "must be object if x-kubernetes-embedded-resource", "set \"type: object\" on {owner}"},
    {"properties", "must not be empty if x-kubernetes-embedded-resource",
     "add x-kubernetes-preserve-unknown-fields: true to {owner}, or specify its properties"},
    {"additionalProperties", "must not be used if x-kubernetes-embedded-resource",
     "remove additionalProperties from {owner} and mark it x-kubernetes-preserve-unknown-fields: "
     "true instead"},
    {"additionalProperties", "must not be used at the root",
     "remove additionalProperties from the root; x-kubernetes-preserve-unknown-fields: true there "
     "keeps unknown fields"},
    {"x-kubernetes-preserve-unknown-fields", "must be false if x-kubernetes-int-or-string",
     "remove x-kubernetes-preserve-unknown-fields from {owner}: an integer or string has no "
     "fields"},
    {"x-kubernetes-embedded-resource", "must be false if x-kubernetes-int-or-string",
     "remove x-kubernetes-int-or-string from {owner}, or x-kubernetes-embedded-resource"},
    {"type", "must be string", "set \"type: string\" on {owner}"},
    {"", "must not specify anything other than name and generateName",
     "reduce metadata to \"type: object\", with no properties but name and generateName"},
    {"pattern", "must be a valid regular expression",
     "write the pattern of {owner} in the RE2 syntax of Go: no look-around, no back-references"},
    {"", "must not be specified in a nested context",
     "remove metadata from {junctor}: only name and generateName can be restricted, and only at "
     "the root"},
    {"", "because it is defined in",
     "specify {self} outside of {junctor} too, with its type: {junctor} can only restrict it"},
    {"", "because otherwise all fields are pruned",
     "add a schema for the version, at least \"type: object\" with "
     "x-kubernetes-preserve-unknown-fields: true"},
});

constexpr auto kNested = std::to_array<Entry>({
    {"type", "must be empty to be structural",
     "move type out of {junctor} to {owner} itself; for an integer or a string set "
     "x-kubernetes-int-or-string: true there"},
    {"x-kubernetes-preserve-unknown-fields", "must be false to be structural",
     "move x-kubernetes-preserve-unknown-fields out of {junctor} to {owner} itself"},
    {"x-kubernetes-int-or-string", "must be false to be structural",
     "move x-kubernetes-int-or-string out of {junctor} to {owner} itself"},
    {"title", "must be empty to be structural",
     "remove title from {junctor}, or move it to {owner} itself"},
    {"description", "must be empty to be structural",
     "remove description from {junctor}, or move it to {owner} itself"},
    {"additionalProperties", "must be undefined to be structural",
     "move additionalProperties out of {junctor} to {owner} itself, without properties beside it"},
    {"", "must be empty to be structural", "move {last} out of {junctor} to {owner} itself"},
    {"", "must be undefined to be structural", "move {last} out of {junctor} to {owner} itself"},
    {"", "must be false to be structural", "move {last} out of {junctor} to {owner} itself"},
});

constexpr auto kAdmission = std::to_array<Entry>({
    {"nullable", "nullable cannot be true at the root", "remove nullable from the root"},
    {"type", "only \"object\" is allowed as the type at the root",
     "set \"type: object\" at the root of the schema"},
    {"", "only [", "keep to the allowed keywords at the root, or give up the status subresource"},
    {"type", "type cannot be set to null", "set nullable: true on {owner} instead of type null"},
    {"uniqueItems", "uniqueItems cannot be set to true",
     "remove uniqueItems from {owner}; x-kubernetes-list-type: set keeps scalars unique"},
    {"additionalProperties", "additionalProperties and properties are mutual exclusive",
     "keep either properties or additionalProperties in {owner}; with properties, "
     "x-kubernetes-preserve-unknown-fields: true keeps other fields"},
    {"x-kubernetes-preserve-unknown-fields", "must be true or undefined",
     "remove x-kubernetes-preserve-unknown-fields from {owner}: only true means something"},
    {"$ref", "$ref is not supported", "replace $ref by the schema that it refers to"},
    {"definitions", "definitions is not supported",
     "put the definitions where they are used and remove definitions"},
    {"patternProperties", "patternProperties is not supported",
     "replace patternProperties in {owner} by additionalProperties"},
    {"additionalItems", "additionalItems is not supported",
     "remove additionalItems from {owner}; items holds for every element"},
    {"dependencies", "dependencies is not supported",
     "remove dependencies from {owner}; required within anyOf can say some of it"},
    {"id", "id is not supported", "remove id from {owner}"},
    {"items", "items must be a schema object and not an array",
     "give {owner} one schema that holds for every element"},
    {"x-kubernetes-embedded-resource", "must not be used inside of resource meta",
     "remove x-kubernetes-embedded-resource: metadata holds no resources"},
    {"type", "must be array if x-kubernetes-list-type",
     "set \"type: array\" on {owner}, or remove x-kubernetes-list-type"},
    {"x-kubernetes-map-type", "must be atomic as item of a list",
     "set x-kubernetes-map-type: atomic on {owner}, or use x-kubernetes-list-type: map or atomic "
     "for the list"},
    {"x-kubernetes-list-type", "must be atomic as item of a list",
     "set x-kubernetes-list-type: atomic on {owner}, or on the list around it"},
    {"nullable", "cannot be nullable when x-kubernetes-list-type",
     "remove nullable from {owner}, or set x-kubernetes-list-type: atomic on the list"},
    {"x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map",
     "list in x-kubernetes-list-map-keys the properties that identify an item of {owner}"},
    {"x-kubernetes-list-type", "must be map if x-kubernetes-list-map-keys",
     "set x-kubernetes-list-type: map on {owner}, or remove x-kubernetes-list-map-keys"},
    {"items", "must have a schema if x-kubernetes-list-type is map",
     "specify the items of {owner} with \"type: object\""},
    {"type", "must be object if parent array's x-kubernetes-list-type is map",
     "set \"type: object\" on {owner}, or set another x-kubernetes-list-type on the list"},
    {"type", "must be a scalar type if parent array's",
     "take a property with a scalar type in place of {owner} as a key of the list"},
    {"x-kubernetes-list-map-keys", "entries must all be names of item properties",
     "specify each key of {owner} in the properties of its items"},
    {"x-kubernetes-list-map-keys", "must not contain duplicate entries",
     "name each key of {owner} once"},
    {"default", "this property is in x-kubernetes-list-map-keys, so it must have a default",
     "add {owner} to the required properties of the item, or give it a default"},
    {"nullable", "this property is in x-kubernetes-list-map-keys",
     "remove nullable from {owner}: keys of a list are never null"},
    {"type", "must be object if x-kubernetes-map-type",
     "set \"type: object\" on {owner}, or remove x-kubernetes-map-type"},
    {"type", "must be object", "set \"type: object\" on {owner}"},
    {"default", "must not have unknown fields",
     "remove from the default of {owner} the fields that its schema does not specify, or specify "
     "them"},
    {"default", "must not be set in top-level metadata",
     "remove the default from {owner}: clients set apiVersion, kind and metadata"},
    {"default", "must not be set inside additionalProperties",
     "remove the default from {owner}: labels and annotations have none"},
    {"default", "must not be set (cannot set default values in",
     "apply the CRD as apiextensions.k8s.io/v1, which allows defaults"},
    {"rule", "rule is not specified", "write the rule, or remove the entry"},
    {"rule", "cel expression must evaluate to a bool", "compare the value, so that it is a bool"},
    {"rule", "oldSelf cannot be used",
     "move the rule above the list or map, or give the list x-kubernetes-list-type: map"},
    {"rule", "estimated rule cost",
     "set maxItems, maxProperties or maxLength on what the rule reads"},
    {"rule", "contributed to", "set maxItems, maxProperties or maxLength on what the rule reads"},
    {"messageExpression", "estimated messageExpression cost",
     "set maxItems, maxProperties or maxLength on what the expression reads"},
    {"messageExpression", "messageExpression must evaluate", "make the expression a string"},
    {"optionalOldSelf", "", "remove optionalOldSelf, or use oldSelf in the rule"},
    {"openAPIV3Schema", "x-kubernetes-validations estimated rule cost",
     "set maxItems, maxProperties or maxLength on what the rules read"},
    {"x-kubernetes-validations", "",
     "give {owner} a type and properties that the rules can refer to"},
    // Above the schema. The server names the column's key as v1beta1 has it.
    {"JSONPath", "", "set jsonPath (in apiextensions.k8s.io/v1beta1: JSONPath)"},
    {"preserveUnknownFields", "cannot set to true",
     "set spec.preserveUnknownFields: false, and x-kubernetes-preserve-unknown-fields: true in the "
     "schema where unknown fields must stay"},
    {"preserveUnknownFields", "must be false in order to use defaults",
     "set spec.preserveUnknownFields: false, or remove the defaults from the schema"},
    {"preserveUnknownFields", "must be false",
     "set spec.preserveUnknownFields: false, as migrate --enable-pruning does"},
    {"strategy", "must be None if spec.preserveUnknownFields is true",
     "set spec.preserveUnknownFields: false before objects are converted by a webhook"},
    {"validation", "top-level and per-version schemas are mutually exclusive",
     "keep either spec.validation or the schemas in spec.versions"},
    {"", "top-level and per-version", "say it either for the whole CRD or for each version"},
    {"versions", "per-version schemas may not all be set to identical values",
     "move the schema to spec.validation, or apply the CRD as apiextensions.k8s.io/v1"},
    {"", "per-version", "say it once for the whole CRD, or apply it as apiextensions.k8s.io/v1"},
});

bool Matches(const Entry& entry, std::string_view last, std::string_view detail) {
  return (entry.last.empty() || entry.last == last) && detail.starts_with(entry.detail);
}

template <std::size_t N>
std::string_view FindHint(const std::array<Entry, N>& entries, std::string_view last,
                          std::string_view detail) {
  const auto found = std::ranges::find_if(
      entries, [&](const Entry& entry) { return Matches(entry, last, detail); });
  return found != entries.end() ? found->hint : "";
}

void Replace(std::string& text, std::string_view placeholder, std::string_view value) {
  for (std::size_t at = text.find(placeholder); at != std::string::npos;
       at = text.find(placeholder, at + value.size())) {
    text.replace(at, placeholder.size(), value);
  }
}

/// By the first error of CEL's compiler. {name} is what it quotes.
struct CompilationEntry {
  std::string_view error;
  std::string_view hint;
};
constexpr std::string_view kOperands =
    "the operands have types that do not go together: convert one, as by int(), double() or "
    "string()";
constexpr auto kCompilation = std::to_array<CompilationEntry>({
    {"undefined field '", "no schema specifies {name}: specify it, or correct the expression"},
    {"undeclared reference to '",
     "there is no variable and no function {name}: correct the expression of {owner}; fields are "
     "those of self"},
    {"found no matching overload for '_", kOperands},
    {"found no matching overload for '!", kOperands},
    {"found no matching overload for '-", kOperands},
    {"found no matching overload for '@", kOperands},
    {"found no matching overload for '", "{name}() takes other arguments than these"},
    {"Syntax error", "correct the syntax of the CEL expression, where the caret is"},
});

std::string CompilationHint(std::string_view detail, const std::vector<Step>& steps) {
  if (!IsOfCompilation(detail)) return "";
  const std::string_view error = FirstCompileError(detail);
  for (const CompilationEntry& entry : kCompilation) {
    if (!error.starts_with(entry.error)) continue;
    const std::string_view quoted = error.substr(entry.error.size());
    std::string hint(entry.hint);
    Replace(hint, "{owner}", SubjectName(steps, 1));
    Replace(hint, "{name}", quoted.substr(0, quoted.find('\'')));
    return hint;
  }
  return "correct the CEL expression";
}

/// For what no entry covers.
std::string_view FallbackHint(const kube::meta::FieldError& error, const std::vector<Step>& steps) {
  const bool in_default =
      std::ranges::any_of(steps, [](const Step& step) { return step.name == "default"; });
  if (in_default) return "make the default fit the schema that it stands in";
  switch (error.type) {
    case kube::meta::ErrorType::kRequired:
      return steps.front().name == "openAPIV3Schema"
                 ? "add a schema for the version, at least \"type: object\" with "
                   "x-kubernetes-preserve-unknown-fields: true"
                 : "set {last}";
    case kube::meta::ErrorType::kForbidden:
      return "remove {last}";
    case kube::meta::ErrorType::kNotSupported:
      return "set {last} to one of the supported values";
    case kube::meta::ErrorType::kDuplicate:
      return "remove one of the two";
    case kube::meta::ErrorType::kTooLong:
    case kube::meta::ErrorType::kTooMany:
      return "shorten {last}";
    case kube::meta::ErrorType::kInvalid:
    case kube::meta::ErrorType::kTypeInvalid:
    case kube::meta::ErrorType::kInternal:
      return "";
  }
  return "";
}

std::string Fill(std::string_view hint, const kube::meta::FieldError& error,
                 const std::vector<Step>& steps) {
  constexpr std::string_view kDefinedIn = "because it is defined in ";
  const bool is_incomplete = error.detail.starts_with(kDefinedIn);
  std::string text(hint);
  Replace(text, "{junctor}",
          JunctorIn(is_incomplete ? std::string_view(error.detail).substr(kDefinedIn.size())
                                  : std::string_view(error.field)));
  Replace(text, "{last}", steps.front().name);
  // Names from the CRD come last: braces in them stay.
  Replace(text, "{self}", SubjectName(steps, 0));
  Replace(text, "{owner}", SubjectName(steps, 1));
  return text;
}

/// What objects hold where a schema is.
struct Place {
  const ObservedShape* shape = nullptr;     ///< null pointer: nothing was seen there
  std::unique_ptr<ObservedShape> values{};  ///< what `shape` points to, of the values of a map
  /// That have something there; of the values of a map, those that have the map.
  std::uint64_t objects = 0;
};

/// The place of the schema at steps[first]; the steps after it lead to it.
Place PlaceOf(const std::vector<Step>& steps, std::size_t first, const ObservedShape& root) {
  std::size_t last = first;
  while (last < steps.size() && steps[last].name != "openAPIV3Schema") ++last;
  Place place{.shape = &root, .objects = root.objects};
  for (std::size_t i = last; i-- > first && place.shape != nullptr;) {
    if (steps[i].name == "properties") {
      place.shape = place.shape->Field(steps[i].key);
    } else if (steps[i].name == "items") {
      place.shape = place.shape->elements.get();
    } else if (steps[i].name == "additionalProperties") {
      place.values = kube::suggest::ValuesOf(*place.shape);
      place.shape = place.values.get();
    } else if (!IsJunctor(steps[i].name)) {
      place.shape = nullptr;
    }
    if (place.shape != nullptr && place.shape->objects > 0) place.objects = place.shape->objects;
  }
  return place;
}

}  // namespace

bool IsOfCompilation(std::string_view detail) {
  return detail.starts_with("compilation failed") ||
         detail.starts_with("messageExpression compilation failed");
}

std::string_view FirstCompileError(std::string_view message) {
  const std::size_t input = message.find("ompilation failed: ERROR: <input>:");
  if (input == message.npos) return "";
  const std::size_t begin = message.find(": ", message.find('>', input));
  if (begin == message.npos) return "";
  const std::string_view error = message.substr(begin + 2);
  return error.substr(0, error.find('\n'));
}

bool NeedsObjects(std::string_view message) {
  return message.find("must not be empty for specified") != message.npos ||
         message.ends_with("items: Required value: must be specified");
}

std::string Hint(const kube::meta::FieldError& error) {
  const std::vector<Step> steps = StepsFromTheEnd(error.field);
  if (steps.empty()) return "";
  if (std::string hint = CompilationHint(error.detail, steps); !hint.empty()) return hint;
  const std::string_view last = steps.front().name;
  std::string_view hint = FindHint(kStructural, last, error.detail);
  if (hint.empty()) hint = FindHint(kNested, last, error.detail);
  if (hint.empty()) hint = FindHint(kAdmission, last, error.detail);
  if (hint.empty()) hint = FallbackHint(error, steps);
  return Fill(hint, error, steps);
}

std::string HintByObjects(std::string_view field, std::string_view message,
                          const ObservedShape& seen) {
  const std::vector<Step> steps = StepsFromTheEnd(field);
  if (steps.empty() || !NeedsObjects(message)) return "";
  const bool are_items = steps.front().name == "items";
  const Place place = PlaceOf(steps, are_items ? 0 : 1, seen);
  if (place.shape == nullptr) return "";
  const std::string owner = SubjectName(steps, 1);
  const auto type = OnlyTypeOf(*place.shape);
  const std::string of_objects = kube::base::Count(place.objects, "object");
  if (!type) {
    return owner + (are_items ? " holds " : " is ") + TypesText(*place.shape) + " in " +
           of_objects +
           ": x-kubernetes-preserve-unknown-fields: true in the place of a type takes " +
           "any value";
  }
  const std::string schema =
      type->starts_with("x-") ? std::string(*type) + ": true" : "type: " + std::string(*type);
  const std::string more = *type == "object" || *type == "array"
                               ? "; " + report::OwnCommand("suggest") + " prints what is below"
                               : "";
  return are_items ? "say what " + owner + " holds: \"items: {" + schema + "}\", as in " +
                         of_objects + more
                   : "give " + owner + " a type: \"" + schema + "\", as in " + of_objects + more;
}

std::string ConversionHint(std::string_view conversion_error) {
  struct ConversionEntry {
    std::string_view keyword;
    std::string_view hint;
  };
  constexpr auto kEntries = std::to_array<ConversionEntry>({
      {"'id'", "remove id from the schema"},
      {"'schema'", "remove $schema from the schema"},
      {"'$ref'", "replace $ref by the schema that it refers to"},
      {"'patternProperties'", "replace patternProperties by additionalProperties"},
      {"'dependencies'", "remove dependencies; required within anyOf can say some of it"},
      {"'additionalItems'", "remove additionalItems; items holds for every element"},
      {"'definitions'", "put the definitions where they are used and remove definitions"},
      {"'items'", "give arrays one schema under items that holds for every element"},
      {"'x-kubernetes-preserve-unknown-fields'",
       "remove x-kubernetes-preserve-unknown-fields: false, which means the same as nothing"},
  });
  for (const ConversionEntry& entry : kEntries) {
    if (conversion_error.find(entry.keyword) != std::string_view::npos) {
      return std::string(entry.hint);
    }
  }
  return "";
}

}  // namespace migrate::check
