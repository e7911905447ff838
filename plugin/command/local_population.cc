#include "plugin/command/local_population.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "kube/json/json.h"
#include "migrate/populate/cluster_scope.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/population_files.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

using migrate::populate::Expansion;
using migrate::populate::PopulationFiles;
using migrate::populate::TargetNamespace;

constexpr int kSomeRefused = 1;
constexpr int kPopulateError = 2;

void TellLine(std::string_view kind, const std::string& text) {
  terminal::WriteStderr(std::string(kind).append(": ") + terminal::Printable(text) + "\n");
}

// In the order of the arguments, each once.
std::vector<TargetNamespace> ChooseNamespaces(const std::vector<std::string>& names,
                                              const PopulationFiles& files) {
  if (names.empty()) return files.namespaces;
  std::vector<TargetNamespace> chosen;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) continue;
    const auto found = std::ranges::find(files.namespaces, name, &TargetNamespace::name);
    if (found != files.namespaces.end()) {
      chosen.push_back(*found);
    } else if (!files.unreadable_namespaces.contains(name)) {
      chosen.push_back(migrate::populate::NamespaceNamed(name));
      if (!files.namespaces.empty()) {
        TellLine("note", name + " is in none of the files, so it is taken for one without labels");
      }
    }
  }
  return chosen;
}

/// A run over files: what it prints, and how it ends.
class LocalPopulation {
 public:
  explicit LocalPopulation(const PopulateOptions& options)
      : options_(options),
        files_(migrate::populate::ReadPopulationFiles(options.input.filenames,
                                                      options.input.recursive)),
        writer_(options.output) {}

  int Run() {
    const auto namespaces = ChooseNamespaces(options_.namespaces, files_);
    for (const TargetNamespace& target : namespaces) Populate(target);
    writer_.Finish();
    TellFiles(namespaces.empty());
    if (!files_.errors.empty() || files_.templates.empty() || namespaces.empty()) {
      return kPopulateError;
    }
    return has_refused_ ? kSomeRefused : 0;
  }

 private:
  void Populate(const TargetNamespace& target) {
    kube::json::Arena arena;
    const Expansion expansion = migrate::populate::Expand(
        target, files_.templates, migrate::populate::IsKnownClusterScoped, arena);
    for (const auto& object : expansion.objects) writer_.Write(object.value);
    const std::string standing =
        migrate::populate::DescribeStanding(target.name, expansion.standing);
    if (!standing.empty()) TellLine("note", standing);
    TellUnselected(target.name, expansion);
    TellDisabled(expansion.left_alone);
    for (const auto& replaced : expansion.replaced) {
      TellLine("Warning", target.name + ": " + migrate::populate::Describe(replaced));
    }
    for (const auto& held : expansion.held) {
      TellLine("Warning", target.name + ": " + migrate::populate::Describe(held));
    }
    for (const auto& [key, template_name, why] : expansion.refused) {
      TellLine("error", target.name + ": left out " + key.ToString() + " of the template " +
                            template_name + ": " + why);
      has_refused_ = true;
    }
  }

  void TellUnselected(const std::string& name, const Expansion& expansion) const {
    const bool is_populated = expansion.standing == Expansion::Standing::kPopulated;
    if (!is_populated || files_.templates.empty()) return;
    if (expansion.templates.empty() && expansion.left_alone.empty()) {
      TellLine("note", "no template selects " + name);
    }
  }

  // Once each, whatever the namespaces.
  void TellDisabled(const std::vector<std::string>& templates) {
    for (const std::string& name : templates) {
      if (!told_disabled_.insert(name).second) continue;
      TellLine("note", migrate::populate::DescribeDisabled(name));
    }
  }

  void TellFiles(bool has_no_namespaces) const {
    for (const migrate::report::UnknownKind& other : files_.others) {
      TellLine("note", std::to_string(other.objects) + " of kind " + other.kind + " (" +
                           other.api_version +
                           ") left out: neither a NamespaceTemplate nor a Namespace");
    }
    for (const std::string& warning : files_.warnings) TellLine("Warning", warning);
    for (const std::string& hint : files_.hints) TellLine("Warning", hint);
    for (const std::string& error : files_.errors) TellLine("error", error);
    if (!files_.errors.empty()) return;
    if (files_.templates.empty()) TellLine("error", "the files of -f hold no NamespaceTemplate");
    if (has_no_namespaces) {
      TellLine("error", "the files of -f hold no Namespace; name one that is to be populated");
    }
  }

  const PopulateOptions& options_;
  const PopulationFiles files_;
  ManifestWriter writer_;
  bool has_refused_ = false;
  std::set<std::string> told_disabled_;
};

}  // namespace

int PrintLocalPopulation(const PopulateOptions& options) { return LocalPopulation(options).Run(); }

}  // namespace plugin::command
