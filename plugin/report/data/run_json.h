#pragma once

#include "migrate/report/run_facts.h"
#include "plugin/report/data/object_builder.h"

namespace plugin::report::data {

/// Adds where, when and by what the report was made, as far as it is known.
inline void AddFacts(ObjectBuilder& builder, const migrate::report::RunFacts& run) {
  builder.TextIfAny("cluster", run.cluster)
      .TextIfAny("context", run.context)
      .TextIfAny("time", run.time)
      .TextIfAny("programVersion", run.version);
}

}  // namespace plugin::report::data
