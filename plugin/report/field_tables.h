#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/field_table.h"
#include "plugin/report/page.h"

namespace plugin::report {

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
