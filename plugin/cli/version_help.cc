#include "plugin/cli/help_texts.h"

namespace plugin::cli {

constexpr std::string_view kVersion =
    R"(Print the versions of this program and of the server

 Reads the version of the server of the current context, and writes nothing. Tells the commit that
this program was built from, too. With -o that is gitCommit, and gitTreeState says whether it was
built from that alone (clean), with changes that were not committed (dirty), or without git
(unknown).

Examples:
  # Print both versions
  kubectl prune version

  # Print that of this program, and ask no server
  kubectl prune version --client

Options:
    --client=false:
        Print the version of this program only, and ask no server.

    -h, --help=false:
        Print this help.

    -o, --output='':
        One of 'yaml' or 'json'.

Exit codes:
  0   done
  2   an error: a wrong flag, a server that does not answer

Usage:
  kubectl prune version [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

}  // namespace plugin::cli
