#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/environment.h"
#include "kube/client/kubeconfig.h"
#include "kube/go/go_format.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/report/program_name.h"
#include "plugin/cli/completion.h"
#include "plugin/cli/completion_script.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/terminal/output.h"

namespace plugin::command {

const std::string_view kCompletionHelp =
    R"(Print a script that completes command lines

 Reads and writes nothing. The script completes commands, flags and their values when the tab key
is pressed. It asks the kubeconfig and the cluster for the names of contexts, namespaces and
CustomResourceDefinitions, and gives up what takes more than three seconds.

 The scripts for bash, fish and zsh complete "kubectl-prune". "kubectl prune" needs kubectl's own
completion, and an executable file kubectl_complete-prune on the PATH. "kubectl prune completion
kubectl" prints that file.

Examples:
  # Let the completion of kubectl know this plugin
  kubectl prune completion kubectl > kubectl_complete-prune
  chmod +x kubectl_complete-prune
  sudo mv kubectl_complete-prune /usr/local/bin/

  # Complete kubectl-prune in the current bash
  source <(kubectl prune completion bash)

  # Complete kubectl-prune in every new zsh
  kubectl prune completion zsh > "${fpath[1]}/_kubectl-prune"

  # Complete kubectl-prune in the current fish
  kubectl prune completion fish | source

Options:
{flags}
Exit codes:
  0   done
  2   an error: a wrong flag, another shell

Usage:
  kubectl prune completion bash|fish|kubectl|zsh

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

void DeclareFlags(cli::FlagSet& flags, CompletionOptions& options) {
  flags.Arguments([&flags, &options](const std::vector<std::string>& arguments) {
    if (arguments.empty()) flags.Refuse("Shell not specified.");
    if (arguments.size() > 1) {
      flags.Refuse("Too many arguments. Expected only the shell type.");
    }
    options.shell = arguments[0];
    if (std::ranges::find(cli::kShells, options.shell) != std::end(cli::kShells)) return;
    flags.Refuse("Unsupported shell type " + kube::go::GoQuote(options.shell) + ".");
  });
}

int RunCommand(CompletionOptions& options) {
  terminal::WriteStdout(cli::CompletionScript(options.shell, migrate::report::OwnProgramName()));
  return 0;
}

namespace {

using kube::json::Value;
using Names = std::set<std::string>;

constexpr unsigned kMostSeconds = 3;  // nobody waits longer for a list of names
constexpr std::chrono::seconds kRequestTimeout(2);

// github.com/spf13/cobra's ShellCompDirective.
constexpr int kNoSpace = 2, kNoFiles = 4, kFoldersOnly = 16;

void EndWithNothing(int) {
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, ":4\n", 3);
  _exit(0);
}

// A credential plugin may hang, ask, or complain.
void BeQuick() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
  }
  signal(SIGALRM, EndWithNothing);
  alarm(kMostSeconds);
}

// metadata.name of every item, as far as the server says.
Names ListNames(kube::client::Client& client, const std::string& target) {
  Names names;
  std::string token;
  do {
    const auto list =
        client.Send({.target = migrate::cluster::WithChunk(target, 500, token),
                     .accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                     .retry = false});
    if (!list) return names;
    const Value& root = (*list)->root();
    for (const Value& item : root.At("items").elements()) {
      const std::string_view name = migrate::cluster::MetadataText(item, "name");
      if (!name.empty()) names.emplace(name);
    }
    token = migrate::cluster::ReadPageMetadata(root).continue_token;
  } while (!token.empty());
  return names;
}

