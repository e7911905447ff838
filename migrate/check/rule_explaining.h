#pragma once

#include <string>
#include <vector>

#include "kube/base/release.h"
#include "kube/client/session.h"
#include "kube/crd/rule_explanation.h"
#include "kube/json/json.h"
#include "migrate/check/crd_check.h"
#include "migrate/report/program_name.h"

namespace migrate::check {

// What rules of x-kubernetes-validations say of one object, step by step.

/// Which rules and which object, of a cluster or of files.
struct ExplainOptions {
  std::string rule_path{};    ///< kube::crd::ChooseRules
  std::string crd_name{};     ///< in any form kubectl knows; empty: the only one of the files
  std::string object_name{};  ///< without its namespace
  std::string namespace_{};   ///< empty: whichever has it, if only one has
  std::string version{};      ///< empty: the one that the rule path names, else the storage version
  std::vector<std::string> filenames{};
  bool recursive = false;
  /// Of the server that files are meant for; a cluster tells its own.
  kube::base::Release release = kube::base::kNewestRelease;
};

/// What the rules say.
struct ObjectExplanation {
  report::RunFacts run{};
  std::string crd, source, version;  ///< the file of the CRD; empty: it is the cluster's
  std::string namespace_, name;      ///< of the object
  std::string release;               ///< of the server, "1.36"
  std::vector<kube::crd::RuleExplanation> rules{};  ///< at least one
};

/// Explains rules for an object of a cluster, by its CRD or by that of the files. Only reads.
///
/// Throws kube::base::Error, which names the next step, where the CRD, the version, the rule or the
/// object is not there or cannot be read, and for a server that drops rules.
ObjectExplanation ExplainInCluster(const ExplainOptions& options,
                                   const kube::client::Session& session);

/// The same with the CRD and the object of files. Of several CRDs or objects of one name the last
/// counts.
ObjectExplanation ExplainInFiles(const ExplainOptions& options);

// What both have in common.

/// The version whose rules are meant, and whether the CRD is one that rules can be explained of.
/// Throws as above.
class ExplainedCrd {
 public:
  /// `check` is made with CrdCheckOptions::keep_manifest, without as_is, and must outlive it.
  ExplainedCrd(const CrdCheck& check, const ExplainOptions& options, kube::base::Release release);

  const std::string& version() const { return version_; }
  /// `object` may be in any version of the CRD, and is changed.
  ObjectExplanation Explain(kube::json::Value& object) const;

 private:
  const CrdCheck& check_;
  kube::base::Release release_;
  kube::crd::Crd crd_;
  std::string version_;
  const kube::schema::SchemaProps* schema_;
  std::vector<kube::crd::RulePlace> rules_;
};

}  // namespace migrate::check
