#include <string>

#include "kube/json/json_patch.h"
#include "kube/mutation/mutation.h"
#include "tests/fuzz/fuzz.h"

// An object, then a mutation: what is read is applied, twice to the same end where it has no
// references, and the differences are found.
namespace {

namespace json = kube::json;
using fuzz::Require;
using kube::mutation::Mutation;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  json::Document object;
  if (object.Parse(fuzz::TakeLine(text)) || !object.root().is_object()) return 0;
  const auto mutation = Mutation::Parse(text);
  if (!mutation) {
    Require(mutation.error().line > 0 && !mutation.error().message.empty());
    return 0;
  }
  json::Arena arena;
  const json::Value once = mutation->Apply(object.root(), arena);
  Require(once.is_object());
  const json::Value twice = mutation->Apply(once, arena);
  const bool is_one = text.find("---") == text.npos && text.find("kubectl-prune/") == text.npos;
  if (is_one && text.find('(') == text.npos && text.find("\\") == text.npos) {
    Require(json::Equal(once, twice));
  }
  const json::Value patch = json::MakeJsonPatch(object.root(), once, arena);
  Require(patch.empty() == json::Equal(object.root(), once));
  const auto merge = json::MakeMergePatch(object.root(), once, arena);
  Require(!merge || merge->empty() == json::Equal(object.root(), once));
  return 0;
}
