#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "kube/client/kubeconfig.h"
#include "tests/kube/config/kubeconfig_situations.h"

namespace kube::client {
namespace kubeconfig_test {

TEST_CASE("A pod's service account is used where nothing else is said", "[kube][kubeconfig]") {
  const Texts pod = {{"pod/token", "POD\n"},
                     {"pod/ca.crt", Pem("CERTIFICATE", "pod")},
                     {"pod/namespace", "podns\n"}};
  const Texts variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                           {"KUBERNETES_SERVICE_PORT", "443"}};
  const std::string account = "https://10.0.0.1:443 ca=pod token=POD token-file=DIR/pod/token ";
  Texts with_file = pod;
  with_file.push_back(Cluster(kServer)[0]);
  Texts with_default = pod;
  with_default.push_back(Cluster("server: 'http://localhost:8080'")[0]);
  Texts with_namespace = pod;
  with_namespace.emplace_back("a", Config(kBare, "token: T", "namespace: default"));
  CheckAll({
      {"K6 no kubeconfig", pod, variables, kNone, account + "namespace=podns"},
      {"K6 an IPv6 address",
       pod,
       {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}},
       kNone,
       "https://[fd00::1]:443 ca=pod token=POD token-file=DIR/pod/token namespace=podns"},
      {"K6 a kubeconfig goes first", with_file, variables, kFileA,
       "https://h:1 ca=ca token=T namespace=podns"},
      {"K6 a kubeconfig that says what is the default", with_default, variables, kFileA,
       account + "namespace=podns"},
      {"K6 no port", pod, {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}, kNone, kLocalhost},
      {"K6 no token", {pod[1], pod[2]}, variables, kNone, kLocalhost},
      {"K6 no CA",
       {pod[0]},
       variables,
       kNone,
       "https://10.0.0.1:443 token=POD token-file=DIR/pod/token"},
      {"K6 --token", pod, variables, [](auto& f) { f.token = "X"; },
       "https://10.0.0.1:443 ca=pod token=X namespace=podns"},
      {"K6 --certificate-authority", pod, variables,
       [](auto& f) { f.certificate_authority = "bob.crt"; },
       "https://10.0.0.1:443 ca=bob token=POD token-file=DIR/pod/token namespace=podns"},
      {"K6 --insecure-skip-tls-verify has no effect", pod, variables,
       [](auto& f) { f.insecure_skip_tls_verify = true; }, account + "namespace=podns"},
      {"K6 --as alone keeps the account from being used", pod, variables,
       [](auto& f) { f.as = "bob"; }, "http://localhost:8080 as=bob namespace=podns"},
      {"K6 --server alone needs credentials", pod, variables,
       [](auto& f) { f.server = "https://s"; },
       "error: no credentials for the server https://s: neither a context nor --user names a user"},
      {"K6 --server that is the default", pod, variables,
       [](auto& f) { f.server = "http://localhost:8080"; },
       "http://localhost:8080 namespace=podns"},
      {"K6 --context", pod, variables, [](auto& f) { f.context = "x"; },
       "error: context \"x\" does not exist"},
      {"K7 POD_NAMESPACE",
       pod,
       {variables[0], variables[1], {"POD_NAMESPACE", "env"}},
       kNone,
       account + "namespace=env"},
      {"K7 -n", pod, variables, [](auto& f) { f.namespace_ = "m"; }, account + "namespace=m"},
      {"K7 the context says default", with_namespace, variables,
       [](auto& f) { f.kubeconfig = "a", f.user = "u", f.cluster = "c"; }, "https://h:1 token=T"},
  });
}

// kubectl 1.32 goes to localhost:8080 then.
TEST_CASE("A timeout does not keep a pod from its service account", "[kube][kubeconfig]") {
  CheckAll(
      {{"K6 --request-timeout and --disable-compression",
        {{"pod/token", "POD"}},
        {{"KUBERNETES_SERVICE_HOST", "h"}, {"KUBERNETES_SERVICE_PORT", "1"}},
        [](auto& f) { f.request_timeout = std::chrono::seconds(5), f.disable_compression = true; },
        "https://h:1 token=POD token-file=DIR/pod/token uncompressed"}});
}

}  // namespace kubeconfig_test
}  // namespace kube::client
