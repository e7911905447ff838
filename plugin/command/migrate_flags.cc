#include "kube/client/connection.h"
#include "plugin/command/commands.h"

/// The command line of migrate.
namespace plugin::command {

const std::string_view kMigrateHelp =
    R"(Rewrite every custom resource, so that etcd holds it pruned and in the storage version

 Reads the metadata of all objects of the named CRDs and sends each object an empty merge patch.
The API server prunes the object, sets defaults and stores it anew. Nothing else of it changes.
Then every object is sent another empty patch. If none of these rewrites anything, etcd is clean.
After that status.storedVersions of the CRD is set to the storage version alone.

 A run leaves status.storedVersions as it is where it covers only some objects (-n, -l,
--field-selector, --retry-failed, --retry-from), has failures, or is not verified. A run that was
interrupted or killed goes on where it was when it is begun again. Two runs over one CRD know of
each other by a Lease, also from two machines.

 A CRD that preserves unknown fields is refused, unless --enable-pruning turns pruning on first.
That tells what would be lost, and asks. It writes the objects that lose something to a file of
--backup-dir. Then it turns spec.preserveUnknownFields off, and rewrites objects once the API
server is seen to prune. Where several versions are stored, all objects are rewritten before as
well. So no field is lost that only the storage version knows.

 With -f the CRD of the file comes with pruning. In the same write the CRD becomes what kubectl
apply would make of it, defaults included. What is lost is counted by its schemas.

 With --mutation objects are changed as they are written. Each document of the file is shaped like
the object. Maps are merged by key, scalars and lists replace, and null removes. "[key]" replaces a
map as a whole, and (spec.legacyMode) is what the object has there. With --enable-pruning that
comes before pruning is turned on, so that fields can be moved before they go. Objects that are
changed are written to a file of --backup-dir first, as they are.

 With --contexts several clusters are migrated side by side, each as it would be alone. What fails
in one does not keep the others from being migrated. The same command goes on where each of them
was. One question for all clusters tells what each would lose. Contexts that lead to one cluster
are migrated once. Each context has its own folder in --backup-dir.

 With --local no server is contacted. The custom resources in the files of -f are printed as the
API server would store them, and nothing is written. The schema's validations are left out.

Examples:
  # Rewrite all widgets; again, to see that there is nothing left to rewrite
  kubectl prune migrate widgets

  # Turn pruning on for a CRD and clean its objects in etcd
  kubectl prune migrate widgets.demo.example.com --enable-pruning

  # The same with the CRD of an upgrade, which may have defaults, in the place of the present one
  kubectl prune migrate widgets --enable-pruning -f new-crd.yaml

  # Move a value out of a field that goes, before it goes
  kubectl prune migrate widgets --enable-pruning --mutation move-mode.yaml

  # The same in a script, with the report for programs
  kubectl prune migrate widgets --enable-pruning --yes -o json

  # What would be done?
  kubectl prune migrate widgets --enable-pruning --dry-run=client

  # Would the server take the writes? Each is sent for the object as it is now, and none is stored
  kubectl prune migrate widgets --enable-pruning --dry-run=server

  # Rewrite the objects of all CRDs that may be stored in an old version
  kubectl prune migrate --all

  # Try the objects again that failed in the last run
  kubectl prune migrate widgets --retry-failed

  # The same on another machine, by the report of that run
  kubectl prune migrate --retry-from report.json

  # Rewrite all managedFields in the storage version, also where a plain write would keep them
  kubectl prune migrate widgets --clean-managed-fields=always

  # Have the cluster's own engine rewrite the objects, and verify what it did
  kubectl prune migrate widgets --engine=in-cluster

  # Migrate several clusters side by side: those whose contexts have such a name
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
  2     an error: a wrong flag, a CRD that cannot be migrated, a server that does not answer; with
        --contexts the worst of all clusters counts
  130   interrupted by SIGINT (143: SIGTERM); the same command goes on where it was

Usage:
  kubectl prune migrate CRD... [options]
  kubectl prune migrate --all [options]
  kubectl prune migrate CRD... --contexts PATTERN... [options]
  kubectl prune migrate [CRD...] --enable-pruning -f FILENAME... [options]
  kubectl prune migrate [CRD...] --retry-failed [options]
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
        chunk has 100 objects at most. Without the flag the rest of up to 10,000 objects comes at
        once, from the server's watch cache where it can. That costs the server least. Give the flag
        where the API server runs with --watch-cache=false.)"});
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
        Rewrite only the objects that failed in the last run over each CRD, as the --state-dir of
        that run tells: of the CRDs that are named, else of all. Those that it held are not written,
        unless it tells that somebody wrote them since, or with --rewrite-unbacked.)");
  flags.String("retry-from", options.retry_from, CandidateSource::kFiles, R"(
        Rewrite only the objects that this file names as failed: a report of -o json or -o yaml.
        Those that it names as held are not written, unless the --state-dir of that run tells that
        somebody wrote them since, or with --rewrite-unbacked.)");
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
        Turn off spec.preserveUnknownFields where it is on. With --local: as if it had been turned
        off before.)");
  flags.Array("mutation", options.mutations, CandidateSource::kFiles, R"(
        File with mutation trees, YAML or JSON, by which objects are changed; - is stdin. May be
        given several times: they come one after the other. docs/MUTATION.md tells the rules.)");
  flags.Bool("yes,y", options.yes, R"(
        Turn pruning on without being asked.)");
  flags.Bool("single-pass", pruning.single_pass, R"(
        Do not rewrite the objects before pruning is turned on; fields may be lost then that an
        older stored version does not know.)");
  flags.Bool("rewrite-unbacked", pruning.rewrite_unbacked, R"(
        Rewrite also the objects that the backup does not have as they were last written.)");
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
        Folder for the backup of the objects that lose something when pruning is turned on, and for
        that of those that --mutation changes.)")
      .source = CandidateSource::kFolders;
}

