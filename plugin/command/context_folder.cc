#include "plugin/command/context_folder.h"

#include <cstddef>

#include "kube/base/sha256.h"
#include "migrate/cluster/file_name.h"

namespace plugin::command {
namespace {

constexpr std::string_view kMarks = "-_.:@+=,";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

void AppendEncoded(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0xF];
}

}  // namespace

std::string ContextFolder(std::string_view context) {
  std::string name;
  for (std::size_t i = 0; i < context.size(); ++i) {
    // A file whose name begins with a dot is hidden, or "." or "..".
    if (IsPlain(context[i]) && (i > 0 || context[i] != '.')) {
      name += context[i];
    } else {
      AppendEncoded(name, context[i]);
    }
  }
  if (name.empty()) return "%";
  if (name.size() <= migrate::cluster::kLongestFileName) return name;
  // What no shorter name comes to, where two digits are behind each %.
  constexpr std::size_t kDigestBytes = 16;
  std::string digest = "%";
  for (const char c : kube::base::Sha256(context).substr(0, kDigestBytes)) AppendEncoded(digest, c);
  name.resize(migrate::cluster::kLongestFileName - digest.size());
  return name + digest;
}

}  // namespace plugin::command
