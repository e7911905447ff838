#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "migrate/spool.h"

namespace {

std::filesystem::path Folder() {
  static const std::filesystem::path folder = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "spool_fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    return std::filesystem::path(pattern);
  }();
  return folder;
}

void Write(const char* name, const std::string& text) {
  std::ofstream(Folder() / name, std::ios::binary) << text;
}

void Require(bool good) {
  if (!good) std::abort();
}

/// Takes up what is there, and answers the rest. Returns how many objects were listed.
std::uint64_t Finish(bool is_whole) {
  migrate::Spool spool(Folder(), "run");
  Require(spool.counts().Total() == spool.listed());
  spool.Failures();
  std::uint64_t unanswered = spool.counts()[migrate::ObjectClass::kNotTried];
  Require(!is_whole || unanswered == 0);
  while (const auto next = spool.Next()) {
    spool.Answer(next->number, {.object_class = migrate::ObjectClass::kGone});
    --unanswered;
  }
  Require(unanswered == 0 && spool.is_answered());
  spool.Flush();
  return spool.listed();
}

}  // namespace

// Whatever lies in the two files of a spool, every object that is listed there is written or
// counted once, and what was answered then is still so when they are read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find('\0');
  const std::string answered = cut == text.npos ? "" : text.substr(cut + 1);
  text.resize(std::min(cut, text.size()));
  // Nobody guesses a checksum: "page!" stands for the end of a page with the right one.
  std::string listed = "kubectl-prune sweep 1: \n", page;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    start = end;
    if (line != "page!\n") {
      page += line;
      continue;
    }
    listed += page + migrate::PageEndLine({"token", migrate::Checksum(page)});
    page.clear();
  }
  Write("run.listed", listed + page);
  Write("run.answered", answered);
  const std::uint64_t objects = Finish(false);
  // Held objects are asked for again.
  Require(Finish(answered.find("held") == answered.npos) == objects);
  return 0;
}
