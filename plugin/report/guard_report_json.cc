#include "plugin/report/guard_report_json.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "plugin/report/object_builder.h"

namespace plugin::report {
namespace {

using migrate::report::CrdReport;
using migrate::report::GuardReport;
using migrate::report::WriterUse;

auto KeyOf(const WriterUse& use) { return std::tie(use.path, use.user, use.manager); }

void Merge(const WriterUse& use, WriterUse& into) {
  into.requests += use.requests;
  into.added += use.added;
  into.denied += use.denied;
  into.moved += use.moved;
  into.first_seen = std::min(into.first_seen, use.first_seen);
  if (use.last_seen <= into.last_seen) return;
  into.last_seen = use.last_seen;
  into.version = use.version;
  into.example_object = use.example_object;
  into.example_path = use.example_path;
}

std::vector<WriterUse> WritersOf(const std::string& crd, const std::vector<GuardReport>& guards) {
  std::vector<WriterUse> all, writers;
  for (const GuardReport& guard : guards) {
    std::ranges::copy_if(guard.writers, std::back_inserter(all),
                         [&crd](const WriterUse& use) { return use.crd == crd; });
  }
  std::ranges::stable_sort(
      all, [](const WriterUse& a, const WriterUse& b) { return KeyOf(a) < KeyOf(b); });
  for (WriterUse& use : all) {
    if (!writers.empty() && KeyOf(writers.back()) == KeyOf(use)) {
      Merge(use, writers.back());
    } else {
      writers.push_back(std::move(use));
    }
  }
  return writers;
}

}  // namespace

std::vector<GuardReport> ReadGuardReports(const std::vector<std::string>& filenames) {
  std::vector<GuardReport> reports;
  for (const std::string& filename : std::set<std::string>(filenames.begin(), filenames.end())) {
    const auto text = kube::base::ReadFileText(filename);
    if (!text) throw kube::base::Error("cannot read the guard's report: " + text.error().message);
    auto report = ReadGuardReport(*text);
    if (!report) {
      throw kube::base::Error("cannot use \"" + filename +
                              "\" as a guard's report: " + report.error());
    }
    reports.push_back(*std::move(report));
  }
  return reports;
}

void AddGuardWriters(const std::vector<GuardReport>& guards, migrate::report::CheckReport& report) {
  for (CrdReport& crd : report.crds) crd.guard_writers = WritersOf(crd.name, guards);
}

namespace {

using kube::json::Arena;
using kube::json::Value;
using migrate::report::GuardedUse;

constexpr std::string_view kGuardReport = "GuardReport";

Value CrdJson(const GuardedUse& crd, Arena& arena) {
  return ObjectBuilder(arena)
      .Text("name", crd.name)
      .TextIfAny("source", crd.source)
      .Bool("preserveUnknownFields", crd.preserve_unknown_fields)
      .TextsIfAny("unusableVersions", crd.unusable_versions)
      .Build();
}

// A number that is none, or none that was printed by us, is 0.
std::uint64_t NumberAt(const Value& object, std::string_view key) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(kube::json::AsInt64(object.At(key)).value_or(0), 0));
}

std::string TextAt(const Value& object, std::string_view key) {
  return std::string(object.FindText(key));
}

WriterUse ReadWriter(const Value& json) {
  return {.crd = TextAt(json, "crd"),
          .user = TextAt(json, "user"),
          .manager = TextAt(json, "manager"),
          .path = TextAt(json, "path"),
          .version = TextAt(json, "version"),
          .requests = NumberAt(json, "requests"),
          .added = NumberAt(json, "added"),
          .denied = NumberAt(json, "denied"),
          .moved = NumberAt(json, "moved"),
          .first_seen = TextAt(json, "firstSeen"),
          .last_seen = TextAt(json, "lastSeen"),
          .example_object = TextAt(json, "exampleObject"),
          .example_path = TextAt(json, "examplePath")};
}

}  // namespace

Value ToJson(const WriterUse& use, Arena& arena) {
  return ObjectBuilder(arena)
      .Text("crd", use.crd)
      .Text("path", use.path)
      .Text("user", use.user)
      .TextIfAny("manager", use.manager)
      .Text("version", use.version)
      .Number("requests", use.requests)
      .Number("added", use.added)
      .Number("denied", use.denied)
      .Number("moved", use.moved)
      .Text("firstSeen", use.first_seen)
      .Text("lastSeen", use.last_seen)
      .Text("exampleObject", use.example_object)
      .Text("examplePath", use.example_path)
      .Build();
}

Value ToJson(const GuardReport& report, Arena& arena) {
  ObjectBuilder summary(arena);
  summary.Number("requests", report.requests)
      .Number("requestsLosingFields", report.requests_losing_fields)
      .Number("requestsDenied", report.requests_denied)
      .Number("fieldsLeftOut", report.left_out);
  ObjectBuilder builder = BeginReport(kGuardReport, report.run, arena);
  builder.Text("since", report.since).Text("action", report.action);
  builder.Add("summary", summary.Build());
  builder.List("crds", report.crds,
               [&arena](const GuardedUse& crd) { return CrdJson(crd, arena); });
  builder.List("writers", report.writers,
               [&arena](const WriterUse& use) { return ToJson(use, arena); });
  return builder.Build();
}

kube::base::Result<GuardReport, std::string> ReadGuardReport(std::string_view text) {
  kube::json::Document document;
  if (const auto error = document.Parse(text)) {
    return kube::base::Unexpected("it is no JSON: " + error->message);
  }
  const Value& root = document.root();
  if (root.FindText("apiVersion") != kReportApiVersion || root.FindText("kind") != kGuardReport) {
    return kube::base::Unexpected("it is no GuardReport of " + std::string(kReportApiVersion));
  }
  const Value* writers = root.Find("writers", kube::json::Type::kArray);
  if (writers == nullptr) return kube::base::Unexpected(std::string("it has no list of writers"));
  GuardReport report;
  report.run = {.cluster = TextAt(root, "cluster"),
                .context = TextAt(root, "context"),
                .time = TextAt(root, "time"),
                .version = TextAt(root, "programVersion")};
  report.since = TextAt(root, "since");
  report.action = TextAt(root, "action");
  for (const Value& json : writers->elements()) {
    WriterUse use = ReadWriter(json);
    if (use.crd.empty() || use.path.empty()) {
      return kube::base::Unexpected(std::string("a writer in it has no crd or no path"));
    }
    report.writers.push_back(std::move(use));
  }
  return report;
}

}  // namespace plugin::report
