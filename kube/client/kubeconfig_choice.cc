#include "kube/client/kubeconfig_choice.h"

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/client/server_address.h"
#include "kube/go/go_format.h"

namespace kube::client {
namespace {

using kube::go::GoQuote;

template <typename T>
void Override(T& value, const T& flag) {
  if (flag != T()) value = flag;
}

// A flag that names what is not there is an error; a context is not.
template <typename Entry>
Entry Find(const std::map<std::string, Entry>& entries, const std::string& name,
           const std::string& flag, std::string_view what) {
  const auto found = entries.find(name);
  if (found != entries.end()) return found->second;
  if (!flag.empty()) throw base::Error(std::string(what) + " " + GoQuote(name) + " does not exist");
  return Entry();
}

void Apply(const ConnectionFlags& flags, KubeconfigContext& context) {
  Override(context.cluster, flags.cluster);
  Override(context.user, flags.user);
  Override(context.namespace_, flags.namespace_);
}

void Apply(const ConnectionFlags& flags, KubeconfigUser& user) {
  Override(user.client_certificate, flags.client_certificate);
  Override(user.client_key, flags.client_key);
  Override(user.token, flags.token);
  Override(user.username, flags.username);
  Override(user.password, flags.password);
  Override(user.impersonation.user, flags.as);
  Override(user.impersonation.uid, flags.as_uid);
  Override(user.impersonation.groups, flags.as_groups);
  for (const auto& [key, values] : flags.as_user_extra) user.impersonation.extra[key] = values;
}

void Apply(const ConnectionFlags& flags, KubeconfigCluster& cluster) {
  Override(cluster.server, flags.server);
  Override(cluster.disable_compression, flags.disable_compression);
  // Both flags say how to trust the server, so what the file says of that is void.
  if (flags.insecure_skip_tls_verify || !flags.certificate_authority.empty()) {
    cluster.insecure_skip_tls_verify = flags.insecure_skip_tls_verify;
    cluster.certificate_authority = flags.certificate_authority;
    cluster.certificate_authority_data.clear();
  }
  // The name in the file is that of the file's server.
  if (!flags.tls_server_name.empty() || !flags.server.empty()) {
    cluster.tls_server_name = flags.tls_server_name;
  }
}

void RefuseMissingContext(const Kubeconfig& kubeconfig, const std::string& name, bool is_flag) {
  if (name.empty() || kubeconfig.contexts.contains(name)) return;
  if (is_flag) throw base::Error("context " + GoQuote(name) + " does not exist");
  throw base::Error("context was not found for specified context: " + name);
}

class Problems {
 public:
  explicit Problems(const KubeconfigChoice& choice) : choice_(choice) {}

  std::vector<std::string> List() {
    CheckUser(choice_.user);
    CheckCluster(choice_.cluster);
    return std::move(problems_);
  }

 private:
  void CheckUser(const KubeconfigUser& user) {
    if (!user.client_certificate.empty() || !user.client_certificate_data.empty()) {
      CheckCertificate(user);
    }
    if (user.exec) CheckExec(*user.exec, user.auth_provider.has_value());
    const std::string& name = choice_.user_name;
    if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
      Add("more than one authentication method found for " + name +
          "; found [token basicAuth], only one is allowed");
    }
    const Impersonation& as = user.impersonation;
    if (as.user.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
      Add("requesting uid, groups or user-extra for " + name + " without impersonating a user");
    }
  }

  void CheckCertificate(const KubeconfigUser& user) {
    const std::string& name = choice_.user_name;
    if (!user.client_certificate.empty() && !user.client_certificate_data.empty()) {
      Add("client-cert-data and client-cert are both specified for " + name +
          ". client-cert-data will override.");
    }
    if (!user.client_key.empty() && !user.client_key_data.empty()) {
      Add("client-key-data and client-key are both specified for " + name +
          "; client-key-data will override");
    }
    if (user.client_key.empty() && user.client_key_data.empty()) {
      Add("client-key-data or client-key must be specified for " + name +
          " to use the clientCert authentication method.");
    }
    CheckFile("client-cert", user.client_certificate, name);
    CheckFile("client-key", user.client_key, name);
  }

  void CheckExec(const ExecConfig& exec, bool has_auth_provider) {
    const std::string& name = choice_.user_name;
    if (has_auth_provider) {
      Add("authProvider cannot be provided in combination with an exec plugin for " + name);
    }
    const auto require = [&](bool is_there, std::string_view what) {
      if (is_there) return;
      Add(std::string(what) + " must be specified for " + name +
          " to use exec authentication plugin");
    };
    require(!exec.command.empty(), "command");
    require(!exec.api_version.empty(), "apiVersion");
    for (const auto& [variable, value] : exec.environment) {
      require(!variable.empty(), "env variable name");
    }
    const std::string& mode = exec.interactive_mode;
    require(!mode.empty(), "interactiveMode");
    if (!mode.empty() && mode != "Never" && mode != "IfAvailable" && mode != "Always") {
      Add("invalid interactiveMode for " + name + ": " + GoQuote(mode));
    }
  }

  void CheckCluster(const KubeconfigCluster& cluster) {
    const std::string& name = choice_.cluster_name;
    if (!cluster.proxy_url.empty()) {
      if (const auto problem = ProxyUrlProblem(cluster.proxy_url)) {
        Add("invalid 'proxy-url' " + GoQuote(WithoutUser(cluster.proxy_url)) + " for cluster " +
            GoQuote(name) + ": " + *problem);
      }
    }
    if (!cluster.certificate_authority.empty() && !cluster.certificate_authority_data.empty()) {
      Add("certificate-authority-data and certificate-authority are both specified for " + name +
          ". certificate-authority-data will override.");
    }
    CheckFile("certificate-authority", cluster.certificate_authority, name);
  }

  void CheckFile(std::string_view field, const std::string& path, const std::string& name) {
    if (path.empty()) return;
    const std::string problem = base::OpenProblem(path);
    if (problem.empty()) return;
    Add("unable to read " + std::string(field) + " " + path + " for " + name + " due to " +
        problem);
  }

  void Add(std::string problem) { problems_.push_back(std::move(problem)); }

  const KubeconfigChoice& choice_;
  std::vector<std::string> problems_;
};

}  // namespace

KubeconfigChoice ChooseFromKubeconfig(const Kubeconfig& kubeconfig, const ConnectionFlags& flags,
                                      const std::string& default_server) {
  const bool is_flag = !flags.context.empty();
  const std::string& context_name = is_flag ? flags.context : kubeconfig.current_context;
  KubeconfigChoice choice;
  const auto context = kubeconfig.contexts.find(context_name);
  if (context != kubeconfig.contexts.end()) {
    choice.context_name = context_name;
    choice.context = context->second;
  }
  Apply(flags, choice.context);
  choice.user_name = choice.context.user;
  choice.cluster_name = choice.context.cluster;
  choice.user = Find(kubeconfig.users, choice.user_name, flags.user, "auth info");
  if (is_flag) RefuseMissingContext(kubeconfig, context_name, is_flag);
  choice.cluster = Find(kubeconfig.clusters, choice.cluster_name, flags.cluster, "cluster");
  RefuseMissingContext(kubeconfig, context_name, is_flag);
  Apply(flags, choice.user);
  Apply(flags, choice.cluster);
  if (choice.cluster.server.empty()) choice.cluster.server = default_server;
  return choice;
}

std::vector<std::string> KubeconfigProblems(const KubeconfigChoice& choice) {
  return Problems(choice).List();
}

}  // namespace kube::client
