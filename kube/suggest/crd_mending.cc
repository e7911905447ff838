#include "kube/suggest/crd_mending.h"

#include <string>
#include <string_view>
#include <utility>

#include "kube/crd/crd.h"

namespace kube::suggest {
namespace {

using json::Value;

constexpr std::string_view kApproval = "api-approved.kubernetes.io";

// "unapproved" in front is what the server asks for of all others.
void MendApproval(Value& crd, SchemaEditor& editor) {
  const Value* spec = crd.Find("spec");
  Value* metadata = SchemaAt(crd, "metadata");
  if (spec == nullptr || metadata == nullptr || !crd::IsProtectedGroup(spec->FindText("group"))) return;
  if (SchemaAt(*metadata, "annotations") == nullptr) {
    editor.Set(*metadata, "annotations", Value::Object());
  }
  Value& annotations = *metadata->Find("annotations");
  if (annotations.Find(kApproval) != nullptr) return;
  editor.SetText(annotations, kApproval, "unapproved, the CRD named no approval");
  SchemaPlace place;
  place = place.Inside("metadata").Inside("annotations").Inside(kApproval);
  place.path = "metadata.annotations";
  editor.Mended(place,
                std::string(kApproval) + ": unapproved, as a group of Kubernetes asks for it");
}

void MendColumns(Value& version, std::size_t index, std::vector<SchemaChange>& changes,
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
    editor.Mended(place, "a dot before the path");
  }
  for (SchemaChange& change : editor.TakeChanges()) changes.push_back(std::move(change));
}

}  // namespace

std::vector<SchemaChange> MendCrd(json::Value& crd, json::Arena& arena) {
  SchemaEditor editor("", arena);
  MendApproval(crd, editor);
  std::vector<SchemaChange> changes = editor.TakeChanges();
  Value* spec = SchemaAt(crd, "spec");
  Value* versions = spec == nullptr ? nullptr : ListAt(*spec, "versions");
  if (versions == nullptr) return changes;
  for (std::size_t i = 0; i < versions->size(); ++i) {
    MendColumns(versions->elements()[i], i, changes, arena);
  }
  return changes;
}

}  // namespace kube::suggest
