#include "kube/crd/crd_metadata_read.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kube::crd {
namespace {

using json::Value;
using meta::TypedReader;

/// Reads the Go types of k8s.io/apimachinery/pkg/apis/meta/v1/types.go. What is not kept is read
/// into variables that end here.
class MetadataReader {
 public:
  MetadataReader(TypedReader& reader, Crd& crd) : reader_(reader), crd_(crd) {}

  void Read(const Value& metadata) {
    ForEachField(metadata, "v1.ObjectMeta", [this](std::string_view key, const Value& v) {
      if (key == "name") reader_.Read(v, crd_.name);
      if (key == "uid") reader_.Read(v, crd_.uid, "types.UID");
      if (key == "resourceVersion") reader_.Read(v, crd_.resource_version);
      if (key == "generation") reader_.Read(v, crd_.generation);
      if (key == "deletionTimestamp") crd_.terminating = !v.is_null();
      if (key == "labels") ReadStringMap(v, crd_.labels);
      if (key == "annotations") ReadStringMap(v, crd_.annotations);
      CheckUnused(key, v);
    });
  }

 private:
  template <typename ReadField>
  void ForEachField(const Value& value, const char* type, ReadField read) {
    if (!reader_.ExpectObject(value, type)) return;
    const std::string_view name = std::string_view(type).substr(sizeof("v1.") - 1);
    for (const json::Member& member : value.members()) {
      const TypedReader::Step step(reader_, name, member.key.text());
      read(member.key.text(), member.value);
      if (reader_.ended()) return;
    }
  }

  template <typename CheckElement>
  void ForEachElement(const Value& value, const char* type, CheckElement check) {
    if (!reader_.ExpectArray(value, type)) return;
    for (std::size_t i = 0; i < value.size() && !reader_.ended(); ++i) {
      const TypedReader::Step step(reader_, i);
      check(value.elements()[i]);
    }
  }

  void ReadStringMap(const Value& value, std::map<std::string, std::string, std::less<>>& map) {
    if (!reader_.ExpectObject(value, "map[string]string")) return;
    for (const json::Member& member : value.members()) {
      const TypedReader::Step step(reader_, member.key.text());
      reader_.Read(member.value, map[std::string(member.key.text())]);
    }
  }

  void CheckUnused(std::string_view key, const Value& value) {
    if (key == "generateName" || key == "namespace" || key == "selfLink") CheckString(value);
    if (key == "creationTimestamp" || key == "deletionTimestamp") reader_.CheckTime(value);
    if (key == "deletionGracePeriodSeconds") {
      std::int64_t seconds = 0;
      reader_.Read(value, seconds);
    }
    if (key == "finalizers") {
      std::vector<std::string_view> finalizers;
      reader_.Read(value, finalizers);
    }
    if (key == "ownerReferences") {
      ForEachElement(value, "[]v1.OwnerReference", [this](const Value& v) { CheckOwner(v); });
    }
    if (key == "managedFields") {
      ForEachElement(value, "[]v1.ManagedFieldsEntry", [this](const Value& v) { CheckManaged(v); });
    }
  }

  void CheckOwner(const Value& owner) {
    ForEachField(owner, "v1.OwnerReference", [this](std::string_view key, const Value& v) {
      if (key == "apiVersion" || key == "kind" || key == "name") CheckString(v);
      if (key == "uid") CheckString(v, "types.UID");
      if (key == "controller" || key == "blockOwnerDeletion") {
        bool is_set = false;
        reader_.Read(v, is_set);
      }
    });
  }

  void CheckManaged(const Value& entry) {
    ForEachField(entry, "v1.ManagedFieldsEntry", [this](std::string_view key, const Value& v) {
      if (key == "manager" || key == "apiVersion" || key == "fieldsType" || key == "subresource") {
        CheckString(v);
      }
      if (key == "operation") CheckString(v, "v1.ManagedFieldsOperationType");
      if (key == "time") reader_.CheckTime(v);
    });
  }

  void CheckString(const Value& value, const char* go_type = "string") {
    std::string_view text;
    reader_.Read(value, text, go_type);
  }

  TypedReader& reader_;
  Crd& crd_;
};

}  // namespace

void ReadCrdMetadata(TypedReader& reader, const Value& metadata, Crd& crd) {
  MetadataReader(reader, crd).Read(metadata);
}

}  // namespace kube::crd
