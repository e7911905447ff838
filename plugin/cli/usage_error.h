#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace plugin::cli {

/// A command line that cannot run. what() is the text after "error: ", the pointer to the help of
/// the command included.
class UsageError : public std::runtime_error {
 public:
  /// `command` is what the help is asked for: "", "check", "migrate" ...
  UsageError(std::string_view command, const std::string& message);
};

/// A value that a flag cannot have, in pflag's words. `flag` as it names it: "-l, --selector".
UsageError InvalidArgument(std::string_view command, std::string_view flag,
                           const std::string& value, const std::string& why);

}  // namespace plugin::cli
