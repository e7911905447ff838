#include "kube/client/auth_provider.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "kube/base/base64.h"
#include "kube/base/error.h"
#include "kube/go/go_format.h"
#include "kube/json/json.h"

namespace kube::client {
namespace {

using json::Value;
using kube::go::GoQuote;

// A token that ends within this time is no longer used.
constexpr std::chrono::seconds kExpiryMargin{10};

std::string Setting(const AuthProvider& provider, const std::string& name) {
  const auto found = provider.config.find(name);
  return found == provider.config.end() ? "" : found->second;
}

base::Error NotConnected(const std::string& why) {
  return base::Error("Unable to connect to the server: " + why);
}

base::Error Removed(const std::string& name, const std::string& plugin, const std::string& page) {
  return base::Error("The " + name + " auth plugin has been removed.\nPlease use the " + plugin +
                     " kubectl/client-go credential plugin instead.\nSee " + page +
                     " for further details");
}

std::string PaddedBase64(std::string_view url_encoded) {
  std::string text(url_encoded);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  return text.append((4 - text.size() % 4) % 4, '=');
}

// The middle one of the three parts of a JSON Web Token.
std::string ClaimsOf(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (std::ranges::count(token, '.') != 2) throw NotConnected("ID Token is not a valid JWT");
  auto claims = base::DecodeBase64(PaddedBase64(token.substr(first + 1, last - first - 1)));
  if (!claims) throw NotConnected("ID Token is not a valid JWT: " + claims.error());
  return *std::move(claims);
}

// Seconds since 1970, as a number or in quotes; 0 where the token does not tell.
double ExpiryOf(std::string_view token) {
  json::Document claims;
  // What is wrong is not quoted: it is part of the token.
  if (claims.Parse(ClaimsOf(token)) || !claims.root().is_object()) {
    throw NotConnected("parsing claims: ID Token is not a JSON object");
  }
  const Value* expiry = claims.root().Find("exp");
  if (expiry == nullptr || !(expiry->is_string() || expiry->is_number())) return 0;
  const std::string_view text = expiry->text();
  double seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds;
}

}  // namespace

void CheckAuthProvider(const AuthProvider& provider) {
  if (provider.name == "gcp") {
    throw Removed("gcp", "\"gke-gcloud-auth-plugin\"",
                  "https://cloud.google.com/blog/products/containers-kubernetes/"
                  "kubectl-auth-changes-in-gke");
  }
  if (provider.name == "azure") {
    throw Removed("azure", "https://github.com/Azure/kubelogin",
                  "https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
                  "#client-go-credential-plugins");
  }
  if (provider.name != "oidc") {
    throw base::Error("no Auth Provider found for name " + GoQuote(provider.name) +
                      "; give the user a credential plugin (exec) instead");
  }
  for (const char* setting : {"idp-issuer-url", "client-id"}) {
    if (Setting(provider, setting).empty())
      throw base::Error(std::string("Must provide ") + setting);
  }
}

std::string IdToken(const AuthProvider& provider, const std::string& user_name,
                    std::chrono::sys_seconds now) {
  const std::string token = Setting(provider, "id-token");
  const double end = static_cast<double>((now + kExpiryMargin).time_since_epoch().count());
  if (!token.empty() && end < ExpiryOf(token)) return token;
  if (Setting(provider, "refresh-token").empty()) {
    throw NotConnected("No valid id-token, and cannot refresh without refresh-token");
  }
  throw NotConnected("the id-token of user " + GoQuote(user_name) +
                     " has expired, and only kubectl renews it: run \"kubectl version\" as this "
                     "user, then this command again, or give the user a credential plugin (exec)");
}

}  // namespace kube::client
