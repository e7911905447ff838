#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"

namespace test_support {

/// A client of a fake API server, which takes it for nobody in particular.
class FakeCluster : public kube::client::Credentials {
 public:
  FakeCluster()
      : server(clock),
        client(
            server, *this, clock,
            {.server = "https://fake.example.com",
             .user_agent = "test",
             .stop = &stop,
             .on_warning = [this](const std::string& text,
                                  const kube::client::WrittenObject&) { warnings.push_back(text); },
             .on_request = nullptr}) {}

  kube::client::Session session() { return {client, clock, run_stop}; }

  std::atomic<bool> stop = false;               // of Client::Get
  const std::atomic<bool>* run_stop = nullptr;  // of session()
  FakeClock clock;
  FakeApiServer server;
  kube::client::Client client;
  std::vector<std::string> warnings;

 private:
  std::vector<kube::client::HttpHeader> Headers() override { return {}; }
  bool Refresh() override { return false; }
};

/// A CRD of NAME.demo.example.com with the version v1 (storage) and v1beta1; v1 knows spec.a,
/// v1beta1 knows spec.b. `more` is put into its spec, as `,"preserveUnknownFields":true`.
inline std::string FakeCrdText(const std::string& plural, const std::string& more = "") {
  const auto version = [](const std::string& name, bool storage, const std::string& property) {
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)" +
           R"("properties":{")" + property + R"(":{"type":"string"}}}}}}})";
  };
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" +
         plural +
         R"(.demo.example.com"},"spec":{"group":"demo.example.com","scope":"Namespaced",)" +
         R"("names":{"plural":")" + plural + R"(","kind":"Kind)" + plural + R"("},"versions":[)" +
         version("v1", true, "a") + "," + version("v1beta1", false, "b") + "]" + more + "}}";
}

/// An object of such a CRD.
inline std::string FakeObjectText(const std::string& plural, const std::string& name,
                                  const std::string& spec) {
  return R"({"apiVersion":"demo.example.com/v1","kind":"Kind)" + plural +
         R"(","metadata":{"namespace":"shop","name":")" + name + R"("},"spec":)" + spec + "}";
}

/// Adds such an object, or changes it as an update does, which leaves its uid alone.
inline void WriteFakeObject(FakeApi& api, const std::string& plural, const std::string& name,
                            const std::string& spec) {
  std::string text = FakeObjectText(plural, name, spec);
  if (const auto* stored = api.Stored(plural + ".demo.example.com", "shop/" + name)) {
    const std::string uid(stored->Find("metadata")->FindText("uid"));
    text.insert(text.find("\"namespace\""), "\"uid\":\"" + uid + "\",");
  }
  api.Add(text);
}

}  // namespace test_support
