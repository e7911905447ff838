#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/schema/fast_validator.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"

namespace migrate::check {

/// What the API server would say of objects at their next write in one version, once pruning is on.
/// Not changed after construction: may be used by several threads.
class VersionValidity {
 public:
  /// A schema in both of its forms; none where `props` is the null pointer, and then all is valid.
  struct Schema {
    std::shared_ptr<const kube::schema::SchemaProps> props;
    const kube::schema::StructuralSchema* structural = nullptr;
    /// By these an object is read in turn, as who reads one that is stored in another version does.
    /// Empty where the server does not prune.
    std::vector<const kube::schema::StructuralSchema*> reads{};
  };
  struct Schemas {
    Schema own;  ///< is there, and its `reads` end with its structural form
    std::string api_version;
    bool is_from_etcd = false;  ///< of embedded resources what no metadata can be is dropped
    bool is_created = false;    ///< the write creates the object, instead of changing nothing
    bool is_proposal = false;   ///< it replaces:
    Schema live{};
  };
  explicit VersionValidity(Schemas schemas);

  struct Error {
    kube::meta::FieldError error;
    /// By the schema that is replaced there is no error of this kind at this place.
    bool since_proposal = false;
    bool tolerated = false;  ///< by a server that ratchets, where the value was there as it is
  };
  struct Findings {
    std::vector<Error> errors;  ///< sorted by the whole string
    bool is_unknown = false;    ///< `patterns` could not tell
  };

  using QuickResult = kube::schema::FastValidator::QuickResult;
  /// What a look at `object`, which is as a server shows it, tells by the schema of this version.
  QuickResult Look(const kube::json::Value& object, kube::schema::PatternChecks& patterns) const {
    return fast_validator_.Look(object, patterns);
  }

  /// What is said of `object`, of which Look has told `sight`. `is_read_as_it_is`: all schemas but
  /// the last leave it as it is.
  Findings Find(const kube::json::Value& object, const QuickResult& sight, bool is_read_as_it_is,
                kube::schema::PatternChecks& patterns) const;

  const kube::schema::SchemaProps& schema() const { return *schemas_.own.props; }

 private:
  std::optional<kube::json::Value> Read(const kube::json::Value& object, const Schema& schema,
                                        kube::json::Arena& arena) const;

  Schemas schemas_;
  bool looks_at_api_version_;
  bool refuses_duplicates_;  // an update that changes nothing may keep them
  kube::schema::FastValidator fast_validator_;
};

}  // namespace migrate::check
