#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace test_support {

/// The folder of real CRDs and objects: $KUBECTL_PRUNE_CORPUS, by default ../shared/corpus.
inline std::filesystem::path CorpusFolder() {
  const char* folder = std::getenv("KUBECTL_PRUNE_CORPUS");
  return folder != nullptr ? folder : "../shared/corpus";
}

/// True if the folder is there. Otherwise says so in the words by which ctest counts a test as
/// skipped.
inline bool HasCorpus() {
  if (std::filesystem::is_directory(CorpusFolder())) return true;
  std::cout << "skipped: no corpus at " << CorpusFolder() << "\n";
  return false;
}

}  // namespace test_support
