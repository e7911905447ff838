#include "kube/client/kubeconfig_file.h"

#include <filesystem>

#include "kube/base/base64.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/client/server_address.h"
#include "kube/go/go_format.h"
#include "kube/json/json.h"
#include "kube/meta/typed_reader.h"
#include "kube/yaml/yaml.h"

namespace kube::client {
namespace {

using json::Value;
using kube::go::GoQuote;
using kube::meta::GoType;
using kube::meta::TypedReader;

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

/// Reads the Go types of clientcmd's api/v1 out of JSON values.
class Reader {
 public:
  explicit Reader(const std::string& folder) : folder_(folder) {}

  Kubeconfig ReadConfig(const Value& value) {
    Kubeconfig config;
    ReadField(value, "Config", "current-context", config.current_context);
    ReadNamed(value, {"clusters", "NamedCluster", "cluster", "Cluster"}, config.clusters);
    ReadNamed(value, {"users", "NamedAuthInfo", "user", "AuthInfo"}, config.users);
    ReadNamed(value, {"contexts", "NamedContext", "context", "Context"}, config.contexts);
    CheckPreferences(value);
    CheckExtensions(value, "Config");
    return config;
  }

  const std::optional<TypedReader::Error>& error() const { return typed_.error(); }

 private:
  /// A list of the root, and what its elements are called.
  struct NamedList {
    std::string_view field, element_type, member, member_type;
  };

  template <typename Entry>
  void ReadNamed(const Value& root, const NamedList& list, std::map<std::string, Entry>& entries) {
    ReadList(root, "Config", list.field, list.element_type, [&](const Value& element) {
      std::string name;
      ReadField(element, list.element_type, "name", name);
      Entry entry;
      ReadStruct(element, list, entry);
      // client-go prints the whole list, secrets and all.
      if (!entries.emplace(name, std::move(entry)).second) {
        typed_.Refuse("duplicate name " + GoQuote(name));
      }
    });
  }

  template <typename Entry>
  void ReadStruct(const Value& element, const NamedList& list, Entry& entry) {
    const Value* value = element.Find(list.member);
    if (!value) return;
    const TypedReader::Step step(typed_, list.element_type, list.member);
    if (typed_.ExpectObject(*value, GoType::Api(list.member_type))) Read(*value, entry);
  }

  template <typename ReadElement>
  void ReadList(const Value& object, std::string_view type, std::string_view name,
                std::string_view element_type, const ReadElement& read) {
    const Value* list = object.Find(name);
    if (!list) return;
    const TypedReader::Step into_list(typed_, type, name);
    if (!typed_.ExpectArray(*list, GoType::Api(element_type, "[]"))) return;
    for (std::size_t i = 0; i < list->size() && !typed_.ended(); ++i) {
      const TypedReader::Step into_element(typed_, i);
      const Value& element = list->elements()[i];
      // null is an element without any field.
      if (!element.is_null() && !typed_.ExpectObject(element, GoType::Api(element_type))) continue;
      read(element);
    }
  }

