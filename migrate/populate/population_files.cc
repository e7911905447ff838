#include "migrate/populate/population_files.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include "kube/meta/type_meta.h"
#include "migrate/cluster/manifest_files.h"
#include "migrate/cluster/manifest_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

using cluster::ManifestObject;

/// Sorts what a reader hands out.
class PopulationReader {
 public:
  // One worker: of what comes twice the last one counts.
  PopulationReader(const std::vector<std::string>& filenames, bool recursive)
      : reader_(cluster::ListManifestFiles(filenames, recursive), 1) {}

  PopulationFiles Read() {
    reader_.ReadAll([this](std::size_t, ManifestObject& object) { Take(object); });
    for (auto& [name, each] : templates_) files_.templates.push_back(std::move(each));
    for (auto& [name, each] : namespaces_) files_.namespaces.push_back(std::move(each));
    for (const auto& [type, count] : others_) {
      files_.others.push_back({type.first, type.second, count});
    }
    for (auto& error : reader_.TakeErrors()) files_.errors.push_back(std::move(error.text));
    files_.hints = reader_.TakeHints();
    return std::move(files_);
  }

 private:
  void Take(const ManifestObject& object) {
    if (!object.value.is_object()) {
      const std::string type(kube::json::TypeName(object.value.type()));
      return reader_.AddError(object, "not an object but " + type);
    }
    if (IsNamespaceTemplate(object.value)) return HandleTemplate(object);
    if (IsNamespace(object.value)) return HandleNamespace(object);
    const kube::meta::GroupVersionKind type = kube::meta::TypeOf(object.value);
    if (type.kind.empty()) return reader_.AddError(object, "Object 'Kind' is missing");
    if (type.kind == kTemplateKind && type.group_version.group == kGroup) {
      return reader_.AddError(
          object, Describe(object) + ": of its versions only " + kVersion + " is known");
    }
    ++others_[{type.group_version.ToString(), std::string(type.kind)}];
  }

  void HandleTemplate(const ManifestObject& object) {
    auto read = ReadNamespaceTemplate(object.value);
    if (!read) return AddErrors(object, read.error());
    for (const std::string& path : read->unknown_fields) {
      files_.warnings.push_back(Describe(object) + ": unknown field \"" + path + "\"");
    }
    if (read->uses_creator) {
      files_.warnings.push_back(
          Describe(object) +
          ": it has $(CREATOR), which a cluster refuses where no webhook guards the annotation " +
          kCreatorAnnotation);
    }
    WarnOfKey(object, kApplyKey, {"disable"});
    Keep(templates_, object, *std::move(read));
  }

  void HandleNamespace(const ManifestObject& object) {
    auto read = ReadNamespace(object.value);
    if (!read) {
      files_.unreadable_namespaces.insert(NameOf(object));
      return AddErrors(object, read.error());
    }
    WarnOfKey(object, kOptOutKey, {"true", "false"});
    Keep(namespaces_, object, *std::move(read));
  }

  template <typename T>
  void Keep(std::map<std::string, T>& kept, const ManifestObject& object, T read) {
    const std::string name = read.name;
    if (kept.insert_or_assign(name, std::move(read)).second) return;
    files_.warnings.push_back(Describe(object) + " was given more than once; the last one counts");
  }

  void AddErrors(const ManifestObject& object, const std::vector<std::string>& errors) {
    for (const std::string& error : errors)
      reader_.AddError(object, Describe(object) + ": " + error);
  }

  // What nearly says something says nothing.
  void WarnOfKey(const ManifestObject& object, const std::string& key,
                 std::initializer_list<std::string_view> values) {
    for (const auto& [map, what] : {std::pair("labels", "label"), {"annotations", "annotation"}}) {
      const std::string_view value = MetadataEntry(object.value, map, key);
      if (value.empty() || std::ranges::find(values, value) != values.end()) continue;
      files_.warnings.push_back(Describe(object) + ": the " + what + " " + key + "=" +
                                std::string(value) + " means nothing, " + key + "=" +
                                std::string(*values.begin()) + " would");
    }
  }

  static std::string NameOf(const ManifestObject& object) {
    return std::string(cluster::MetadataText(object.value, "name"));
  }

  /// `NamespaceTemplate "a"`.
  static std::string Describe(const ManifestObject& object) {
    return std::string(object.value.FindText("kind")) + " \"" + NameOf(object) + "\"";
  }

  cluster::ManifestReader reader_;
  PopulationFiles files_;
  std::map<std::string, NamespaceTemplate> templates_;
  std::map<std::string, TargetNamespace> namespaces_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> others_;
};

}  // namespace

PopulationFiles ReadPopulationFiles(const std::vector<std::string>& filenames, bool recursive) {
  return PopulationReader(filenames, recursive).Read();
}

}  // namespace migrate::populate
