#include "migrate/populate/population_input.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "kube/go/go_time.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/creator.h"
#include "migrate/populate/expansion.h"

namespace migrate::populate {
namespace {

using kube::client::Meaning;
using kube::json::Document;
using kube::json::Value;
using report::PopulationRemark;

PopulationRemark Error(std::string text) {
  return {.kind = PopulationRemark::Kind::kError, .text = std::move(text)};
}

bool IsTerminating(const Value& object) {
  return !cluster::MetadataText(object, "deletionTimestamp").empty() ||
         object.At("status").FindText("phase") == "Terminating";
}

std::chrono::sys_seconds CreatedAt(const Value& object) {
  const auto time = kube::go::ParseGoTime(cluster::MetadataText(object, "creationTimestamp"));
  return std::chrono::sys_seconds(std::chrono::seconds(time ? time->unix_seconds : 0));
}

/// Takes what one attempt to read the templates brings.
class TemplateTaker : public cluster::ItemTaker {
 public:
  void Handle(std::size_t, Document& item, std::uint64_t) override {
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
class NamespaceTaker : public cluster::ItemTaker {
 public:
  void Handle(std::size_t, Document& item, std::uint64_t) override {
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

// Errors come before notes.
void ReportLeftAlone(PopulationInput& input) {
  for (const auto& [name, refusal] : input.refused) {
    input.remarks.push_back(*input.WhyLeftAlone(name));
  }
  for (const std::string& name : input.left_alone) {
    if (!input.refused.contains(name)) input.remarks.push_back(*input.WhyLeftAlone(name));
  }
}

// The server says the rest, which a reader of `spec.namespaces: Required value` has to know.
bool HasSelector(const Value& object) {
  return object.At("spec").At("namespaces").Find("labelSelector") != nullptr;
}

TemplateRefusal InvalidFor(const std::vector<std::string>& errors, const Value& object) {
  const std::string why = kube::base::Join(errors, ", ");
  if (HasSelector(object)) return {.reason = "Invalid", .why = why};
  return {.reason = "NoSelector",
          .why = why + "; for every namespace it has to say spec.namespaces.labelSelector: {}"};
}

auto PlaceOf(std::vector<NamespaceTemplate>& templates, const std::string& name) {
  return std::ranges::lower_bound(templates, name, {}, &NamespaceTemplate::name);
}

}  // namespace

std::optional<ClusterNamespace> ReadClusterNamespace(const Value& object) {
  auto read = ReadNamespace(object);
  if (!read) return std::nullopt;
  return ClusterNamespace{.target = *std::move(read),
                          .uid = std::string(cluster::MetadataText(object, "uid")),
                          .created = CreatedAt(object),
                          .is_terminating = IsTerminating(object)};
}

TemplateEntry ReadTemplateEntry(const Value& object) {
  TemplateEntry entry{.known = ReadClusterTemplate(object)};
  auto read = ReadNamespaceTemplate(object);
  if (!read) {
    entry.refusal = InvalidFor(read.error(), object);
    return entry;
  }
  std::string why_foreign = WhyForeign(entry.known.apply_set, entry.known.name);
  if (why_foreign.empty()) {
    entry.usable = *std::move(read);
  } else {
    entry.refusal = {.reason = "ForeignApplySet", .why = std::move(why_foreign)};
  }
  return entry;
}

std::optional<PopulationRemark> PopulationInput::WhyLeftAlone(const std::string& name) const {
  if (!left_alone.contains(name)) return std::nullopt;
  const auto found = refused.find(name);
  if (found != refused.end()) {
    return Error("the template " + name +
                 " is left alone, and what was made of it: " + found->second.why);
  }
  return PopulationRemark{.kind = PopulationRemark::Kind::kNote, .text = DescribeDisabled(name)};
}

void PopulationInput::PutTemplate(TemplateEntry entry) {
  const std::string name = entry.known.name;
  Forget(name);
  if (entry.usable) {
    HoldToGuard(*entry.usable);
    templates.insert(PlaceOf(templates, name), *std::move(entry.usable));
  } else {
    left_alone.insert(name);
    refused.insert_or_assign(name, std::move(entry.refusal));
  }
  known.insert_or_assign(name, std::move(entry.known));
}

bool PopulationInput::UsesCreator() const {
  return std::ranges::any_of(templates, &NamespaceTemplate::uses_creator);
}

// A disabled one, too: it is told before somebody enables it.
void PopulationInput::HoldToGuard(NamespaceTemplate& each) {
  each.is_unguarded = each.uses_creator && !why_unguarded_.empty();
  refused.erase(each.name);
  if (each.is_unguarded) {
    refused[each.name] = {
        .reason = "CreatorNotGuarded",
        .why =
            std::string("it has $(CREATOR), and whoever may annotate a namespace could be that: ") +
            why_unguarded_ + " (docs/POPULATE.md, creator)"};
  }
  if (each.IsLeftAlone()) {
    left_alone.insert(each.name);
  } else {
    left_alone.erase(each.name);
  }
}

std::vector<std::string> PopulationInput::SetCreatorGuard(const std::string& why_unguarded) {
  why_unguarded_ = why_unguarded;
  std::vector<std::string> changed;
  const auto why = [this](const std::string& name) {
    const auto found = refused.find(name);
    return found == refused.end() ? "" : found->second.why;
  };
  for (NamespaceTemplate& each : templates) {
    const std::string before = why(each.name);
    HoldToGuard(each);
    if (why(each.name) != before) changed.push_back(each.name);
  }
  return changed;
}

void PopulationInput::RemoveTemplate(const std::string& name) {
  const auto found = known.find(name);
  if (found != known.end()) gone_types.merge(found->second.apply_set.types);
  Forget(name);
}

void PopulationInput::Forget(const std::string& name) {
  known.erase(name);
  left_alone.erase(name);
  refused.erase(name);
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

std::string ReadCreatorGuard(const kube::client::Session& session) {
  const auto list =
      session.client.Get("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations");
  return list ? WhyCreatorUnguarded((*list)->root())
              : "its webhook could not be looked for: " + kube::client::ServerMessage(list.error());
}

PopulationInput ReadPopulationInput(const std::vector<std::string>& namespaces, bool trusts_creator,
                                    const kube::client::Session& session) {
  std::shared_ptr<TemplateTaker> templates;
  std::deque<std::shared_ptr<NamespaceTaker>> found;  // by job, from the second on
  std::vector<cluster::ListJob> jobs = {{TemplatesPath(), cluster::MakerOf(templates)}};
  if (namespaces.empty()) {
    jobs.emplace_back(kNamespacesPath, cluster::MakerOf(found.emplace_back()));
  }
  for (const std::string& name : namespaces) {
    jobs.emplace_back(std::string(kNamespacesPath) + "/" + kube::client::UrlEscape(name),
                      cluster::MakerOf(found.emplace_back()), /*list=*/false);
  }
  cluster::ReadLists(jobs, session, {});
  PopulationInput input;
  if (session.is_stopped()) return input;
  if (jobs[0].error) ThrowForTemplates(*jobs[0].error);
  for (auto& [name, entry] : templates->entries) {
    input.PutTemplate(std::move(entry));
  }
  if (input.UsesCreator()) input.SetCreatorGuard(trusts_creator ? "" : ReadCreatorGuard(session));
  ReportLeftAlone(input);
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    if (!jobs[i].error) {
      input.namespaces.merge(found[i - 1]->namespaces);
    } else if (!jobs[i].is_list && MeaningOf(*jobs[i].error) == Meaning::kNotFound) {
      input.remarks.push_back(Error(kube::client::ServerMessage(*jobs[i].error)));
    } else {
      throw kube::base::Error(jobs[i].error->message);
    }
  }
  return input;
}

}  // namespace migrate::populate
