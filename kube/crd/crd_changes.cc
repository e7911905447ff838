#include "kube/crd/crd_changes.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "kube/base/text.h"
#include "kube/crd/keyword_changes.h"

namespace kube::crd {
namespace {

using Texts = std::vector<std::string>;

// What of `texts` is not among `others`, in order.
std::string Beside(const Texts& texts, const Texts& others) {
  const std::set<std::string_view> known(others.begin(), others.end());
  Texts left;
  std::ranges::copy_if(texts, std::back_inserter(left),
                       [&](const std::string& text) { return !known.contains(text); });
  return ShortText(base::Join(left, ", "));
}

// Whether a webhook is the same, but for the authorities that it is trusted by.
bool IsSameWebhook(const CrdConversion& a, const CrdConversion& b) {
  if (a.client_config.has_value() != b.client_config.has_value()) return false;
  if (!a.client_config) return true;
  const WebhookClientConfig &one = *a.client_config, &other = *b.client_config;
  if (one.url != other.url || one.service.has_value() != other.service.has_value()) return false;
  return !one.service ||
         (one.service->name == other.service->name &&
          one.service->namespace_ == other.service->namespace_ &&
          one.service->path == other.service->path && one.service->port == other.service->port);
}

std::string WebhookText(const CrdConversion& conversion) {
  if (!conversion.client_config) return "";
  if (conversion.client_config->url) return ShortText(*conversion.client_config->url);
  if (!conversion.client_config->service) return "";
  const WebhookService& service = *conversion.client_config->service;
  return ShortText(service.namespace_ + "/" + service.name + ":" + std::to_string(service.port) +
                   service.path.value_or(""));
}

class CrdComparer {
 public:
  CrdComparer(const Crd& live, const Crd& proposed, base::Release server)
      : live_(live), proposed_(proposed), server_(server) {}

  CrdChanges Run() {
    CompareNames();
    CompareConversion();
    ComparePreserving();
    CompareStorage();
    for (const CrdVersion& version : live_.versions) CompareVersion(version);
    CompareNewStorage();
    found_.changes = list_.Take();
    found_.left_out = list_.left_out();
    found_.is_partial = list_.is_partial();
    return std::move(found_);
  }

 private:
  void Add(Change change) { list_.Add(std::move(change)); }

  void CompareText(ChangeKind kind, const std::string& live, const std::string& proposed) {
    if (live == proposed) return;
    Add({.kind = kind, .from = ShortText(live), .to = ShortText(proposed), .breaking = true});
  }

  void CompareNames() {
    CompareText(ChangeKind::kGroup, live_.group, proposed_.group);
    CompareText(ChangeKind::kScope, live_.scope, proposed_.scope);
    CompareText(ChangeKind::kKind, live_.names.kind, proposed_.names.kind);
    CompareText(ChangeKind::kListKind, live_.names.list_kind, proposed_.names.list_kind);
    CompareText(ChangeKind::kPlural, live_.names.plural, proposed_.names.plural);
    CompareText(ChangeKind::kSingular, live_.names.singular, proposed_.names.singular);
    const std::string gone = Beside(live_.names.short_names, proposed_.names.short_names);
    if (gone.empty()) return;
    Add({.kind = ChangeKind::kShortNames,
         .from = gone,
         .to = Beside(proposed_.names.short_names, live_.names.short_names),
         .breaking = true});
  }

  void CompareConversion() {
    const CrdConversion &live = live_.conversion, &proposed = proposed_.conversion;
    CompareText(ChangeKind::kConversionStrategy, live.strategy, proposed.strategy);
    if (live.strategy != proposed.strategy || live.strategy == "None") return;
    if (!IsSameWebhook(live, proposed)) {
      Add({.kind = ChangeKind::kConversionWebhook,
           .from = WebhookText(live),
           .to = WebhookText(proposed),
           .breaking = true});
    }
    const Texts before = live.review_versions.value_or(Texts());
    const Texts after = proposed.review_versions.value_or(Texts());
    if (before == after) return;
    Add({.kind = ChangeKind::kConversionReviewVersions,
         .from = ShortText(base::Join(before, ", ")),
         .to = ShortText(base::Join(after, ", ")),
         .breaking = !Beside(before, after).empty()});
  }

