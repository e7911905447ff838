#include "migrate/crds/ratcheting.h"

#include <charconv>
#include <string_view>

namespace migrate::crds {
namespace {

// "30" or, of some vendors, "30+"; 0 for what is no number.
int LeadingNumber(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

bool Ratchets(kube::client::Client& client) {
  constexpr int kFirstMinor = 30;
  const auto version = client.Get("/version");
  if (!version) return false;
  const kube::json::Value& root = (*version)->root();
  const int major = LeadingNumber(root.FindText("major"));
  return major > 1 || (major == 1 && LeadingNumber(root.FindText("minor")) >= kFirstMinor);
}

}  // namespace migrate::crds
