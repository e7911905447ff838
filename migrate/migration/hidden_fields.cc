#include "migrate/migration/hidden_fields.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "migrate/cluster/pager.h"
#include "migrate/report/program_name.h"

namespace migrate::migration {
namespace {

std::string Confirm(const check::LiveCrd& crd, const MigrationOptions& options,
                    const rewrite::MigrationSession& session) {
  const std::string& name = crd.identity.name;
  const auto hidden = DescribeHiddenFields(
      crd,
      {.chunk_size = options.chunk_size,
       .on_progress = rewrite::ProgressOf("reading " + name, session.observer)},
      session);
  if (session.is_stopped()) return "";
  if (!hidden) return hidden.error();
  if (hidden->empty()) return "";
  session.observer.OnLine("Warning: " + *hidden);
  const bool is_accepted =
      options.dry_run != report::DryRun::kNone ||
      session.observer.Confirm("Rewrite the objects of " + name + " without a backup?");
  return is_accepted ? "" : "nothing was rewritten, as that was not confirmed";
}

}  // namespace

std::string AskHiddenLoss(const check::LiveCrd& crd, const std::string& list_target,
                          const MigrationOptions& options,
                          const rewrite::MigrationSession& session) {
  if (options.enable_pruning) return Confirm(crd, options, session);
  if (options.retried) return "";
  const std::string hidden = DescribeHiddenFieldsOfSome(crd, list_target, session.client);
  if (!hidden.empty()) session.observer.OnLine("Warning: " + hidden);
  return "";
}

namespace {

constexpr std::size_t kMostPaths = 5;
// Enough to tell by, and few beside the migration itself.
constexpr std::int64_t kSome = 100;

std::string PathsText(const std::vector<report::FieldUse>& fields) {
  std::string text;
  for (std::size_t i = 0; i < std::min(fields.size(), kMostPaths); ++i) {
    text.append(i == 0 ? "" : ", ").append(kube::meta::WithLeadingDot(fields[i].path));
  }
  return fields.size() > kMostPaths ? text + ", ..." : text;
}

// How to keep what reads in other versions show; empty if they show none of them.
std::string KeepText(const report::CrdReport& report) {
  std::vector<std::string> commands;
  for (const std::string& version : report.VersionsThatShow()) {
    commands.push_back("kubectl get " + report.ResourceIn(version) + " -A -o json");
  }
  if (commands.empty()) return "";
  std::vector<report::FieldUse> shown = report.maybe_in_etcd;
  std::erase_if(shown, [](const report::FieldUse& field) { return field.shown_in.empty(); });
  return "; keep the output of " + kube::base::Join(commands, " and ") + " first, which may show " +
         PathsText(shown);
}

std::string Describe(const report::CrdReport& report) {
  const std::vector<report::FieldUse>& fields = report.maybe_in_etcd;
  if (fields.empty()) return "";
  const std::string keep = KeepText(report);
  return report.name +
         (keep.empty() ? ": pruning is on already, so no backup can be made. Unless every object "
                         "was rewritten since, etcd still holds fields that no read shows"
                       : ": pruning is on already, so no backup is made. Unless every object was "
                         "rewritten since, etcd still holds fields that reads in " +
                             report.storage_version + " do not show") +
         ", and a rewrite removes them: " + PathsText(fields) + " (" +
         report::OwnCommand("check " + report.name) + ")" + keep;
}

}  // namespace

kube::base::Result<std::string, std::string> DescribeHiddenFields(
    const check::LiveCrd& crd, const DryRunOptions& options, const kube::client::Session& session) {
  const check::RewriteForecast forecast(*crd.checks.at(0), crd.read_version, /*in_one_pass=*/false);
  const PruningDryRun dry_run = DryRunPruning(crd, forecast, options, session);
  if (!dry_run.error.empty()) return kube::base::Unexpected(dry_run.error);
  return Describe(dry_run.report);
}

std::string DescribeHiddenFieldsOfSome(const check::LiveCrd& crd, const std::string& target,
                                       kube::client::Client& client) {
  const auto list = client.Get(cluster::WithChunk(target, kSome, ""));
  const kube::json::Value* items =
      list ? (*list)->root().Find("items", kube::json::Type::kArray) : nullptr;
  if (items == nullptr) return "";
  const check::CrdCheck& check = *crd.checks.at(0);
  check::CrdTally tally;
  std::uint64_t number = 0;
  for (const kube::json::Value& item : items->elements()) {
    check.CheckObject({item, {0, number++, 0}, ""}, tally);
  }
  return Describe(check.Report(tally));
}

}  // namespace migrate::migration
