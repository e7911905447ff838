#include "plugin/report/object_builder.h"



namespace plugin::report {

void AddPrunedFields(ObjectBuilder& builder, const std::vector<migrate::report::FieldUse>& uses,
                     kube::json::Arena& arena) {
  builder.List("prunedFields", uses, [&arena](const migrate::report::FieldUse& use) {
    return ObjectBuilder(arena)
        .Text("path", use.path)
        .Number("objects", use.objects)
        .Texts("types", use.types)
        .Texts("managers", use.managers)
        .TextIfAny("lastWritten", use.last_written)
        .Texts("examples", use.examples)
        .Build();
  });
}

}  // namespace plugin::report
