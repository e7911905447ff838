#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kube/client/connection.h"
#include "plugin/terminal/output_format.h"

/// What flags set that several commands have. Nothing is read or contacted here.
namespace plugin::cli {

/// Flags that every command has.
struct CommonOptions {
  kube::client::ConnectionFlags connection;
  int verbosity = 0;  ///< -v, kubectl's log level
  /// The server must be of the version whose rules are foretold (plugin/command/version_command.h).
  bool match_server_version = false;
  bool warnings_as_errors = false;  ///< a Warning header of the server makes the exit code 2
  /// How long what only reads is tried again; zero: not at all (kube::client::ClientOptions).
  std::chrono::nanoseconds patience{};
};

/// Where CRDs and custom resources are read from.
struct InputOptions {
  std::vector<std::string> crds;       ///< as named on the command line; empty: all (not of diff)
  std::vector<std::string> filenames;  ///< -f: files, folders, "-" for stdin
  bool recursive = false;              ///< -R: folders below the folders of -f too
  bool local = false;                  ///< no server is contacted
};

/// Which objects of the cluster count. Selectors are of kubectl's grammar, and empty where all do.
struct ObjectOptions {
  std::string namespace_;  ///< empty: all; that of the context does not count
  std::string selector;    ///< -l
  std::string field_selector;
  std::int64_t chunk_size = 500;  ///< objects a request; 0: all at once
  bool chunk_size_is_given = false;
};

}  // namespace plugin::cli
