#include "migrate/cluster/manifest_files.h"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "kube/base/file_text.h"
#include "kube/base/result.h"

namespace migrate::cluster {
namespace {

namespace fs = std::filesystem;
using kube::base::Descriptor;

constexpr std::size_t kPieceBytes = 256 * 1024;

std::string CauseOf(int error) { return std::strerror(error); }

bool HasManifestExtension(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

ManifestFile MakeFile(const fs::path& path) {
  std::error_code ignored;
  ManifestFile file;
  file.path = path.string();
  file.is_regular = fs::is_regular_file(path, ignored);
  if (file.is_regular) file.size = fs::file_size(path, ignored);
  return file;
}

// As filepath.Walk: in the order of the names, links to folders are not followed.
void AddFolder(const fs::path& folder, bool recursive, std::vector<ManifestFile>& files) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    entries.push_back(i->path());
  }
  if (error) {
    throw kube::base::Error("cannot read the folder \"" + folder.string() +
                            "\": " + error.message());
  }
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (fs::is_directory(fs::symlink_status(entry, error))) {
      if (recursive) AddFolder(entry, recursive, files);
    } else if (HasManifestExtension(entry)) {
      files.push_back(MakeFile(entry));
    }
  }
}

std::vector<fs::path> ExpandPattern(const std::string& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  std::sort(paths.begin(), paths.end());
  return paths;
}

void AddPath(const fs::path& path, bool recursive, std::vector<ManifestFile>& files) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    files.push_back(MakeFile(path));
    return;
  }
  const std::size_t before = files.size();
  AddFolder(path, recursive, files);
  if (files.size() == before) {
    throw kube::base::Error("error reading [" + path.string() +
                            "]: recognized file extensions are [.json .yaml .yml]");
  }
}

void AddFilename(const std::string& filename, bool recursive, std::vector<ManifestFile>& files) {
  if (filename == "-") {
    files.push_back({.path = "-"});
    return;
  }
  if (filename.starts_with("http://") || filename.starts_with("https://")) {
    throw kube::base::Error("cannot read \"" + filename +
                            "\": URLs are not read; download the file and name it by -f");
  }
  std::error_code error;
  if (fs::exists(filename, error)) return AddPath(filename, recursive, files);
  std::vector<fs::path> matches;
  if (filename.find_first_of("*?[") != std::string::npos) matches = ExpandPattern(filename);
  if (matches.empty()) throw kube::base::Error("the path \"" + filename + "\" does not exist");
  for (const fs::path& match : matches) AddPath(match, recursive, files);
}

}  // namespace

std::vector<ManifestFile> ListManifestFiles(const std::vector<std::string>& filenames,
                                            bool recursive) {
  std::vector<ManifestFile> files;
  for (const std::string& filename : filenames) AddFilename(filename, recursive, files);
  if (std::count_if(files.begin(), files.end(),
                    [](const ManifestFile& file) { return file.is_stdin(); }) > 1) {
    throw kube::base::Error("the standard input can be read only once; give \"-f -\" once");
  }
  return files;
}

void ReadPieces(const ManifestFile& file, const std::function<bool(std::string_view)>& take) {
  const bool is_stdin = file.is_stdin();
  const Descriptor opened(is_stdin ? -1 : open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
  const int descriptor = is_stdin ? STDIN_FILENO : opened.get();
  if (descriptor < 0) {
    throw kube::base::Error("cannot open \"" + file.path + "\": " + CauseOf(errno));
  }
  std::vector<char> piece(kPieceBytes);
  while (true) {
    const ssize_t count = read(descriptor, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw kube::base::Error("cannot read \"" + file.path + "\": " + CauseOf(errno));
    if (count == 0 || !take({piece.data(), static_cast<std::size_t>(count)})) return;
  }
}

}  // namespace migrate::cluster
