#pragma once

#include <string>

namespace plugin::serving {

/// Writes a line to stderr, whatever is in it. For several threads at once.
void Tell(const std::string& line);

/// Writes webhook configurations to stdout, once in a run: kubectl apply reads its input to the
/// end, so stdout ends with them.
void PrintOnce(const std::string& configurations);

}  // namespace plugin::serving
