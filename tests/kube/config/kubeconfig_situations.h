#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kube/client/kubeconfig.h"

namespace kube::client {
/// What the tests of LoadConnection share.
namespace kubeconfig_test {

/// Files, or variables, with their texts. DIR is the folder with the files, and @ca@ the base64 of
/// ca.crt.
using Texts = std::vector<std::pair<std::string, std::string>>;
using SetFlags = void (*)(ConnectionFlags&);

/// What is asked of LoadConnection, and what it has to say.
struct Situation {
  std::string name;
  Texts files;  ///< beside ca.crt, alice.crt, alice.key, bob.crt and bob.key
  Texts variables;
  SetFlags set_flags;  ///< the paths in flags are relative to the folder
  /// The server, then each field that is not as by default; or "error: " and the text. DIR stands
  /// for the folder here too.
  std::string expected;
};

/// Loads the connection of each and compares it with what is expected: what kubectl 1.32 does,
/// whose requests a server on loopback printed.
void CheckAll(const std::vector<Situation>& situations);

constexpr SetFlags kFileA = [](ConnectionFlags& flags) { flags.kubeconfig = "a"; };
constexpr SetFlags kNone = [](ConnectionFlags&) {};

/// A PEM block that bears the name, which `expected` shows.
std::string Pem(const std::string& type, const std::string& name);

/// A kubeconfig with context x of cluster c and user u, the fields in YAML's flow style.
std::string Config(const std::string& cluster, const std::string& user,
                   const std::string& context = "cluster: c, user: u",
                   const std::string& current = "x");

inline const std::string kServer = "server: 'https://h:1', certificate-authority: ca.crt";
inline const std::string kBare = "server: 'https://h:1'";
inline const std::string kHttp = "server: 'http://h:1'";

/// The file a, with this cluster and a user with the token T.
inline Texts Cluster(const std::string& cluster) { return {{"a", Config(cluster, "token: T")}}; }
/// The file a, with this user of kServer.
inline Texts User(const std::string& user) { return {{"a", Config(kServer, user)}}; }

/// Where kubectl goes that knows of no server.
inline const std::string kLocalhost = "http://localhost:8080";

}  // namespace kubeconfig_test
}  // namespace kube::client
