#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The files that -f names.
namespace migrate::cluster {

struct ManifestFile {
  std::string path;         ///< as kubectl would name it; "-" for the standard input
  std::uint64_t size = 0;   ///< in bytes; 0 where it is not known
  bool is_regular = false;  ///< can be read again

  bool is_stdin() const { return path == "-"; }
  /// How messages and reports call it.
  std::string_view name() const { return is_stdin() ? std::string_view("<stdin>") : path; }
};

/// Expands the values of -f as kubectl does: "-" is the standard input; a folder stands for its
/// .json, .yaml and .yml files in the order of their names, with `recursive` for those of its
/// sub-folders too; a name with *, ? or [ that is no file is a pattern.
///
/// Throws kube::base::Error for a path that does not exist, a folder without such files and a URL.
std::vector<ManifestFile> ListManifestFiles(const std::vector<std::string>& filenames,
                                            bool recursive);

/// Reads the file in pieces and hands each to `take`, until it returns false. Throws
/// kube::base::Error naming the file if it cannot be read.
void ReadPieces(const ManifestFile& file, const std::function<bool(std::string_view)>& take);

}  // namespace migrate::cluster
