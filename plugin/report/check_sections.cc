#include "plugin/report/check_sections.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/meta/names.h"
#include "kube/meta/object_path.h"
#include "migrate/report/program_name.h"
#include "plugin/report/change_table.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/field_table.h"
#include "plugin/report/pages.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::Problem;

constexpr std::size_t kShownOfASort = 10;
// A hostile CRD can make every problem a sort of its own.
constexpr std::size_t kShownAtMost = 40;

// What problems of one sort share: the end of the server's string, without path and bad value.
std::string_view SortOf(const Problem& problem) {
  const std::string_view message = problem.message;
  const std::size_t colon = message.rfind(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

struct Selection {
  std::vector<const Problem*> shown;
  std::map<std::string_view, std::uint64_t> left_out;  ///< by sort
};

Selection Select(const std::vector<Problem>& problems, bool all) {
  // Two more take no more lines than saying that they are left out.
  if (problems.size() <= kShownOfASort + 2) all = true;
  Selection selection;
  std::map<std::string_view, std::size_t> seen;
  for (const Problem& problem : problems) {
    const std::string_view sort = SortOf(problem);
    const bool fits = seen[sort]++ < kShownOfASort && selection.shown.size() < kShownAtMost;
    if (all || fits) {
      selection.shown.push_back(&problem);
    } else {
      ++selection.left_out[sort];
    }
  }
  return selection;
}

std::size_t WidestVersion(const std::vector<const Problem*>& problems) {
  std::size_t width = 0;
  for (const Problem* problem : problems) {
    width = std::max(width, terminal::CharacterCount(terminal::Printable(problem->version)));
  }
  return width;
}

void AppendMessage(std::string& out, const Problem& problem, std::size_t version_width) {
  const std::string version = terminal::Printable(problem.version);
  out += "  ";
  out += version;
  if (version_width > 0) out.append(version_width - terminal::CharacterCount(version) + 2, ' ');
  terminal::AppendPrintable(out, problem.message);
  out += '\n';
}

void AppendHint(std::string& out, const Problem& problem, std::size_t version_width) {
  if (problem.hint.empty()) return;
  out.append(version_width + 4, ' ').append("hint: ");
  terminal::AppendPrintable(out, problem.hint);
  out += '\n';
}

void AppendLeftOut(std::string& out, const Selection& selection) {
  std::uint64_t others = 0;
  for (const auto& [sort, count] : selection.left_out) {
    // Sorts that are shown nowhere above are counted together: there may be very many.
    if (selection.left_out.size() > kShownOfASort) {
      others += count;
      continue;
    }
    out.append("  ... and ").append(std::to_string(count)).append(" more: ");
    terminal::AppendPrintable(out, sort);
    out += '\n';
  }
  if (others > 0) out.append("  ... and ").append(std::to_string(others)).append(" more\n");
  if (!selection.left_out.empty()) out += "  (-o wide or -o json shows all)\n";
}

}  // namespace

void AppendProblems(std::string& out, const std::vector<Problem>& problems, bool all) {
  const Selection selection = Select(problems, all);
  const std::size_t width = WidestVersion(selection.shown);
  for (std::size_t i = 0; i < selection.shown.size(); ++i) {
    const Problem& problem = *selection.shown[i];
    AppendMessage(out, problem, width);
    const bool last = i + 1 == selection.shown.size();
    if (last || selection.shown[i + 1]->hint != problem.hint) AppendHint(out, problem, width);
  }
  AppendLeftOut(out, selection);
}

namespace {

using migrate::report::ApplyReport;
using migrate::report::CrdReport;
using migrate::report::FieldUse;
using migrate::report::InvalidUse;
using migrate::report::ValidityReport;
using migrate::report::Verdict;
using migrate::report::VersionReport;

constexpr std::size_t kShownNotes = 10;

// What is checked in a file has to be in the cluster before it is migrated.
std::string ApplyCommand(const CrdReport& crd, const std::string& end) {
  return crd.source.empty() ? "" : "kubectl apply -f " + terminal::FileArgument(crd.source) + end;
}

// What is wrong elsewhere than in schemas takes a person.
std::string SuggestHint(const CrdReport& crd, const std::string& name) {
  if (crd.problems.empty() && crd.objects_losing_fields == 0) return "";
  const std::string how =
      crd.source.empty() ? migrate::report::OwnClusterCommand("suggest " + name)
                         : migrate::report::OwnCommand("suggest --local") + " with these files";
  return " (" + how + " prints how)";
}

// Neither refused nor moved to where it stays.
bool IsStillStored(const migrate::report::WriterUse& use) {
  return use.requests > use.denied + use.moved;
}

// More than this of one refusal fills a screen.
constexpr std::size_t kLongRefusal = 600;

// What a cause says, whatever field says it.
std::string_view SortOf(std::string_view cause) {
  const std::size_t colon = cause.find(": ");
  return colon == cause.npos ? cause : cause.substr(colon + 2);
}

// What nothing but another CRD helps against comes first; what pruning or another kind of apply
// does away with comes last.
int RankOf(const std::string& cause) {
  if (cause.find("field is immutable") != cause.npos) return 0;
  return ApplyReport::IsAboutLength(cause) ? 3 : ApplyReport::IsAboutPruning(cause) ? 2 : 1;
}

// The causes of a refusal as printable lines: those that say the same of several fields once, and
// of many the first ones.
std::vector<std::string> MainCauses(const ApplyReport& apply) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> causes = apply.causes;
  std::ranges::sort(causes, [](const std::string& a, const std::string& b) {
    return std::pair(RankOf(a), std::string_view(a)) < std::pair(RankOf(b), std::string_view(b));
  });
  std::vector<std::pair<std::string_view, std::size_t>> sorts;  // the first cause, and how many
  for (const std::string& cause : causes) {
    const auto same = std::ranges::find_if(
        sorts, [&](const auto& sort) { return SortOf(sort.first) == SortOf(cause); });
    if (same == sorts.end()) {
      sorts.emplace_back(cause, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [cause, count] : sorts) {
    if (lines.size() == kMost) break;
    lines.push_back(terminal::Printable(cause));
    if (count > 1) lines.back() += " (" + kube::base::Count(count, "field") + " in all)";
  }
  if (sorts.size() > lines.size()) {
    lines.push_back("... and " + std::to_string(sorts.size() - lines.size()) +
                    " more (--details has the server's message)");
  }
  return lines;
}

class TextSection {
 public:
  TextSection(const CrdReport& crd, const SectionOptions& options)
      : crd_(crd),
        options_(options),
        name_(terminal::Printable(crd.name.empty() ? "<none>" : crd.name)) {
    title_ = name_;
    if (options.show_source && !crd.source.empty()) {
      title_.append(" (").append(terminal::Printable(crd.source)).append(")");
    }
  }

  std::string Print() {
    AppendError();
    AppendStructuralProblems();
    AppendAdmissionProblems();
    AppendRefusedApply();
    AppendLoss();
    AppendMigrationLoss();
    AppendInvalid();
    AppendRefused();
    AppendProposedChanges();
    AppendChanges();
    AppendObjects();
    AppendRefusedObjects();
    AppendObjectErrors();
    AppendFileObjects();
    AppendMaybeInEtcd();
    AppendStaleManagedFields();
    AppendUnfitManagedFields();
    AppendGuardWriters();
    AppendStoredVersions();
    AppendNext();
    return std::move(out_);
  }

 private:
  FieldTableOptions Fields() const {
    return {.all = options_.wide || options_.all_fields,
            .all_examples = options_.wide,
            .now = options_.now,
            .screen = options_.screen};
  }

  void AppendError() {
    if (crd_.error.empty() || crd_.is_interrupted) return;  // of these the report tells in one line
    out_.append(title_).append(" could not be checked: ");
    out_.append(terminal::PrintableLines(crd_.error)).append("\n");
  }

  void AppendStructuralProblems() {
    if (crd_.problems.empty()) return;
    out_.append(title_).append(" is not structural:\n");
    // What the server says itself; of a file it can only repeat the lines below.
    if (crd_.condition && crd_.source.empty()) {
      out_.append("  the server's condition: NonStructuralSchema=");
      terminal::AppendPrintable(out_,
                                crd_.condition->status + ", reason " + crd_.condition->reason);
      out_ += '\n';
    }
    AppendProblems(out_, crd_.problems, options_.wide);
  }

  void AppendAdmissionProblems() {
    const std::vector<migrate::report::Problem> problems = AdmissionFindings(crd_);
    if (problems.empty()) return;
    out_.append(title_).append(" with pruning on would be refused by the API server:\n");
    AppendProblems(out_, problems, options_.wide);
  }

  // What is said above already is not said again.
  void AppendRefusedApply() {
    if (!crd_.apply || crd_.apply->accepted) return;
    const bool is_told = !crd_.IsRefusedUntilPruning() &&
                         std::ranges::any_of(crd_.admission_problems, [&](const auto& problem) {
                           return crd_.apply->message.find(problem.message) != std::string::npos;
                         });
    if (is_told) return;
    out_.append(title_).append(": kubectl apply is refused");
    out_ += crd_.IsRefusedUntilPruning() ? " until pruning is on:\n  " : ":\n  ";
    const bool is_long = crd_.apply->message.size() > kLongRefusal && crd_.apply->causes.size() > 1;
    out_ += is_long && !options_.wide && !options_.all_causes
                ? kube::base::Join(MainCauses(*crd_.apply), "\n  ")
                : terminal::PrintableLines(crd_.apply->message);
    out_ += '\n';
  }

  void AppendLoss() {
    const auto rows = FoldVersions(crd_.versions, &VersionReport::pruned_fields);
    if (rows.empty()) return;
    out_.append(title_).append(" would lose ").append(kube::base::Count(CountPaths(rows), "field"));
    out_.append(" in ").append(std::to_string(crd_.objects_losing_fields)).append(" of ");
    out_.append(kube::base::Count(crd_.object_count, "object"));
    out_.append(LossByStorageVersion(CountPaths(rows))).append(":\n");
    AppendLostFields(out_, rows, Fields());
    AppendReadersLoss();
  }

  // In these nothing is stored, so what they lack is lost to their clients, not to a migration.
  void AppendReadersLoss() {
    const auto storage = std::ranges::find(crd_.versions, true, &VersionReport::storage);
    if (storage == crd_.versions.end()) return;
    const auto is_lost_alone = [&](const FieldUse& use) {
      return std::ranges::find(storage->pruned_fields, use.path, &FieldUse::path) ==
             storage->pruned_fields.end();
    };
    std::vector<std::string> versions;
    for (const VersionReport& version : crd_.versions) {
      const bool is_stored = std::ranges::count(crd_.stored_versions, version.name) > 0;
      if (!is_stored && std::ranges::any_of(version.pruned_fields, is_lost_alone)) {
        versions.push_back(version.name);
      }
    }
    const bool is_known = crd_.source.empty() || crd_.apply;
    if (versions.empty() || !is_known) return;
    const std::string names = terminal::Printable(kube::base::Join(versions, " or "));
    out_ += "  No object is stored as " + names;
    const bool preserves =
        crd_.replaced ? crd_.replaced->preserve_unknown_fields : crd_.preserve_unknown_fields;
    out_ += (preserves ? ". Once pruning is on, " : ". ") + names;
    out_ += " clients do not see the fields that only the schema of " + names + " lacks. ";
    out_ += "Their writes remove these fields; a migration keeps them\n";
  }

  // What a migration takes, and tells, is what the storage version's schema does not specify.
  std::string LossByStorageVersion(std::size_t all) const {
    const auto storage = std::ranges::find(crd_.versions, true, &VersionReport::storage);
    if (storage == crd_.versions.end() || !storage->objects) return "";
    const std::size_t fields = storage->pruned_fields.size();
    const std::uint64_t objects = storage->objects_losing_fields;
    if (fields == all && objects == crd_.objects_losing_fields) return "";
    const std::string missing =
        " missing from the schema of storage version " + terminal::Printable(storage->name) + ")";
    if (fields == 0) return " (none of these are" + missing;
    return " (" + std::to_string(fields) + " of these, in " + kube::base::Count(objects, "object") +
           (fields == 1 ? ", is" : ", are") + missing;
  }

  // Only what the storage version's own loss, shown above, does not say yet.
  void AppendMigrationLoss() {
    const std::vector<FieldRow> rows = MoreLostByMigration(crd_);
    if (rows.empty()) return;
    out_.append(title_).append(": a storage migration in one pass could lose ");
    out_.append(kube::base::Count(rows.size(), "more field"));
    out_ += ", if the objects are stored in an older version:\n";
    AppendLostFields(out_, rows, Fields());
  }

  // What is known of the next write says it, too.
  static bool TellsOfRefused(const VersionReport& version) {
    return version.validity &&
           version.validity->objects >= version.objects_invalid_once_pruned.value_or(0);
  }

  // Once for versions that tell the same.
  void AppendInvalid() {
    std::map<const VersionReport*, std::vector<std::string>> names;
    for (const VersionReport& version : crd_.versions) {
      if (version.invalid_once_pruned.empty() || TellsOfRefused(version)) continue;
      const auto same = std::ranges::find_if(crd_.versions, [&](const VersionReport& other) {
        return other.objects_invalid_once_pruned == version.objects_invalid_once_pruned &&
               other.invalid_once_pruned == version.invalid_once_pruned;
      });
      names[&*same].push_back(version.name);
    }
    for (const auto& [first, versions] : names) {
      const std::uint64_t count = first->objects_invalid_once_pruned.value_or(0);
      out_.append(title_).append(": once pruned, ").append(kube::base::Count(count, "object"));
      out_ += " would be invalid in ";
      terminal::AppendPrintable(out_, kube::base::Join(versions, ", "));
      out_ += ", and updates refused:\n";
      AppendFirst(first->invalid_once_pruned, count);
    }
  }

  // Once for versions that tell the same.
  void AppendRefused() {
    std::vector<const ValidityReport*> told;
    for (const VersionReport& version : crd_.versions) {
      if (!version.validity || version.validity->fields.empty()) continue;
      const ValidityReport& validity = *version.validity;
      const auto is_same = [&](const ValidityReport* one) { return *one == validity; };
      if (std::ranges::any_of(told, is_same)) continue;
      told.push_back(&validity);
      AppendRefused(validity, VersionsWith(validity));
    }
  }

  std::string VersionsWith(const ValidityReport& validity) const {
    std::vector<std::string> names;
    for (const VersionReport& version : crd_.versions) {
      if (version.validity == validity) names.push_back(version.name);
    }
    return terminal::Printable(kube::base::Join(names, ", "));
  }

  void AppendRefused(const ValidityReport& validity, const std::string& versions) {
    std::vector<const InvalidUse*> refused, tolerated;
    std::map<std::string, std::vector<const InvalidUse*>> later;  // by release
    for (const InvalidUse& use : validity.fields) {
      if (!use.from_release.empty()) {
        later[use.from_release].push_back(&use);
      } else {
        (validity.Refuses(use) ? refused : tolerated).push_back(&use);
      }
    }
    if (!refused.empty()) {
      out_.append(title_).append(crd_.preserve_unknown_fields ? ": once pruned, " : ": ");
      out_.append("the API server would refuse the next write of ");
      out_.append(std::to_string(validity.objects)).append(" of ");
      out_.append(kube::base::Count(crd_.object_count, "object"));
      out_.append(" in ").append(versions).append(":\n");
      AppendInvalidFields(out_, refused, Fields());
    }
    if (!tolerated.empty()) {
      out_.append(title_).append(": invalid in ").append(versions);
      out_ += ", but let be by this API server until the value changes:\n";
      AppendInvalidFields(out_, tolerated, Fields());
    }
    for (const auto& [release, uses] : later) {
      out_.append(title_).append(": valid in ").append(versions);
      out_.append(" for this API server, but not from Kubernetes ").append(release);
      out_ += " on:\n";
      AppendInvalidFields(out_, uses, Fields());
    }
  }

  void AppendFirst(const std::vector<std::string>& texts, std::uint64_t count) {
    const std::size_t shown = options_.wide ? texts.size() : std::min(texts.size(), kShownNotes);
    for (std::size_t i = 0; i < shown; ++i) {
      out_ += "  ";
      terminal::AppendPrintable(out_, texts[i]);
      out_ += '\n';
    }
    AppendMore(shown, count);
  }

  void AppendProposedChanges() {
    if (crd_.changes) AppendChangeTable(out_, title_, crd_, options_.wide, options_.screen);
  }

  // Of a CRD that prunes already a rewrite is routine; its defaults are told on demand only.
  void AppendChanges() {
    const bool expected = crd_.preserve_unknown_fields || crd_.migration_needed;
    if (!expected && !options_.wide) return;
    const auto defaults = FoldVersions(crd_.versions, &VersionReport::added_defaults);
    const auto nulls = FoldVersions(crd_.versions, &VersionReport::dropped_nulls);
    if (defaults.empty() && nulls.empty()) return;
    out_.append(title_).append(": a rewrite also changes:\n");
    AppendOtherChanges(out_, defaults, nulls, Fields());
  }

  void AppendObjects() {
    const auto loses = [](const migrate::report::ObjectPaths& object) {
      const auto has_paths = [](const auto& of_version) { return !of_version.second.empty(); };
      return std::ranges::any_of(object.pruned_paths, has_paths) || !object.paths_left_out.empty();
    };
    if (!options_.show_objects || std::ranges::none_of(crd_.objects, loses)) return;
    out_.append(title_).append(": objects that would lose fields:\n");
    TextTable table({"OBJECT", "VERSION", "FIELDS"});
    for (const migrate::report::ObjectPaths& object : crd_.objects) AddObject(table, object);
    table.AppendTo(out_, "  ", options_.screen);
  }

  void AppendRefusedObjects() {
    if (!options_.show_objects) return;
    const Table table = RefusedObjectsTable(crd_);
    if (table.rows.empty()) return;
    out_.append(title_).append(": objects whose next write would be refused in ");
    terminal::AppendPrintable(out_, crd_.storage_version + ":");
    out_ += '\n';
    AppendTable(out_, table, table.rows.size(), "  ", options_.screen);
  }

  static std::vector<std::string> ShownPaths(const migrate::report::ObjectPaths& object,
                                             const std::vector<std::string>& paths) {
    std::vector<std::string> shown;
    for (const std::string& path : paths) {
      const auto quoted = object.quoted_paths.find(path);
      shown.push_back(
          kube::meta::WithLeadingDot(quoted == object.quoted_paths.end() ? path : quoted->second));
    }
    return shown;
  }

  static void AddObject(TextTable& table, const migrate::report::ObjectPaths& object) {
    const std::string name = kube::meta::NamespacedName(object.namespace_, object.name);
    std::map<std::string, std::vector<std::string>> versions_by_fields;
    for (const auto& [version, paths] : object.pruned_paths) {
      const auto left_out = object.paths_left_out.find(version);
      std::string fields = kube::base::Join(ShownPaths(object, paths), ", ");
      if (left_out != object.paths_left_out.end()) {
        fields += (paths.empty() ? "" : ", and ") + std::to_string(left_out->second) + " more";
      }
      if (!fields.empty()) versions_by_fields[fields].push_back(version);
    }
    for (const auto& [fields, versions] : versions_by_fields) {
      table.AddRow({name, kube::base::Join(versions, ", "), fields});
    }
  }

  void AppendObjectErrors() {
    if (crd_.object_errors.empty()) return;
    out_.append(title_).append(": objects that could not be checked:\n");
    for (const std::string& error : crd_.object_errors) {
      out_ += "  ";
      terminal::AppendPrintable(out_, error);
      out_ += '\n';
    }
  }

  void AppendFileObjects() {
    if (!crd_.file_objects) return;
    const migrate::report::FileObjectsReport& objects = *crd_.file_objects;
    const std::string count =
        " of " + kube::base::Count(objects.objects, "object") + " in the files";
    if (objects.objects_losing_fields > 0) {
      out_.append(title_).append(": ").append(std::to_string(objects.objects_losing_fields));
      out_.append(count).append(" would lose fields:\n");
      std::vector<FieldRow> rows;
      for (const FieldUse& use : objects.pruned_fields) rows.push_back({"", &use});
      AppendLostFields(out_, rows, Fields());
    }
    if (objects.validity.objects > 0) {
      out_.append(title_).append(": the API server would refuse ");
      out_.append(std::to_string(objects.validity.objects)).append(count).append(":\n");
      std::vector<const InvalidUse*> refused;
      for (const InvalidUse& use : objects.validity.fields) refused.push_back(&use);
      AppendInvalidFields(out_, refused, Fields());
    }
    AppendFirst(objects.errors, objects.errors.size());
  }

  // In which objects are read, as they are now.
  std::string ReadVersion() const {
    return terminal::Printable(crd_.replaced ? crd_.replaced->storage_version
                                             : crd_.storage_version);
  }

  // What is listed below a proof are objects that it does not cover.
  void AppendMaybeInEtcd() {
    if (crd_.verified) {
      out_.append(title_).append(": ");
      terminal::AppendPrintable(out_, crd_.verified->Words());
      // Of objects that were not read now it is not known whether the pass has seen them.
      const bool is_whole =
          crd_.error.empty() && !options_.some_objects && !crd_.verified->is_by_annotation;
      if (is_whole) out_ += ": etcd holds only what the schemas specify";
      if (is_whole && !crd_.source.empty()) out_ += " that the cluster has";
      out_ += crd_.maybe_in_etcd.empty() || !is_whole ? "\n"
                                                      : ", but for objects that it has not seen\n";
    }
    if (crd_.maybe_in_etcd.empty()) return;
    out_.append(title_);
    const bool is_any_shown = !crd_.VersionsThatShow().empty();
    out_ += ": etcd may still hold fields that reads " +
            (is_any_shown ? "in " + ReadVersion() + " do not show" : "no longer show") +
            "; a rewrite removes ";
    // Schemas of a file may show and keep them, once they are applied.
    out_ += crd_.source.empty()
                ? "them for good (" +
                      migrate::report::OwnClusterCommand("migrate " + name_ + " --enable-pruning") +
                      " asks before):\n"
                : "for good what the schemas do not specify:\n";
    AppendTable(out_, MaybeInEtcdTable(crd_), Most(), "  ", options_.screen);
  }

  // The cluster has it as it is told of.
  bool is_there() const { return crd_.source.empty() || (crd_.apply && crd_.apply->is_unchanged); }

  void AppendStaleManagedFields() {
    if (crd_.stale_managed_fields.empty()) return;
    const std::string command = migrate::report::OwnClusterCommand("migrate " + name_);
    out_.append(title_).append(": managedFields of objects name versions that the CRD ");
    out_ += is_there() ? "does not have, so server-side apply of these fails (" + command +
                             " fixes that):\n"
                       : "will not have, and server-side apply of these fails then (" + command +
                             " fixes that, once it is applied):\n";
    AppendEntries(crd_.stale_managed_fields);
  }

  void AppendUnfitManagedFields() {
    if (crd_.unfit_managed_fields.empty()) return;
    out_ += title_ + ": any write in " + crd_.storage_version +
            " empties managedFields of objects" +
            (!is_there()                    ? ", once it is applied"
             : crd_.preserve_unknown_fields ? ", once pruning is on"
                                            : "") +
            ". They name versions that lack fields which these objects have (" +
            migrate::report::OwnClusterCommand("migrate " + name_) + " keeps them):\n";
    AppendEntries(crd_.unfit_managed_fields);
  }

  void AppendEntries(const std::vector<migrate::report::StaleEntry>& entries) {
    AppendTable(out_, EntriesTable("", entries), Most(), "  ", options_.screen);
  }

  // Rows of notes in a table.
  std::size_t Most() const {
    return Fields().all ? std::numeric_limits<std::size_t>::max() : kShownNotes;
  }

  void AppendMore(std::uint64_t shown, std::uint64_t count) {
    if (shown < count) out_ += "  ... and " + std::to_string(count - shown) + " more\n";
  }

  void AppendGuardWriters() {
    if (crd_.guard_writers.empty()) return;
    out_.append(title_).append(
        ": a guard has seen these written, which would be lost by the schema of then:\n");
    AppendTable(out_, GuardWritersTable(crd_), Most(), "  ", options_.screen);
    if (std::ranges::any_of(crd_.guard_writers, IsStillStored)) {
      out_ += "  Whoever goes on writing these loses them once pruning is on.\n";
    }
  }

  void AppendStoredVersions() {
    if (crd_.verdict != Verdict::kPruning || !crd_.migration_needed) return;
    std::vector<std::string> older = crd_.stored_versions;
    std::erase(older, crd_.storage_version);
    out_.append(title_).append(" may have objects stored as ");
    terminal::AppendPrintable(
        out_, kube::base::Join(older, ", ") + "; its storage version is " + crd_.storage_version);
    out_ += '\n';
  }

  void AppendNext() {
    const std::string next = NextStep(crd_);
    if (!next.empty()) out_.append("Next: ").append(next).append("\n");
  }

  const CrdReport& crd_;
  const SectionOptions& options_;
  std::string name_;   // printable
  std::string title_;  // the name, with its file where that is needed
  std::string out_;
};

}  // namespace

// Of what is proposed for a cluster the way says it, for all together.
std::string NextStep(const CrdReport& crd) {
  if (crd.apply) return "";
  const std::string name = terminal::Printable(crd.name.empty() ? "<none>" : crd.name);
  const auto migrate = [&name](const std::string& flags) {
    return migrate::report::OwnClusterCommand("migrate " + name + flags);
  };
  const std::string hint = SuggestHint(crd, name);
  const std::string check_again = "Then " + ApplyCommand(crd, ", and ") + "check again";
  if (crd.verdict == Verdict::kBlocked) {
    return crd.source.empty()
               ? "fix the CRD" + hint +
                     ". Then: " + migrate::report::OwnClusterCommand("check " + name)
               : "fix " + terminal::FileArgument(crd.source) + hint + ", and check again";
  }
  if (crd.verdict == Verdict::kInvalid ||
      (crd.verdict == Verdict::kLosesFields && crd.objects_losing_fields == 0)) {
    return "fix the objects, or loosen the schema. " + check_again;
  }
  if (crd.verdict == Verdict::kLosesFields && crd.HasInvalid()) {
    return "fix the objects, or loosen the schema. Add the lost fields to it" + hint +
           ", or stop writing them. " + check_again;
  }
  if (crd.verdict == Verdict::kLosesFields && crd.preserve_unknown_fields) {
    return "add the fields to the schema" + hint +
           ", or stop writing them. Then: " + ApplyCommand(crd, " && ") +
           migrate(" --enable-pruning");
  }
  if (crd.verdict == Verdict::kLosesFields) {
    return "add the fields to the schema" + hint + ", or take them out of the objects";
  }
  return crd.verdict == Verdict::kPruning && crd.migration_needed ? migrate("") : "";
}

std::string PrintSection(const CrdReport& crd, const SectionOptions& options) {
  return TextSection(crd, options).Print();
}

}  // namespace plugin::report
