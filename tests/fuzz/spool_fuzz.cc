#include <algorithm>
#include <string>

#include "migrate/cluster/spool.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace {

using fuzz::Require;

const test_support::TempFolder& Folder() {
  static const test_support::TempFolder folder;
  return folder;
}

/// Takes up what is there, and answers the rest. Returns how many objects were listed.
std::uint64_t Finish(bool is_whole) {
  migrate::cluster::Spool spool(Folder().path(), "run");
  Require(spool.counts().Total() == spool.listed());
  spool.Failures();
  std::uint64_t unanswered = spool.counts()[migrate::report::ObjectClass::kNotTried];
  Require(!is_whole || unanswered == 0);
  while (const auto next = spool.Next()) {
    spool.Answer(next->number, {.object_class = migrate::report::ObjectClass::kGone});
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
  std::string text(fuzz::Text(data, size));
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
    listed += page + migrate::cluster::PageEndLine({"token", migrate::cluster::Checksum(page)});
    page.clear();
  }
  Folder().Write("run.listed", listed + page);
  Folder().Write("run.answered", answered);
  const std::uint64_t objects = Finish(false);
  // Held objects are asked for again.
  Require(Finish(answered.find("held") == answered.npos) == objects);
  return 0;
}
