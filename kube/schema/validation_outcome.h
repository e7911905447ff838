#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "kube/meta/field_error.h"

namespace kube::schema {

/// What k8s.io/kube-openapi found in one value (its validate.Result).
class Outcome {
 public:
  struct Finding {
    /// kube-openapi's own text, by which it tells findings apart.
    std::string message;
    /// What the API server makes of it.
    meta::FieldError error;
  };

  bool is_valid() const { return findings_.empty(); }
  const std::vector<Finding>& findings() const { return findings_; }
  /// How many checks succeeded: of several alternatives that fail, the one with the most explains
  /// the failure.
  int matches() const { return matches_; }

  void CountMatch() { ++matches_; }
  /// Adds a finding unless one with the same message is there.
  void Add(Finding finding);
  void Merge(Outcome other);
  /// Leaves what succeeded.
  void Forgive();

 private:
  bool IsKnown(const std::string& message);

  std::vector<Finding> findings_;
  std::unordered_set<std::string> messages_;  // of the findings, once they are many
  int matches_ = 0;
};

}  // namespace kube::schema
