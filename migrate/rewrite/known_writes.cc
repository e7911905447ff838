#include "migrate/rewrite/known_writes.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

#include "kube/base/result.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashBytes = 8;

fs::path NewFile(fs::path path) {
  path += ".new";
  std::error_code ignored;  // then it cannot be made either, and that is told
  fs::remove(path, ignored);
  return path;
}

// A uid holds no blank.
std::uint64_t HashWrite(std::string_view uid, std::string_view resource_version,
                        bool is_in_backup) {
  std::string text(uid);
  text.append(" ").append(resource_version);
  if (is_in_backup) text += " in the backup";
  return cluster::StableHash(text);
}

std::array<char, kHashBytes> ToBytes(std::uint64_t hash) {
  std::array<char, kHashBytes> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(hash & 0xFF);
    hash >>= 8;
  }
  return bytes;
}

std::uint64_t FromBytes(const std::array<char, kHashBytes>& bytes) {
  std::uint64_t hash = 0;
  for (std::size_t i = kHashBytes; i-- > 0;)
    hash = hash << 8 | static_cast<unsigned char>(bytes[i]);
  return hash;
}

}  // namespace

KnownWritesLog::KnownWritesLog(const fs::path& file, std::int64_t generation)
    : path_(file), file_(NewFile(file)) {
  const auto bytes = ToBytes(static_cast<std::uint64_t>(generation));
  file_.Write({bytes.data(), bytes.size()});
}

void KnownWritesLog::Add(std::string_view uid, std::string_view resource_version,
                         bool is_in_backup) {
  const kube::base::MutexLock lock(mutex_);
  for (const bool in_backup : {false, true}) {
    if (in_backup && !is_in_backup) break;
    const auto bytes = ToBytes(HashWrite(uid, resource_version, in_backup));
    file_.Write({bytes.data(), bytes.size()});
  }
}

void KnownWritesLog::Finish() {
  const kube::base::MutexLock lock(mutex_);
  file_.MoveTo(path_);
}

std::optional<KnownWrites> KnownWrites::Read(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size == 0 || size % kHashBytes != 0) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  KnownWrites known;
  known.hashes_.reserve(size / kHashBytes - 1);
  std::array<char, kHashBytes> bytes{};
  if (!file.read(bytes.data(), kHashBytes)) return std::nullopt;
  known.generation_ = static_cast<std::int64_t>(FromBytes(bytes));
  while (file.read(bytes.data(), kHashBytes)) known.hashes_.push_back(FromBytes(bytes));
  if (known.hashes_.size() + 1 != size / kHashBytes) return std::nullopt;
  std::sort(known.hashes_.begin(), known.hashes_.end());
  return known;
}

void ForgetKnownWrites(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) {
    throw kube::base::Error("cannot remove \"" + file.string() + "\": " + error.message());
  }
}

bool KnownWrites::Contains(std::string_view uid, std::string_view resource_version) const {
  return std::binary_search(hashes_.begin(), hashes_.end(),
                            HashWrite(uid, resource_version, only_backed_up_));
}

std::function<bool(const cluster::ListedObject&)> HoldUnknown(
    std::shared_ptr<const KnownWrites> known, const std::string& last_unpruned) {
  const std::uint64_t last = cluster::NumberOf(last_unpruned);
  return [known = std::move(known), last](const cluster::ListedObject& object) {
    if (known->Contains(object.uid, object.resource_version)) return false;
    return last == 0 || cluster::NumberOf(object.resource_version) <= last;
  };
}

}  // namespace migrate::rewrite
