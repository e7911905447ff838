#include <catch2/catch.hpp>

#include "migrate/check/crd_objects.h"

namespace migrate::check {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("Who reads objects of a version that was removed is told to give it back",
          "[migrate][missing_version]") {
  // As kube-apiserver 1.20.2 says it.
  const std::string message =
      "Error from server: request to convert CR from an invalid group/version: "
      "demo.example.com/v1beta1";
  CHECK_THAT(WithVersionAdvice(message), StartsWith(message + "\n") && Contains("served: false"));
}

TEST_CASE("Who meets a conversion webhook that is gone is told what can be done without it",
          "[migrate][missing_version]") {
  const std::string message =
      "Error from server: conversion webhook for g/v1, Kind=W failed: Post \"https://a\": gone";
  CHECK_THAT(WithVersionAdvice(message),
             StartsWith(message + "\n") && Contains(R"("strategy":"None","webhook":null)"));
}

TEST_CASE("Another error is left as it is", "[migrate][missing_version]") {
  CHECK(WithVersionAdvice("Error from server: etcdserver: request timed out") ==
        "Error from server: etcdserver: request timed out");
}

}  // namespace
}  // namespace migrate::check
