#include "plugin/diff_folders.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

#include "kube/error.h"
#include "kube/yaml.h"

namespace plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 255;  // NAME_MAX

bool IsPlain(char c) { return c > ' ' && c < '\x7F' && c != '/'; }

// FNV-1a: the same for the same name in every run.
std::uint64_t Number(std::string_view text) {
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char c : text) {
    number ^= static_cast<unsigned char>(c);
    number *= 0x100000001b3;
  }
  return number;
}

void WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return;
  throw kube::Error("cannot write \"" + path.string() + "\": " +
                    std::generic_category().message(errno) + " (TMPDIR names another place)");
}

}  // namespace

DiffFolders::Folders& DiffFolders::folders() {
  std::call_once(once_, [this] { folders_ = std::make_unique<Folders>(); });
  return *folders_;
}

void DiffFolders::Take(const migrate::ObjectChange& change) {
  const std::string name = DiffFileName(change);
  std::string now, after;
  if (change.differs) {
    now = kube::yaml::Print(change.now);
    after = kube::yaml::Print(change.after);
  }
  const std::lock_guard lock(mutex_);
  if (change.differs) {
    WriteFile(live() / name, now);
    WriteFile(merged() / name, after);
  } else {
    // There may be an older state of the object.
    std::error_code ignored;
    fs::remove(live() / name, ignored);
    fs::remove(merged() / name, ignored);
  }
}

std::string DiffFileName(const migrate::ObjectChange& change) {
  std::string name(change.group);
  for (const std::string_view part :
       {change.version, change.kind, change.namespace_, change.name}) {
    name.append(".").append(part);
  }
  if (name.size() <= kLongestName && std::ranges::all_of(name, IsPlain)) return name;
  const std::string number = "." + std::to_string(Number(name));
  std::ranges::replace_if(
      name, [](char c) { return !IsPlain(c); }, '_');
  name.resize(std::min(name.size(), kLongestName - number.size()));
  return name + number;
}

}  // namespace plugin
