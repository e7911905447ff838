#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace migrate::cluster {

/// A hash of a text, the same on every machine and in every version: files and state hold it.
std::uint64_t StableHash(std::string_view text);

/// The longest name of a file (NAME_MAX).
inline constexpr std::size_t kLongestFileName = 255;

/// A name for a file out of the names that a server gave: `name` itself, if it is one of `longest`
/// bytes at most. What no file name can hold, and a server's object should not have (a slash,
/// blanks, control characters, whatever is not ASCII), is replaced, and told apart by a number that
/// is the same in every run. `name` holds more than dots.
std::string FileName(std::string name, std::size_t longest = kLongestFileName);

}  // namespace migrate::cluster
