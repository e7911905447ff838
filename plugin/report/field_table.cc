#include "plugin/report/field_table.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::sys_seconds;

// The number that all of `digits` are.
std::optional<unsigned> ReadNumber(std::string_view digits) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<sys_seconds> ReadDate(std::string_view date) {
  const auto year = ReadNumber(date.substr(0, 4));
  const auto month = ReadNumber(date.substr(5, 2));
  const auto day = ReadNumber(date.substr(8, 2));
  if (!year || !month || !day || date[4] != '-' || date[7] != '-') return std::nullopt;
  const std::chrono::year_month_day ymd{std::chrono::year(static_cast<int>(*year)),
                                        std::chrono::month(*month), std::chrono::day(*day)};
  if (!ymd.ok()) return std::nullopt;
  return std::chrono::sys_days(ymd);
}

std::optional<std::chrono::seconds> ReadTimeOfDay(std::string_view time) {
  const auto hour = ReadNumber(time.substr(0, 2));
  const auto minute = ReadNumber(time.substr(3, 2));
  const auto second = ReadNumber(time.substr(6, 2));
  if (!hour || !minute || !second || time[2] != ':' || time[5] != ':') return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return hours(*hour) + minutes(*minute) + std::chrono::seconds(*second);
}

// "2026-11-21T03:15:00Z"
std::optional<sys_seconds> ReadTimestamp(std::string_view text) {
  if (text.size() != 20 || text[10] != 'T' || text[19] != 'Z') return std::nullopt;
  const auto date = ReadDate(text.substr(0, 10));
  const auto time = ReadTimeOfDay(text.substr(11, 8));
  if (!date || !time) return std::nullopt;
  return *date + *time;
}

std::string Count(std::int64_t number, char unit) { return std::to_string(number) + unit; }

// "3h", or "3h20m".
std::string Count(std::int64_t number, char unit, std::int64_t rest, char rest_unit) {
  return Count(number, unit) + (rest == 0 ? "" : Count(rest, rest_unit));
}

// apimachinery pkg/util/duration, HumanDuration: about two or three significant digits.
std::string HumanDuration(std::chrono::seconds elapsed) {
  const std::int64_t s = elapsed.count();
  const std::int64_t m = s / 60;
  const std::int64_t h = m / 60;
  if (s < -1) return "<invalid>";
  if (s < 0) return "0s";
  if (s < 60 * 2) return Count(s, 's');
  if (m < 10) return Count(m, 'm', s % 60, 's');
  if (m < 60 * 3) return Count(m, 'm');
  if (h < 8) return Count(h, 'h', m % 60, 'm');
  if (h < 48) return Count(h, 'h');
  if (h < 24 * 8) return Count(h / 24, 'd', h % 24, 'h');
  if (h < 24 * 365 * 2) return Count(h / 24, 'd');
  if (h < 24 * 365 * 8) return Count(h / 24 / 365, 'y', h / 24 % 365, 'd');
  return Count(h / 24 / 365, 'y');
}

}  // namespace

std::string Age(std::string_view timestamp, sys_seconds now) {
  const std::optional<sys_seconds> time = ReadTimestamp(timestamp);
  return time ? HumanDuration(now - *time) : "<unknown>";
}

namespace {

using migrate::report::FieldUse;
using migrate::report::InvalidUse;
using migrate::report::VersionReport;

constexpr std::size_t kShownRows = 20;

bool SaysTheSame(const FieldUse& a, const FieldUse& b) {
  const auto tie = [](const FieldUse& use) {
    return std::tie(use.objects, use.types, use.managers, use.last_written, use.examples);
  };
  return tie(a) == tie(b);
}

// What is found of one path: usually one row, at worst one for each version.
using RowsByPath = std::map<std::string_view, std::vector<FieldRow>>;

void AddToRows(std::vector<FieldRow>& rows, const std::string& version, const FieldUse& use) {
  const auto same = std::ranges::find_if(
      rows, [&use](const FieldRow& row) { return SaysTheSame(*row.use, use); });
  if (same == rows.end()) {
    rows.push_back({version, &use});
  } else {
    same->versions.append(", ").append(version);
  }
}

std::string OrUnknown(std::string text) { return text.empty() ? "<unknown>" : text; }

std::string Examples(const std::vector<std::string>& examples, bool all) {
  if (examples.empty()) return "";
  return all ? kube::base::Join(examples, ", ") : examples.front();
}

std::size_t ShownRows(std::size_t rows, bool all) {
  // One row more costs no more than the line that says it is missing.
  return all || rows == kShownRows + 1 ? rows : std::min(rows, kShownRows);
}

void AppendLeftOut(std::string& out, std::size_t left_out) {
  if (left_out == 0) return;
  out.append("  ... and ").append(std::to_string(left_out));
  out += " more (-o wide or -o json shows all)\n";
}

std::string_view ParentOf(std::string_view path) {
  const std::size_t end = path.ends_with("']") ? path.rfind("['") : path.rfind('.');
  return path.substr(0, end == path.npos ? 0 : end);
}

// As suggest judges a place (IsMap), as far as rows tell: of so many alike only a map has as many,
// and a name that has to be quoted is none of a field.
bool AreKeysOfMap(const std::vector<const FieldUse*>& siblings) {
  constexpr std::size_t kManyKeys = 24;
  constexpr std::size_t kSomeKeys = 3;
  if (siblings.size() < kSomeKeys) return false;
  const auto are_alike = [&](const FieldUse* use) { return use->types == siblings.front()->types; };
  const auto is_quoted = [](const FieldUse* use) { return use->path.ends_with("']"); };
  return std::ranges::all_of(siblings, are_alike) &&
         (siblings.size() >= kManyKeys || std::ranges::all_of(siblings, is_quoted));
}

void AppendMaps(std::string& out, const std::vector<FieldRow>& rows) {
  std::map<std::string_view, std::vector<const FieldUse*>> by_parent;
  std::set<std::string_view> paths;
  for (const FieldRow& row : rows) {
    if (paths.insert(row.use->path).second) by_parent[ParentOf(row.use->path)].push_back(row.use);
  }
  for (const auto& [parent, siblings] : by_parent) {
    if (parent.empty() || !AreKeysOfMap(siblings)) continue;
    out.append("  hint: the ").append(std::to_string(siblings.size())).append(" fields below ");
    terminal::AppendPrintable(out, kube::meta::WithLeadingDot(parent));
    out += " look like the keys of one map: additionalProperties specifies all of them\n";
  }
}

std::vector<std::string> LostCells(const FieldRow& row, const FieldTableOptions& options) {
  const FieldUse& use = *row.use;
  return {kube::meta::WithLeadingDot(use.path), std::to_string(use.objects),
          kube::base::Join(use.types, ", "),    OrUnknown(kube::base::Join(use.managers, ", ")),
          Age(use.last_written, options.now),   Examples(use.examples, options.all_examples)};
}

void AddChanges(TextTable& table, const std::vector<FieldRow>& rows, std::size_t first,
                std::size_t shown, const std::string& change) {
  for (std::size_t i = 0; i < rows.size() && first + i < shown; ++i) {
    const FieldRow& row = rows[i];
    table.AddRow({row.versions, kube::meta::WithLeadingDot(row.use->path),
                  std::to_string(row.use->objects), change});
  }
}

}  // namespace

