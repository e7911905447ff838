#include "tests/bench/synthetic_api.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bench {
namespace {

constexpr std::uint64_t kFirstVersion = 100'000'000;

/// About 450 bytes, as an object has that one tool created.
std::string Metadata(std::uint64_t number, std::uint64_t version) {
  char text[1024];
  const int size = std::snprintf(
      text, sizeof text,
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":)"
      R"("widget-%09llu","namespace":"production","uid":"00000000-0000-4000-8000-%012llu",)"
      R"("resourceVersion":"%llu","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z",)"
      R"("managedFields":[{"manager":"some-tool","operation":"Update","apiVersion":)"
      R"("demo.example.com/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":)"
      R"({"f:spec":{".":{},"f:size":{},"f:extra":{}}}}]}})",
      static_cast<unsigned long long>(number), static_cast<unsigned long long>(number),
      static_cast<unsigned long long>(version));
  return {text, static_cast<std::size_t>(size)};
}

std::uint64_t NumberAfter(const std::string& text, std::string_view mark, std::uint64_t otherwise) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return otherwise;
  return std::strtoull(text.c_str() + at + mark.size(), nullptr, 10);
}

}  // namespace

std::string SyntheticApi::Answer(const std::string& method, const std::string& target) const {
  if (method == "GET" && target.find("/widgets?") != target.npos) return List(target);
  if (method != "PATCH") return "";
  const std::uint64_t number = NumberAfter(target, "/widget-", 0);
  return Metadata(number, kFirstVersion + objects_ + number);
}

std::string SyntheticApi::List(const std::string& target) const {
  const std::uint64_t first = NumberAfter(target, "continue=", 0);
  const std::uint64_t end = std::min(objects_, first + NumberAfter(target, "limit=", objects_));
  std::string body = R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
                     R"("metadata":{"resourceVersion":"900000000")";
  if (end < objects_) body += R"(,"continue":")" + std::to_string(end) + "\"";
  body += "},\"items\":[";
  for (std::uint64_t i = first; i < end; ++i) {
    if (i > first) body += ",";
    body += Metadata(i, kFirstVersion + i);
  }
  return body + "]}\n";
}

}  // namespace bench
