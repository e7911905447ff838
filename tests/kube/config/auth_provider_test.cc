#include <catch2/catch.hpp>
#include <string>

#include "kube/base/base64.h"
#include "kube/base/result.h"
#include "kube/client/kubeconfig.h"

namespace kube::client {
namespace {

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'000'000'000)};

// In the alphabet of URLs, without padding.
std::string Token(const std::string& claims) {
  std::string text = base::EncodeBase64(claims);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return "head." + text + ".signature";
}

AuthProvider Oidc(const std::string& id_token, const std::string& refresh_token = "") {
  return {"oidc",
          {{"idp-issuer-url", "https://idp.example.com"},
           {"client-id", "kubectl"},
           {"id-token", id_token},
           {"refresh-token", refresh_token}}};
}

std::string ErrorOf(const AuthProvider& provider) {
  try {
    CheckAuthProvider(provider);
    IdToken(provider, "me", kNow);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("K4: an oidc provider's id-token is used while it is valid", "[kube][auth_provider]") {
  for (const char* claims : {R"({"exp":1000000011})", R"({"exp":1000000010.5})",
                             R"({"exp":"1e10"})", R"({"sub":"\u00fc?>~","exp":4102444800})"}) {
    CAPTURE(claims);
    CHECK(IdToken(Oidc(Token(claims)), "me", kNow) == Token(claims));
  }
}

TEST_CASE("K4: an id-token that cannot be used is an error without the token",
          "[kube][auth_provider]") {
  const std::string start = "Unable to connect to the server: ";
  for (const std::string& token : {std::string(), Token(R"({"exp":1000000010})"), Token("{}"),
                                   Token(R"({"exp":null})"), Token(R"({"exp":"soon"})")}) {
    CAPTURE(token);
    CHECK(ErrorOf(Oidc(token)) ==
          start + "No valid id-token, and cannot refresh without refresh-token");
    CHECK(ErrorOf(Oidc(token, "SECRET")) ==
          start +
              "the id-token of user \"me\" has expired, and only kubectl renews it: run "
              "\"kubectl version\" as this user, then this command again, or give the user a "
              "credential plugin (exec)");
  }
  for (const char* token : {"SECRET", "SECRET.SECRET", "a.b.c.d"}) {
    CHECK(ErrorOf(Oidc(token)) == start + "ID Token is not a valid JWT");
  }
  CHECK(ErrorOf(Oidc("a.***.c")) ==
        start + "ID Token is not a valid JWT: illegal base64 data at input byte 0");
  CHECK(ErrorOf(Oidc(Token("[]"))) == start + "parsing claims: ID Token is not a JSON object");
  CHECK(ErrorOf(Oidc(Token("SECRET"))) == start + "parsing claims: ID Token is not a JSON object");
}

TEST_CASE("K4: a provider that kubectl does not have any more names what is there instead",
          "[kube][auth_provider]") {
  CHECK(ErrorOf({"gcp", {}})
            .starts_with("The gcp auth plugin has been removed.\nPlease use the "
                         "\"gke-gcloud-auth-plugin\" kubectl/client-go"));
  CHECK(ErrorOf({"azure", {}}).starts_with("The azure auth plugin has been removed.\n"));
  CHECK(ErrorOf({"", {}}).starts_with("no Auth Provider found for name \"\""));
  CHECK(ErrorOf({"oidc", {}}) == "Must provide idp-issuer-url");
  CHECK(ErrorOf({"oidc", {{"idp-issuer-url", "x"}}}) == "Must provide client-id");
}

}  // namespace
}  // namespace kube::client
