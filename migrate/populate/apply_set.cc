#include "migrate/populate/apply_set.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "kube/base/base64.h"
#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "kube/serve/certificates.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {

std::string ApplySetId(const ApplySetParent& parent) {
  const std::string_view parts[] = {parent.name, parent.namespace_, parent.kind, parent.group};
  return "applyset-" +
         kube::base::EncodeBase64Url(kube::serve::Sha256(kube::base::Join(parts, "."))) + "-v1";
}

std::string TemplateApplySetId(std::string_view template_name) {
  return ApplySetId({template_name, "", kTemplateKind, kGroup});
}

namespace {

using kube::json::Value;

constexpr std::size_t kMostNamespaces = 1000;

// The texts between commas that are not empty.
std::set<std::string> ListOf(std::string_view text) {
  std::set<std::string> texts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) texts.emplace(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return texts;
}

// schema.ParseGroupKind
GroupKind ParseGroupKind(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return {"", text};
  return {text.substr(dot + 1), text.substr(0, dot)};
}

// Without its version (kubectl pkg/cmd/apply/applyset.go toolingBaseName).
std::string_view ToolOf(std::string_view tooling) { return tooling.substr(0, tooling.rfind('/')); }

std::string Foreign(std::string_view template_name, const std::string& what) {
  return "ApplySet parent object \"namespacetemplates.policy.kubectl-prune.dev/" +
         std::string(template_name) + "\" already exists and " + what;
}

}  // namespace

ApplySetState ReadApplySetState(const Value& object) {
  ApplySetState state;
  state.id = MetadataEntry(object, "labels", kApplySetIdLabel);
  state.tooling = MetadataEntry(object, "annotations", kApplySetToolingAnnotation);
  for (const std::string& text :
       ListOf(MetadataEntry(object, "annotations", kApplySetKindsAnnotation))) {
    GroupKind type = ParseGroupKind(text);
    if (!type.kind.empty()) state.types.insert(std::move(type));
  }
  state.namespaces = ListOf(MetadataEntry(object, "annotations", kApplySetNamespacesAnnotation));
  return state;
}

ApplySetState TemplateApplySetState(std::string_view template_name, std::string_view version,
                                    std::set<GroupKind> types, std::set<std::string> namespaces) {
  if (namespaces.size() > kMostNamespaces) namespaces.clear();
  return {.id = TemplateApplySetId(template_name),
          .tooling = std::string(kApplySetTool).append("/").append(version),
          .types = std::move(types),
          .namespaces = std::move(namespaces)};
}

std::string WhyForeign(const ApplySetState& state, std::string_view template_name) {
  if (!state.tooling.empty() && ToolOf(state.tooling) != kApplySetTool) {
    return Foreign(template_name, "is managed by tooling " +
                                      kube::go::GoQuote(ToolOf(state.tooling)) + " instead of " +
                                      kube::go::GoQuote(kApplySetTool));
  }
  const std::string own_id = TemplateApplySetId(template_name);
  if (!state.id.empty() && state.id != own_id) {
    return Foreign(template_name, std::string("has incorrect value for label \"") +
                                      kApplySetIdLabel + "\" (got: " + state.id +
                                      ", want: " + own_id + ")");
  }
  return "";
}

std::string ApplySetPatch(const ApplySetState& state, std::string_view resource_version) {
  // Sorted as texts.
  std::set<std::string> kinds;
  for (const GroupKind& type : state.types) kinds.insert(type.ToString());
  const std::pair<std::string_view, std::string> texts[] = {
      {kApplySetNamespacesAnnotation, kube::base::Join(state.namespaces, ",")},
      {kApplySetKindsAnnotation, kube::base::Join(kinds, ",")},
      {kApplySetToolingAnnotation, state.tooling}};
  kube::json::Arena arena;
  Value annotations = Value::Object();
  for (const auto& [key, text] : texts) annotations.SetNew(key, Value::String(text), arena);
  Value labels = Value::Object();
  labels.SetNew(kApplySetIdLabel, Value::String(state.id), arena);
  Value metadata = Value::Object();
  metadata.SetNew("annotations", annotations, arena);
  metadata.SetNew("labels", labels, arena);
  metadata.SetNew("resourceVersion", Value::String(resource_version), arena);
  Value patch = Value::Object();
  patch.SetNew("metadata", metadata, arena);
  return kube::json::Print(patch);
}

}  // namespace migrate::populate
