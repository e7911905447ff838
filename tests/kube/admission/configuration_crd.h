#pragma once

#include <string>

namespace kube::admission::admission_test {

/// To the fake server webhook configurations are custom resources without a schema; `kind` is
/// "Validating" or "Mutating".
inline std::string ConfigurationCrdText(const std::string& kind,
                                        const std::string& version = "v1") {
  const std::string plural =
      (kind == "Mutating" ? "mutating" : "validating") + std::string("webhookconfigurations");
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)"
         R"("name":")" +
         plural +
         R"(.admissionregistration.k8s.io"},"spec":{"group":"admissionregistration.k8s.io",)"
         R"("scope":"Cluster","names":{"plural":")" +
         plural + R"(","kind":")" + kind + R"(WebhookConfiguration"},"versions":[{"name":")" +
         version +
         R"(","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
         R"("x-kubernetes-preserve-unknown-fields":true}}}]}})";
}

}  // namespace kube::admission::admission_test