std::vector<FieldRow> FoldVersions(const std::vector<VersionReport>& versions,
                                   std::vector<FieldUse> VersionReport::*fields) {
  RowsByPath by_path;
  for (const VersionReport& version : versions) {
    for (const FieldUse& use : version.*fields) AddToRows(by_path[use.path], version.name, use);
  }
  std::vector<FieldRow> rows;
  for (auto& [path, of_path] : by_path) {
    std::ranges::move(of_path, std::back_inserter(rows));
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const FieldRow& row) { return row.use->objects; });
  return rows;
}

std::vector<FieldRow> MoreLostByMigration(const migrate::report::CrdReport& crd) {
  if (!crd.storage_migration) return {};
  std::map<std::string_view, std::uint64_t> known;
  for (const VersionReport& version : crd.versions) {
    if (!version.storage) continue;
    for (const FieldUse& use : version.pruned_fields) known[use.path] = use.objects;
  }
  std::vector<FieldRow> rows;
  for (const FieldUse& use : crd.storage_migration->pruned_fields) {
    if (known[use.path] < use.objects) rows.push_back({"", &use});
  }
  return rows;
}

std::size_t CountPaths(const std::vector<FieldRow>& rows) {
  std::set<std::string_view> paths;
  for (const FieldRow& row : rows) paths.insert(row.use->path);
  return paths.size();
}

void AppendLostFields(std::string& out, const std::vector<FieldRow>& rows,
                      const FieldTableOptions& options) {
  if (rows.empty()) return;
  const bool with_versions = !rows.front().versions.empty();
  std::vector<std::string> titles = {"PATH",       "OBJECTS",      "TYPES",
                                     "WRITTEN-BY", "LAST-WRITTEN", "EXAMPLE"};
  if (with_versions) titles.insert(titles.begin(), "VERSION");
  TextTable table(std::move(titles));
  const std::size_t shown = ShownRows(rows.size(), options.all);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = LostCells(rows[i], options);
    if (with_versions) cells.insert(cells.begin(), rows[i].versions);
    table.AddRow(std::move(cells));
  }
  table.AppendTo(out, "  ", options.screen);
  AppendLeftOut(out, rows.size() - shown);
  AppendMaps(out, rows);
}

void AppendInvalidFields(std::string& out, const std::vector<const InvalidUse*>& uses,
                         const FieldTableOptions& options) {
  const bool with_origin = std::ranges::any_of(uses, &InvalidUse::since_proposal);
  std::vector<std::string> titles = {"PATH", "OBJECTS", "WRITTEN-BY", "EXAMPLE", "MESSAGE"};
  if (with_origin) titles.insert(titles.begin() + 2, "NEW");
  TextTable table(std::move(titles));
  const std::size_t shown = ShownRows(uses.size(), options.all);
  for (std::size_t i = 0; i < shown; ++i) {
    const InvalidUse& use = *uses[i];
    std::vector<std::string> cells = {use.path.empty() ? "." : kube::meta::WithLeadingDot(use.path),
                                      std::to_string(use.objects),
                                      OrUnknown(kube::base::Join(use.managers, ", ")),
                                      Examples(use.examples, options.all_examples), use.message};
    if (with_origin) cells.insert(cells.begin() + 2, use.since_proposal ? "yes" : "no");
    table.AddRow(std::move(cells));
  }
  table.AppendTo(out, "  ", options.screen);
  AppendLeftOut(out, uses.size() - shown);
}

void AppendOtherChanges(std::string& out, const std::vector<FieldRow>& added_defaults,
                        const std::vector<FieldRow>& dropped_nulls,
                        const FieldTableOptions& options) {
  const std::size_t rows = dropped_nulls.size() + added_defaults.size();
  const std::size_t shown = ShownRows(rows, options.all);
  TextTable table({"VERSION", "PATH", "OBJECTS", "CHANGE"});
  AddChanges(table, dropped_nulls, 0, shown, "null is dropped");
  AddChanges(table, added_defaults, dropped_nulls.size(), shown, "default is added");
  table.AppendTo(out, "  ", options.screen);
  AppendLeftOut(out, rows - shown);
}

namespace {

using kube::base::Join;

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
