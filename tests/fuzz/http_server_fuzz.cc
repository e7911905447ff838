#include <algorithm>
#include <string>
#include <string_view>

#include "kube/serve/request_reader.h"
#include "tests/fuzz/fuzz.h"

namespace {

using kube::serve::RequestReader;
using State = RequestReader::State;

// Small, so that inputs of a few kilobytes reach them.
constexpr kube::serve::RequestLimits kLimits{.head_bytes = 512, .body_bytes = 1024};

// A request that was taken keeps what the limits promise.
void RequireWithinLimits(const kube::serve::Request& request) {
  std::size_t head = request.method.size() + request.target.size();
  for (const auto& [name, value] : request.headers) head += name.size() + value.size();
  fuzz::Require(head <= kLimits.head_bytes && request.body.size() <= kLimits.body_bytes);
  fuzz::Require(!request.method.empty() && !request.target.empty());
  fuzz::Require((request.method + request.target).find_first_of(" \r\n\t") == std::string::npos);
}

std::string Summary(RequestReader& reader) {
  std::string text = reader.keeps_alive() ? "keep " : "close ";
  const kube::serve::Request request = reader.TakeRequest();
  RequireWithinLimits(request);
  text += request.method + " " + request.target + "\n";
  for (const auto& [name, value] : request.headers) text.append(name + ": " + value + "\n");
  return text + "\n" + request.body + "\n";
}

std::string Read(std::string_view bytes, std::size_t piece) {
  RequestReader reader(kLimits);
  std::string text;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.Take(bytes.substr(0, piece));
    if (reader.state() != State::kRefused) {
      fuzz::Require(reader.body_bytes() <= reader.expected_body_memory());
      fuzz::Require(reader.expected_body_memory() <= 3 * kLimits.body_bytes);
    }
    (void)reader.TakeExpectation();
    while (reader.state() == State::kComplete) text += Summary(reader);
  }
  if (reader.state() == State::kRefused) text += reader.refusal().body;
  return text + std::to_string(static_cast<int>(reader.state()));
}

}  // namespace

// Any bytes are requests or a refusal, and the same ones in whatever pieces they arrive.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::Text(data, size);
  const std::string whole = Read(bytes, size + 1);
  fuzz::Require(Read(bytes, 1) == whole);
  fuzz::Require(Read(bytes, 7) == whole);
  return 0;
}