void AddEngineFlags(cli::FlagSet& flags, MigrationOptions& migration) {
  flags.Timeout("engine-timeout", migration.engine_timeout, R"(
        How long a StorageVersionMigration may stay as it is before the objects are rewritten from
        here; while it runs at least 20 ms an object.)");
  cli::AddLeaseFlags(flags, migration.lease);
  flags.Choice<Engine>(
      "engine", migration.engine,
      {{"auto", Engine::kAuto}, {"in-cluster", Engine::kInCluster}, {"own", Engine::kOwn}}, 3,
      "must be auto, own or in-cluster", R"(
        Who rewrites the objects. "own": this program. "in-cluster": the cluster's own engine, by a
        StorageVersionMigration (storagemigration.k8s.io, Kubernetes 1.35 and later). This program
        then verifies every object, and rewrites all of them where the engine has failed. "auto":
        the engine, where the server has it and status.storedVersions tells that objects are stored
        in another version. From 1.36 on the cluster trims status.storedVersions by itself, verified
        or not. Where it should not have, the end of the run puts that back.)");
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
        that the CRD lost, or a version whose schema lacks fields of the object. Any write of the
        object then makes the API server empty its managedFields. With auto the same write moves
        these entries to the storage version. Each owner keeps its fields, except those that the
        storage version does not have. With always (--clean-managed-fields alone) it moves the
        entries of every version that lacks fields of the storage version. With never it moves none,
        and names the objects whose managedFields were emptied.)")
      .value_of_bare = "always";
}

void AddConnectionsFlag(cli::FlagSet& flags, int& connections) {
  flags.Int("connections", connections, R"(
        Spread the requests in flight over so many TCP connections, or a few more. A balancer before
        several API servers then gives each of them some. 32 at most. It takes as many in flight:
        --concurrency. With --contexts to each cluster.)");
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
        With --enable-pruning: files or folders with the CRDs that come with it. With --local: files
        or folders with CRDs and custom resources. YAML or JSON, lists included; - is stdin.)");
  flags.Check(
      [&flags, &options] { cli::RequireFiles(flags, options.migration.filenames, options.local); });
  AddChoiceFlags(flags, options);
  cli::AddDryRunFlag(flags, migration.dry_run, options.dry_run_warning, R"(
        Must be "none", "server", or "client". With client nothing is written: what would be done is
        told. With server every write is sent and none is stored.)");
  cli::AddMaxRateFlag(flags, migration.pace.max_rate, R"(
        The most writes a second; 0 is no limit. With --mutation the reads of single objects count.
        With --contexts in each cluster.)");
  AddPruningFlags(flags, options);
  AddEngineFlags(flags, migration);
  AddBackupFlags(flags, migration.pruning);
  cli::AddConcurrencyFlag(flags, migration.pace.concurrency, R"(
        Keep so many writes in flight at once, and fewer only after the server says that it has too
        much to do. By default migrate searches: it starts with one write in flight, adds more while
        the throughput grows, and stops at 16. With --contexts in each cluster.)");
  AddConnectionsFlag(flags, options.common.connection.connections);
  flags.Bool("verify", migration.verify, R"(
        Send every object another empty merge patch. Without that status.storedVersions is left as
        it is.)");
  flags.Bool("keep-stored-versions", migration.keep_stored_versions, R"(
        Leave status.storedVersions as it is.)");
  flags.Path("state-dir", migration.state_dir, R"(
        Folder for what a later run needs to go on with this one. Empty:
        $XDG_STATE_HOME/kubectl-prune, or ~/.local/state/kubectl-prune.)");
  flags.Bool("record", migration.record, R"(
        Write into an annotation of the CRD (kubectl-prune/verified) that all objects were verified,
        so that check tells it where this --state-dir is not: as somebody's word, which stops no
        warning.)");
  cli::AddFleetFlags(flags, options.fleet, "Migrate", "migrated");
  flags.Check([&flags, &options] {
    options.local ? CheckLocal(flags, options) : CheckCluster(flags, options);
    cli::FinishFleet(flags, options.fleet, options.common.connection);
    if (!options.fleet.contexts.empty()) RequireMigrationOfMany(flags, options);
  });
}

}  // namespace plugin::command
