#include "plugin/report/check_rows.h"

#include <algorithm>

#include "kube/base/text.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::CrdReport;
using migrate::report::Verdict;

bool IsUnread(const CrdReport& crd) { return crd.verdict == Verdict::kUnknown; }

bool DryRunIsComplete(const CrdReport& crd) {
  return std::ranges::all_of(crd.versions,
                             [](const auto& v) { return v.objects.has_value() || v.is_left_out; });
}

std::string Structural(const CrdReport& crd) {
  if (!crd.problems.empty()) return "no (" + std::to_string(crd.problems.size()) + ")";
  if (crd.versions.empty()) return "<unknown>";
  return std::ranges::all_of(crd.versions, &migrate::report::VersionReport::structural) ? "yes"
                                                                                        : "no";
}

std::string Objects(const CrdReport& crd) {
  if (crd.objects_skipped) return "<none>";
  if (IsUnread(crd) && crd.object_count == 0) return "<unknown>";
  return std::to_string(crd.object_count);
}

std::string LosingFields(const CrdReport& crd) {
  if (crd.objects_losing_fields > 0) return std::to_string(crd.objects_losing_fields);
  // Nothing is read of a CRD that prunes already, since reads would show no loss.
  if (crd.objects_skipped && !crd.preserve_unknown_fields && !IsUnread(crd)) return "<none>";
  if (crd.objects_skipped || IsUnread(crd)) return "<unknown>";
  if (crd.object_count > 0 && !DryRunIsComplete(crd)) return "<unknown>";
  return "0";
}

std::string Preserves(const CrdReport& crd) {
  if (IsUnread(crd) && crd.versions.empty()) return "<unknown>";
  return crd.preserve_unknown_fields ? "true" : "false";
}

}  // namespace

std::vector<std::string> CheckTitles(bool wide) {
  std::vector<std::string> titles = {"NAME",    "PRESERVES",     "STRUCTURAL",
                                     "OBJECTS", "LOSING-FIELDS", "VERDICT"};
  if (wide) {
    for (const char* title :
         {"MIGRATION-NEEDED", "STORAGE-VERSION", "STORED-VERSIONS", "SERVED-VERSIONS", "SOURCE"}) {
      titles.emplace_back(title);
    }
  }
  return titles;
}

std::vector<std::string> CheckCells(const CrdReport& crd, bool wide) {
  std::vector<std::string> cells = {
      crd.name,     Preserves(crd),    Structural(crd),
      Objects(crd), LosingFields(crd), std::string(terminal::VerdictName(crd.verdict))};
  if (wide) {
    cells.push_back(crd.migration_needed ? "true" : "false");
    cells.push_back(crd.storage_version);
    cells.push_back(kube::base::Join(crd.stored_versions, ","));
    cells.push_back(kube::base::Join(crd.served_versions, ","));
    cells.push_back(crd.source);
  }
  return cells;
}

}  // namespace plugin::report
