#include "kube/client/connection.h"
#include "plugin/command/commands.h"

/// The command line of migrate.
namespace plugin::command {

const std::string_view kMigrateHelp =
    R"(Rewrite every custom resource, so that etcd holds it pruned and in the storage version

 Reads the metadata of all objects of the named CRDs and sends each object an empty merge patch.
The API server prunes the object, sets defaults and stores it anew. Nothing else of it changes.
Then every object is sent another empty patch. If no second patch changes anything, etcd is clean.
Then status.storedVersions of the CRD is set to the storage version alone.

 status.storedVersions is left unchanged if the run covers only some objects (-n, -l,
--field-selector, --retry-failed, --retry-from), has failures, or is not verified. If a run was
interrupted or killed, run the same command again to resume. A Lease prevents two runs, even on
different machines, from migrating the same CRD at the same time.

 A CRD that preserves unknown fields is refused, unless --enable-pruning turns pruning on first.
With that flag, migrate shows what would be lost and asks for confirmation. It writes the objects
that lose something to a file of --backup-dir. Then it turns spec.preserveUnknownFields off, waits
until the API server prunes what it reads, and rewrites the objects. If objects are stored in
several versions, every object is also rewritten before pruning is turned on. Without this
first rewrite, an object that is stored in an older version could lose the fields that the older
version does not specify. An object that somebody writes at the moment when pruning is turned on is
held: it is not rewritten, as the backup may lack its latest content.

 With -f, the write that turns pruning on also applies the CRD of the file, as kubectl apply would.
This includes the defaults of its schemas. What would be lost is computed from these schemas.

 With --mutation, this run also changes each object when it rewrites it. Each document of the file
is a mutation tree: it is shaped like the object. Maps are merged by key, scalars and lists replace,
and null removes. Write a key in brackets, "[key]", to replace the whole map under that key. A value
in parentheses, (spec.legacyMode), stands for the value that the object has at that path. With
--enable-pruning, these changes are made before pruning is turned on, so that fields can be moved
before they are lost. Before an object is changed, its present content is written to a file of
--backup-dir.

 With --contexts several clusters are migrated side by side, each as it would be alone. What fails
in one does not keep the others from being migrated. Run the same command again to resume in each
cluster. migrate shows what each cluster would lose, and asks once for all of them. If several
contexts lead to the same cluster, it is migrated once. Each context has its own folder in
--backup-dir.

 With --local no server is contacted. The custom resources in the files of -f are printed as the
API server would store them, and nothing is written. The schema's validations are left out.

Examples:
  # Rewrite all widgets. Run it again to see that nothing is left to rewrite
  kubectl prune migrate widgets

  # Turn pruning on for a CRD and clean its objects in etcd
  kubectl prune migrate widgets.demo.example.com --enable-pruning

  # Turn pruning on and apply the CRD of an upgrade in the same write
  kubectl prune migrate widgets --enable-pruning -f new-crd.yaml

  # Move a value out of a field that pruning removes, before it does
  kubectl prune migrate widgets --enable-pruning --mutation move-mode.yaml

  # Turn pruning on in a script: no question, and the report as JSON
  kubectl prune migrate widgets --enable-pruning --yes -o json

  # What would be done?
  kubectl prune migrate widgets --enable-pruning --dry-run=client

  # Would the server take the writes? Each is sent as a dry run, to the object as it is now
  kubectl prune migrate widgets --enable-pruning --dry-run=server

  # Rewrite the objects of every CRD that may have objects stored in an old version
  kubectl prune migrate --all

  # Try the objects again that failed in the last run
  kubectl prune migrate widgets --retry-failed

  # Try them again from another machine, by the report of that run
  kubectl prune migrate --retry-from report.json

  # Move all entries of managedFields that name a version with fewer fields to the storage version
  kubectl prune migrate widgets --clean-managed-fields=always

  # Have the cluster's own engine rewrite the objects, and verify what it did
  kubectl prune migrate widgets --engine=in-cluster

  # Migrate several clusters side by side: those whose contexts match a pattern
  kubectl prune migrate widgets --enable-pruning --contexts 'prod-*'

  # Rewrite at most 50 objects a second
  kubectl prune migrate widgets --max-rate 50

  # Print the objects of a folder as they would be stored with pruning on
  kubectl prune migrate --local --enable-pruning -f manifests/ -o yaml

