#include <algorithm>
#include <string>
#include <vector>

#include "kube/crd/crd_validation.h"
#include "kube/schema/fast_validator.h"
#include "kube/schema/pruning.h"
#include "tests/fuzz/schema_and_object.h"

namespace {

namespace schema = kube::schema;
using fuzz::Require;

class Paths : public kube::schema::UnknownFieldSink {
 public:
  void OnUnknownField(const kube::schema::UnknownField& field) override {
    Require(!field.elements.empty());
    paths.push_back(field.Path());
  }
  std::vector<std::string> paths;
};

std::vector<std::string> Find(fuzz::SchemaAndObject& input, bool is_root) {
  Paths found;
  kube::schema::FindUnknownFields(input.object(), &input.schema, is_root, found);
  std::ranges::sort(found.paths);
  return found.paths;
}

// Whether fields that are lost are seen at a glance, too.
bool AreSeen(fuzz::SchemaAndObject& input) {
  auto patterns = kube::crd::MakePatternChecks();
  Paths lost;
  schema::FindLostFields(input.object(), &input.schema, lost);
  return lost.paths.empty() ||
         !schema::FastValidator(input.props).Look(input.object(), patterns).loses_nothing;
}

}  // namespace

// What is found is what is removed, and once it is removed there is nothing left to find or remove.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool is_root : {false, true}) {
    fuzz::SchemaAndObject input;
    if (!fuzz::Read(fuzz::Text(data, size), input)) return 0;
    Require(!is_root || AreSeen(input));
    const std::vector<std::string> found = Find(input, is_root);
    kube::json::Arena arena;
    kube::json::Value copy = kube::json::DeepCopy(input.object(), arena);
    kube::schema::DropUnknownFields(copy, &input.schema, is_root);
    Require(kube::schema::Prune(input.object(), &input.schema, is_root) == found);
    const std::string once = kube::json::Print(input.object());
    Require(kube::json::Print(copy) == once);
    Require(Find(input, is_root).empty());
    Require(kube::schema::Prune(input.object(), &input.schema, is_root).empty());
    Require(kube::json::Print(input.object()) == once);
  }
  return 0;
}
