#include "migrate/migration/shard_run.h"

#include <utility>

#include "migrate/lease/lease_name.h"

namespace migrate::migration {

ShardRun::ShardRun(const ShardedCrd& crd, const MigrationOptions& options,
                   const std::vector<std::string>& earlier, const kube::client::Session& session,
                   shards::ShardTurns::TellFunction tell)
    : glance_(crd.target, session.client),
      records_({.namespace_ = options.lease.namespace_,
                .name = lease::NameOfCrd(crd.name, crd.uid),
                .crd_name = crd.name,
                .crd_uid = crd.uid},
               session),
      turns_({.shard = options.shard,
              .crd_name = crd.name,
              .crd_uid = crd.uid,
              .purpose = PurposeOf(options),
              .lease = options.lease,
              .earlier_identities = earlier,
              .patience = options.shard_timeout,
              .look_at_crd = [this] { return glance_.Look(); }},
             records_, session, std::move(tell)),
      gate_(turns_) {}

}  // namespace migrate::migration
