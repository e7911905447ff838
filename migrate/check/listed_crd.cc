#include "migrate/check/listed_crd.h"

#include <memory>
#include <utility>

namespace migrate::check {
namespace {

using kube::json::Value;

constexpr std::string_view kApis = "/apis/";

}  // namespace

std::string ApiVersionOfTarget(std::string_view target) {
  if (target.starts_with(kApis)) target.remove_prefix(kApis.size());
  return std::string(target.substr(0, target.rfind('/')));
}

std::string NameOfItem(const Value& item) {
  const Value* metadata = item.Find("metadata");
  return metadata == nullptr ? "" : std::string(metadata->FindText("name"));
}

kube::base::Result<kube::crd::Crd, std::string> ReadListedCrd(const Value& item,
                                                              const std::string& api_version) {
  auto document = std::make_unique<kube::json::Document>();
  Value& root = document->root();
  root = kube::json::DeepCopy(item, document->arena());
  if (root.is_object()) {
    root.Set("apiVersion", Value::String(document->arena().Copy(api_version)), document->arena());
    root.Set("kind", Value::String("CustomResourceDefinition"), document->arena());
  }
  return kube::crd::ReadCrd(std::move(document));
}

}  // namespace migrate::check
