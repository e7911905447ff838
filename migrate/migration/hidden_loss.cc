#include "migrate/migration/hidden_loss.h"

#include "migrate/migration/hidden_fields.h"

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

}  // namespace migrate::migration
