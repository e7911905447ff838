#include "migrate/rewrite/metadata_page.h"

#include "migrate/cluster/object_metadata.h"

namespace migrate::rewrite {

using kube::json::ListSplitter;

kube::client::CallError UnreadableList(const std::string& why) {
  return {.status = std::nullopt,
          .transport = std::nullopt,
          .message = cluster::DescribeForeignAnswer("list of objects", why)};
}

void MetadataPage::Push(std::string_view bytes) {
  if (fault_) return;
  if (const auto error = splitter_.Push(bytes)) Fail(error->message);
}

void MetadataPage::OnObject(ListSplitter::Kind kind, std::string_view text,
                            const kube::json::TextPosition&) {
  if (fault_) return;
  kind == ListSplitter::Kind::kItem ? HandleItem(text) : HandleListMetadata(text);
}

void MetadataPage::HandleItem(std::string_view text) {
  if (item_.Parse(text)) return Fail("an item is no JSON");
  const auto object = cluster::ReadObjectMetadata(item_.root(), target_.known());
  if (!object || object->namespace_.empty() == target_.is_namespaced) {
    return Fail("an item has no metadata of an object");
  }
  take_(*object);
}

void MetadataPage::HandleListMetadata(std::string_view text) {
  kube::json::Document list;
  if (list.Parse(text)) return;
  is_list_ = list.root().FindText("kind").ends_with("List");
  metadata_ = cluster::ReadPageMetadata(list.root());
}

void MetadataPage::Fail(const std::string& why) { fault_ = UnreadableList(why); }

}  // namespace migrate::rewrite