  void ComparePreserving() {
    if (live_.preserve_unknown_fields == proposed_.preserve_unknown_fields) return;
    Add({.kind = ChangeKind::kPreserveUnknownFields,
         .from = live_.preserve_unknown_fields ? "true" : "false",
         .to = proposed_.preserve_unknown_fields ? "true" : "false",
         .breaking = live_.preserve_unknown_fields});
  }

  void CompareStorage() {
    const CrdVersion *before = live_.StorageVersion(), *after = proposed_.StorageVersion();
    if (before != nullptr && after != nullptr && before->name != after->name) {
      // Clients see nothing of it.
      Add({.kind = ChangeKind::kStorageVersion,
           .from = ShortText(before->name),
           .to = ShortText(after->name)});
    }
    for (const std::string& stored : live_.stored_versions) {
      if (proposed_.FindVersion(stored) != nullptr) continue;
      Add({.version = stored,
           .kind = ChangeKind::kStoredVersionMissing,
           .from = ShortText(stored),
           .breaking = true});
    }
  }

  void CompareVersion(const CrdVersion& live) {
    const CrdVersion* proposed = proposed_.FindVersion(live.name);
    if (proposed == nullptr) {
      // Nobody has read or written in one that was not served.
      return Add({.version = live.name,
                  .kind = ChangeKind::kVersionRemoved,
                  .from = ShortText(live.name),
                  .breaking = live.served});
    }
    if (live.served && !proposed->served) {
      Add({.version = live.name,
           .kind = ChangeKind::kVersionNotServed,
           .from = ShortText(live.name),
           .breaking = true});
    }
    CompareSubresources(live, *proposed);
    CompareSchemasOf(live, *proposed);
  }

  void CompareSubresources(const CrdVersion& live, const CrdVersion& proposed) {
    const auto add = [&](ChangeKind kind, bool before, bool after, bool breaking) {
      if (before == after) return;
      Add({.version = live.name,
           .kind = kind,
           .from = before ? "true" : "false",
           .to = after ? "true" : "false",
           .breaking = breaking});
    };
    // With it, writes of the object leave its status alone.
    add(ChangeKind::kStatusSubresource, live.has_status_subresource(),
        proposed.has_status_subresource(), true);
    const auto scales = [](const CrdVersion& of) {
      return of.subresources && of.subresources->scale;
    };
    add(ChangeKind::kScaleSubresource, scales(live), scales(proposed), scales(live));
  }

  void CompareNewStorage() {
    const CrdVersion *before = live_.StorageVersion(), *after = proposed_.StorageVersion();
    if (before == nullptr || after == nullptr || live_.FindVersion(after->name)) return;
    CompareSchemasOf(*before, *after);
  }

  void CompareSchemasOf(const CrdVersion& live, const CrdVersion& proposed) {
    static const schema::SchemaProps kNothing;
    const SchemaPair schemas{live.schema ? *live.schema : kNothing,
                             proposed.schema ? *proposed.schema : kNothing,
                             live_.preserve_unknown_fields, server_};
    auto difference = CompareSchemas(schemas, proposed.name, list_);
    if (difference == nullptr) return;
    found_.versions.push_back({proposed.name, live.name, std::move(difference)});
  }

  const Crd& live_;
  const Crd& proposed_;
  const base::Release server_;
  ChangeList list_;
  CrdChanges found_;
};

}  // namespace

CrdChanges CompareCrds(const Crd& live, const Crd& proposed, base::Release server) {
  return CrdComparer(live, proposed, server).Run();
}

}  // namespace kube::crd
