#pragma once

#include <filesystem>

namespace migrate::cluster {

/// Makes the names in `folder` (empty: where we are) survive a loss of power. Returns the error
/// number, 0 where the disk has them; a folder that may be written but not read is an error.
int SyncFolder(const std::filesystem::path& folder);

}  // namespace migrate::cluster
