#include "migrate/shards/run/shard_run.h"

#include <utility>

#include "migrate/lease/lease_name.h"

namespace migrate::shards::run {

ShardRun::ShardRun(const ShardedCrd& crd, ShardRunOptions options,
                   const kube::client::Session& session, ShardTurns::TellFunction tell)
    : shard_(options.shard),
      glance_(crd.target, session.client),
      records_({.namespace_ = options.lease.namespace_,
                .name = lease::NameOfCrd(crd.name, crd.uid),
                .crd_name = crd.name,
                .crd_uid = crd.uid},
               session),
      turns_({.shard = options.shard,
              .crd_name = crd.name,
              .crd_uid = crd.uid,
              .purpose = std::move(options.purpose),
              .lease = options.lease,
              .earlier_identities = std::move(options.earlier_identities),
              .patience = options.patience,
              .look_at_crd = [this] { return glance_.Look(); }},
             records_, session, std::move(tell)),
      gate_(turns_) {}

}  // namespace migrate::shards::run
