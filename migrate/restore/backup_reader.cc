#include "migrate/restore/backup_reader.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "kube/base/result.h"
#include "kube/meta/type_meta.h"
#include "migrate/cluster/manifest_files.h"
#include "migrate/cluster/manifest_reader.h"
#include "migrate/cluster/object_metadata.h"

namespace migrate::restore {
namespace {

using cluster::MetadataText;

// Longer ones no server has (apimachinery pkg/api/validation).
constexpr std::size_t kLongestName = 253;

// path.IsValidPathSegmentName of apimachinery: anything else would be another URL.
bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find_first_of("/%") == std::string_view::npos;
}

// Empty: nothing is wrong with it.
std::string_view WhyNoObject(const ReadObject& object) {
  if (object.kind == "CustomResourceDefinition")
    return "it is a CustomResourceDefinition, and no backup of its objects: name the file with "
           "these, as .ndjson";
  if (object.group.empty() || object.kind.empty())
    return "it is no custom resource: it has no kind, or an apiVersion without a group";
  if (!IsName(object.name)) return "it has no name that an object can have";
  if (!object.namespace_.empty() && !IsName(object.namespace_))
    return "its namespace has no name that a namespace can have";
  return "";
}

// RFC 1952.
bool IsGzip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1f && file.get() == 0x8b;
}

// A file that was copied while it was written, or on a disk that was full.
std::string ErrorText(const std::string& error) {
  const bool is_torn = error.ends_with("unexpected end of JSON input");
  return "cannot read the backup: " + error +
         (is_torn ? ": the file ends within an object, so that it is not the whole backup; take "
                    "another copy of it"
                  : "");
}

ReadObject Describe(const cluster::ManifestObject& object) {
  const auto type = kube::meta::TypeOf(object.value);
  return {.value = object.value,
          .place = object.place,
          .group = type.group_version.group,
          .kind = type.kind,
          .namespace_ = MetadataText(object.value, "namespace"),
          .name = MetadataText(object.value, "name"),
          .uid = MetadataText(object.value, "uid")};
}

}  // namespace

std::string ReadObject::FullName() const {
  return (namespace_.empty() ? "" : std::string(namespace_) + "/") + std::string(name);
}

std::string ReadObject::Identity() const {
  return std::string(group) + "/" + std::string(kind) + "/" + std::string(namespace_) + "/" +
         std::string(name);
}

std::unique_ptr<kube::json::Document> ReadObject::Copy() const {
  auto copy = std::make_unique<kube::json::Document>();
  copy->root() = kube::json::DeepCopy(value, copy->arena());
  return copy;
}

void ReadBackup(const std::string& path, const std::function<void(const ReadObject&)>& take) {
  // It is read several times.
  if (path == "-") {
    throw kube::base::Error(
        "the backup cannot be the standard input, which can be read only once; name a file");
  }
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw kube::base::Error("\"" + path +
                            "\" is a folder: name one of the backups in it, a file whose name ends "
                            "in .ndjson");
  }
  std::vector<cluster::ManifestFile> files = cluster::ListManifestFiles({path}, false);
  if (files.size() == 1 && files[0].is_regular && IsGzip(path))
    throw kube::base::Error("the backup \"" + path + "\" is compressed: gunzip it first");
  if (files.size() != 1 || !files[0].is_regular) {
    throw kube::base::Error("the backup has to be one file, which \"" + path + "\" is not");
  }
  cluster::ManifestReader reader(std::move(files), /*workers=*/1);
  reader.ReadAll([&](std::size_t, cluster::ManifestObject& object) {
    const ReadObject described = Describe(object);
    const std::string_view why = WhyNoObject(described);
    why.empty() ? take(described) : reader.AddError(object, why);
  });
  const auto errors = reader.TakeErrors();
  if (!errors.empty()) throw kube::base::Error(ErrorText(errors.front().text));
}

}  // namespace migrate::restore
