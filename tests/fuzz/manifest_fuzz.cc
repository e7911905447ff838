#include <map>
#include <string>

#include "migrate/cluster/manifest_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace {

using fuzz::Require;
using migrate::cluster::ManifestReader;
using migrate::report::Place;

const test_support::TempFolder& Folder() {
  static const test_support::TempFolder folder;
  return folder;
}

using Objects = std::map<Place, std::string>;

/// Puts down objects by their places. There is one worker.
ManifestReader::Handler Gather(Objects& objects) {
  return [&objects](std::size_t, const migrate::cluster::ManifestObject& object) {
    Require(objects.emplace(object.place, kube::json::Print(object.value)).second);
  };
}

constexpr char kWord[] = "CustomResourceDefinition";

bool IsMentioned(const Objects& objects, const Objects::value_type& object) {
  const auto found = objects.find(object.first);
  return found != objects.end() && found->second == object.second;
}

}  // namespace

// Of any file each object is handed out once, by its place, and every one that has a word in it is
// found beforehand by that word.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = Folder().Write("manifest", fuzz::Text(data, size));
  const migrate::cluster::ManifestFile file{.path = path, .size = size, .is_regular = true};
  ManifestReader reader({file}, 1);
  Objects all, mentioning;
  reader.ReadAll(Gather(all));
  reader.ReadMentioning(kWord, Gather(mentioning));
  for (const auto& object : mentioning) Require(all.contains(object.first));
  for (const auto& object : all) {
    Require(object.second.find(kWord) == std::string::npos || IsMentioned(mentioning, object));
  }
  return 0;
}
