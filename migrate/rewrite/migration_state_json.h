#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/rewrite/migration_state.h"

namespace migrate::rewrite {

/// `state` as state.json holds it.
std::string PrintMigrationState(const MigrationState& state);

/// What state.json says; absent where it is none that PrintMigrationState wrote (torn, or of
/// another release).
std::optional<MigrationState> ReadMigrationState(std::string_view text);

}  // namespace migrate::rewrite
