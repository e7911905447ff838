#include "plugin/report/fleet_report_json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/report/check_report_json.h"
#include "plugin/report/object_builder.h"
#include "plugin/report/run_json.h"

namespace plugin::report {
namespace {

using kube::json::Arena;
using kube::json::Value;
using migrate::report::CrdDifference;
using migrate::report::CrdReport;
using migrate::report::CrdVariant;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

// Of 64 bits, which JSON's numbers do not bear everywhere.
std::string HashText(std::uint64_t hash) {
  constexpr std::size_t kDigits = 16;
  std::string text(kDigits, '0');
  for (std::size_t i = kDigits; i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 0xF];
  return text;
}

class FleetReportBuilder {
 public:
  FleetReportBuilder(bool show_objects, Arena& arena)
      : show_objects_(show_objects), arena_(arena) {}

  Value Report(const FleetReport& report) {
    ObjectBuilder builder(arena_);
    builder.Text("apiVersion", kReportApiVersion).Text("kind", "FleetCheckReport");
    AddFacts(builder, report.run);
    builder.Add("summary", Summary(report));
    builder.List("clusters", report.clusters,
                 [this](const FleetCluster& cluster) { return Cluster(cluster); });
    builder.List("differences", report.differences,
                 [this](const CrdDifference& difference) { return Difference(difference); });
    return builder.Build();
  }

 private:
  Value Summary(const FleetReport& report) {
    std::vector<const CrdReport*> crds;
    std::uint64_t not_checked = 0;
    for (const FleetCluster& cluster : report.clusters) {
      if (!cluster.is_checked()) ++not_checked;
      for (const CrdReport& crd : cluster.check.crds) crds.push_back(&crd);
    }
    ObjectBuilder builder(arena_);
    builder.Number("clusters", report.clusters.size())
        .Number("notChecked", not_checked)
        .Number("differences", report.differences.size());
    AddSums(builder, crds);
    return builder.Build();
  }

  Value Cluster(const FleetCluster& cluster) {
    ObjectBuilder builder(arena_);
    builder.Text("name", cluster.name)
        .Number("exitCode", static_cast<std::uint64_t>(cluster.exit_code));
    if (!cluster.is_checked()) return builder.Text("error", cluster.error).Build();
    return builder.Add("report", ToJson(cluster.check, show_objects_, arena_)).Build();
  }

  Value Difference(const CrdDifference& difference) {
    return ObjectBuilder(arena_)
        .Text("crd", difference.name)
        .List("variants", difference.variants,
              [this](const CrdVariant& variant) { return Variant(variant); })
        .Build();
  }

  Value Variant(const CrdVariant& variant) {
    ObjectBuilder builder(arena_);
    builder.Texts("clusters", variant.clusters).Bool("found", variant.is_found);
    if (!variant.is_found) return builder.Build();
    return builder.Bool("preserveUnknownFields", variant.preserve_unknown_fields)
        .Text("storageVersion", variant.storage_version)
        .Texts("storedVersions", variant.stored_versions)
        .Texts("servedVersions", variant.served_versions)
        .Texts("versions", variant.versions)
        .Add("schemas", Value::String(arena_.Copy(HashText(variant.schemas.all))))
        .Add("keptFields", Value::String(arena_.Copy(HashText(variant.schemas.kept_fields))))
        .Build();
  }

  bool show_objects_;
  Arena& arena_;
};

}  // namespace

Value ToJson(const FleetReport& report, bool show_objects, Arena& arena) {
  return FleetReportBuilder(show_objects, arena).Report(report);
}

}  // namespace plugin::report
