#include "plugin/command/connection_words.h"

#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

void Add(std::string& words, const char* flag, const std::string& value) {
  if (!value.empty()) words.append(" ").append(flag).append(terminal::ShellWord(value));
}

}  // namespace

std::string ImpersonationWords(const kube::client::ConnectionFlags& connection) {
  std::string words;
  Add(words, "--as=", connection.as);
  Add(words, "--as-uid=", connection.as_uid);
  for (const std::string& group : connection.as_groups) Add(words, "--as-group=", group);
  return words;
}

std::string ConnectionWords(const kube::client::ConnectionFlags& connection) {
  std::string words;
  Add(words, "--kubeconfig=", connection.kubeconfig);
  Add(words, "--context=", connection.context);
  Add(words, "--cluster=", connection.cluster);
  Add(words, "--user=", connection.user);
  Add(words, "--server=", connection.server);
  return words + ImpersonationWords(connection);
}

}  // namespace plugin::command
