#include <string>
#include <string_view>

#include "kube/base/utf8.h"
#include "kube/client/api_status.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;

// What ReadApiStatus promises of its texts.
void RequireTame(const std::string& text) {
  Require(text.size() <= 100'000 && kube::base::utf8::IsValid(text));
  for (const char c : text) {
    Require(static_cast<unsigned char>(c) >= 0x20 && c != '\x7F');
  }
}

}  // namespace

// Any bytes, as text and as JSON, are worded without control characters.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body = fuzz::Text(data, size);
  // With white space behind it, a body can have any code.
  const kube::client::ResponseHead head{
      400 + static_cast<int>(size % 130),
      {{"Content-Type", "text/plain"}, {"Retry-After", std::string(body)}}};
  const kube::client::ApiStatus status = kube::client::ReadApiStatus("GET", head, body);
  RequireTame(status.message);
  RequireTame(status.reason);
  RequireTame(status.kind);
  RequireTame(status.name);
  for (const std::string& cause : status.causes) RequireTame(cause);
  kube::client::Describe(status);
  return 0;
}
