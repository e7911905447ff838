#include <algorithm>
#include <string>
#include <string_view>

#include "kube/base/utf8.h"
#include "migrate/cluster/object_watch.h"
#include "tests/fuzz/fuzz.h"

namespace {

/// Sums up what is handed out.
class Summary : public migrate::cluster::WatchReader::Sink {
 public:
  void OnEvent(migrate::cluster::WatchEventType type, kube::json::Value& object,
               kube::json::Document&) override {
    const kube::json::Value* metadata = object.Find("metadata");
    fuzz::Require(metadata != nullptr && !metadata->FindText("resourceVersion").empty());
    text += std::to_string(static_cast<int>(type)) + kube::json::Print(object) + "\n";
  }
  std::string text;
};

std::string Read(std::string_view bytes, std::size_t piece) {
  Summary summary;
  migrate::cluster::WatchReader reader(summary);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const auto error = reader.Push(bytes.substr(0, piece));
    if (!error) continue;
    fuzz::Require(!error->message.empty() && kube::base::utf8::IsValid(error->message));
    return summary.text + error->message;
  }
  return summary.text;
}

}  // namespace

// Any bytes are events or an error, and the same ones in whatever pieces they arrive.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::Text(data, size);
  fuzz::Require(Read(bytes, 1) == Read(bytes, size + 1));
  return 0;
}
