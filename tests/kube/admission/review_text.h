#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "kube/admission/review.h"

/// Reviews as an API server writes them.
namespace kube::admission::admission_test {

/// The fields of the API's documentation ("Dynamic Admission Control", webhook request). `object`
/// and `old_object` are JSON, "null" where there is none.
struct ReviewText {
  std::string version = "v1";
  std::string group = "kopf.dev", resource_version = "v1", plural = "examples", kind = "Example";
  std::string subresource{};
  std::string operation = "CREATE";
  std::string object = R"({"metadata":{"name":"a"},"spec":{}})";
  std::string old_object = "null";
  std::string name = "a", namespace_ = "shop";
  std::string user = R"({"username":"admin","groups":["system:authenticated"]})";

  std::string Print() const {
    const std::string subresource_field =
        subresource.empty() ? "" : R"("subResource":")" + subresource + "\",";
    return R"({"apiVersion":"admission.k8s.io/)" + version +
           R"(","kind":"AdmissionReview","request":{)"
           R"("uid":"705ab4f5-6393-11e8-b7cc-42010a800002","kind":{"group":")" +
           group + R"(","version":")" + resource_version + R"(","kind":")" + kind +
           R"("},"resource":{"group":")" + group + R"(","version":")" + resource_version +
           R"(","resource":")" + plural + R"("},)" + subresource_field + R"("name":")" + name +
           R"(","namespace":")" + namespace_ + R"(","operation":")" + operation +
           R"(","userInfo":)" + user + R"(,"object":)" + object + R"(,"oldObject":)" + old_object +
           R"(,"dryRun":false})" + "}";
  }
};

/// A review that lives with its document.
struct ReadText {
  explicit ReadText(const std::string& text) {
    auto read = ReadReview(text, document);
    if (!read) FAIL(read.error());
    review = *read;
  }
  explicit ReadText(const ReviewText& text) : ReadText(text.Print()) {}

  json::Document document;
  Review review;
};

inline json::Document ParseJson(std::string_view text) {
  json::Document document;
  REQUIRE_FALSE(document.Parse(text));
  return document;
}

}  // namespace kube::admission::admission_test
