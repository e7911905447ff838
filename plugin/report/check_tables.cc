#include "plugin/report/check_tables.h"

#include <string>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "plugin/report/change_table.h"
#include "plugin/report/field_table.h"
#include "plugin/report/field_tables.h"

namespace plugin::report {
namespace {

using kube::base::Join;
using kube::meta::WithLeadingDot;
using migrate::report::CrdReport;
using migrate::report::FieldUse;
using migrate::report::InvalidUse;
using migrate::report::ObjectPaths;
using migrate::report::Problem;
using migrate::report::ValidityReport;
using migrate::report::VersionReport;

std::string PathOrRoot(const std::string& path) {
  return path.empty() ? "." : WithLeadingDot(path);
}

// The message has the path in it.
Table StructuralProblems(const CrdReport& crd) {
  Table table{"Structural problems", {{"Version", CellKind::kCode}, {"Message"}, {"Hint"}}};
  for (const Problem& problem : crd.problems) {
    table.rows.push_back({problem.version, problem.message, problem.hint});
  }
  return table;
}

// That the flag must not be true is what the whole check is about, and gone with pruning on.
Table AdmissionProblems(const CrdReport& crd) {
  Table table{"What the API server would refuse with pruning on", {{"Message"}, {"Hint"}}};
  for (const Problem& problem : crd.admission_problems) {
    if (problem.field == "spec.preserveUnknownFields") continue;
    table.rows.push_back({problem.message, problem.hint});
  }
  return table;
}

void AddInvalid(Table& table, const std::string& version, const ValidityReport& validity) {
  for (const InvalidUse& use : validity.fields) {
    std::string note = use.since_proposal ? "new with this CRD" : "";
    const std::string let_be =
        use.from_release.empty() ? "tolerated" : "from Kubernetes " + use.from_release + " on";
    if (!validity.Refuses(use)) note += note.empty() ? let_be : ", " + let_be;
    table.rows.push_back({PathOrRoot(use.path), std::to_string(use.objects), use.message,
                          Join(use.managers, ", "), Join(use.examples, ", "), note, version});
  }
}

Table InvalidTable(std::string title) {
  return {std::move(title),
          {{"Path", CellKind::kCode},
           {"Objects", CellKind::kNumber},
           {"Message"},
           {"Written by", CellKind::kCode},
           {"Examples", CellKind::kCode},
           {"Note"},
           {"Version", CellKind::kCode}}};
}

Table InvalidFields(const CrdReport& crd) {
  Table table = InvalidTable("What the API server would say of objects at their next write");
  for (const VersionReport& version : crd.versions) {
    if (version.validity) AddInvalid(table, version.name, *version.validity);
  }
  return table;
}

Table InvalidOncePruned(const CrdReport& crd) {
  Table table{"Objects that would be invalid once they are pruned",
              {{"Version", CellKind::kCode}, {"Object"}}};
  for (const VersionReport& version : crd.versions) {
    for (const std::string& object : version.invalid_once_pruned) {
      table.rows.push_back({version.name, object});
    }
  }
  return table;
}

Table ChangesTable(const CrdReport& crd) {
  Table table{"What the file changes",
              {{"Version", CellKind::kCode},
               {"Path", CellKind::kCode},
               {"Change"},
               {"Breaking"},
               {"Objects touched", CellKind::kNumber}}};
  if (!crd.changes) return table;
  for (const migrate::report::ChangeUse& change : crd.changes->changes) {
    table.rows.push_back({change.version, change.path.empty() ? "" : WithLeadingDot(change.path),
                          ChangeWords(change), change.breaking ? "yes" : "no",
                          change.objects ? std::to_string(*change.objects) : ""});
  }
  return table;
}

void AddRewritten(Table& table, const std::vector<VersionReport>& versions,
                  std::vector<FieldUse> VersionReport::*fields, const char* change) {
  for (const FieldRow& row : FoldVersions(versions, fields)) {
    table.rows.push_back(
        {WithLeadingDot(row.use->path), std::to_string(row.use->objects), change, row.versions});
  }
}

Table OtherRewrites(const CrdReport& crd) {
  Table table{"What a rewrite changes beside that",
              {{"Path", CellKind::kCode},
               {"Objects", CellKind::kNumber},
               {"Change"},
               {"Versions", CellKind::kCode}}};
  AddRewritten(table, crd.versions, &VersionReport::dropped_nulls, "null is dropped");
  AddRewritten(table, crd.versions, &VersionReport::added_defaults, "default is added");
  return table;
}

Table MaybeInEtcd(const CrdReport& crd) {
  Table table{"Fields that etcd may still hold and reads in the storage version no longer show",
              {{"Path", CellKind::kCode},
               {"Objects", CellKind::kNumber},
               {"Written by", CellKind::kCode},
               {"Shown in", CellKind::kCode}}};
  for (const FieldUse& use : crd.maybe_in_etcd) {
    table.rows.push_back({WithLeadingDot(use.path), std::to_string(use.objects),
                          Join(use.managers, ", "), Join(use.shown_in, ", ")});
  }
  return table;
}

Table EntriesTable(const char* title, const std::vector<migrate::report::StaleEntry>& entries) {
  Table table{title,
              {{"Version", CellKind::kCode},
               {"Manager", CellKind::kCode},
               {"Operation"},
               {"Objects", CellKind::kNumber},
               {"Examples", CellKind::kCode}}};
  for (const migrate::report::StaleEntry& entry : entries) {
    const std::string subresource = entry.subresource.empty() ? "" : " of " + entry.subresource;
    table.rows.push_back({entry.api_version, entry.manager, entry.operation + subresource,
                          std::to_string(entry.objects), Join(entry.examples, ", ")});
  }
  return table;
}

Table GuardWriters(const CrdReport& crd) {
  Table table{"What a guard has seen written that would be lost by the schema of then",
              {{"Path", CellKind::kCode},
               {"User", CellKind::kCode},
               {"Manager", CellKind::kCode},
               {"Requests", CellKind::kNumber},
               {"Added", CellKind::kNumber},
               {"Denied", CellKind::kNumber},
               {"Moved", CellKind::kNumber},
               {"Last seen", CellKind::kTime},
               {"Example", CellKind::kCode}}};
  for (const migrate::report::WriterUse& use : crd.guard_writers) {
    table.rows.push_back({WithLeadingDot(use.path), use.user, use.manager,
                          std::to_string(use.requests), std::to_string(use.added),
                          std::to_string(use.denied), std::to_string(use.moved), use.last_seen,
                          use.example_object});
  }
  return table;
}

std::string FullName(const ObjectPaths& object) {
  return object.namespace_.empty() ? object.name : object.namespace_ + "/" + object.name;
}

Table ObjectsTable(const CrdReport& crd) {
  Table table{"Objects",
              {{"Object", CellKind::kCode},
               {"Version", CellKind::kCode},
               {"Would lose", CellKind::kCode},
               {"Left out", CellKind::kNumber}}};
  for (const ObjectPaths& object : crd.objects) {
    for (const auto& [version, paths] : object.pruned_paths) {
      const auto left_out = object.paths_left_out.find(version);
      if (paths.empty() && left_out == object.paths_left_out.end()) continue;
      table.rows.push_back(
          {FullName(object), version, Join(paths, ", "),
           left_out == object.paths_left_out.end() ? "" : std::to_string(left_out->second)});
    }
  }
  return table;
}

Table RefusedObjects(const CrdReport& crd) {
  Table table{"Objects whose next write would be refused",
              {{"Object", CellKind::kCode}, {"Message"}}};
  for (const ObjectPaths& object : crd.objects) {
    for (const std::string& message : object.invalid) {
      table.rows.push_back({FullName(object), message});
    }
  }
  return table;
}

Table Texts(std::string title, const std::vector<std::string>& texts) {
  Table table{std::move(title), {{"Object"}}};
  for (const std::string& text : texts) table.rows.push_back({text});
  return table;
}

void AddFileObjects(Section& section, const CrdReport& crd) {
  if (!crd.file_objects) return;
  const migrate::report::FileObjectsReport& files = *crd.file_objects;
  AddTable(section,
           FieldsTable("Fields that objects in the files would lose", RowsOf(files.pruned_fields)));
  Table invalid = InvalidTable("What the API server would say of objects in the files");
  AddInvalid(invalid, crd.storage_version, files.validity);
  AddTable(section, std::move(invalid));
  AddTable(section, Texts("Objects in the files that could not be checked", files.errors));
}

// Of a single version it need not be said.
std::vector<FieldRow> LostFields(const CrdReport& crd) {
  auto rows = FoldVersions(crd.versions, &VersionReport::pruned_fields);
  if (crd.versions.size() > 1) return rows;
  for (FieldRow& row : rows) row.versions.clear();
  return rows;
}

}  // namespace

void AddCheckTables(Section& section, const CrdReport& crd) {
  AddTable(section, StructuralProblems(crd));
  AddTable(section, AdmissionProblems(crd));
  const auto lost = LostFields(crd);
  AddTable(section, FieldsTable("Fields that pruning would remove", lost));
  AddTable(section, WritersTable(lost));
  AddTable(section, GuardWriters(crd));
  AddTable(section, InvalidFields(crd));
  AddTable(section, InvalidOncePruned(crd));
  AddTable(section, ChangesTable(crd));
  AddTable(section, FieldsTable("What a storage migration in one pass could lose beside that",
                                MoreLostByMigration(crd)));
  AddFileObjects(section, crd);
  AddTable(section, ObjectsTable(crd));
  AddTable(section, RefusedObjects(crd));
  AddTable(section, Texts("Objects that could not be checked", crd.object_errors));
  AddTable(section, OtherRewrites(crd));
  AddTable(section, MaybeInEtcd(crd));
  AddTable(section,
           EntriesTable("Entries of managedFields that name versions which the CRD does not have",
                        crd.stale_managed_fields));
  AddTable(section, EntriesTable("managedFields that a write in the storage version empties: "
                                 "entries of versions that lack fields of their objects",
                                 crd.unfit_managed_fields));
}

}  // namespace plugin::report