  # Compare the objects of one CRD with what would be stored
  kubectl prune migrate widgets.demo.example.com --local -f crds.yaml -f widgets.json -o json

Options:
{flags}
Exit codes:
  0     done
  1     some object could not be migrated, or the verifying pass left some unverified, or
        status.storedVersions could not be trimmed
  2     an error: a wrong flag, a CRD that cannot be migrated, a server that does not answer
  130   interrupted by SIGINT (143: SIGTERM); run the same command again to resume
With --contexts, the exit code is the worst one of all clusters.

Usage:
  kubectl prune migrate CRD... [options]
  kubectl prune migrate --all [options]
  kubectl prune migrate CRD... --contexts PATTERN... [options]
  kubectl prune migrate [CRD...] --enable-pruning -f FILENAME... [options]
  kubectl prune migrate [CRD...] --retry-failed [options]
  kubectl prune migrate --retry-from FILENAME [options]
  kubectl prune migrate [CRD...] --local -f FILENAME... [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

namespace {

using cli::CandidateSource;
using migrate::cluster::Cleaning;
using migrate::migration::MigrationOptions;
using migrate::report::DryRun;
using migrate::report::Engine;

// Of metadata some ten megabytes for the server's watch cache at once: less than a controller asks
// for that watches as many objects.
constexpr std::uint64_t kMostInOnePiece = 10'000;

// What only means something on a cluster; of the rest, that does no harm, nothing is said.
void CheckLocal(const cli::FlagSet& flags, const MigrateOptions& options) {
  const MigrationOptions& migration = options.migration;
  const std::string local = "--local";
  flags.RefuseBoth(true, local, migration.all, "--all");
  flags.RefuseBoth(true, local, !migration.crd_selector.empty(), "--crd-selector");
  flags.RefuseBoth(true, local, migration.dry_run != DryRun::kNone, "--dry-run");
  flags.RefuseBoth(true, local, !options.retry_from.empty(), "--retry-from");
  flags.RefuseBoth(true, local, migration.retry_failed, "--retry-failed");
  flags.RefuseBoth(true, local, migration.cleaning == Cleaning::kAlways, "--clean-managed-fields");
  flags.RefuseBoth(true, local, migration.engine == Engine::kInCluster, "--engine=in-cluster");
  flags.RefuseBoth(true, local, !migration.objects.label_selector.empty(), "-l");
  flags.RefuseBoth(true, local, !migration.objects.field_selector.empty(), "--field-selector");
}

// The cluster's own engine rewrites all objects of a resource as they are, and nothing else.
void CheckEngine(const cli::FlagSet& flags, const MigrateOptions& options) {
  const MigrationOptions& migration = options.migration;
  const std::string engine = "--engine=in-cluster";
  const bool given = migration.engine == Engine::kInCluster;
  flags.RefuseBoth(given, engine, migration.enable_pruning, "--enable-pruning");
  flags.RefuseBoth(given, engine, !options.mutations.empty(), "--mutation");
  flags.RefuseBoth(given, engine, migration.cleaning == Cleaning::kAlways,
                   "--clean-managed-fields");
  flags.RefuseBoth(given, engine, migration.objects.is_partial(), "-n, -l or --field-selector");
  flags.RefuseBoth(given, engine, !options.retry_from.empty(), "--retry-from");
  flags.RefuseBoth(given, engine, migration.retry_failed, "--retry-failed");
  flags.RefuseBoth(given, engine, migration.pace.max_rate > 0, "--max-rate");
  flags.RefuseBoth(given, engine, !migration.verify, "--verify=false");
  flags.RefuseBoth(given, engine, migration.keep_stored_versions, "--keep-stored-versions");
  flags.RefuseBoth(given, engine, migration.dry_run == DryRun::kServer, "--dry-run=server");
}

void CheckRetry(const cli::FlagSet& flags, const MigrateOptions& options) {
  const MigrationOptions& migration = options.migration;
  const std::string retry = "--retry-from";
  const bool given = !options.retry_from.empty();
  flags.RefuseBoth(given, retry, !migration.crd_names.empty(),
                   "names of CustomResourceDefinitions");
  flags.RefuseBoth(given, retry, migration.all, "--all");
  flags.RefuseBoth(given, retry, migration.enable_pruning, "--enable-pruning");
  flags.RefuseBoth(given, retry, migration.objects.is_partial(), "-n, -l or --field-selector");
  const std::string failed = "--retry-failed";
  flags.RefuseBoth(migration.retry_failed, failed, given, retry);
  flags.RefuseBoth(migration.retry_failed, failed, migration.enable_pruning, "--enable-pruning");
  flags.RefuseBoth(migration.retry_failed, failed, migration.objects.is_partial(),
                   "-n, -l or --field-selector");
}

void CheckCluster(const cli::FlagSet& flags, const MigrateOptions& options) {
  const MigrationOptions& migration = options.migration;
  const bool has_files = !migration.filenames.empty();
  if (has_files && !migration.enable_pruning) {
    flags.Refuse(
        "-f needs --enable-pruning, which takes the CRDs of the files to the cluster, or --local, "
        "which takes the objects of files");
  }
  flags.RefuseBoth(has_files, "-f", migration.all, "--all");
  flags.RefuseBoth(!options.mutations.empty(), "--mutation", migration.all, "--all");
  if (!options.mutations.empty() && migration.pruning.single_pass) {
    flags.Refuse(
        "--mutation changes objects before pruning is turned on, which --single-pass leaves out; "
        "use one of them");
  }
  CheckRetry(flags, options);
  CheckEngine(flags, options);
  flags.RefuseBoth(migration.all, "--all", !migration.crd_names.empty(),
                   "names of CustomResourceDefinitions");
  if (!migration.crd_selector.empty() && !migration.all) {
    flags.Refuse("--crd-selector chooses among --all, and needs it");
  }
  const bool retries = migration.retry_failed || !options.retry_from.empty();
  if (!migration.all && migration.crd_names.empty() && !retries && !has_files) {
    flags.Refuse(
        "name the CustomResourceDefinitions whose objects are to be rewritten, or use --all");
  }
  if (migration.enable_pruning && migration.objects.is_partial()) {
    flags.Refuse(
        "--enable-pruning concerns all objects of a CustomResourceDefinition, so it "
        "cannot be combined with -n, -l or --field-selector");
  }
}

// A file of -f is held against one CRD, a report names the objects of one cluster.
void RequireMigrationOfMany(const cli::FlagSet& flags, const MigrateOptions& options) {
  const MigrationOptions& migration = options.migration;
  const std::string contexts = "--contexts";
  flags.RefuseBoth(true, contexts, options.local, "--local");
  flags.RefuseBoth(true, contexts, !migration.filenames.empty(), "-f");
  flags.RefuseBoth(true, contexts, !options.retry_from.empty(), "--retry-from");
}

// Which objects, and from where.
void AddChoiceFlags(cli::FlagSet& flags, MigrateOptions& options) {
  MigrationOptions& migration = options.migration;
  cli::AddObjectFlags(flags, options.common, migration.objects, {.verb = "Rewrite", .chunks = R"(
        Read large lists of objects in chunks of this size; 0 reads them all at once. The first
        chunk has 100 objects at most. Without the flag, one request then reads the rest, if that is
        at most 10,000 objects. It uses the watch cache if possible, which costs the server least. A
        longer rest is read in chunks of 500. Give the flag if the API server has
        --watch-cache=false.)"});
  cli::AddCrdSelectorFlag(flags, migration.crd_selector, R"(
        With --all: only CRDs whose labels match, e.g. --crd-selector app=operator.)");
  flags.Check([&flags, &migration] {
    if (!flags.IsGiven("chunk-size")) migration.most_in_one_piece = kMostInOnePiece;
  });
  flags.Bool("all", migration.all, R"(
        Migrate every CRD whose status.storedVersions is not just the storage version, and with
        --enable-pruning every CRD that pruning can be turned on for.)");
  flags.Bool("local", options.local, R"(
        Contact no server: CRDs and objects come from the files of -f.)");
  flags.Bool("retry-failed", migration.retry_failed, R"(
        Rewrite only the objects that failed in the last run, which its --state-dir lists. Without
        named CRDs, this covers all CRDs. Held objects are skipped, unless the --state-dir shows
        that somebody wrote them since, or --rewrite-unbacked is given.)");
  flags.String("retry-from", options.retry_from, CandidateSource::kFiles, R"(
        Rewrite only the objects that this report of -o json or -o yaml names as failed. Held
        objects are skipped, unless the --state-dir of that run shows that somebody wrote them
        since, or --rewrite-unbacked is given.)");
}

// With --local objects are printed, in the place of a report.
void AddOutputFlags(cli::FlagSet& flags, MigrateOptions& options) {
  flags.Check([&options] {
    if (options.local) options.output = terminal::OutputFormat::kYaml;
  });
  const auto outputs = [&options] {
    return options.local ? std::span<const std::string_view>(cli::kYamlOrJson)
                         : std::span<const std::string_view>(cli::kMigrateOutputs);
  };
  cli::AddReportFlags(flags, options.output, options.output_template, outputs, R"(
        Output format. One of: (html, json, jsonpath, jsonpath-as-json, jsonpath-file, junit,
        markdown, name, yaml); with --local: (json, yaml). html is one page for a browser or a mail,
        markdown fits a comment, junit is for CI.)");
  flags.Bool("show-managed-fields", options.show_managed_fields, R"(
        With --local: keep metadata.managedFields of the objects that are printed.)");
}

void AddPruningFlags(cli::FlagSet& flags, MigrateOptions& options) {
  migrate::migration::PruningOptions& pruning = options.migration.pruning;
  flags.Bool("enable-pruning", options.migration.enable_pruning, R"(
        Turn off spec.preserveUnknownFields where it is on. With --local, treat every CRD as if
        spec.preserveUnknownFields were false.)");
  flags.Array("mutation", options.mutations, CandidateSource::kFiles, R"(
        File with mutation trees (see above), YAML or JSON; - is stdin. May be given several times:
        the files apply in that order. docs/MUTATION.md has the rules.)");
  flags.Bool("yes,y", options.yes, R"(
        With --enable-pruning, do not ask for confirmation.)");
  flags.Bool("single-pass", pruning.single_pass, R"(
        Do not rewrite the objects before pruning is turned on. Fields that an older stored version
        does not specify may then be lost.)");
  flags.Bool("rewrite-unbacked", pruning.rewrite_unbacked, R"(
        Rewrite held objects, too: those whose latest content is not in the backup. What they lose
        cannot be restored.)");
  flags.Timeout("settle-timeout", pruning.settle_timeout, R"(
        How long to wait until every API server prunes.)");
}

void AddBackupFlags(cli::FlagSet& flags, migrate::migration::PruningOptions& pruning) {
  const auto read = [&flags, &pruning](const std::string& folder) {
    if (folder.empty()) return;
    flags.RefuseBoth(pruning.no_backup, "--no-backup", true, "--backup-dir");
    pruning.backup_dir = folder;
  };
  flags.Bool("no-backup", pruning.no_backup, R"(
        Turn pruning on, or mutate objects, without a backup.)");
  flags
      .Text("backup-dir", "'" + pruning.backup_dir.string() + "'", read, R"(
        Folder for backups: of objects that lose fields when pruning is turned on, and of objects
        that --mutation changes.)")
      .source = CandidateSource::kFolders;
}

void AddEngineFlags(cli::FlagSet& flags, MigrationOptions& migration) {
  flags.Timeout("engine-timeout", migration.engine_timeout, R"(
        How long a StorageVersionMigration may make no progress before this program rewrites the
        objects itself. Once the StorageVersionMigration is running, the limit is this value or 20
        ms times the number of objects, whichever is longer.)");
  cli::AddLeaseFlags(flags, migration.lease);
  flags.Choice<Engine>(
      "engine", migration.engine,
      {{"auto", Engine::kAuto}, {"in-cluster", Engine::kInCluster}, {"own", Engine::kOwn}}, 3,
      "must be auto, own or in-cluster", R"(
        Who rewrites the objects. "own": this program. "in-cluster": the cluster's own engine, by a
        StorageVersionMigration (storagemigration.k8s.io, Kubernetes 1.35 and later). This program
        then verifies every object. If the engine failed, this program rewrites all objects. "auto":
        the engine, where the server has it and status.storedVersions tells that objects are stored
        in another version. From 1.36 on, the cluster trims status.storedVersions by itself, whether
        or not objects are verified. If some are not, migrate puts the removed versions back before
        it ends.)");
  // The flag was a boolean once.
  flags
      .Choice<Cleaning>("clean-managed-fields", migration.cleaning,
                        {{"auto", Cleaning::kAuto},
                         {"always", Cleaning::kAlways},
                         {"never", Cleaning::kNever},
                         {"true", Cleaning::kAlways},
                         {"false", Cleaning::kNever}},
                        0, "must be auto, always or never", R"(
        Must be "auto", "always" or "never". An entry of metadata.managedFields may name a version
        that the CRD no longer has, or a version whose schema lacks fields of the object. An
        ordinary write of such an object makes the API server empty its managedFields. With auto,
        migrate prevents this: its rewrite also moves these entries to the storage version. Each
        owner keeps its fields, except those that the storage version does not have. With always (or
        without a value), migrate also moves entries of each version whose schema lacks at least one
        field of the storage version's. The object need not have that field. With never it moves
        none, and names the objects whose managedFields were emptied.)")
      .value_of_bare = "always";
}

void AddConnectionsFlag(cli::FlagSet& flags, int& connections) {
  flags.Int("connections", connections, R"(
        Spread requests over about this many TCP connections, 32 at most. A load balancer can then
        spread them over several API servers. This needs at least as many writes in flight: see
        --concurrency. With --contexts, the number is for each cluster.)");
  flags.Check([&flags, &connections] {
    constexpr int kMost = kube::client::kMostConnections;
    if (connections >= 1 && connections <= kMost) return;
    flags.Invalid("--connections", std::to_string(connections),
                  "must be between 1 and " + std::to_string(kMost));
  });
}

}  // namespace

void DeclareFlags(cli::FlagSet& flags, MigrateOptions& options) {
  MigrationOptions& migration = options.migration;
  flags.Arguments(migration.crd_names);
  AddOutputFlags(flags, options);
  cli::AddFileFlags(flags, migration.filenames, migration.recursive, R"(
        With --enable-pruning: files or folders with the CRDs to apply in the same write. With
        --local: files or folders with CRDs and custom resources. YAML or JSON, lists included; - is
        stdin.)");
  flags.Check(
      [&flags, &options] { cli::RequireFiles(flags, options.migration.filenames, options.local); });
  AddChoiceFlags(flags, options);
  cli::AddDryRunFlag(flags, migration.dry_run, options.dry_run_warning, R"(
        Must be "none", "server", or "client". With client nothing is sent: what would be done is
        shown. With server every write is sent as a dry run, which stores nothing.)");
  cli::AddMaxRateFlag(flags, migration.pace.max_rate, R"(
        The most writes a second; 0 is no limit. With --mutation, reads of single objects count as
        writes. With --contexts, the limit is for each cluster.)");
  AddPruningFlags(flags, options);
  AddEngineFlags(flags, migration);
  AddBackupFlags(flags, migration.pruning);
  cli::AddConcurrencyFlag(flags, migration.pace.concurrency, R"(
        Keep this many writes in flight, and fewer only after the server says that it has too much
        to do. By default migrate searches: it starts with one write in flight, adds more while the
        throughput grows, and stops at 16. With --contexts, the number is for each cluster.)");
  AddConnectionsFlag(flags, options.common.connection.connections);
  flags.Bool("verify", migration.verify, R"(
        Send every object another empty merge patch. With --verify=false, status.storedVersions is
        left as it is.)");
  flags.Bool("keep-stored-versions", migration.keep_stored_versions, R"(
        Leave status.storedVersions as it is.)");
  flags.Path("state-dir", migration.state_dir, R"(
        Folder for what a later run needs to resume this one. Empty:
        $XDG_STATE_HOME/kubectl-prune, or ~/.local/state/kubectl-prune.)");
  flags.Bool("record", migration.record, R"(
        Record in an annotation of the CRD (kubectl-prune/verified) that all objects were verified.
        On machines without this --state-dir, check shows the annotation as an unproven claim.
        There, check still prints its warnings.)");
  cli::AddFleetFlags(flags, options.fleet, "Migrate", "migrated");
  flags.Check([&flags, &options] {
    options.local ? CheckLocal(flags, options) : CheckCluster(flags, options);
    cli::FinishFleet(flags, options.fleet, options.common.connection);
    if (!options.fleet.contexts.empty()) RequireMigrationOfMany(flags, options);
  });
}

}  // namespace plugin::command
