#include "migrate/check/deferred_objects.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "kube/base/error.h"

namespace migrate::check {
namespace {

struct Header {
  report::Place place;
  std::uint64_t size;
};

[[noreturn]] void ThrowSpillError() {
  throw kube::base::Error("cannot keep objects that come before their CRD in a temporary file: " +
                          std::string(std::strerror(errno)) + "; name the file with the CRD first");
}

}  // namespace

void DeferredObjects::Add(const kube::json::Value& object, const report::Place& place) {
  const std::string text = kube::json::Print(object, kube::json::KeyOrder::kAsWritten);
  const Header header{place, text.size()};
  const std::lock_guard lock(mutex_);
  if (spill_ == nullptr) spill_.reset(std::tmpfile());
  if (spill_ == nullptr || std::fwrite(&header, sizeof header, 1, spill_.get()) != 1 ||
      std::fwrite(text.data(), 1, text.size(), spill_.get()) != text.size()) {
    ThrowSpillError();
  }
  ++count_;
}

void DeferredObjects::ForEach(
    const std::function<void(kube::json::Value&, const report::Place&)>& take) {
  if (spill_ == nullptr) return;
  if (std::fflush(spill_.get()) != 0) ThrowSpillError();
  std::rewind(spill_.get());
  kube::json::Document document;
  std::string text;
  for (std::uint64_t i = 0; i < count_; ++i) {
    Header header;
    if (std::fread(&header, sizeof header, 1, spill_.get()) != 1) ThrowSpillError();
    text.resize(header.size);
    if (std::fread(text.data(), 1, text.size(), spill_.get()) != text.size()) ThrowSpillError();
    if (document.Parse(text)) ThrowSpillError();
    take(document.root(), header.place);
  }
}

}  // namespace migrate::check
