#include <map>
#include <mutex>
#include <string>

#include "migrate/manifest_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace {

using fuzz::Require;
using migrate::ManifestReader;
using migrate::Place;

const test_support::TempFolder& Folder() {
  static const test_support::TempFolder folder;
  return folder;
}

/// Gathers objects, which come from several threads, by their places.
class Gathered {
 public:
  ManifestReader::Handler handler() {
    return [this](std::size_t, const migrate::ManifestObject& object) {
      std::string text = kube::json::Print(object.value);
      const std::lock_guard lock(mutex_);
      Require(objects_.emplace(object.place, std::move(text)).second);
    };
  }
  const std::map<Place, std::string>& objects() const { return objects_; }

 private:
  std::mutex mutex_;
  std::map<Place, std::string> objects_;
};

std::string ReadAll(ManifestReader& reader) {
  Gathered all;
  reader.ReadAll(all.handler());
  std::string text;
  for (const auto& [place, object] : all.objects()) text += object + "\n";
  for (const migrate::FileError& error : reader.TakeErrors()) text += error.text + "\n";
  return text;
}

}  // namespace

// Of any file each object is handed out once, by its place, or there is an error; those that mention
// a word, which are looked for beforehand, are among them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = Folder().Write("manifest", fuzz::Text(data, size));
  const migrate::ManifestFile file{.path = path, .size = size, .is_regular = true};
  ManifestReader reader({file}, 1);
  const std::string read = ReadAll(reader);
  Gathered mentioning;
  reader.ReadMentioning("CustomResourceDefinition", mentioning.handler());
  for (const auto& [place, object] : mentioning.objects()) {
    Require(read.find(object + "\n") != std::string::npos);
  }
  return 0;
}
