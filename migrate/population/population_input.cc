#include "migrate/population/population_input.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "kube/base/error.h"
#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "kube/go/go_time.h"
#include "migrate/lists/list_reader.h"
#include "migrate/populate/apply_set_parent.h"
#include "migrate/populate/expansion.h"
#include "migrate/population/call_words.h"
#include "migrate/spool/object_metadata.h"

namespace migrate::population {
namespace {

using kube::client::Meaning;
using kube::json::Document;
using kube::json::Value;
using populate::NamespaceTemplate;
using report::PopulationRemark;

PopulationRemark Error(std::string text) {
  return {.kind = PopulationRemark::Kind::kError, .text = std::move(text)};
}

bool IsTerminating(const Value& object) {
  const Value* status = object.Find("status");
  return !spool::MetadataText(object, "deletionTimestamp").empty() ||
         (status != nullptr && status->FindText("phase") == "Terminating");
}

std::chrono::sys_seconds CreatedAt(const Value& object) {
  const auto time = kube::go::ParseGoTime(spool::MetadataText(object, "creationTimestamp"));
  return std::chrono::sys_seconds(std::chrono::seconds(time ? time->unix_seconds : 0));
}

/// Takes what one attempt to read the templates brings.
class TemplateTaker : public lists::ItemTaker {
 public:
  void Take(std::size_t, Document& item, std::uint64_t) override {
    TemplateEntry entry = ReadTemplateEntry(item.root());
    const std::lock_guard lock(mutex_);
    std::string name = entry.known.name;
    entries.insert_or_assign(std::move(name), std::move(entry));
  }

  std::map<std::string, TemplateEntry> entries;

 private:
  std::mutex mutex_;
};

/// The same of namespaces.
class NamespaceTaker : public lists::ItemTaker {
 public:
  void Take(std::size_t, Document& item, std::uint64_t) override {
    auto read = ReadClusterNamespace(item.root());
    if (!read) return;
    const std::lock_guard lock(mutex_);
    std::string name = read->target.name;
    namespaces.insert_or_assign(std::move(name), *std::move(read));
  }

  std::map<std::string, ClusterNamespace> namespaces;

 private:
  std::mutex mutex_;
};

template <typename Taker>
lists::TakerMaker MakerOf() {
  return [] { return std::make_shared<Taker>(); };
}

void TakeTemplates(TemplateTaker& taken, PopulationInput& input) {
  std::vector<PopulationRemark> disabled;
  for (auto& [name, entry] : taken.entries) {
    if (auto remark = WhyLeftAlone(entry)) {
      (entry.usable ? disabled : input.remarks).push_back(*std::move(remark));
    }
    input.PutTemplate(std::move(entry));
  }
  std::ranges::move(disabled, std::back_inserter(input.remarks));
}

auto PlaceOf(std::vector<NamespaceTemplate>& templates, const std::string& name) {
  return std::ranges::lower_bound(templates, name, {}, &NamespaceTemplate::name);
}

}  // namespace

std::optional<ClusterNamespace> ReadClusterNamespace(const Value& object) {
  auto read = populate::ReadNamespace(object);
  if (!read) return std::nullopt;
  return ClusterNamespace{.target = *std::move(read),
                          .uid = std::string(spool::MetadataText(object, "uid")),
                          .created = CreatedAt(object),
                          .is_terminating = IsTerminating(object)};
}

TemplateEntry ReadTemplateEntry(const Value& object) {
  TemplateEntry entry{.known = ReadClusterTemplate(object)};
  auto read = populate::ReadNamespaceTemplate(object);
  entry.why_unusable = read ? populate::WhyForeign(entry.known.apply_set, entry.known.name)
                            : kube::base::Join(read.error(), ", ");
  if (entry.why_unusable.empty()) entry.usable = *std::move(read);
  return entry;
}

std::optional<PopulationRemark> WhyLeftAlone(const TemplateEntry& entry) {
  const std::string& name = entry.known.name;
  if (!entry.usable) {
    return Error("the template " + name +
                 " is left alone, and what was made of it: " + entry.why_unusable);
  }
  if (!entry.usable->is_disabled) return std::nullopt;
  return PopulationRemark{.kind = PopulationRemark::Kind::kNote,
                          .text = populate::DescribeDisabled(name)};
}

void PopulationInput::PutTemplate(TemplateEntry entry) {
  const std::string name = entry.known.name;
  Forget(name);
  if (!entry.usable || entry.usable->is_disabled) left_alone.insert(name);
  if (entry.usable) templates.insert(PlaceOf(templates, name), *std::move(entry.usable));
  known.insert_or_assign(name, std::move(entry.known));
}

void PopulationInput::RemoveTemplate(const std::string& name) {
  const auto found = known.find(name);
  if (found != known.end()) gone_types.merge(found->second.apply_set.types);
  Forget(name);
}

void PopulationInput::Forget(const std::string& name) {
  known.erase(name);
  left_alone.erase(name);
  const auto place = PlaceOf(templates, name);
  if (place != templates.end() && place->name == name) templates.erase(place);
}

const NamespaceTemplate* PopulationInput::FindTemplate(const std::string& name) const {
  const auto place = std::ranges::lower_bound(templates, name, {}, &NamespaceTemplate::name);
  return place == templates.end() || place->name != name ? nullptr : &*place;
}

void ThrowForTemplates(const kube::client::CallError& error) {
  if (MeaningOf(error) == Meaning::kNotFound) {
    throw kube::base::Error(
        "the cluster has no NamespaceTemplates: apply their CustomResourceDefinition first, "
        "krew/manifests/populate/crd.yaml");
  }
  throw kube::base::Error(error.message);
}

PopulationInput ReadPopulationInput(const std::vector<std::string>& namespaces,
                                    const kube::client::Session& session) {
  std::vector<lists::ListJob> jobs;
  jobs.emplace_back(TemplatesPath(), MakerOf<TemplateTaker>());
  if (namespaces.empty()) jobs.emplace_back(kNamespacesPath, MakerOf<NamespaceTaker>());
  for (const std::string& name : namespaces) {
    jobs.emplace_back(std::string(kNamespacesPath) + "/" + kube::client::UrlEscape(name),
                      MakerOf<NamespaceTaker>(), /*list=*/false);
  }
  lists::ReadLists(jobs, session, {});
  PopulationInput input;
  if (session.is_stopped()) return input;
  if (jobs[0].error) ThrowForTemplates(*jobs[0].error);
  TakeTemplates(static_cast<TemplateTaker&>(*jobs[0].taker), input);
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    if (!jobs[i].error) {
      input.namespaces.merge(static_cast<NamespaceTaker&>(*jobs[i].taker).namespaces);
    } else if (!jobs[i].is_list && MeaningOf(*jobs[i].error) == Meaning::kNotFound) {
      input.remarks.push_back(Error(WordsOf(*jobs[i].error)));
    } else {
      throw kube::base::Error(jobs[i].error->message);
    }
  }
  return input;
}

}  // namespace migrate::population