constexpr char kCrdsTarget[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

// A version of the CRD that is served; empty where there is none.
std::string ServedVersion(const Value& crd) {
  for (const Value& version : crd.At("spec").At("versions").elements()) {
    if (version.At("served").is_true()) return std::string(version.FindText("name"));
  }
  return "";
}

// The names of the objects of a CRD, as "CRD/NAME".
Names ListObjects(kube::client::Client& client, const std::string& crd_name,
                  const std::string& namespace_) {
  Names names;
  const auto crd = client.Get(std::string(kCrdsTarget) + "/" + kube::client::UrlEscape(crd_name));
  const std::string version = crd ? ServedVersion((*crd)->root()) : "";
  const std::size_t dot = crd_name.find('.');
  if (version.empty() || dot == std::string::npos) return names;
  std::string target = "/apis/" + kube::client::UrlEscape(crd_name.substr(dot + 1)) + "/" +
                       kube::client::UrlEscape(version) + "/";
  if (!namespace_.empty() && (*crd)->root().At("spec").FindText("scope") == "Namespaced") {
    target += "namespaces/" + kube::client::UrlEscape(namespace_) + "/";
  }
  for (const std::string& name :
       ListNames(client, target + kube::client::UrlEscape(crd_name.substr(0, dot)))) {
    names.insert(crd_name + "/" + name);
  }
  return names;
}

Names AskCluster(const cli::Completion& completion, cli::CommonOptions options) {
  options.connection.request_timeout = kRequestTimeout;
  options.verbosity = 0;
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options, ClusterAccess::Right::kRead, clock, [](const std::string&) {});
  kube::client::Client& client = cluster.client();
  if (completion.source == cli::CandidateSource::kNamespaces) {
    return ListNames(client, "/api/v1/namespaces");
  }
  const std::size_t slash = completion.typed.find('/');
  if (completion.source == cli::CandidateSource::kCrdsOrObjects && slash != std::string::npos) {
    return ListObjects(client, completion.typed.substr(0, slash), options.connection.namespace_);
  }
  return ListNames(client, kCrdsTarget);
}

template <typename Entry>
Names KeysOf(const std::map<std::string, Entry>& entries) {
  Names names;
  for (const auto& [name, entry] : entries) names.insert(name);
  return names;
}

Names Ask(const cli::Completion& completion) {
  switch (completion.source) {
    case cli::CandidateSource::kNone:
    case cli::CandidateSource::kFiles:
    case cli::CandidateSource::kFolders:
      return {};
    case cli::CandidateSource::kContexts:
    case cli::CandidateSource::kClusters:
    case cli::CandidateSource::kUsers:
    case cli::CandidateSource::kNamespaces:
    case cli::CandidateSource::kCrds:
    case cli::CandidateSource::kCrdsOrObjects:
      break;
  }
  const cli::CommonOptions options =
      cli::ParseCommonOptions(completion.command, completion.words_before);
  if (completion.source >= cli::CandidateSource::kNamespaces)
    return AskCluster(completion, options);
  const kube::client::Kubeconfig kubeconfig =
      kube::client::LoadKubeconfig(options.connection.kubeconfig, kube::base::ProcessEnvironment());
  if (completion.source == cli::CandidateSource::kContexts) return KeysOf(kubeconfig.contexts);
  if (completion.source == cli::CandidateSource::kClusters) return KeysOf(kubeconfig.clusters);
  return KeysOf(kubeconfig.users);
}

bool IsTaken(const std::string& name, const cli::Completion& completion) {
  return std::ranges::find(completion.taken, name) != completion.taken.end();
}

int DirectiveOf(const cli::Completion& completion) {
  if (completion.source == cli::CandidateSource::kFiles) return 0;
  if (completion.source == cli::CandidateSource::kFolders) return kFoldersOnly;
  const bool goes_on = !completion.fixed.empty() &&
                       std::ranges::all_of(completion.fixed, [](const cli::Candidate& c) {
                         return c.text.ends_with('=');
                       });
  return goes_on ? kNoFiles | kNoSpace : kNoFiles;
}

std::string PrintCompletions(const cli::Completion& completion, const Names& names) {
  std::string out;
  for (const cli::Candidate& candidate : completion.fixed) {
    out += completion.before + candidate.text;
    if (!candidate.description.empty()) out += "\t" + candidate.description;
    out += "\n";
  }
  for (const std::string& name : names) {
    if (!name.starts_with(completion.typed) || !cli::IsPlainWord(name)) continue;
    if (!IsTaken(name, completion)) out += completion.before + name + "\n";
  }
  return out + ":" + std::to_string(DirectiveOf(completion)) + "\n";
}

}  // namespace

std::optional<std::span<const std::string>> WordsToComplete(std::span<const std::string> words) {
  if (words.empty() || words[0] != "__complete") return std::nullopt;
  return words.subspan(1);
}

int RunComplete(cli::CommandRows commands, std::span<const std::string> words) {
  BeQuick();
  const cli::Completion completion = cli::Complete(commands, words);
  Names names;
  try {
    names = Ask(completion);
  } catch (const std::exception&) {
    // Whoever presses the tab key asked for names, not for what is wrong with the cluster.
  }
  alarm(0);  // what is late now is not told twice
  terminal::WriteStdout(PrintCompletions(completion, names));
  return 0;
}

}  // namespace plugin::command
