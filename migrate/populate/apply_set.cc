#include "migrate/populate/apply_set.h"

#include "kube/base/base64.h"
#include "kube/base/text.h"
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

}  // namespace migrate::populate
