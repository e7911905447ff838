#include "plugin/report/change_table.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "plugin/report/table.h"

namespace plugin::report {
namespace {

using migrate::report::ChangesReport;
using migrate::report::ChangeUse;

constexpr std::size_t kShownChanges = 10;

/// A change, and the versions that say the same of it.
struct ChangeRow {
  std::string versions;
  const ChangeUse* change;
};

bool IsSameChange(const ChangeUse& a, const ChangeUse& b) {
  const auto tie = [](const ChangeUse& change) {
    return std::tie(change.path, change.kind, change.from, change.to, change.breaking,
                    change.objects);
  };
  return tie(a) == tie(b) && !a.version.empty() && !b.version.empty();
}

// Known to touch some, unknown, known to touch none.
int RankOf(const ChangeUse& change) {
  if (!change.objects) return 1;
  return *change.objects > 0 ? 0 : 2;
}

// Sorted by what is the same, so that the versions of one stand together.
std::vector<ChangeRow> ChangeRowsOf(const ChangesReport& changes, bool all) {
  std::vector<const ChangeUse*> sorted;
  for (const ChangeUse& change : changes.changes) {
    if (all || change.breaking) sorted.push_back(&change);
  }
  std::ranges::stable_sort(sorted, {}, [](const ChangeUse* change) {
    return std::tuple(!change->breaking, RankOf(*change), ~change->objects.value_or(0),
                      std::string_view(change->path), std::string_view(change->kind),
                      std::string_view(change->from), std::string_view(change->to));
  });
  std::vector<ChangeRow> rows;
  for (const ChangeUse* change : sorted) {
    if (!rows.empty() && IsSameChange(*rows.back().change, *change)) {
      rows.back().versions.append(", ").append(change->version);
    } else {
      rows.push_back({change->version, change});
    }
  }
  return rows;
}

std::string TitleOf(const std::vector<ChangeRow>& rows, std::uint64_t objects, bool are_counted) {
  const auto is_breaking = [](const ChangeRow& row) { return row.change->breaking; };
  const auto touches = [&](const ChangeRow& row) {
    return is_breaking(row) && row.change->objects.value_or(0) > 0;
  };
  const auto breaking = static_cast<std::uint64_t>(std::ranges::count_if(rows, is_breaking));
  const auto touching = static_cast<std::uint64_t>(std::ranges::count_if(rows, touches));
  if (breaking == 0) return "no change may break anybody";
  std::string title = kube::base::Count(breaking, "change") + " may break somebody";
  if (!are_counted) return title;
  title += touching == 0 ? ", none" : ", " + std::to_string(touching);
  return title + " of them touching " + (touching == 0 ? "any" : "some") + " of " +
         kube::base::Count(objects, "object");
}

std::string OrNone(const std::string& text) { return text.empty() ? "none" : text; }

void AppendChangesLeftOut(std::string& out, const ChangesReport& changes, std::size_t left_out,
                          std::size_t harmless) {
  if (left_out > 0 || harmless > 0) {
    out += "  ... and ";
    if (left_out > 0) out += std::to_string(left_out) + " more";
    if (left_out > 0 && harmless > 0) out += ", and ";
    if (harmless > 0) out += std::to_string(harmless) + " harmless";
    out += " (-o wide or -o json shows all)\n";
  }
  if (changes.left_out > 0) {
    out += "  ... and " + std::to_string(changes.left_out) + " more that were not kept\n";
  }
  if (changes.is_partial) out += "  the schemas are too large to be compared whole\n";
}

}  // namespace

std::string ChangeWords(const ChangeUse& change) {
  if (change.kind == "fieldRemoved") return "field removed (" + change.from + ")";
  if (change.kind == "fieldAdded") return "field specified (" + change.to + ")";
  // The CRD's own field of that name is of the whole CRD.
  if (change.kind == "preserveUnknownFields" && !change.version.empty()) {
    return "x-kubernetes-preserve-unknown-fields: " + OrNone(change.from) + " -> " +
           OrNone(change.to);
  }
  if (change.kind == "required") return change.from + " -> " + change.to;
  if (change.kind == "versionRemoved") return "version removed";
  if (change.kind == "versionNotServed") return "version no longer served";
  if (change.kind == "storedVersionMissing") return "stored version missing";
  const bool is_set = change.kind == "enum" || change.kind == "validations";
  if (!is_set) return change.kind + ": " + OrNone(change.from) + " -> " + OrNone(change.to);
  std::string words = change.kind + ":";
  if (!change.from.empty()) words += " " + change.from + " removed";
  if (!change.from.empty() && !change.to.empty()) words += ",";
  if (!change.to.empty()) words += " " + change.to + " added";
  return change.brings_transition_rules ? words + " (later updates meet it)" : words;
}

void AppendChangeTable(std::string& out, std::string_view title,
                       const migrate::report::CrdReport& crd, bool all, const Screen& screen) {
  const ChangesReport& changes = *crd.changes;
  const std::vector<ChangeRow> rows = ChangeRowsOf(changes, all);
  if (rows.empty()) return;
  const bool are_counted = !crd.objects_skipped && crd.error.empty();
  out.append(title).append(": ").append(TitleOf(rows, crd.object_count, are_counted));
  out += ":\n";
  std::vector<std::string> titles = {"VERSION", "PATH", "OBJECTS", "CHANGE"};
  if (all) titles.insert(titles.begin() + 3, "BREAKING");
  TextTable table(std::move(titles));
  // One row more costs no more than the line that says it is missing.
  const std::size_t shown =
      all || rows.size() == kShownChanges + 1 ? rows.size() : std::min(rows.size(), kShownChanges);
  for (std::size_t i = 0; i < shown; ++i) {
    const ChangeUse& change = *rows[i].change;
    std::vector<std::string> cells = {
        rows[i].versions.empty() ? "<all>" : rows[i].versions,
        change.path.empty() ? "." : kube::meta::WithLeadingDot(change.path),
        change.objects ? std::to_string(*change.objects) : "<unknown>", ChangeWords(change)};
    if (all) cells.insert(cells.begin() + 3, change.breaking ? "yes" : "no");
    table.AddRow(std::move(cells));
  }
  table.AppendTo(out, "  ", screen);
  AppendChangesLeftOut(out, changes, rows.size() - shown,
                       all ? 0 : ChangeRowsOf(changes, true).size() - rows.size());
}

}  // namespace plugin::report
