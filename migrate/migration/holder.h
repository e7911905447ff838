#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Who holds a Lease, so that programs can tell candidates apart and people know whom to ask.
namespace migrate::migration {

struct Holder {
  std::string user;          ///< of the system; may hold anything
  std::string host;          ///< machine or pod
  std::int64_t process = 0;  ///< its number there
  std::uint64_t number = 0;  ///< by chance: in pods each program is process 1

  bool operator==(const Holder&) const = default;
};

/// As a Lease names it: "alice@bastion/4711/00000000075bcd15". Of the names only the first 100
/// characters; what could be taken for a separator, and whatever is not printed, becomes "_".
std::string IdentityOf(const Holder& holder);

/// Absent where `identity` is none that IdentityOf makes, as another program holds the Lease.
std::optional<Holder> ReadHolder(std::string_view identity);

/// For people: "alice@bastion (process 4711)"; of another program the identity, quoted and
/// shortened.
std::string DescribeHolder(std::string_view identity);

}  // namespace migrate::migration
