#include "migrate/check/missing_version.h"

#include "kube/client/answer_meaning.h"

namespace migrate::check {

std::string WithVersionAdvice(std::string message) {
  if (message.find(kube::client::kConversionWebhook) != std::string::npos) {
    return message +
           "\nthe conversion webhook has to answer. Where it is gone for good, and the versions "
           "have "
           "the same fields: conversion None reads the objects as they are stored, by: kubectl "
           "patch "
           "crd NAME --type=merge -p "
           R"('{"spec":{"conversion":{"strategy":"None","webhook":null}}}')"
           "; then migrate";
  }
  if (message.find(kube::client::kMissingVersion) == std::string::npos) return message;
  return message +
         "\nobjects are stored in a version that the CustomResourceDefinition no longer has: give "
         "it that version again, with served: false, then migrate";
}

}  // namespace migrate::check
