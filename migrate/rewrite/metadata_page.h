#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client/client.h"
#include "kube/json/json.h"
#include "kube/json/list_splitter.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

/// One page of a list of metadata, taken as it arrives in pieces.
class MetadataPage : private kube::json::ListSplitter::Sink {
 public:
  /// `take` is handed each object, in the order of the page. `target` must outlive it.
  MetadataPage(const SweepTarget& target, std::function<void(const cluster::ListedObject&)> take)
      : target_(target), take_(std::move(take)) {}

  /// Takes the next piece. Nothing is handed on any more once the page is faulty.
  void Push(std::string_view bytes);
  /// False: it ends in the middle.
  bool Finish() { return !splitter_.Finish() && is_list_; }

  /// Why it is no page of objects; absent: nothing yet.
  const std::optional<kube::client::CallError>& fault() const { return fault_; }
  /// Nothing before the page has ended.
  const cluster::PageMetadata& metadata() const { return metadata_; }

 private:
  void OnObject(kube::json::ListSplitter::Kind kind, std::string_view text,
                const kube::json::TextPosition& position) override;
  void HandleItem(std::string_view text);
  void HandleListMetadata(std::string_view text);
  void Fail(const std::string& why);

  const SweepTarget& target_;
  const std::function<void(const cluster::ListedObject&)> take_;
  kube::json::ListSplitter splitter_{static_cast<kube::json::ListSplitter::Sink&>(*this)};
  kube::json::Document item_;
  std::optional<kube::client::CallError> fault_;
  bool is_list_ = false;
  cluster::PageMetadata metadata_;
};

/// The error of an answer that is no list of objects, with what may be the cause.
kube::client::CallError UnreadableList(const std::string& why);

}  // namespace migrate::rewrite
