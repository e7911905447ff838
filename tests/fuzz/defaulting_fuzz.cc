#include <string>
#include <vector>

#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/structural.h"
#include "tests/fuzz/schema_and_object.h"

namespace {

namespace schema = kube::schema;
using fuzz::Require;
using kube::json::Print;

/// A second time each step finds nothing to do.
void Coerce(fuzz::SchemaAndObject& input, bool drop_invalid) {
  kube::schema::DropNulls(input.object(), input.schema);
  std::vector<std::string> dropped;
  kube::schema::DropNulls(input.object(), input.schema, &dropped);
  Require(dropped.empty());
  if (kube::schema::CoerceEmbedded(input.object(), input.schema, drop_invalid, input.arena()))
    return;
  const std::string once = Print(input.object());
  std::vector<std::string> unknown;
  Require(!kube::schema::CoerceEmbedded(input.object(), input.schema, drop_invalid, input.arena(),
                                        &unknown));
  Require(unknown.empty() && Print(input.object()) == once);
}

void SetDefaults(fuzz::SchemaAndObject& input) {
  if (!kube::schema::SetDefaults(input.object(), input.schema, input.arena())) return;
  const std::string once = Print(input.object());
  std::vector<std::string> added;
  Require(kube::schema::SetDefaults(input.object(), input.schema, input.arena(), &added));
  Require(added.empty() && Print(input.object()) == once);
}

}  // namespace

// Defaults, nulls and embedded resources: what was put in order is in order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool drop_invalid : {false, true}) {
    fuzz::SchemaAndObject input;
    if (!fuzz::Read(fuzz::Text(data, size), input)) return 0;
    if (kube::json::StoreNumbers(input.object(), input.arena())) return 0;
    if (kube::schema::PruneDefaults(input.schema, input.schema_text.arena())) return 0;
    kube::schema::MarkSubtrees(input.schema);
    Coerce(input, drop_invalid);
    SetDefaults(input);
  }
  return 0;
}
