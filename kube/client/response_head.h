#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/transport.h"

namespace kube::client {

/// The texts of all Warning headers with the code 299, in their order: what an API server warns of,
/// e.g. "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated ...".
///
/// Reads `299 agent "text" "date", 299 ...` (RFC 7234 5.5) as ParseWarningHeaders of apimachinery
/// pkg/util/net does: what does not fit that form or holds control characters is left out, together
/// with the rest of its header.
std::vector<std::string> WarningTexts(const ResponseHead& head);

/// Gathers the lines of one or more heads of HTTP/1.1 or HTTP/2, of which the last that is not
/// interim (1xx) counts. Lines that are no header are passed over; a status that is no number is 0.
class HeadReader {
 public:
  /// Of all lines of an answer, interim heads and trailers included. API servers send a few KiB;
  /// libcurl takes 300 KiB, and calls what is longer a lost connection.
  static constexpr std::size_t kMostBytes = 200'000;

  /// Takes a line, with its line break or without. True if the head of the answer is complete by
  /// it; what comes after that, a trailer, is passed over.
  bool Take(std::string_view line);

  const ResponseHead& head() const { return head_; }
  bool complete() const { return complete_; }
  /// There were more than kMostBytes. Nothing is taken any more.
  bool is_too_long() const { return bytes_ > kMostBytes; }

 private:
  void ReadStatus(std::string_view line);
  void ReadHeader(std::string_view line);

  ResponseHead head_;
  bool complete_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace kube::client
