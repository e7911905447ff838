#include "plugin/report/field_tables.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"

namespace plugin::report {
namespace {

using kube::base::Join;
using migrate::report::FieldUse;

// Whose managers are unknown is written by somebody all the same.
const std::vector<std::string>& WriterCellsOf(const FieldUse& use) {
  static const std::vector<std::string> kUnknown = {"<unknown>"};
  return use.managers.empty() ? kUnknown : use.managers;
}

/// What one manager writes.
struct Written {
  std::set<std::string_view> paths;
  std::uint64_t most_objects = 0;  // of one field: other fields may be in the same objects
  std::string_view last;
};

}  // namespace

Table FieldsTable(std::string title, const std::vector<FieldRow>& rows) {
  Table table{std::move(title),
              {{"Path", CellKind::kCode},
               {"Objects", CellKind::kNumber},
               {"Types"},
               {"Written by", CellKind::kCode},
               {"Last written", CellKind::kTime},
               {"Examples", CellKind::kCode}}};
  const bool with_versions = !rows.empty() && !rows.front().versions.empty();
  if (with_versions) table.columns.push_back({"Versions", CellKind::kCode});
  for (const FieldRow& row : rows) {
    const FieldUse& use = *row.use;
    table.rows.push_back({kube::meta::WithLeadingDot(use.path), std::to_string(use.objects),
                          Join(use.types, ", "), Join(WriterCellsOf(use), ", "), use.last_written,
                          Join(use.examples, ", ")});
    if (with_versions) table.rows.back().push_back(row.versions);
  }
  return table;
}

Table WritersTable(const std::vector<FieldRow>& rows) {
  std::map<std::string_view, Written> by_manager;
  for (const FieldRow& row : rows) {
    for (const std::string& manager : WriterCellsOf(*row.use)) {
      Written& written = by_manager[manager];
      written.paths.insert(row.use->path);
      written.most_objects = std::max(written.most_objects, row.use->objects);
      written.last = std::max(written.last, std::string_view(row.use->last_written));
    }
  }
  Table table{"These fields by writer",
              {{"Written by", CellKind::kCode},
               {"Fields", CellKind::kNumber},
               {"Objects, at least", CellKind::kNumber},
               {"Last written by anybody", CellKind::kTime}}};
  for (const auto& [manager, written] : by_manager) {
    table.rows.push_back({std::string(manager), std::to_string(written.paths.size()),
                          std::to_string(written.most_objects), std::string(written.last)});
  }
  std::ranges::stable_sort(table.rows, std::greater(), [](const auto& row) {
    return std::pair(std::stoull(row[1]), std::stoull(row[2]));
  });
  return table;
}

std::vector<LastWrite> LastWritesOf(const std::vector<FieldRow>& rows) {
  std::map<std::string_view, std::string_view> by_path;
  for (const FieldRow& row : rows) {
    std::string_view& last = by_path[row.use->path];
    last = std::max(last, std::string_view(row.use->last_written));
  }
  std::map<std::string_view, std::uint64_t> by_time;
  for (const auto& [path, last] : by_path) ++by_time[last];
  by_time.erase("");
  std::vector<LastWrite> writes;
  for (const auto& [time, fields] : by_time) writes.push_back({std::string(time), fields});
  return writes;
}

std::vector<FieldRow> RowsOf(const std::vector<FieldUse>& uses) {
  std::vector<FieldRow> rows;
  for (const FieldUse& use : uses) rows.push_back({"", &use});
  std::ranges::stable_sort(rows, std::greater(),
                           [](const FieldRow& row) { return row.use->objects; });
  return rows;
}

void AddTable(Section& section, Table table) {
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
}

}  // namespace plugin::report
