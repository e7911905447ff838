// Prints what -f reads from the files of a folder, a line each: FILE, a tab and the object as JSON,
// or the error. For differential.py.
#include <iostream>
#include <mutex>
#include <string>

#include "migrate/cluster/manifest_files.h"
#include "migrate/cluster/manifest_reader.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: read_manifests FOLDER\n";
    return 2;
  }
  migrate::cluster::ManifestReader reader(
      migrate::cluster::ListManifestFiles({argv[1]}, /*recursive=*/false), /*workers=*/2);
  std::mutex mutex;
  reader.ReadAll([&](std::size_t, migrate::cluster::ManifestObject& object) {
    const std::string line =
        std::string(reader.SourceOf(object.place)) + '\t' + kube::json::Print(object.value) + '\n';
    const std::lock_guard lock(mutex);
    std::cout << line;
  });
  for (const migrate::cluster::FileError& error : reader.TakeErrors()) {
    std::string text = error.text;
    for (char& c : text) c = c == '\n' ? ' ' : c;
    std::cout << reader.SourceOf(error.place) << '\t' << "error: " << text << '\n';
  }
}
