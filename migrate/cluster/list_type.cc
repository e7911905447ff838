#include "migrate/cluster/list_type.h"

namespace migrate::cluster {
namespace {

constexpr std::string_view kList = "List";

void SetIfAbsent(kube::json::Value& item, std::string_view key, const std::string& text,
                 kube::json::Arena& arena) {
  if (!text.empty() && item.FindText(key).empty()) {
    item.Set(key, kube::json::Value::String(arena.Copy(text)), arena);
  }
}

}  // namespace

void ListType::ApplyTo(kube::json::Value& item, kube::json::Arena& arena) const {
  if (!item.is_object()) return;
  SetIfAbsent(item, "kind", kind, arena);
  SetIfAbsent(item, "apiVersion", api_version, arena);
}

std::shared_ptr<const ListType> ListTypeOf(const kube::json::Value& list) {
  std::string_view kind = list.FindText("kind");
  if (kind.size() <= kList.size() || !kind.ends_with(kList)) return nullptr;
  kind.remove_suffix(kList.size());
  return std::make_shared<ListType>(
      ListType{std::string(list.FindText("apiVersion")), std::string(kind)});
}

}  // namespace migrate::cluster