  void Read(const Value& value, KubeconfigCluster& cluster) {
    constexpr std::string_view kType = "Cluster";
    ReadField(value, kType, "server", cluster.server);
    ReadField(value, kType, "tls-server-name", cluster.tls_server_name);
    ReadField(value, kType, "insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
    ReadPath(value, kType, "certificate-authority", cluster.certificate_authority);
    ReadData(value, kType, "certificate-authority-data", cluster.certificate_authority_data);
    ReadField(value, kType, "proxy-url", cluster.proxy_url);
    ReadField(value, kType, "disable-compression", cluster.disable_compression);
    ReadList(value, kType, "extensions", "NamedExtension", [&](const Value& extension) {
      std::string name;
      ReadField(extension, "NamedExtension", "name", name);
      const Value* content = extension.Find("extension");
      if (content && name == kExecExtension) cluster.exec_extension = json::Print(*content);
    });
  }

  void Read(const Value& value, KubeconfigUser& user) {
    constexpr std::string_view kType = "AuthInfo";
    ReadPath(value, kType, "client-certificate", user.client_certificate);
    ReadData(value, kType, "client-certificate-data", user.client_certificate_data);
    ReadPath(value, kType, "client-key", user.client_key);
    ReadData(value, kType, "client-key-data", user.client_key_data);
    ReadField(value, kType, "token", user.token);
    ReadPath(value, kType, "tokenFile", user.token_file);
    ReadField(value, kType, "username", user.username);
    ReadField(value, kType, "password", user.password);
    ReadField(value, kType, "as", user.impersonation.user);
    ReadField(value, kType, "as-uid", user.impersonation.uid);
    ReadField(value, kType, "as-groups", user.impersonation.groups);
    CheckExtensions(value, kType);
    ReadExtra(value, user.impersonation.extra);
    ReadAuthProvider(value, user);
    ReadExec(value, user);
  }

  void Read(const Value& value, KubeconfigContext& context) {
    ReadField(value, "Context", "cluster", context.cluster);
    ReadField(value, "Context", "user", context.user);
    ReadField(value, "Context", "namespace", context.namespace_);
    CheckExtensions(value, "Context");
  }

  // Nothing in them matters here, but kubectl refuses a file in which they are something else.
  void CheckPreferences(const Value& root) {
    const Value* preferences = root.Find("preferences");
    if (!preferences) return;
    const TypedReader::Step step(typed_, "Config", "preferences");
    if (!typed_.ExpectObject(*preferences, GoType::Api("Preferences"))) return;
    bool colors = false;
    ReadField(*preferences, "Preferences", "colors", colors);
    CheckExtensions(*preferences, "Preferences");
  }

  void CheckExtensions(const Value& object, std::string_view type) {
    ReadList(object, type, "extensions", "NamedExtension", [&](const Value& extension) {
      std::string name;
      ReadField(extension, "NamedExtension", "name", name);
    });
  }

  void ReadExtra(const Value& user, std::map<std::string, std::vector<std::string>>& extra) {
    const Value* map = user.Find("as-user-extra");
    if (!map) return;
    const TypedReader::Step into_map(typed_, "AuthInfo", "as-user-extra");
    if (!typed_.ExpectObject(*map, "map[string][]string")) return;
    for (const json::Member& member : map->members()) {
      const TypedReader::Step into_list(typed_, member.key.text());
      typed_.Read(member.value, extra[std::string(member.key.text())]);
    }
  }

  void ReadAuthProvider(const Value& value, KubeconfigUser& user) {
    const Value* provider = value.Find("auth-provider");
    if (!provider || provider->is_null()) return;
    const TypedReader::Step step(typed_, "AuthInfo", "auth-provider");
    if (!typed_.ExpectObject(*provider, GoType::Api("AuthProviderConfig"))) return;
    AuthProvider& read = user.auth_provider.emplace();
    ReadField(*provider, "AuthProviderConfig", "name", read.name);
    const Value* config = provider->Find("config");
    if (!config) return;
    const TypedReader::Step into_config(typed_, "AuthProviderConfig", "config");
    if (!typed_.ExpectObject(*config, "map[string]string")) return;
    for (const json::Member& member : config->members()) {
      typed_.Read(member.value, read.config[std::string(member.key.text())]);
    }
  }

  void ReadExec(const Value& value, KubeconfigUser& user) {
    const Value* exec = value.Find("exec");
    if (!exec || exec->is_null()) return;
    const TypedReader::Step step(typed_, "AuthInfo", "exec");
    if (!typed_.ExpectObject(*exec, GoType::Api("ExecConfig"))) return;
    Read(*exec, user.exec.emplace());
  }

  void Read(const Value& value, ExecConfig& exec) {
    constexpr std::string_view kType = "ExecConfig";
    ReadField(value, kType, "command", exec.command);
    // A bare name is looked up in $PATH.
    if (exec.command.find('/') != std::string::npos) exec.command = Resolve(exec.command);
    ReadField(value, kType, "args", exec.arguments);
    ReadList(value, kType, "env", "ExecEnvVar", [&](const Value& variable) {
      auto& [name, content] = exec.environment.emplace_back();
      ReadField(variable, "ExecEnvVar", "name", name);
      ReadField(variable, "ExecEnvVar", "value", content);
    });
    ReadField(value, kType, "apiVersion", exec.api_version);
    ReadField(value, kType, "installHint", exec.install_hint);
    ReadField(value, kType, "provideClusterInfo", exec.provide_cluster_info);
    ReadField(value, kType, "interactiveMode", exec.interactive_mode);
    const bool is_beta = exec.api_version == "client.authentication.k8s.io/v1beta1" ||
                         exec.api_version == "client.authentication.k8s.io/v1alpha1";
    if (exec.interactive_mode.empty() && is_beta) exec.interactive_mode = "IfAvailable";
  }

  template <typename T>
  void ReadField(const Value& object, std::string_view type, std::string_view name, T& out) {
    const Value* value = object.Find(name);
    if (!value) return;
    const TypedReader::Step step(typed_, type, name);
    typed_.Read(*value, out);
  }

  void ReadPath(const Value& object, std::string_view type, std::string_view name,
                std::string& path) {
    ReadField(object, type, name, path);
    if (!path.empty()) path = Resolve(path);
  }

  // []byte: base64 in JSON.
  void ReadData(const Value& object, std::string_view type, std::string_view name,
                std::string& data) {
    const Value* value = object.Find(name);
    if (!value) return;
    const TypedReader::Step step(typed_, type, name);
    std::string text;
    typed_.Read(*value, text, "[]uint8");
    auto decoded = base::DecodeBase64(text);
    if (!decoded) return typed_.Refuse(decoded.error());
    data = *std::move(decoded);
  }

  std::string Resolve(const std::string& path) const {
    return (folder_ / path).lexically_normal().string();
  }

  std::filesystem::path folder_;
  TypedReader typed_{"v1"};
};

std::optional<std::string> TextAt(const Value& root, std::string_view name) {
  const Value* value = root.Find(name);
  if (!value || value->is_null()) return "";
  if (!value->is_string()) return std::nullopt;
  return std::string(value->text());
}

// A kubeconfig may leave out apiVersion and kind, but no other may stand there.
std::optional<std::string> TypeProblem(const Value& root) {
  if (!root.is_object()) {
    return "a kubeconfig must be an object, not of type " +
           std::string(json::TypeName(root.type()));
  }
  const std::optional<std::string> version = TextAt(root, "apiVersion");
  const std::optional<std::string> kind = TextAt(root, "kind");
  if (!version || !kind) return "apiVersion and kind must be strings";
  if ((version->empty() || *version == "v1") && (kind->empty() || *kind == "Config")) {
    return std::nullopt;
  }
  return "no kind " + GoQuote(kind->empty() ? "Config" : *kind) + " is registered for version " +
         GoQuote(version->empty() ? "v1" : *version) + "; a kubeconfig is of kind Config, v1";
}

// What is quoted may be part of a password: `password: *abc` is an alias, for YAML.
std::string WithoutContent(std::string_view message) {
  constexpr std::string_view kAnchor = "anchor '";
  if (const std::size_t anchor = message.find(kAnchor); anchor != message.npos) {
    const std::size_t end = message.rfind('\'');
    return std::string(message.substr(0, anchor + kAnchor.size() - 2))
        .append(message.substr(end + 1));
  }
  const std::size_t quote = message.find(" `");
  return std::string(message.substr(0, quote));
}

std::string DescribeParseError(const yaml::ParseError& error) {
  std::string text = "line " + std::to_string(error.line);
  if (error.column > 0) text += ", column " + std::to_string(error.column);
  return text + ": " + WithoutContent(error.message);
}

}  // namespace

base::Result<Kubeconfig, std::string> ParseKubeconfig(std::string_view text,
                                                      const std::string& folder) {
  json::Document document;
  if (const auto error = yaml::Parse(text, 1, document))
    return base::Unexpected(DescribeParseError(*error));
  if (document.root().is_null()) return Kubeconfig();
  if (auto problem = TypeProblem(document.root())) return base::Unexpected(*std::move(problem));
  Reader reader(folder);
  Kubeconfig config = reader.ReadConfig(document.root());
  if (reader.error())
    return base::Unexpected(reader.error()->path + ": " + reader.error()->message);
  return config;
}

namespace {

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
