#include "kube/serve/message.h"

#include "kube/base/text.h"

namespace kube::serve {

std::string_view WhyRefused(int refusal) {
  return refusal == kContentTooLarge ? "it takes more memory than there is"
                                     : "others have the memory that it takes: try again";
}

int Request::RefusalOf(std::size_t bytes) const {
  if (share == nullptr || share->TakeMore(bytes)) return 0;
  return share->CouldTake(bytes) ? kTooManyRequests : kContentTooLarge;
}

const std::string* Request::FindHeader(std::string_view name) const {
  const std::string wanted = base::ToLower(name);
  for (const auto& [header, value] : headers) {
    if (header.size() == wanted.size() && base::ToLower(header) == wanted) return &value;
  }
  return nullptr;
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

}  // namespace kube::serve
