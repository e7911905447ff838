#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace plugin::command {

/// A program and its arguments.
struct DiffCommandLine {
  std::vector<std::string> words;
  std::vector<std::string> ignored;  ///< arguments that are left out
};

/// The command that compares two folders, as `kubectl diff` makes it (DiffProgram.getCommand in
/// kubectl pkg/cmd/diff/diff.go): `diff -u -N FROM TO`, or where `external`, the value of
/// KUBECTL_EXTERNAL_DIFF, is neither the null pointer nor empty, its first word, the folders, and
/// then its other words, if they are of letters, digits, "-" and "=" alone. Words are what blanks
/// separate; nothing is quoted.
DiffCommandLine MakeDiffCommand(const char* external, const std::string& from,
                                const std::string& to);

/// Runs the command and returns its exit code, 0 or 1. It has our stdout and stderr, and no stdin,
/// as under kubectl. Meanwhile SIGINT and SIGQUIT are left to it, as system(3) does; once
/// `is_terminated` is true it is sent SIGTERM. Where one of these signals, or SIGPIPE, ends it, the
/// result is 128 and the signal's number.
///
/// Throws kube::base::Error if it cannot be run, or fails otherwise.
int RunDiffCommand(const std::vector<std::string>& words,
                   const std::function<bool()>& is_terminated);

/// Has $KUBECTL_EXTERNAL_DIFF, or diff, compare two folders, as above; SIGTERM to us ends it.
/// Arguments that are left out are told on stderr.
int CompareFolders(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace plugin::command
