#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "kube/serve/certificates.h"
#include "kube/serve/server.h"
#include "kube/serve/tls_files.h"
#include "tests/support/http_call.h"
#include "tests/support/raw_client.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"
#include "tests/support/test_server.h"

namespace kube::serve {
namespace {

using test_support::Await;
using test_support::Call;
using test_support::Echo;
using test_support::OnLoopback;
using test_support::RawClient;
using test_support::To;

SelfSigned ForLoopback() {
  return MakeSelfSigned({"127.0.0.1"}, std::chrono::system_clock::now(), std::chrono::hours(1));
}

ServerOptions WithTls(const std::string& certificate, const std::string& key) {
  ServerOptions options = OnLoopback();
  options.tls.emplace();
  options.tls->certificate_pem = certificate;
  options.tls->key_pem = key;
  return options;
}

/// Of RSA, and with certificates of clients.
ServerOptions AskingClients(ClientCertificates asked) {
  ServerOptions options = WithTls(test_support::kRsa, test_support::kRsaKey);
  options.tls->client_certificates = asked;
  options.tls->client_ca_pem = test_support::kClientCa;
  return options;
}

client::ConnectionConfig Trusting(const Server& server, const std::string& ca) {
  client::ConnectionConfig config = To(server, "https");
  config.ca_pem = ca;
  return config;
}

client::ConnectionConfig Showing(const Server& server, const std::string& certificate,
                                 const std::string& key) {
  client::ConnectionConfig config = Trusting(server, test_support::kRsa);
  config.client_certificate_pem = certificate;
  config.client_key_pem = key;
  return config;
}

/// Answers with what the certificate says of its owner.
Response PeerText(const Request& request) {
  if (!request.peer) return {200, "text/plain", "nobody"};
  std::string text = request.peer->serial_number + " " + request.peer->subject.text;
  for (const std::string& uri : request.peer->uris) text += " " + uri;
  return {200, "text/plain", text};
}

TEST_CASE("A certificate that was made is one that its authority vouches for", "[kube][serve]") {
  const SelfSigned made = ForLoopback();
  Server server(WithTls(made.certificate_pem, made.key_pem), Echo);
  client::CurlTransport client(Trusting(server, made.ca_certificate_pem));
  CHECK(Call(client, "/a", std::string(100'000, 'x')).body.size() == 100'008);
  CHECK(Call(client, "/b").body == "GET /b ");
  CHECK(server.counts().accepted == 1);
}

TEST_CASE("Another authority vouches for nothing, nor for another name or time", "[kube][serve]") {
  const SelfSigned made = ForLoopback();
  Server server(WithTls(made.certificate_pem, made.key_pem), Echo);
  client::ConnectionConfig config = Trusting(server, made.ca_certificate_pem);
  SECTION("authority") { config.ca_pem = ForLoopback().ca_certificate_pem; }
  SECTION("name") { config.tls_server_name = "localhost"; }
  SECTION("time") {
    const SelfSigned old = MakeSelfSigned({"127.0.0.1"}, {}, std::chrono::hours(1));
    server.UseTls(*WithTls(old.certificate_pem, old.key_pem).tls);
    config.ca_pem = old.ca_certificate_pem;
  }
  const bool is_name = !config.tls_server_name.empty();
  client::CurlTransport client(config);
  CHECK_THAT(Call(client, "/").error, Catch::Contains("certificate"));
  // Who finds another name in it has ended the handshake as if it were right.
  if (is_name) return;
  Await([&] { return server.counts().failed_handshakes(HandshakeFailure::kRefused) == 1; });
}

TEST_CASE("A server with an RSA key that is encrypted serves", "[kube][serve]") {
  ServerOptions options = WithTls(test_support::kRsa, test_support::kRsaKeyEncrypted);
  options.tls->key_password = test_support::kPassword;
  Server server(options, Echo);
  client::CurlTransport client(Trusting(server, test_support::kRsa));
  CHECK(Call(client, "/a").body == "GET /a ");
}

TEST_CASE("Whom a certificate of a client names, an Answerer is told", "[kube][serve]") {
  Server server(
      AskingClients(GENERATE(ClientCertificates::kOptional, ClientCertificates::kRequired)),
      PeerText);
  for (int i = 0; i < 2; ++i) {  // a second connection, for which a session may be resumed
    client::CurlTransport client(Showing(server, test_support::kClient, test_support::kClientKey));
    // As `openssl x509 -serial -subject -nameopt RFC2253` tells it.
    const std::string told =
        "21D75EFA99AF78FFD4A4DAE47A8B7D7DB5F2F222 CN=kube-apiserver,O=more,O=system:masters";
    CHECK(Call(client, "/").body == told);
    client::HttpRequest fresh;
    fresh.fresh_connection = true;
    CHECK(Call(client, fresh).body == told);
  }
}

TEST_CASE("An Answerer is told the alternative names of a client", "[kube][serve]") {
  ServerOptions options = AskingClients(ClientCertificates::kRequired);
  options.tls->client_ca_pem = test_support::kMeshCa;
  Server server(options, PeerText);
  client::CurlTransport client(Showing(server, test_support::kMesh, test_support::kMeshKey));
  CHECK(Call(client, "/").body ==
        "AB0C7F01 serialNumber=7,CN=cart,OU=carts,O=shop spiffe://cluster.local/ns/shop/sa/cart");
}

TEST_CASE("Without a certificate a client is nobody where it is optional, and refused where not",
          "[kube][serve]") {
  const auto [asked, status] =
      GENERATE(table<ClientCertificates, int>({{ClientCertificates::kNone, 200},
                                               {ClientCertificates::kOptional, 200},
                                               {ClientCertificates::kRequired, 0}}));
  Server server(AskingClients(asked), PeerText);
  client::CurlTransport client(Trusting(server, test_support::kRsa));
  const auto call = Call(client, "/");
  CHECK(call.status == status);
  CHECK(call.body == (status == 200 ? "nobody" : ""));
  Await([&, expected = status == 0] {
    return (server.counts().failed_handshakes(HandshakeFailure::kNoClientCertificate) > 0) ==
           expected;
  });
}

TEST_CASE("A certificate of an unknown authority is refused, also where none is needed",
          "[kube][serve]") {
  const auto asked = GENERATE(ClientCertificates::kOptional, ClientCertificates::kRequired);
  Server server(AskingClients(asked), PeerText);
  client::CurlTransport client(
      Showing(server, test_support::kStranger, test_support::kStrangerKey));
  CHECK(Call(client, "/").status == 0);
  CHECK(server.counts().answered == 0);
  Await(
      [&] { return server.counts().failed_handshakes(HandshakeFailure::kClientCertificate) == 1; });
}

TEST_CASE("Where nobody asks for certificates, one that is there is not shown", "[kube][serve]") {
  Server server(AskingClients(ClientCertificates::kNone), PeerText);
  client::CurlTransport client(
      Showing(server, test_support::kStranger, test_support::kStrangerKey));
  CHECK(Call(client, "/").body == "nobody");
}

TEST_CASE("What is no TLS ends at the handshake", "[kube][serve]") {
  Server server(WithTls(test_support::kRsa, test_support::kRsaKey), Echo);
  RawClient client(server.port());
  client.Send(test_support::RequestText("/"));
  client.ReadToEnd();
  Await([&] { return server.counts().failed_handshakes(HandshakeFailure::kNotTls) == 1; });
  CHECK(server.counts().answered == 0);
}

TEST_CASE("Who is slow with the handshake is cut off", "[kube][serve]") {
  ServerOptions options = WithTls(test_support::kRsa, test_support::kRsaKey);
  options.patience = std::chrono::milliseconds(50);
  Server server(options, Echo);
  RawClient client(server.port());
  client.Send("\x16\x03\x01");
  CHECK(client.ReadToEnd().empty());
  CHECK(server.counts().cut_off == 1);
}

TEST_CASE("A body that is too large is refused over TLS as well", "[kube][serve]") {
  Server server(WithTls(test_support::kRsa, test_support::kRsaKey), Echo);
  client::CurlTransport client(Trusting(server, test_support::kRsa));
  for (int i = 0; i < 3; ++i) {
    const auto call = Call(client, "/", std::string(9'000'000, 'x'));
    CAPTURE(call.error);
    CHECK(call.status == 413);
  }
}

TEST_CASE("Renewed files serve new connections, and those that are there stay", "[kube][serve]") {
  const test_support::TempFolder folder;
  const SelfSigned first = ForLoopback(), second = ForLoopback();
  TlsPaths paths;
  const auto write = [&](const SelfSigned& made) {
    paths.certificate = folder.Write("tls.crt", made.certificate_pem);
    paths.key = folder.Write("tls.key", made.key_pem);
  };
  write(first);
  TlsFiles files(paths);
  ServerOptions options = OnLoopback();
  options.tls = files.material();
  Server server(options, Echo);
  client::CurlTransport before(Trusting(server, first.ca_certificate_pem));
  CHECK(Call(before, "/a").body == "GET /a ");

  write(second);
  const auto changes = files.ReadChanges([](const std::string&) {});
  REQUIRE(changes);
  server.UseTls(*changes);
  client::CurlTransport after(Trusting(server, second.ca_certificate_pem));
  CHECK(Call(after, "/b").body == "GET /b ");
  CHECK(Call(before, "/c").body == "GET /c ");
  CHECK(server.counts().accepted == 2);
}

TEST_CASE("What cannot be served with changes nothing", "[kube][serve]") {
  Server server(WithTls(test_support::kRsa, test_support::kRsaKey), Echo);
  TlsMaterial broken;
  broken.certificate_pem = test_support::kRsa;
  broken.key_pem = test_support::kClientKey;
  CHECK_THROWS_AS(server.UseTls(broken), base::Error);
  client::CurlTransport client(Trusting(server, test_support::kRsa));
  CHECK(Call(client, "/a").body == "GET /a ");
  ServerOptions options = OnLoopback();
  options.tls = broken;
  CHECK_THROWS_AS(Server(options, Echo), base::Error);
  Server plain(OnLoopback(), Echo);
  CHECK_THROWS_WITH(plain.UseTls(*WithTls(test_support::kRsa, test_support::kRsaKey).tls),
                    "cannot use a certificate: the server has no TLS");
}

TEST_CASE("A client sees whom the certificate of a server names, without a request",
          "[kube][serve][curl]") {
  Server server(WithTls(test_support::kRsa, test_support::kRsaKey), Echo);
  client::CurlTransport client(Trusting(server, test_support::kRsa));
  const auto facts = ReadCertificate(client.ServerCertificate(std::chrono::minutes(1)));
  REQUIRE(facts);
  CHECK(facts->subject.organizations == std::vector<std::string>{"k3s"});
  CHECK(server.counts().answered + server.counts().refused == 0);
  CHECK(Call(client, "/a").body == "GET /a ");
}

TEST_CASE("Whom nobody vouches for, or who has no TLS, shows no certificate",
          "[kube][serve][curl]") {
  Server server(WithTls(test_support::kRsa, test_support::kRsaKey), Echo);
  client::CurlTransport stranger(Trusting(server, test_support::kClientCa));
  CHECK_THROWS_WITH(stranger.ServerCertificate(std::chrono::minutes(1)),
                    Catch::StartsWith("cannot see the certificate of https://127.0.0.1:"));
  Server plain(OnLoopback(), Echo);
  client::CurlTransport without(To(plain));
  CHECK(without.ServerCertificate(std::chrono::minutes(1)).empty());
}

}  // namespace
}  // namespace kube::serve
