#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Custom resources to measure with: the same ones in every run.
namespace bench {

/// openAPIV3Schema of the custom resources, as JSON. It specifies all that they hold but
/// spec.legacyMode and spec.endpoints[*].proto.
extern const std::string_view kSchema;

enum class Format {
  kJson,          ///< one List, an object a line
  kIndentedJson,  ///< one List as kubectl get -o json prints it
  kYaml,          ///< documents, each ended by a line "---"
};

/// Writes custom resources of about `object_bytes` each to the file `path` until it holds about
/// `total_bytes`. One in eight has unknown fields. Returns their number. Throws std::runtime_error
/// where the file cannot be written.
std::uint64_t WriteCustomResources(const std::string& path, Format format, std::size_t object_bytes,
                                   std::uint64_t total_bytes);

}  // namespace bench
