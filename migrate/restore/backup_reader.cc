#include "migrate/restore/backup_reader.h"

#include <memory>

#include "kube/base/error.h"
#include "kube/meta/type_meta.h"
#include "migrate/manifests/manifest_files.h"
#include "migrate/manifests/manifest_reader.h"
#include "migrate/spool/object_metadata.h"

namespace migrate::restore {
namespace {

using spool::MetadataText;

// Longer ones no server has (apimachinery pkg/api/validation).
constexpr std::size_t kLongestName = 253;

// path.IsValidPathSegmentName of apimachinery: anything else would be another URL.
bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find_first_of("/%") == std::string_view::npos;
}

// Empty: nothing is wrong with it.
std::string_view WhyNoObject(const ReadObject& object) {
  if (object.group.empty() || object.kind.empty())
    return "it is no custom resource: it has no kind, or an apiVersion without a group";
  if (!IsName(object.name)) return "it has no name that an object can have";
  if (!object.namespace_.empty() && !IsName(object.namespace_))
    return "its namespace has no name that a namespace can have";
  return "";
}

ReadObject Describe(const manifests::ManifestObject& object) {
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
  std::vector<manifests::ManifestFile> files = manifests::ListManifestFiles({path}, false);
  if (files.size() != 1 || !files[0].is_regular) {
    throw kube::base::Error("the backup has to be one file, which \"" + path + "\" is not");
  }
  manifests::ManifestReader reader(std::move(files), /*workers=*/1);
  reader.ReadAll([&](std::size_t, manifests::ManifestObject& object) {
    const ReadObject described = Describe(object);
    const std::string_view why = WhyNoObject(described);
    why.empty() ? take(described) : reader.AddError(object, why);
  });
  const auto errors = reader.TakeErrors();
  if (!errors.empty()) throw kube::base::Error("cannot read the backup: " + errors.front().text);
}

}  // namespace migrate::restore
