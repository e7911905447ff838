#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/page/page.h"
#include "plugin/report/text/field_table.h"

namespace plugin::report::page {

/// The fields by the number of objects that lose them: types, writers, last write, examples; and
/// the versions where rows have some.
Table FieldsTable(std::string title, const std::vector<text::FieldRow>& rows);

/// Who writes these fields: of each manager how many fields, and in how many objects at least.
Table WritersTable(const std::vector<text::FieldRow>& rows);

/// How many of the fields were written last at each time that is known; a path of several rows
/// counts once.
std::vector<LastWrite> LastWritesOf(const std::vector<text::FieldRow>& rows);

/// Rows of fields that are of no version, most objects first.
std::vector<text::FieldRow> RowsOf(const std::vector<migrate::report::FieldUse>& uses);

/// Adds a table that has rows.
void AddTable(Section& section, Table table);

}  // namespace plugin::report::page
