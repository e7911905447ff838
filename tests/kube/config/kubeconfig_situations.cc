#include "tests/kube/config/kubeconfig_situations.h"

#include <catch2/catch.hpp>
#include <map>

#include "kube/base/base64.h"
#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace kube::client {
namespace kubeconfig_test {

// The name as a sequence in DER, which is what is looked at of a certificate.
std::string Pem(const std::string& type, const std::string& name) {
  const std::string der = {'\x30', static_cast<char>(name.size())};
  return "-----BEGIN " + type + "-----\n" + base::EncodeBase64(der + name) + "\n-----END " + type +
         "-----\n";
}

std::string Config(const std::string& cluster, const std::string& user, const std::string& context,
                   const std::string& current) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: '" + current +
         "'\nclusters: [{name: c, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" + user +
         "}}]\ncontexts: [{name: x, context: {" + context + "}}]\n";
}

namespace {

// In every folder of a test, beside its own files.
const std::map<std::string, std::string> kPemFiles = {
    {"ca.crt", Pem("CERTIFICATE", "ca")},       {"alice.crt", Pem("CERTIFICATE", "alice")},
    {"alice.key", Pem("PRIVATE KEY", "alice")}, {"bob.crt", Pem("CERTIFICATE", "bob")},
    {"bob.key", Pem("EC PRIVATE KEY", "bob")},
};

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
  return text;
}

std::string Fill(std::string text, const std::string& folder) {
  text = ReplaceAll(text, "DIR", folder);
  for (const auto& [name, pem] : kPemFiles) {
    const std::string short_name = ReplaceAll(ReplaceAll(name, ".crt", ""), ".key", "-key");
    text = ReplaceAll(text, "@" + short_name + "@", base::EncodeBase64(pem));
  }
  return text;
}

std::string Middle(const std::string& pem) {
  const std::size_t start = pem.find('\n') + 1;
  return base::DecodeBase64(pem.substr(start, pem.find('\n', start) - start))->substr(2);
}

std::string DescribeExec(const ExecConfig& exec) {
  std::string text = "exec=" + exec.command;
  for (const std::string& argument : exec.arguments) text += "," + argument;
  for (const auto& [name, value] : exec.environment) text += "," + name + "=" + value;
  text += "," + exec.api_version + "," + exec.interactive_mode;
  if (!exec.install_hint.empty()) text += ",hint:" + exec.install_hint;
  if (exec.provide_cluster_info) text += ",info:" + exec.server;
  return text + exec.cluster_config + " ";
}

std::string DescribeImpersonation(const Impersonation& impersonation) {
  std::string text;
  if (!impersonation.user.empty()) text += "as=" + impersonation.user + " ";
  if (!impersonation.uid.empty()) text += "uid=" + impersonation.uid + " ";
  for (const std::string& group : impersonation.groups) text += "group=" + group + " ";
  for (const auto& [key, values] : impersonation.extra) {
    for (const std::string& value : values) text += "extra." + key + "=" + value + " ";
  }
  return text;
}

// The server, then each field that is not as by default.
std::string Describe(const ConnectionConfig& config) {
  std::string text = config.server + " ";
  const auto add = [&text](const std::string& name, const std::string& value) {
    if (!value.empty()) text += name + "=" + value + " ";
  };
  add("tls-name", config.tls_server_name);
  if (config.insecure_skip_tls_verify) text += "insecure ";
  if (!config.ca_pem.empty()) add("ca", Middle(config.ca_pem));
  if (!config.client_certificate_pem.empty()) add("cert", Middle(config.client_certificate_pem));
  if (!config.client_key_pem.empty()) add("key", Middle(config.client_key_pem));
  add("token", config.token);
  add("token-file", config.token_file);
  add("username", config.username);
  add("password", config.password);
  if (config.exec) text += DescribeExec(*config.exec);
  text += DescribeImpersonation(config.impersonation);
  add("proxy", config.proxy_url);
  if (config.disable_compression) text += "uncompressed ";
  if (config.namespace_ != "default") add("namespace", config.namespace_);
  text.pop_back();
  return text;
}

void MakePaths(ConnectionFlags& flags, const std::string& folder) {
  for (std::string* path : {&flags.kubeconfig, &flags.certificate_authority,
                            &flags.client_certificate, &flags.client_key}) {
    if (!path->empty()) *path = folder + "/" + *path;
  }
}

std::string Load(const Situation& situation) {
  const test_support::TempFolder folder;
  for (const auto& [name, pem] : kPemFiles) folder.Write(name, pem);
  for (const auto& [name, text] : situation.files) folder.Write(name, Fill(text, folder.path()));
  ConnectionFlags flags;
  situation.set_flags(flags);
  MakePaths(flags, folder.path());
  std::map<std::string, std::string> variables = {{"HOME", folder.path() + "/home"}};
  for (const auto& [name, value] : situation.variables) {
    variables[name] = Fill(value, folder.path());
  }
  base::Environment environment;
  environment.variable = [&variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
  environment.service_account_folder = folder.path() + "/pod";
  std::string result;
  try {
    result = Describe(LoadConnection(flags, environment));
  } catch (const base::Error& error) {
    result = std::string("error: ") + error.what();
  }
  return ReplaceAll(result, folder.path(), "DIR");
}

}  // namespace

void CheckAll(const std::vector<Situation>& situations) {
  for (const Situation& situation : situations) {
    INFO(situation.name);
    CHECK(Load(situation) == situation.expected);
  }
}

}  // namespace kubeconfig_test
}  // namespace kube::client
