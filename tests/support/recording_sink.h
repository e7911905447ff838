#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client/transport.h"

namespace test_support {

/// Keeps what a transport delivers.
class RecordingSink : public kube::client::ResponseSink {
 public:
  void OnHead(const kube::client::ResponseHead& answer_head) override {
    head = answer_head;
    ++heads;
  }
  void OnBytes(std::string_view bytes) override {
    body += bytes;
    ++pieces;
    if (on_bytes) on_bytes();
  }
  void OnEnd(const std::optional<kube::client::TransportError>& transport_error) override {
    ++ends;
    error = transport_error;
    if (on_end) on_end();
  }

  int status() const { return head ? head->status : 0; }

  std::optional<kube::client::ResponseHead> head;
  std::string body;
  int heads = 0, pieces = 0, ends = 0;
  std::optional<kube::client::TransportError> error;
  std::function<void()> on_bytes, on_end;
};

}  // namespace test_support
