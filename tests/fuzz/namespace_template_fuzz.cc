#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/text.h"
#include "kube/json/json.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/creator.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/member_index.h"
#include "migrate/populate/namespace_template.h"
#include "migrate/populate/target_namespace.h"
#include "tests/fuzz/fuzz.h"

// A Namespace, then a NamespaceTemplate: what can be read is expanded, and what comes of it is in
// the namespace, marked, and each object once. What it says as the parent of an ApplySet reads
// back. The second is read as a NamespaceInitializationConfiguration, and as a list of webhooks,
// too.
namespace {

namespace populate = migrate::populate;
using fuzz::Require;
using kube::json::Value;

void RequireMarked(const populate::WantedObject& object, const std::string& name_space) {
  const Value* metadata = object.value.Find("metadata");
  Require(metadata != nullptr && metadata->FindText("namespace") == name_space);
  Require(metadata->FindText("name") == object.key.name);
  const Value* labels = metadata->Find("labels");
  Require(labels != nullptr &&
          labels->FindText("policy/namespace-template-name") == object.template_name);
  Require(labels->FindText("applyset.kubernetes.io/part-of").size() == 55);
}

std::string TextOf(const populate::TargetNamespace& target,
                   const std::vector<populate::NamespaceTemplate>& templates) {
  kube::json::Arena arena;
  const populate::Expansion expansion =
      populate::Expand(target, templates, populate::IsKnownClusterScoped, arena);
  std::set<populate::ObjectKey> keys;
  std::string text;
  for (const populate::WantedObject& object : expansion.objects) {
    RequireMarked(object, target.name);
    Require(keys.insert(object.key).second);
    text += kube::json::Print(object.value);
  }
  for (const populate::RefusedObject& object : expansion.refused) Require(!object.why.empty());
  return text;
}

void RequireApplySetReadsBack(const Value& object) {
  const populate::ApplySetState state = populate::ReadApplySetState(object);
  kube::json::Document patch;
  Require(!patch.Parse(populate::ApplySetPatch(state, "1")));
  Require(populate::ReadApplySetState(patch.root()) == state);
}

void RequireNames(const std::vector<std::string>& names) {
  Require(std::ranges::is_sorted(names, std::less_equal<>()));
  Require(populate::ReadInitializers(kube::base::Join(names, ",")) == names);
}

void ReadAsOthers(const Value& object) {
  const auto configuration = populate::ReadInitializationConfiguration(object);
  Require(configuration || !configuration.error().empty());
  if (configuration) RequireNames(configuration->initializers);
  const std::string why = populate::WhyCreatorUnguarded(object);
  Require(!why.empty() || object.Find("items") != nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  kube::json::Document name_space, written;
  if (name_space.Parse(fuzz::TakeLine(text)) || written.Parse(text)) return 0;
  RequireApplySetReadsBack(written.root());
  ReadAsOthers(written.root());
  const auto membership = populate::ReadMembership(written.root());
  Require(!membership || !membership->template_name.empty());
  const auto target = populate::ReadNamespace(name_space.root());
  Require(target || !target.error().empty());
  if (target) RequireNames(target->pending_initializers);
  if (!populate::IsNamespaceTemplate(written.root())) return 0;
  const std::string before = kube::json::Print(written.root());
  auto read = populate::ReadNamespaceTemplate(written.root());
  Require(kube::json::Print(written.root()) == before);
  Require(read || !read.error().empty());
  if (!read || !target) return 0;
  const std::vector<populate::NamespaceTemplate> templates = {*std::move(read)};
  Require(TextOf(*target, templates) == TextOf(*target, templates));
  return 0;
}
