#include "plugin/command/serving_options.h"

#include <algorithm>
#include <utility>

#include "plugin/cli/common_flags.h"

namespace plugin::command {
namespace {

constexpr std::pair<std::string_view, Reachable> kReaches[] = {
    {"auto", Reachable::kAuto},         {"k3d", Reachable::kK3d},
    {"minikube", Reachable::kMinikube}, {"plain", Reachable::kPlain},
    {"service", Reachable::kService},
};

Reachable ParseReach(const cli::FlagSet& flags, const std::string& text) {
  if (text.empty()) return Reachable::kAuto;
  for (const auto& [name, kind] : kReaches) {
    if (name == text) return kind;
  }
  flags.Refuse("invalid --reach value (" + text +
               "), must be \"auto\", \"plain\", \"k3d\", \"minikube\" or \"service\"");
}

// NAME.NAMESPACE.svc, as a certificate for it has to be.
bool IsServiceHost(const std::string& host) {
  return host.ends_with(".svc") && std::ranges::count(host, '.') == 2 && host.front() != '.';
}

void RequireWith(const cli::FlagSet& flags, const std::string& given, const std::string& name,
                 const std::string& other, const std::string& other_name) {
  if (!given.empty() && other.empty()) flags.Refuse(name + " needs " + other_name);
}

void AddCertificateFlags(cli::FlagSet& flags, ServingOptions& options) {
  using cli::CandidateSource;
  flags.String("cert-file", options.cert_file, CandidateSource::kFiles, R"(
        The certificate to serve with (PEM); without it a self-signed one is made. It is read again
        when it changes, as are the files of --key-file, --ca-file and --client-ca-file.)");
  flags.String("key-file", options.key_file, CandidateSource::kFiles, R"(
        The key of --cert-file (PEM).)");
  flags.String("key-password", options.key_password, R"(
        The password of --key-file, if it is encrypted. Others on this machine may see it.)");
  flags.String("ca-file", options.ca_file, CandidateSource::kFiles, R"(
        The certificates (PEM) that verify that of --cert-file for the API server. Without it, its
        own authorities count. With --url give --ca-bundle-file instead.)");
  flags.String("client-ca-file", options.client_ca_file, CandidateSource::kFiles, R"(
        Answer only who shows a certificate that one of these authorities (PEM) has signed. An API
        server shows one only if its --admission-control-config-file says so.)");
  flags.Strings("extra-san", options.extra_sans, R"(
        Further names and addresses in the self-signed certificate.)");
  flags.String("ca-dump", options.ca_dump, CandidateSource::kFiles, R"(
        Write the authority of the self-signed certificate (PEM) to this file.)");
  flags.Bool("insecure", options.insecure, R"(
        Serve HTTP, to look at it or behind what does HTTPS.)");
}

}  // namespace

void AddServingFlags(cli::FlagSet& flags, ServingOptions& options) {
  flags.String("addr", options.address, R"(
        The IP address of this machine to listen at; empty listens at all.)");
  flags.Int("port", options.port, R"(
        The port to listen at; 0 is any free one.)");
  flags.String("host", options.host, R"(
        The host name at which the API server reaches this machine. With --reach=service: the name
        of a Service as NAME.NAMESPACE.svc.)");
  AddCertificateFlags(flags, options);
  cli::Flag& reach = flags.Text(
      "reach", "'auto'", [](const std::string&) {}, R"(
        How the API server reaches this machine: plain (by --host, or --addr, or as localhost), k3d,
        minikube, service (by a Service: see --host), or auto (k3d, minikube and Docker Desktop are
        recognised by the API server's certificate; else plain).)");
  for (const auto& [name, kind] : kReaches) reach.values.push_back(name);
  flags.String("url", options.url, R"(
        The URL at which the API server reaches this machine, of a tunnel say. What verifies its
        certificate is given with --ca-bundle-file.)");
  flags.String("ca-bundle-file", options.ca_bundle_file, cli::CandidateSource::kFiles, R"(
        The certificates (PEM) that verify that of --url for the API server. Without it, its own
        authorities count.)");
  flags.String("managed", options.managed, R"(
        The name of the webhook configurations to keep, with a dot in it. Needs the right to get,
        create and patch them.)");
}

std::vector<std::string> ServingFlagNames() {
  cli::FlagSet flags("");
  ServingOptions options;
  AddServingFlags(flags, options);
  std::vector<std::string> names;
  for (const cli::Flag& flag : flags.flags()) names.push_back(flag.name);
  return names;
}

void FinishServing(const cli::FlagSet& flags, ServingOptions& options) {
  const std::string reach = flags.TextOf("reach");
  options.reach = ParseReach(flags, reach);
  cli::RequirePort(flags, "--port", options.port);
  RequireWith(flags, options.cert_file, "--cert-file", options.key_file, "--key-file");
  RequireWith(flags, options.key_file, "--key-file", options.cert_file, "--cert-file");
  const bool has_files = !options.cert_file.empty();
  RequireWith(flags, options.ca_file, "--ca-file", options.cert_file, "--cert-file");
  RequireWith(flags, options.key_password, "--key-password", options.key_file, "--key-file");
  if (!options.ca_file.empty() && !options.url.empty()) {
    flags.Refuse(
        "--ca-file and --url cannot be specified together: what verifies the "
        "certificate of --url is given with --ca-bundle-file");
  }
  flags.RefuseBoth(has_files, "--cert-file", !options.ca_dump.empty(), "--ca-dump");
  flags.RefuseBoth(has_files, "--cert-file", !options.extra_sans.empty(), "--extra-san");
  flags.RefuseBoth(options.insecure, "--insecure", has_files, "--cert-file");
  flags.RefuseBoth(options.insecure, "--insecure", !options.client_ca_file.empty(),
                   "--client-ca-file");
  // What ends TLS before us, as a tunnel does, may well speak HTTP to us.
  if (options.insecure && options.url.empty() && !options.managed.empty()) {
    flags.Refuse(
        "--insecure and --managed cannot be specified together without --url: an API "
        "server asks by HTTPS alone");
  }
  if (!options.url.empty() && !options.url.starts_with("https://")) {
    flags.Invalid("--url", options.url, "must begin with https://");
  }
  flags.RefuseBoth(!options.url.empty(), "--url", !options.host.empty(), "--host");
  flags.RefuseBoth(!options.url.empty(), "--url", !reach.empty(), "--reach");
  if (!options.ca_bundle_file.empty() && options.url.empty()) {
    flags.Refuse(
        "--ca-bundle-file needs --url: what verifies the certificate of --cert-file "
        "is given with --ca-file");
  }
  if (options.reach == Reachable::kService && !IsServiceHost(options.host)) {
    flags.Refuse("--reach=service needs --host=NAME.NAMESPACE.svc");
  }
}

}  // namespace plugin::command
