#include <string>

#include "kube/base/result.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/kubeconfig_file.h"
#include "kube/client/pem.h"
#include "kube/client/server_address.h"
#include "tests/fuzz/fuzz.h"

namespace {

/// What is made of single values of it: a token or an error, certificates, a proxy.
void ReadValues(const kube::client::KubeconfigChoice& choice) {
  if (const auto problem = kube::client::ProxyUrlProblem(choice.cluster.proxy_url)) {
    fuzz::Require(!problem->empty());
  }
  const std::string usable =
      kube::client::UsableCertificates(choice.cluster.certificate_authority_data);
  fuzz::Require(kube::client::UsableCertificates(usable) == usable);
  const auto& provider = choice.user.auth_provider;
  if (!provider) return;
  kube::client::CheckAuthProvider(*provider);
  kube::client::IdToken(*provider, choice.user_name, {});
}

}  // namespace

// Any text is a kubeconfig or an error, and whatever is chosen from one has a server to go to.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::Text(data, size));
  const auto kubeconfig = kube::client::ParseKubeconfig(text, "/none");
  if (!kubeconfig) return 0;
  try {
    const auto choice =
        kube::client::ChooseFromKubeconfig(*kubeconfig, {}, "http://localhost:8080");
    kube::client::KubeconfigProblems(choice);
    const kube::client::ServerAddress server =
        kube::client::ParseServerAddress(choice.cluster.server);
    const bool is_http = server.url.starts_with("http://") || server.url.starts_with("https://");
    fuzz::Require(is_http && !server.url.ends_with('/'));
    const std::size_t host = server.url.find("//") + 2;
    // A user may not be left in it; the path may hold any "@".
    const std::size_t path = server.url.find('/', host);
    fuzz::Require(server.url.substr(0, path).find('@') == std::string::npos);
    ReadValues(choice);
  } catch (const kube::base::Error&) {
    return 0;
  }
  return 0;
}
