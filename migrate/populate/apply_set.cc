#include "migrate/populate/apply_set.h"

#include "kube/base/base64.h"
#include "kube/base/sha256.h"
#include "kube/base/text.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {

std::string ApplySetId(const ApplySetParent& parent) {
  const std::string_view parts[] = {parent.name, parent.namespace_, parent.kind, parent.group};
  return "applyset-" +
         kube::base::EncodeBase64Url(kube::base::Sha256(kube::base::Join(parts, "."))) + "-v1";
}

std::string TemplateApplySetId(std::string_view template_name) {
  return ApplySetId({template_name, "", kTemplateKind, kGroup});
}

std::map<std::string, std::string> ApplySetAnnotations(std::string_view version,
                                                       const std::set<GroupKind>& types,
                                                       const std::set<std::string>& namespaces) {
  // Sorted as texts.
  std::set<std::string> kinds;
  for (const GroupKind& type : types) kinds.insert(type.ToString());
  return {{kApplySetToolingAnnotation, std::string(kApplySetTool).append("/").append(version)},
          {kApplySetKindsAnnotation, kube::base::Join(kinds, ",")},
          {kApplySetNamespacesAnnotation, kube::base::Join(namespaces, ",")}};
}

}  // namespace migrate::populate
