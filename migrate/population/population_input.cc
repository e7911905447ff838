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
#include "migrate/lists/list_reader.h"
#include "migrate/populate/apply_set_parent.h"
#include "migrate/populate/keys.h"
#include "migrate/population/call_words.h"
#include "migrate/spool/object_metadata.h"

namespace migrate::population {
namespace {

using kube::client::Meaning;
using kube::json::Document;
using kube::json::Value;
using report::PopulationRemark;

constexpr char kNamespaces[] = "/api/v1/namespaces";

PopulationRemark Error(std::string text) {
  return {.kind = PopulationRemark::Kind::kError, .text = std::move(text)};
}

bool IsTerminating(const Value& object) {
  const Value* status = object.Find("status");
  return !spool::MetadataText(object, "deletionTimestamp").empty() ||
         (status != nullptr && status->FindText("phase") == "Terminating");
}

/// Takes what one attempt to read the templates brings.
class TemplateTaker : public lists::ItemTaker {
 public:
  void Take(std::size_t, Document& item, std::uint64_t) override {
    ClusterTemplate known = ReadClusterTemplate(item.root());
    auto read = populate::ReadNamespaceTemplate(item.root());
    const std::lock_guard lock(mutex_);
    std::string why = read ? populate::WhyForeign(known.apply_set, known.name)
                           : kube::base::Join(read.error(), ", ");
    if (!why.empty()) {
      unusable[known.name] = std::move(why);
    } else {
      templates.push_back(*std::move(read));
    }
    known_templates.insert_or_assign(known.name, known);
  }

  std::vector<populate::NamespaceTemplate> templates;
  std::map<std::string, ClusterTemplate> known_templates;
  std::map<std::string, std::string> unusable;  // by name: why

 private:
  std::mutex mutex_;
};

/// The same of namespaces.
class NamespaceTaker : public lists::ItemTaker {
 public:
  void Take(std::size_t, Document& item, std::uint64_t) override {
    auto read = populate::ReadNamespace(item.root());
    const std::lock_guard lock(mutex_);
    if (!read) return;
    const std::string name = read->name;
    namespaces.insert_or_assign(
        name,
        ClusterNamespace{.target = *std::move(read), .is_terminating = IsTerminating(item.root())});
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
  input.templates = std::move(taken.templates);
  std::ranges::sort(input.templates, {}, &populate::NamespaceTemplate::name);
  input.known = std::move(taken.known_templates);
  for (const auto& [name, why] : taken.unusable) {
    input.left_alone.insert(name);
    input.remarks.push_back(
        Error("the template " + name + " is left alone, and what was made of it: " + why));
  }
  for (const populate::NamespaceTemplate& each : input.templates) {
    if (!each.is_disabled) continue;
    input.left_alone.insert(each.name);
    input.remarks.push_back({.kind = PopulationRemark::Kind::kNote,
                             .text = "the template " + each.name + " has the label " +
                                     populate::kApplyLabel +
                                     "=disable, so what was made of it stays as it is"});
  }
}

[[noreturn]] void FailFor(const kube::client::CallError& error) {
  if (MeaningOf(error) == Meaning::kNotFound) {
    throw kube::base::Error(
        "the cluster has no NamespaceTemplates: apply their CustomResourceDefinition first, "
        "krew/manifests/populate/crd.yaml");
  }
  throw kube::base::Error(error.message);
}

}  // namespace

PopulationInput ReadPopulationInput(const std::vector<std::string>& namespaces,
                                    std::int64_t chunk_size, const kube::client::Session& session) {
  std::vector<lists::ListJob> jobs;
  jobs.emplace_back(TemplatesPath(), MakerOf<TemplateTaker>());
  if (namespaces.empty()) jobs.emplace_back(kNamespaces, MakerOf<NamespaceTaker>());
  for (const std::string& name : namespaces) {
    jobs.emplace_back(std::string(kNamespaces) + "/" + kube::client::UrlEscape(name),
                      MakerOf<NamespaceTaker>(), /*list=*/false);
  }
  lists::ReadLists(jobs, session, {.chunk_size = chunk_size});
  PopulationInput input;
  if (session.is_stopped()) return input;
  if (jobs[0].error) FailFor(*jobs[0].error);
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
