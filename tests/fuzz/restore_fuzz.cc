#include <memory>
#include <string>

#include "kube/json/json.h"
#include "kube/schema/schema_props.h"
#include "migrate/restore/taken_fields.h"
#include "migrate/rewrite/object_patch.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace restore = migrate::restore;
namespace write = migrate::rewrite;
using fuzz::Require;
using kube::json::Document;
using kube::json::Value;

/// What stands in the lines of an input: a schema, an object as it was, what pruning left of it
/// (nothing: it is not known), and the object as it is.
struct Forms {
  Document schema_text, backup, pruned, live;
  kube::schema::SchemaProps schema;
  bool knows_pruning = false;

  bool Read(std::string_view text) {
    if (schema_text.Parse(fuzz::TakeLine(text)) || backup.Parse(fuzz::TakeLine(text))) return false;
    const std::string_view left = fuzz::TakeLine(text);
    knows_pruning = !left.empty();
    if ((knows_pruning && pruned.Parse(left)) || live.Parse(text)) return false;
    auto props = kube::schema::ReadSchemaProps(schema_text.root());
    if (!props) return false;
    schema = *std::move(props);
    return true;
  }
  restore::ThreeForms With(const Value& now) const {
    return {backup.root(), knows_pruning ? &pruned.root() : nullptr, now, &schema};
  }
};

void RequireJson(const Value& live, const Value& restored) {
  for (const auto part :
       {write::PatchPart::kAll, write::PatchPart::kAllButStatus, write::PatchPart::kStatus}) {
    const auto patch = write::MakePatch(live, restored, "1", part, kube::json::Removals::kLeftOut);
    Document read;
    Require(!patch || !read.Parse(patch->body));
  }
}

}  // namespace

// The live object stays as it is, and what was put back has nothing more to be put back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Forms forms;
  if (!forms.Read(fuzz::Text(data, size))) return 0;
  const std::string before = kube::json::Print(forms.live.root());
  for (const bool overwrite : {false, true}) {
    if (overwrite && !forms.knows_pruning) continue;
    const restore::CompareOptions options{.fields = {}, .overwrite = overwrite};
    kube::json::Arena arena;
    const auto comparison = restore::Compare(forms.With(forms.live.root()), options, arena);
    Require(kube::json::Print(forms.live.root()) == before);
    if (!comparison.restored) continue;
    Require(!comparison.taken.empty());
    RequireJson(forms.live.root(), *comparison.restored);
    Require(!restore::Compare(forms.With(*comparison.restored), options, arena).restored);
  }
  return 0;
}
