#include "migrate/check/pruning_preview.h"

#include <algorithm>
#include <optional>

#include "kube/go/go_format.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::json::Arena;
using kube::json::Value;

std::string VersionNames(const report::CrdReport& report) {
  std::string names;
  for (const report::VersionReport& version : report.versions) {
    names.append(names.empty() ? "" : ", ").append(version.name);
  }
  return names;
}

// A version without a schema is no better: nothing is specified, and the server refuses it.
std::string NotStructural() {
  return "not structural, so pruning cannot be turned on; \"" + report::OwnCommand("check") +
         "\" tells why";
}

std::string_view TextOf(const Value* metadata, std::string_view key) {
  return metadata == nullptr ? std::string_view() : metadata->FindText(key);
}

}  // namespace

kube::base::Result<PruningPreview, std::string> PruningPreview::Make(
    const CrdCheck& check, const PreviewOptions& options) {
  const report::CrdReport& report = check.facts().report;
  const std::string& name = options.version.empty() ? report.storage_version : options.version;
  const auto version = std::ranges::find(report.versions, name, &report::VersionReport::name);
  if (version == report.versions.end()) {
    return kube::base::Unexpected("there is no version " + kube::go::GoQuote(name) +
                                  "; there is: " + VersionNames(report));
  }
  if (!report.problems.empty() || !version->structural) {
    return kube::base::Unexpected(NotStructural());
  }
  return PruningPreview(check, report, options);
}

PruningPreview::PruningPreview(const CrdCheck& check, const report::CrdReport& report,
                               const PreviewOptions& options)
    : check_(&check),
      version_(options.version.empty() ? report.storage_version : options.version),
      api_version_(report.group + "/" + version_),
      is_storage_version_(version_ == report.storage_version),
      show_managed_fields_(options.show_managed_fields) {}

kube::base::Result<ObjectChange, std::string> PruningPreview::Preview(Value& object,
                                                                      Arena& arena) const {
  if (auto error = kube::json::StoreNumbers(object, arena)) {
    return kube::base::Unexpected(*std::move(error));
  }
  const kube::crd::CustomResourceServer& server = check_->server();
  if (auto error = server.WebhookError(object, version_))
    return kube::base::Unexpected(*std::move(error));
  object.Set("apiVersion", Value::String(api_version_), arena);
  Value* metadata = object.Find("metadata");
  if (metadata != nullptr && !show_managed_fields_) metadata->Erase("managedFields");
  Value after = kube::json::DeepCopy(object, arena);
  std::optional<std::string> error;
  if (is_storage_version_) {
    error = server.Rewrite(after, arena);
  } else {
    error = server.OnRead(after, version_, arena);
    if (!error) error = server.OnRequest(after, version_, arena);
  }
  if (error) return kube::base::Unexpected(*std::move(error));
  // The server puts it in order whether it prunes or not: no news of an object in a file.
  if (metadata != nullptr) after.Set("metadata", *metadata, arena);
  return ObjectChange{.group = check_->group(),
                      .version = version_,
                      .kind = check_->kind(),
                      .namespace_ = TextOf(metadata, "namespace"),
                      .name = TextOf(metadata, "name"),
                      .now = object,
                      .after = after,
                      .differs = !kube::json::Equal(object, after)};
}

}  // namespace migrate::check
