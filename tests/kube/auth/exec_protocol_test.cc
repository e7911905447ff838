#include <catch2/catch.hpp>

#include "kube/client/exec_credentials.h"

namespace kube::client {
namespace {

const std::string kV1 = "client.authentication.k8s.io/v1";
const std::string kBeta = "client.authentication.k8s.io/v1beta1";

ConnectionConfig Config(const std::string& api_version) {
  ConnectionConfig config;
  config.exec = ExecConfig{};
  config.exec->api_version = api_version;
  config.exec->server = "https://127.0.0.1:18443/";
  return config;
}

/// An answer of v1 with this status.
std::string Answer(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
         status + "}";
}

ExecCredential Read(const std::string& output, const std::string& api_version = kV1) {
  const auto credential = ReadExecCredential(output, api_version);
  INFO(output);
  REQUIRE(credential);
  return *credential;
}

std::string ErrorOf(const std::string& output) {
  const auto credential = ReadExecCredential(output, kV1);
  INFO(output);
  REQUIRE_FALSE(credential);
  CHECK(credential.error().find("SECRET") == std::string::npos);
  return credential.error();
}

// What kubectl 1.32.4 sent to a plugin that kept it.
TEST_CASE("X2: a plugin is told what kubectl tells it", "[kube][exec]") {
  CHECK(ExecInfo(Config(kV1), false) ==
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"spec\":{"
        "\"interactive\":false}}\n");
  CHECK(ExecInfo(Config(kBeta), true) ==
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\","
        "\"spec\":{\"interactive\":true}}\n");
}

TEST_CASE("X2: a plugin that wants it is told of the cluster", "[kube][exec]") {
  ConnectionConfig config = Config(kV1);
  config.exec->provide_cluster_info = true;
  const std::string start =
      "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"spec\":{"
      "\"cluster\":{\"server\":\"https://127.0.0.1:18443/\",";
  SECTION("all there is") {
    config.tls_server_name = "localhost";
    config.ca_pem = "-----BEGIN";
    config.disable_compression = true;
    config.exec->cluster_config =
        R"({"a":null,"b":[1,"\u003cx\u003e",1,1000,12345678901234567890]})";
    CHECK(ExecInfo(config, false) ==
          start +
              "\"tls-server-name\":\"localhost\",\"certificate-authority-data\":"
              "\"LS0tLS1CRUdJTg==\",\"disable-compression\":true,\"config\":{\"a\":null,\"b\":[1,"
              "\"\\u003cx\\u003e\",1,1000,12345678901234567890]}},\"interactive\":false}}\n");
  }
  SECTION("no verification, a proxy") {
    config.insecure_skip_tls_verify = true;
    config.proxy_url = "http://me:pw@127.0.0.1:1";
    CHECK(ExecInfo(config, true) ==
          start +
              "\"insecure-skip-tls-verify\":true,\"proxy-url\":\"http://me:pw@127.0.0.1:1\","
              "\"config\":null},\"interactive\":true}}\n");
  }
  SECTION("an extension that is no object") {
    config.exec->cluster_config = "5";
    CHECK(ExecInfo(config, false) == start + "\"config\":5},\"interactive\":false}}\n");
  }
}

TEST_CASE("X3: a token, a certificate with its key, or both", "[kube][exec]") {
  CHECK(Read(Answer(R"({"token":"t"})")) == ExecCredential{"t", {}, {}});
  const std::string pair =
      R"("clientCertificateData":"-----BEGIN CERTIFICATE-----\nc","clientKeyData":"-----BEGIN EC PRIVATE KEY-----\nk")";
  const ClientCertificate certificate{"-----BEGIN CERTIFICATE-----\nc",
                                      "-----BEGIN EC PRIVATE KEY-----\nk"};
  CHECK(Read(Answer("{" + pair + "}")) == ExecCredential{"", certificate, {}});
  CHECK(Read(Answer(R"({"token":"t",)" + pair + "}")) == ExecCredential{"t", certificate, {}});
}

TEST_CASE("X3: the version must be the kubeconfig's", "[kube][exec]") {
  const std::string beta =
      R"({"kind":"ExecCredential","apiVersion":")" + kBeta + R"(","status":{"token":"SECRET"}})";
  CHECK(Read(beta, kBeta).token == "SECRET");
  CHECK(ErrorOf(beta) ==
        "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin "
        "returned version client.authentication.k8s.io/v1beta1");
  CHECK(ErrorOf(R"({"kind":"ExecCredential","apiVersion":"foo/v1","status":{"token":"SECRET"}})") ==
        "decoding stdout: no kind \"ExecCredential\" is registered for version \"foo/v1\"");
  CHECK(ErrorOf(R"({"kind":"Foo","apiVersion":")" + kV1 + R"(","status":{"token":"SECRET"}})") ==
        "decoding stdout: no kind \"Foo\" is registered for version "
        "\"client.authentication.k8s.io/v1\"");
  for (const char* nothing :
       {"", "null", R"({"kind":"ExecCredential","status":{"token":"SECRET"}})"}) {
    CHECK(ErrorOf(nothing) ==
          "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin "
          "returned version client.authentication.k8s.io/__internal");
  }
}

TEST_CASE("X3: what kubectl takes beside that", "[kube][exec]") {
  CHECK(Read(R"({"apiVersion":")" + kV1 + R"(","status":{"token":"t"}})").token == "t");
  CHECK(Read(R"({"kind":"","apiVersion":")" + kV1 + R"(","status":{"token":"t"}})").token == "t");
  CHECK(Read("kind: ExecCredential\napiVersion: " + kV1 + "\nstatus: {token: yam}\n").token ==
        "yam");
  CHECK(Read(Answer(R"({"token":" t ","more":1},"x":2)")).token == " t ");
  CHECK(Read(Answer(R"({"token":"a"},"status":{"token":"b"})")).token == "b");
  CHECK(Read("\xEF\xBB\xBF" + Answer(R"({"token":"t"})")).token == "t");
}

TEST_CASE("X3: an answer of no use is told in client-go's words", "[kube][exec]") {
  const std::string none = "exec plugin didn't return a status field";
  CHECK(ErrorOf(R"({"kind":"ExecCredential","apiVersion":")" + kV1 + "\"}") == none);
  CHECK(ErrorOf(Answer("null")) == none);
  CHECK(ErrorOf(R"({"apiVersion":")" + kV1 + R"(","Status":{"token":"SECRET"}})") == none);
  CHECK(ErrorOf(Answer("{}")) == "exec plugin didn't return a token or cert/key pair");
  const std::string half = "exec plugin returned only certificate or key, not both";
  CHECK(ErrorOf(Answer(R"({"clientCertificateData":"x"})")) == half);
  CHECK(ErrorOf(Answer(R"({"token":"SECRET","clientKeyData":"SECRET"})")) == half);
  CHECK(ErrorOf(Answer(R"({"clientCertificateData":"x","clientKeyData":"SECRET"})")) ==
        "failed parsing client key/certificate: tls: failed to find any PEM data in certificate "
        "input");
  CHECK(ErrorOf(Answer(R"({"clientCertificateData":"-----BEGIN CERTIFICATE-----",)"
                       R"("clientKeyData":"SECRET"})")) ==
        "failed parsing client key/certificate: tls: failed to find any PEM data in key input");
}

TEST_CASE("X3: an answer of another form is told without anything of it", "[kube][exec]") {
  const std::string parse = "decoding stdout: couldn't get version/kind; json parse error: ";
  const std::string into = " into Go value of type ExecCredential";
  CHECK(ErrorOf("SECRET") == parse + "json: cannot unmarshal string" + into);
  CHECK(ErrorOf("[\"SECRET\"]") == parse + "json: cannot unmarshal array" + into);
  CHECK(ErrorOf("{\"SECRET\": ").starts_with(parse));
  CHECK(ErrorOf(Answer(R"({"token":"SECRET"})") + " SECRET").starts_with(parse));
  CHECK(ErrorOf("\n- SECRET\n  SECRET: *SECRET\n").starts_with("decoding stdout: line "));
  CHECK(ErrorOf("{\"kind\": 5}") ==
        parse + "json: cannot unmarshal number into Go struct field .kind of type string");
  const std::string field = "decoding stdout: json: cannot unmarshal ";
  CHECK(ErrorOf(Answer("\"SECRET\"")) ==
        field +
            "string into Go struct field ExecCredential.status of type v1.ExecCredentialStatus");
  CHECK(ErrorOf(Answer(R"({"token":5})")) ==
        field + "number into Go struct field ExecCredentialStatus.status.token of type string");
}

TEST_CASE("X4: an expirationTimestamp is RFC 3339", "[kube][exec]") {
  const auto expiry = [](const std::string& text) {
    return Read(Answer(R"({"token":"t","expirationTimestamp":)" + text + "}")).expires_at;
  };
  using namespace std::chrono;
  const sys_seconds time = sys_days(2026y / November / 21) + 3h + 15min;
  CHECK(expiry("\"2026-11-21T03:15:00Z\"") == time);
  CHECK(expiry("\"2026-11-21T05:15:00.75+02:00\"") == time);
  CHECK(expiry("\"9999-12-31T23:59:59Z\"") == sys_days(9999y / December / 31) + 86399s);
  CHECK_FALSE(expiry("null"));
  CHECK_FALSE(expiry("\"0001-01-01T00:00:00Z\""));
  const auto error = [](const std::string& text) {
    return ErrorOf(Answer(R"({"token":"SECRET","expirationTimestamp":)" + text + "}"));
  };
  CHECK(error("\"soon\"") ==
        "decoding stdout: parsing time \"soon\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
        "\"soon\" as \"2006\"");
  CHECK(error("5") ==
        "decoding stdout: json: cannot unmarshal number into Go struct field "
        "ExecCredentialStatus.status.expirationTimestamp of type string");
}

TEST_CASE("X3: an installHint cannot steer a terminal", "[kube][exec]") {
  CHECK(PrintableHint("get it\x1B[1m from \xC2\x9Bthere\nok\t\xE2\x80\x8E\xE2\x80\xAE \xC3\xA9") ==
        "get itU+001B[1m from U+009Bthere\nok\tU+200EU+202E \xC3\xA9");
  CHECK(PrintableHint("\xF3\xA0\x80\x81\xC2\xA0\xE2\x80\xA8") == "U+E0001\xC2\xA0\xE2\x80\xA8");
  CHECK(PrintableHint("\xFF") == "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace kube::client
