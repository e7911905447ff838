#include "plugin/cli/command_flags.h"

namespace plugin::cli {
namespace {

void AddServerFlags(FlagSet& flags, kube::client::ConnectionFlags& connection) {
  flags.String("server", 's', connection.server);
  flags.String("tls-server-name", 0, connection.tls_server_name);
  flags.String("certificate-authority", 0, connection.certificate_authority);
  flags.Bool("insecure-skip-tls-verify", 0, connection.insecure_skip_tls_verify);
  flags.Bool("disable-compression", 0, connection.disable_compression);
}

void AddUserFlags(FlagSet& flags, kube::client::ConnectionFlags& connection) {
  flags.String("client-certificate", 0, connection.client_certificate);
  flags.String("client-key", 0, connection.client_key);
  flags.String("token", 0, connection.token);
  flags.String("username", 0, connection.username);
  flags.String("password", 0, connection.password);
  flags.String("as", 0, connection.as);
  flags.String("as-uid", 0, connection.as_uid);
  flags.Array("as-group", 0, connection.as_groups);
}

void AddConnectionFlags(FlagSet& flags, kube::client::ConnectionFlags& connection, RawValues& raw) {
  flags.String("kubeconfig", 0, connection.kubeconfig);
  flags.String("context", 0, connection.context);
  flags.String("cluster", 0, connection.cluster);
  flags.String("user", 0, connection.user);
  flags.String("namespace", 'n', connection.namespace_);
  flags.String("request-timeout", 0, raw.request_timeout);
  flags.String("cache-dir", 0, raw.ignored.cache_dir);
  AddServerFlags(flags, connection);
  AddUserFlags(flags, connection);
  flags.Array("as-user-extra", 0, raw.as_user_extra);
}

}  // namespace

void AddCommonFlags(FlagSet& flags, CommonOptions& options, RawValues& raw) {
  AddConnectionFlags(flags, options.connection, raw);
  flags.Bool("help", 'h', raw.help);
  flags.Int("v", 'v', options.verbosity);
  flags.Bool("match-server-version", 0, options.match_server_version);
  flags.Bool("warnings-as-errors", 0, options.warnings_as_errors);
  flags.String("profile", 0, raw.profile);
  flags.String("profile-output", 0, raw.ignored.profile_output);
  flags.String("log-flush-frequency", 0, raw.ignored.log_flush_frequency);
  flags.String("vmodule", 0, raw.ignored.vmodule);
}

void AddPatienceFlag(FlagSet& flags, RawValues& raw) {
  raw.patience = "2m";
  flags.String("patience", 0, raw.patience);
}

void AddReportFlags(FlagSet& flags, RawValues& raw) {
  flags.String("output", 'o', raw.output);
  flags.Bool("allow-missing-template-keys", 0, raw.allow_missing_keys);
}

void AddInputFlags(FlagSet& flags, InputOptions& options) {
  flags.Strings("filename", 'f', options.filenames);
  flags.Bool("recursive", 'R', options.recursive);
  flags.Bool("local", 0, options.local);
}

void AddObjectFlags(FlagSet& flags, ObjectOptions& options, RawValues& raw) {
  flags.Bool("all-namespaces", 'A', raw.all_namespaces);
  flags.String("selector", 'l', options.selector);
  flags.String("field-selector", 0, options.field_selector);
  flags.Int64("chunk-size", 0, options.chunk_size);
}

}  // namespace plugin::cli
