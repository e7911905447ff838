#include "plugin/cli/common_flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "kube/base/text.h"
#include "kube/client/label_selector.h"
#include "kube/go/go_duration.h"
#include "kube/go/go_format.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"
#include "migrate/check/crd_names.h"
#include "plugin/terminal/terminal.h"

namespace plugin::cli {
namespace {

using kube::client::ConnectionFlags;
using kube::go::GoQuote;
using migrate::cluster::ObjectSelection;
using migrate::report::DryRun;
using terminal::OutputFormat;

// A flag of kubectl that changes nothing here: no cache is kept, no log is buffered, no line of it
// belongs to a file of Go, and no profile is taken.
const FlagSet::ReadText kIgnore = [](const std::string&) {};

// As help has it: lines of 100 characters at most, each behind eight blanks.
std::string Wrapped(const std::string& text) {
  std::string lines;
  for (const std::string& line : terminal::LinesOf(terminal::Wrapped(text, 92))) {
    lines += "\n        " + line;
  }
  return lines;
}

void AddServerFlags(FlagSet& flags, ConnectionFlags& connection) {
  flags.String("server,s", connection.server, R"(
        The address and port of the Kubernetes API server.)");
  flags.String("tls-server-name", connection.tls_server_name, R"(
        Server name to use for server certificate validation. If it is not provided, the hostname
        used to contact the server is used.)");
  flags.String("certificate-authority", connection.certificate_authority, CandidateSource::kFiles,
               R"(
        Path to a cert file for the certificate authority.)");
  flags.Bool("insecure-skip-tls-verify", connection.insecure_skip_tls_verify, R"(
        If true, the server's certificate will not be checked for validity. This will make your
        HTTPS connections insecure.)");
  flags.Bool("disable-compression", connection.disable_compression, R"(
        If true, opt-out of response compression for all requests to the server.)");
}

void AddUserFlags(FlagSet& flags, ConnectionFlags& connection) {
  flags.String("client-certificate", connection.client_certificate, CandidateSource::kFiles, R"(
        Path to a client certificate file for TLS.)");
  flags.String("client-key", connection.client_key, CandidateSource::kFiles, R"(
        Path to a client key file for TLS.)");
  flags.String("token", connection.token, R"(
        Bearer token for authentication to the API server.)");
  flags.String("username", connection.username, R"(
        Username for basic authentication to the API server.)");
  flags.String("password", connection.password, R"(
        Password for basic authentication to the API server.)");
  flags.String("as", connection.as, R"(
        Username to impersonate for the operation. User could be a regular user or a service account
        in a namespace.)");
  flags.String("as-uid", connection.as_uid, R"(
        UID to impersonate for the operation.)");
  flags.Array("as-group", connection.as_groups, R"(
        Group to impersonate for the operation, this flag can be repeated to specify multiple
        groups.)");
}

void AddConnectionFlags(FlagSet& flags, ConnectionFlags& connection) {
  flags.String("kubeconfig", connection.kubeconfig, CandidateSource::kFiles, R"(
        Path to the kubeconfig file to use for CLI requests.)");
  flags.String("context", connection.context, CandidateSource::kContexts, R"(
        The name of the kubeconfig context to use.)");
  flags.String("cluster", connection.cluster, CandidateSource::kClusters, R"(
        The name of the kubeconfig cluster to use.)");
  flags.String("user", connection.user, CandidateSource::kUsers, R"(
        The name of the kubeconfig user to use.)");
  flags.String("namespace,n", connection.namespace_, CandidateSource::kNamespaces, R"(
        If present, the namespace scope for this CLI request.)");
  flags
      .Text("cache-dir", "''", kIgnore, R"(
        Taken for kubectl's sake: no cache is kept.)")
      .source = CandidateSource::kFolders;
  AddServerFlags(flags, connection);
  AddUserFlags(flags, connection);
}

// A profile of kubectl is one of Go's runtime: there is none here, and who asks for one should
// know.
void AddProfileFlags(FlagSet& flags) {
  const auto refuse = [&flags](const std::string& name) {
    if (name == "none") return;
    for (const char* known : {"cpu", "heap", "goroutine", "threadcreate", "block", "mutex"}) {
      if (name != known) continue;
      flags.Refuse("--profile=" + name +
                   " asks for a profile of Go's runtime, which this program does not have; leave "
                   "--profile out");
    }
    flags.Refuse("unknown profile '" + name + "'");
  };
  flags
      .Text("profile", "'none'", refuse, R"(
        Taken for kubectl's sake: only none, for there is no runtime of Go to profile.)")
      .values = {"none"};
  flags
      .Text("profile-output", "'profile.pprof'", kIgnore, R"(
        Taken for kubectl's sake: see --profile.)")
      .source = CandidateSource::kFiles;
}

void AddLogFlags(FlagSet& flags, int& verbosity) {
  flags.Int("v,v", verbosity, R"(
        Number for the log level verbosity. 6 logs a line for each request, 7 headers too, 8 and
        more bodies; never tokens.)");
  const auto check_flush = [&flags](const std::string& text) {
    if (text.empty() || kube::go::ParseGoDuration(text)) return;
    flags.Invalid("--log-flush-frequency", text, "time: invalid duration " + GoQuote(text));
  };
  flags.Text("log-flush-frequency", "5s", check_flush, R"(
        Taken for kubectl's sake: what is logged is written at once.)");
  flags.Text("vmodule", "''", kIgnore, R"(
        Taken for kubectl's sake: there are no files of Go to choose among.)");
}

void AddRequestTimeoutFlag(FlagSet& flags, std::chrono::nanoseconds& timeout) {
  const auto read = [&flags, &timeout](const std::string& text) {
    if (text.empty()) return;
    const auto parsed = kube::go::ParseRequestTimeout(text);
    if (!parsed) {
      flags.Refuse(
          "Invalid timeout value. Timeout must be a single integer in seconds, or an integer "
          "followed by a corresponding time unit (e.g. 1s | 2m | 3h)");
    }
    timeout = *parsed;
  };
  flags.Text("request-timeout", "'0'", read, R"(
        The length of time to wait before giving up on a single server request. Non-zero values
        should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't
        timeout requests.)");
}

// An empty one is none at all.
void AddPatienceFlag(FlagSet& flags, std::chrono::nanoseconds& patience) {
  patience = std::chrono::minutes(2);
  flags.Text("patience", "2m0s", [&flags, &patience](const std::string& text) {
    patience = text.empty() ? std::chrono::nanoseconds() : flags.ParseDuration("--patience", text);
  });
}

// "key=value" each; a key may have several values.
void AddUserExtraFlag(FlagSet& flags, ConnectionFlags& connection) {
  const auto read = [&flags, &connection](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::size_t equals = text.find('=');
      if (equals == 0 || equals == std::string::npos) {
        flags.Invalid("--as-user-extra", text, "must be of the form key=value");
      }
      connection.as_user_extra[text.substr(0, equals)].push_back(text.substr(equals + 1));
    }
  };
  flags.List("as-user-extra", FlagKind::kArray, read, R"(
        Extra of the user to impersonate, as key=value; can be repeated, for one key too.)");
}

}  // namespace

void AddCommonFlags(FlagSet& flags, CommonOptions& options, bool& help, Patience patience) {
  AddProfileFlags(flags);
  AddLogFlags(flags, options.verbosity);
  AddRequestTimeoutFlag(flags, options.connection.request_timeout);
  if (patience != Patience::kNone) AddPatienceFlag(flags, options.patience);
  AddConnectionFlags(flags, options.connection);
  AddUserExtraFlag(flags, options.connection);
  flags.Bool("match-server-version", options.match_server_version, R"(
        Require the server to be of the version whose rules this program knows (1.36).)");
  flags.Bool("warnings-as-errors", options.warnings_as_errors, R"(
        Treat warnings received from the server as errors and exit with a non-zero exit code.)");
  flags.Bool("help,h", help);
  flags.EndCommon();
  flags.Describe("help", R"(
        Print this help.)");
  if (patience == Patience::kNone) return;
  flags.Describe("patience", patience == Patience::kWrites ? R"(
        How long to try a request again while the server, a webhook or the network has trouble.
        With 0, it is tried no longer than kubectl would try it.)"
                                                           : R"(
        How long to try a read-only request again while the server or the network has trouble. With
        0, it is tried no longer than kubectl would try it.)");
}

void AddFileFlags(FlagSet& flags, std::vector<std::string>& filenames, bool& recursive,
                  std::string_view help) {
  flags.Strings("filename,f", filenames, CandidateSource::kFiles, help);
  flags.Bool("recursive,R", recursive, R"(
        Read the folders below the folders of -f too.)");
}

void AddInputFlags(FlagSet& flags, std::vector<std::string>& filenames, bool& recursive,
                   bool& local) {
  AddFileFlags(flags, filenames, recursive, R"(
        Files or folders with CRDs and custom resources, YAML or JSON, lists included; - is stdin.)");
  flags.Bool("local", local, R"(
        Contact no server: CRDs and objects come from the files of -f, and all of them are taken.)");
}

void RequireFiles(const FlagSet& flags, const std::vector<std::string>& filenames, bool local) {
  if (!filenames.empty()) return;
  if (flags.IsGiven("filename")) {
    flags.Refuse("-f must name a file or folder, or be - for the standard input");
  }
  if (!local) return;
  flags.Refuse("--local contacts no server, so CRDs and objects must be given with -f FILE");
}

namespace {

void AddLabelSelectorFlag(FlagSet& flags, std::string_view name, std::string_view flag,
                          std::string& selector, std::string_view help) {
  flags.String(name, selector, help);
  flags.Check([&flags, &selector, flag] {
    const auto problem = kube::client::LabelSelectorProblem(selector);
    if (problem) flags.Invalid(flag, selector, *problem);
  });
}

void AddFieldSelectorFlag(FlagSet& flags, std::string& selector, std::string_view help) {
  flags.String("field-selector", selector, help);
  flags.Check([&flags, &selector] {
    const auto problem = kube::client::FieldSelectorProblem(selector);
    if (problem) flags.Invalid("--field-selector", selector, *problem);
  });
}

// What client-go takes as a segment of a path (rest.Request.Namespace); whether a namespace can
// have the name is for the server to say.
void RequireNamespace(const FlagSet& flags, const std::string& name) {
  const auto problems = kube::meta::PathSegmentProblems(name, /*is_prefix=*/false);
  if (problems.empty()) return;
  flags.Refuse("invalid namespace " + GoQuote(name) + ": [" + kube::base::Join(problems, " ") +
               "]");
}

}  // namespace

void AddObjectFlags(FlagSet& flags, const CommonOptions& common, ObjectSelection& objects,
                    const ObjectWords& words) {
  const std::string only = words.verb + " only the objects ";
  AddLabelSelectorFlag(flags, "selector,l", "-l, --selector", objects.label_selector,
                       Wrapped(only + "whose labels match" + words.how +
                               ", supports '=', '==', '!=', 'in', 'notin' and bare keys. (e.g. -l "
                               "key1=value1,key2=value2)."));
  AddFieldSelectorFlag(flags, objects.field_selector,
                       Wrapped(only + "whose fields match" + words.how +
                               ", supports '=', '==', and '!='. (e.g. --field-selector "
                               "metadata.name=frontend)."));
  flags.Describe(
      "namespace",
      Wrapped(only +
              "of this namespace. Unlike in kubectl, the namespace of the context is ignored."));
  const auto is_for_all = std::make_shared<bool>(false);
  flags.Bool("all-namespaces,A", *is_for_all,
             Wrapped(words.verb +
                     " the objects of all namespaces, which is the default. -n is ignored then."));
  flags.Int64("chunk-size", objects.chunk_size, !words.chunks.empty() ? words.chunks : R"(
        Read large lists of objects in chunks of this size; 0 reads them all at once.)");
  flags.Check([&flags, &common, &objects, is_for_all] {
    if (!*is_for_all) objects.namespace_ = common.connection.namespace_;
    RequireNamespace(flags, objects.namespace_);
    objects.chunk_size = std::max<std::int64_t>(objects.chunk_size, 0);
  });
}

void AddCrdSelectorFlag(FlagSet& flags, std::string& selector, std::string_view help) {
  AddLabelSelectorFlag(flags, "crd-selector", "--crd-selector", selector, !help.empty() ? help : R"(
        Only the CRDs of the cluster whose labels match, e.g. --crd-selector app=operator.)");
}

void RefuseIfLocal(const FlagSet& flags, bool local, const ObjectSelection& objects,
                   const std::string& crd_selector) {
  const auto refuse = [&](const std::string& value, std::string_view name) {
    flags.RefuseBoth(local, "--local", !value.empty(), name);
  };
  refuse(objects.namespace_, "--namespace");
  refuse(objects.label_selector, "--selector");
  refuse(objects.field_selector, "--field-selector");
  refuse(crd_selector, "--crd-selector");
}

migrate::check::DiffTarget ParseObjectTarget(const FlagSet& flags, const std::string& argument) {
  const std::string_view text = migrate::check::WithoutCrdType(argument);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {std::string(text), ""};
  const std::string_view name = text.substr(slash + 1);
  if (name.find('/') != std::string_view::npos) {
    flags.Refuse("arguments in resource/name form may not have more than one slash");
  }
  if (slash == 0 || name.empty()) {
    flags.Refuse("arguments in resource/name form must have a single resource and name");
  }
  return {std::string(text.substr(0, slash)), std::string(name)};
}

void RefuseSelectorsOfNamed(const FlagSet& flags,
                            const std::vector<migrate::check::DiffTarget>& targets,
                            const ObjectSelection& objects) {
  const bool names_object = std::ranges::any_of(
      targets, [](const migrate::check::DiffTarget& target) { return !target.object.empty(); });
  if (!names_object || !objects.has_selectors()) return;
  flags.Refuse("selectors and the all flag cannot be used when passing resource/name arguments");
}

namespace {

OutputFormat FormatOf(std::string_view output) {
  return std::ranges::find(terminal::kFormatNames, output, &terminal::FormatName::name)->format;
}

// The template in "jsonpath=TEMPLATE" and its like.
void ParseTemplate(const FlagSet& flags, const std::string& text,
                   terminal::TemplateOutput& result) {
  const std::size_t equals = text.find('=');
  const std::string format = text.substr(0, equals);
  std::string value;
  if (equals != std::string::npos) value = text.substr(equals + 1);
  if (value.empty()) flags.Refuse("template format specified but no template given");
  (format == "jsonpath-file" ? result.file : result.text) = std::move(value);
  result.as_json = format == "jsonpath-as-json";
}

OutputFormat ParseOutput(const FlagSet& flags, const std::string& text,
                         std::span<const std::string_view> outputs) {
  const std::string name = text.substr(0, text.find('='));
  const std::string wanted = kube::base::ToLower(text);
  std::string allowed;
  for (std::string_view output : outputs) {
    const OutputFormat format = FormatOf(output);
    const bool is_template = format == OutputFormat::kTemplate;
    if (is_template) output.remove_suffix(1);
    if (output == (is_template ? name : wanted)) return format;
    allowed.append(allowed.empty() ? "" : ",").append(output);
  }
  flags.Refuse("unable to match a printer suitable for the output format " + GoQuote(text) +
               ", allowed formats are: " + allowed);
}

}  // namespace

Flag& AddOutputFlag(FlagSet& flags, OutputFormat& output, std::span<const std::string_view> outputs,
                    std::string_view help) {
  const auto read = [&flags, &output, outputs](const std::string& text) {
    if (!text.empty()) output = ParseOutput(flags, text, outputs);
  };
  Flag& flag = flags.Text("output,o", "''", read, help);
  flag.values.assign(outputs.begin(), outputs.end());
  return flag;
}

void AddReportFlags(FlagSet& flags, OutputFormat& output, terminal::TemplateOutput& output_template,
                    const OutputsFunction& outputs, std::string_view help) {
  flags.Bool("allow-missing-template-keys", output_template.allow_missing_keys,
             R"(
        If true, ignore any errors in templates when a field or map key is missing in the template.)");
  const auto read = [&flags, &output, &output_template, outputs](const std::string& text) {
    if (text.empty()) return;
    output = ParseOutput(flags, text, outputs());
    if (output == OutputFormat::kTemplate) ParseTemplate(flags, text, output_template);
  };
  const std::span<const std::string_view> all = outputs();
  flags.Text("output,o", "''", read, help).values.assign(all.begin(), all.end());
}

namespace {

// What --dry-run alone stands for, as in kubectl (cmdutil.AddDryRunFlag).
constexpr std::string_view kBareDryRun = "unchanged";

struct DryRunForm {
  DryRun strategy;
  std::string replacement;  // of a deprecated form
};

// cmdutil.GetDryRunStrategy
std::optional<DryRunForm> FindDryRunForm(const std::string& value) {
  if (value == "none") return DryRunForm{DryRun::kNone, ""};
  if (value == "client") return DryRunForm{DryRun::kClient, ""};
  if (value == "server") return DryRunForm{DryRun::kServer, ""};
  if (value == kBareDryRun) return DryRunForm{DryRun::kClient, "client"};
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (value == yes) return DryRunForm{DryRun::kClient, "client"};
  }
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (value == no) return DryRunForm{DryRun::kNone, "none"};
  }
  return std::nullopt;
}

}  // namespace

void AddDryRunFlag(FlagSet& flags, DryRun& dry_run, std::string& warning, std::string_view help) {
  const auto read = [&flags, &dry_run, &warning](const std::string& value) {
    const std::optional<DryRunForm> form = FindDryRunForm(value);
    if (!form) {
      flags.Refuse("Invalid dry-run value (" + value +
                   R"(). Must be "none", "server", or "client".)");
    }
    dry_run = form->strategy;
    if (form->replacement.empty()) return;
    warning = value == kBareDryRun ? "--dry-run is deprecated"
                                   : "--dry-run=" + value + " is deprecated (boolean value)";
    warning += " and can be replaced with --dry-run=" + form->replacement + ".";
  };
  Flag& flag = flags.Text("dry-run", "'none'", read, help);
  flag.value_of_bare = kBareDryRun;
  flag.values = {"client", "none", "server"};
}

void AddMaxRateFlag(FlagSet& flags, double& max_rate, std::string_view help) {
  const auto read = [&flags, &max_rate](const std::string& value) {
    if (value.empty()) return;
    double rate = 0;
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, rate);
    const bool is_rate = error == std::errc() && rest == end && std::isfinite(rate) && rate >= 0;
    if (!is_rate) {
      flags.Invalid("--max-rate", value, "must be a number of objects a second, 0 for no limit");
    }
    max_rate = rate;
  };
  flags.Text("max-rate", "0", read, help);
}

void AddConcurrencyFlag(FlagSet& flags, std::optional<std::size_t>& concurrency,
                        std::string_view help) {
  const auto read = [&flags, &concurrency](const std::string& text) {
    const int number = std::stoi(text);
    if (number < 1) flags.Invalid("--concurrency", text, "must be at least 1");
    concurrency = static_cast<std::size_t>(number);
  };
  flags.Text("concurrency", "''", read, help, FlagKind::kInt);
}

void AddLeaseFlags(FlagSet& flags, migrate::migration::LeaseOptions& lease) {
  flags.String("lease-namespace", lease.namespace_, R"(
        Namespace of the Leases. There is one Lease for each CRD; through it a run detects runs on
        other machines.)");
  flags.Check([&flags, &lease] {
    const auto problems = kube::meta::Dns1123LabelProblems(lease.namespace_);
    if (problems.empty()) return;
    flags.Invalid("--lease-namespace", lease.namespace_, kube::base::Join(problems, " "));
  });
  flags.Duration("lease-timeout", lease.wait, R"(
        How long to wait for another run over the same CRD to end. 0 gives up as soon as the other
        run is seen to be alive. The Lease of a dead run is taken over after 30 s.)");
}

void RequirePort(const FlagSet& flags, std::string_view flag, int port) {
  if (port >= 0 && port <= 65535) return;
  flags.Invalid(flag, std::to_string(port), "must be between 0 and 65535");
}

namespace {

// A token that is meant for one server is not to be shown to others.
void RefuseSingleCluster(const FlagSet& flags, const ConnectionFlags& connection) {
  const auto refuse = [&flags](const std::string& value, std::string_view flag) {
    flags.RefuseBoth(true, "--contexts", !value.empty(), flag);
  };
  refuse(connection.context, "--context");
  refuse(connection.cluster, "--cluster");
  refuse(connection.server, "--server");
  refuse(connection.tls_server_name, "--tls-server-name");
  refuse(connection.certificate_authority, "--certificate-authority");
  refuse(connection.user, "--user");
  refuse(connection.client_certificate, "--client-certificate");
  refuse(connection.client_key, "--client-key");
  refuse(connection.token, "--token");
  refuse(connection.username, "--username");
  refuse(connection.password, "--password");
}

bool CanBeReadOnce(const std::string& filename) {
  if (filename == "-") return true;
  std::error_code error;
  const auto type = std::filesystem::status(filename, error).type();
  using std::filesystem::file_type;
  return type == file_type::fifo || type == file_type::character || type == file_type::socket;
}

void RefuseReadOnce(const FlagSet& flags, const std::string& what, const std::string& filename) {
  if (!CanBeReadOnce(filename)) return;
  flags.Refuse("with --contexts every cluster reads " + what + " anew, and \"" + filename +
               "\" can be read but once");
}

}  // namespace

void AddFleetFlags(FlagSet& flags, FleetOptions& options, const std::string& verb,
                   const std::string& done) {
  flags.Strings(
      "contexts", options.contexts, CandidateSource::kContexts,
      Wrapped(
          verb +
          " the clusters of these contexts of the kubeconfig side by side: names or patterns. In a "
          "pattern * stands for any characters, ? for one, [a-z] for one of these. @FILE stands "
          "for "
          "the lines of a file. (e.g. --contexts 'prod-*,staging' or --contexts @clusters.txt)."));
  flags.Int("parallel-clusters", options.parallel,
            Wrapped("With --contexts, how many clusters are " + done + " at once."));
}

void FinishFleet(const FlagSet& flags, const FleetOptions& options,
                 const ConnectionFlags& connection) {
  if (options.parallel < 1) {
    flags.Invalid("--parallel-clusters", std::to_string(options.parallel),
                  "must not be less than 1");
  }
  if (options.contexts.empty()) {
    if (flags.IsGiven("contexts")) flags.Refuse("--contexts must name a context, or match some");
    if (flags.IsGiven("parallel-clusters")) {
      flags.Refuse("--parallel-clusters is of no use without --contexts");
    }
    return;
  }
  RefuseSingleCluster(flags, connection);
  RefuseReadOnce(flags, "the kubeconfig", connection.kubeconfig);
}

void RequireFilesForMany(const FlagSet& flags, const std::vector<std::string>& filenames) {
  for (const std::string& filename : filenames) RefuseReadOnce(flags, "the files of -f", filename);
}

}  // namespace plugin::cli
