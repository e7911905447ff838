#pragma once

#include <string>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/check/live_crd.h"
#include "migrate/migration/migration.h"
#include "migrate/migration/pruning_plan.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::migration {

/// Tells what etcd may hold of the objects of a CRD that prunes already
/// (migrate/migration/hidden_fields.h). Whoever asks for pruning (MigrationOptions::enable_pruning)
/// thinks that it is off and that a backup will be made, and is asked, but for a dry run.
/// `list_target`: path of the objects' list.
///
/// Returns why the run must not go on; empty: it may, or the session was stopped.
std::string AskHiddenLoss(const check::LiveCrd& crd, const std::string& list_target,
                          const MigrationOptions& options,
                          const rewrite::MigrationSession& session);

/// Of a CRD that prunes already: a line on the fields that etcd may still hold though no read shows
/// them, as managedFields tell, which a rewrite removes; empty if there are none. Of fields that
/// reads in another version may show it says how to keep them; the others nobody can back up.
/// managedFields keep such fields after a rewrite too, so this proves nothing.
///
/// Reads all objects. The error says why they could not be read, also where the session is
/// stopped.
kube::base::Result<std::string, std::string> DescribeHiddenFields(
    const check::LiveCrd& crd, const DryRunOptions& options, const kube::client::Session& session);

/// The same of the first objects of the list at `target` alone, for a run that would not read all
/// objects whole. Empty also where they cannot be read, which the run will find out itself.
std::string DescribeHiddenFieldsOfSome(const check::LiveCrd& crd, const std::string& target,
                                       kube::client::Client& client);

}  // namespace migrate::migration
