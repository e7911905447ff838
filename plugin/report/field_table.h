#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/page.h"
#include "plugin/report/table.h"

namespace plugin::report {

/// How long before `now` the time `timestamp` was, as kubectl's AGE shows it: "45s", "4m", "412d".
/// `timestamp` is RFC 3339 in UTC, whole seconds; anything else is "<unknown>". A time in the
/// future is "<invalid>".
std::string Age(std::string_view timestamp, std::chrono::sys_seconds now);

/// A field path, and the versions that say the same of it.
struct FieldRow {
  std::string versions;  ///< "v1, v1beta1"; empty where it is of no version
  const migrate::report::FieldUse* use;
};

/// The fields of all versions, those with the same row in several versions once. The paths that
/// most objects have come first, then by path. The rows point into `versions`.
std::vector<FieldRow> FoldVersions(
    const std::vector<migrate::report::VersionReport>& versions,
    std::vector<migrate::report::FieldUse> migrate::report::VersionReport::*fields);

/// What a storage migration in one pass could lose beyond what pruning by the storage version's
/// schema does. The rows point into `crd`.
std::vector<FieldRow> MoreLostByMigration(const migrate::report::CrdReport& crd);

/// How many different paths there are in `rows`.
std::size_t CountPaths(const std::vector<FieldRow>& rows);

struct FieldTableOptions {
  bool all = false;  ///< every row; otherwise the first ones
  bool all_examples = false;
  std::chrono::sys_seconds now;
  Screen screen{};
};

/// Appends a table of fields that would be lost: who writes them, when last, and where.
void AppendLostFields(std::string& out, const std::vector<FieldRow>& rows,
                      const FieldTableOptions& options);

/// Appends a table of what the server would say of objects: where, how many, who writes it, and the
/// message about the first one.
void AppendInvalidFields(std::string& out,
                         const std::vector<const migrate::report::InvalidUse*>& uses,
                         const FieldTableOptions& options);

/// Appends a table of what else a rewrite changes in objects.
void AppendOtherChanges(std::string& out, const std::vector<FieldRow>& added_defaults,
                        const std::vector<FieldRow>& dropped_nulls,
                        const FieldTableOptions& options);

/// The fields by the number of objects that lose them: types, writers, last write, examples; and
/// the versions where rows have some.
Table FieldsTable(std::string title, const std::vector<FieldRow>& rows);

/// Who writes these fields: of each manager how many fields, and in how many objects at least.
Table WritersTable(const std::vector<FieldRow>& rows);

/// How many of the fields were written last at each time that is known; a path of several rows
/// counts once.
std::vector<LastWrite> LastWritesOf(const std::vector<FieldRow>& rows);

/// Rows of fields that are of no version, most objects first.
std::vector<FieldRow> RowsOf(const std::vector<migrate::report::FieldUse>& uses);

/// Adds a table that has rows.
void AddTable(Section& section, Table table);

}  // namespace plugin::report
