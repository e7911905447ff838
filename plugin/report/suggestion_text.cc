#include "plugin/report/suggestion_text.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "kube/suggest/schema_change.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::suggest::SchemaChange;
using migrate::check::CrdSuggestion;
using migrate::report::FieldUse;
using migrate::report::VersionReport;

constexpr std::size_t kMostLines = 50;  // of one kind

// Who writes what was added, where pruning would have taken exactly that.
std::vector<std::string> ManagersOf(const CrdSuggestion& crd, const SchemaChange& change) {
  for (const VersionReport& version : crd.evidence.versions) {
    if (version.name != change.version) continue;
    const auto use = std::ranges::find(version.pruned_fields, change.place.path, &FieldUse::path);
    if (use != version.pruned_fields.end()) return use->managers;
  }
  return {};
}

std::string CommentOf(const CrdSuggestion& crd, const SchemaChange& change) {
  if (change.kind != SchemaChange::Kind::kAdded) return change.text;
  // Below the keys of a map it is not known.
  std::string text = change.objects == 0
                         ? ""
                         : std::to_string(change.objects) + " of " +
                               kube::base::Count(crd.evidence.object_count, "object") + ", ";
  text += change.text;
  const std::vector<std::string> managers = ManagersOf(crd, change);
  if (!managers.empty()) text += "; " + kube::base::Join(managers, ", ");
  return text;
}

std::size_t CountOfFields(const CrdSuggestion& crd, SchemaChange::Kind kind) {
  return static_cast<std::size_t>(
      std::ranges::count(crd.suggestion.changes, kind, &SchemaChange::kind));
}

void AppendLine(std::string& out, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) terminal::AppendPrintable(out, word);
  out += '\n';
}

void AppendChanges(std::string& out, const CrdSuggestion& crd, SchemaChange::Kind kind,
                   std::string_view what) {
  std::size_t count = 0;
  for (const SchemaChange& change : crd.suggestion.changes) {
    if (change.kind != kind || ++count > kMostLines) continue;
    const std::string_view path =
        change.place.path.empty() ? std::string_view("the root") : change.place.path;
    const std::string_view colon = change.version.empty() ? "" : ": ";
    AppendLine(out, {"  ", change.version, colon, what, path, ": ", change.text});
  }
  if (count > kMostLines) {
    out += "  ... and " + std::to_string(count - kMostLines) + " more\n";
  }
}

// Why what is suggested does not do, as far as the check tells.
void AppendWhatIsLeft(std::string& out, const migrate::report::CrdReport& proof) {
  std::vector<std::string> lines;
  for (const auto* problems : {&proof.problems, &proof.admission_problems}) {
    for (const migrate::report::Problem& problem : *problems) {
      lines.push_back(problem.message + (problem.hint.empty() ? "" : ": " + problem.hint));
    }
  }
  for (const VersionReport& version : proof.versions) {
    for (const FieldUse& use : version.pruned_fields) {
      lines.push_back(version.name + ": " + use.path + " would be pruned of " +
                      kube::base::Count(use.objects, "object"));
    }
    for (const FieldUse& use : version.dropped_nulls) {
      lines.push_back(version.name + ": " + use.path + ": null is dropped, of " +
                      kube::base::Count(use.objects, "object") + ": nullable: true keeps it");
    }
    if (!version.validity) continue;
    for (const migrate::report::InvalidUse& use : version.validity->fields) {
      lines.push_back(version.name + ": " + use.message + " (" +
                      kube::base::Count(use.objects, "object") +
                      (use.since_proposal ? ")" : ", as before)"));
    }
  }
  if (proof.apply && !proof.apply->accepted) lines.push_back(proof.apply->message);
  if (!proof.error.empty()) lines.push_back(proof.error);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    AppendLine(out, {"  ", lines[i]});
  }
  if (lines.size() > kMostLines) {
    out += "  ... and " + std::to_string(lines.size() - kMostLines) + " more\n";
  }
}

}  // namespace

kube::yaml::Comments CommentsOf(const CrdSuggestion& crd) {
  kube::yaml::Comments comments;
  for (const SchemaChange& change : crd.suggestion.changes) {
    const kube::json::Value* at =
        kube::suggest::FindByPointer(crd.suggestion.crd, change.place.pointer);
    if (at == nullptr) continue;
    std::string& comment = comments[at];
    if (!comment.empty()) comment += "; ";
    comment += terminal::Printable(CommentOf(crd, change));
  }
  return comments;
}

std::string SuggestionSummary(const CrdSuggestion& crd) {
  const std::size_t added = CountOfFields(crd, SchemaChange::Kind::kAdded);
  const std::size_t fixed = CountOfFields(crd, SchemaChange::Kind::kFixed);
  std::string out = terminal::Printable(crd.name()) + ": ";
  if (crd.changes_nothing()) {
    out += "nothing to suggest";
  } else {
    out += kube::base::Count(added, "schema field") + " added, " + std::to_string(fixed) + " fixed";
  }
  out += ", from " + kube::base::Count(crd.evidence.object_count, "object") + "\n";
  AppendChanges(out, crd, SchemaChange::Kind::kFixed, "fixed ");
  AppendChanges(out, crd, SchemaChange::Kind::kLeft, "left to you: ");
  if (crd.proof) {
    AppendLine(out, {crd.name(),
                     ": verdict with this schema: ", terminal::VerdictName(crd.proof->verdict)});
    AppendWhatIsLeft(out, *crd.proof);
  }
  return out;
}

}  // namespace plugin::report
