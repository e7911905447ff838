#include <optional>
#include <string>

#include "kube/base/utf8.h"
#include "kube/json/manifest_splitter.h"
#include "tests/fuzz/fuzz.h"

namespace {

using kube::json::ListSplitter;
using kube::json::ManifestSplitter;

/// Sums up what is handed out.
class Summary : public ListSplitter::Sink, public ManifestSplitter::Sink {
 public:
  void OnObject(ListSplitter::Kind kind, std::string_view text,
                const kube::json::TextPosition& at) override {
    Add(static_cast<int>(kind), text, at);
  }
  void OnManifest(const ManifestSplitter::Manifest& manifest) override {
    fuzz::Require(kube::base::utf8::IsValid(manifest.text));
    Add(static_cast<int>(manifest.kind), manifest.text, manifest.position);
  }
  void Add(int kind, std::string_view text, const kube::json::TextPosition& at) {
    summary += std::to_string(kind) + " " + std::to_string(at.offset) + " " +
               std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
    summary += text;
    summary += '\n';
  }
  std::string summary;
};

template <typename Splitter>
std::string Split(std::string_view bytes, std::size_t piece) {
  Summary sink;
  Splitter splitter(sink);
  std::optional<kube::json::SplitError> error;
  for (; !bytes.empty() && !error; bytes.remove_prefix(std::min(piece, bytes.size()))) {
    error = splitter.Push(bytes.substr(0, piece));
  }
  if (!error) error = splitter.Finish();
  if (error) sink.Add(-1, error->message, error->position);
  return sink.summary;
}

}  // namespace

// Lists and files come apart in the same way, in whatever pieces they arrive.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::Text(data, size);
  const std::string list = Split<ListSplitter>(bytes, size + 1);
  const std::string manifest = Split<ManifestSplitter>(bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
    fuzz::Require(Split<ListSplitter>(bytes, piece) == list);
    fuzz::Require(Split<ManifestSplitter>(bytes, piece) == manifest);
  }
  return 0;
}
