#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/meta/field_error.h"
#include "kube/schema/fast_validator.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/pruning.h"
#include "kube/schema/rule_validation.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"
#include "migrate/report/field_tally.h"

namespace migrate::check {

/// So much longer the patterns of a run may take with each object: more than most take, so that
/// only very large or hostile ones come to an end.
inline constexpr auto kPatternsOfObject = std::chrono::milliseconds(1);

/// Which rules a server has.
struct ServerRules {
  bool ratchets = false;                         ///< KEP-4008
  std::optional<kube::base::Release> release{};  ///< absent: all that are known
};

/// Those of a server of that release, which lets errors be of values that a write does not change
/// (KEP-4008, CRDValidationRatcheting) by default since Kubernetes 1.30, always since 1.33: it
/// tells nobody of its feature gates. Absent: unknown, so that every error counts.
ServerRules RulesOf(const std::optional<kube::base::Release>& release);

/// The x-kubernetes-validations of `schema` as such a server has them; the null pointer: there are
/// none, or it drops them.
std::unique_ptr<kube::schema::RuleValidator> RuleValidatorOf(
    const kube::schema::SchemaProps& schema, const ServerRules& server);

/// From which release on API servers say so, of what older ones than the newest do not say: that a
/// number does not fit its format (1.36), that a CRD's caBundle has no certificate
/// (kubernetes#124061, 1.31). Absent: all do.
std::optional<kube::base::Release> FirstRelease(const kube::meta::FieldError& error);

/// That release, where it is later than the server's.
std::optional<kube::base::Release> LaterRelease(const kube::meta::FieldError& error,
                                                const std::optional<kube::base::Release>& server);

/// Errors of one object as an aggregate of the server's prints them, in one line of some KiB at
/// most: an object may have as many as fields, and each may quote all of it. Empty where there are
/// none.
std::string FirstErrors(const std::vector<std::string>& errors);

/// What the API server would refuse updates of `object` for once it prunes, though it is valid as
/// long as it keeps all of its fields: the errors in one line of some KiB at most. Empty where
/// there are none, absent where `patterns` cannot tell.
///
/// It is pruned by each of `schemas` in turn; the last, no null pointer, is `validation` in its
/// structural form. By a null pointer all is pruned.
std::optional<std::string> WhyInvalidOncePruned(
    const kube::json::Value& object, std::span<const kube::schema::StructuralSchema* const> schemas,
    const kube::schema::SchemaProps& validation, kube::schema::PatternChecks& patterns);

/// What the API server would say of objects at their next write in one version, once pruning is on.
/// Not changed after construction: may be used by several threads.
class VersionValidity {
 public:
  /// A schema in both of its forms; none where `props` is the null pointer, and then all is valid.
  struct Schema {
    std::shared_ptr<const kube::schema::SchemaProps> props;
    const kube::schema::StructuralSchema* structural = nullptr;
    /// Its x-kubernetes-validations; the null pointer: there are none, or the server has none.
    std::shared_ptr<const kube::schema::RuleValidator> rules{};
    /// By these an object is read in turn, as who reads one that is stored in another version does.
    /// Empty where the server does not prune.
    std::vector<const kube::schema::StructuralSchema*> reads{};
  };
  struct Schemas {
    Schema own;  ///< is there, and its `reads` end with its structural form
    std::string api_version;
    bool is_from_etcd = false;     ///< of embedded resources what no metadata can be is dropped
    bool is_created = false;       ///< the write creates the object, instead of changing nothing
    bool drops_status = false;     ///< and its status is not taken, as it is a subresource
    bool server_ratchets = false;  ///< then rules are evaluated beside errors that it lets be
    /// The server has the CRD already, with rules that it cannot compile, too. Else it would not
    /// take those.
    bool is_stored = false;
    bool is_proposal = false;  ///< it replaces:
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
  struct Said;

  std::optional<kube::json::Value> Read(const kube::json::Value& object, const Schema& schema,
                                        kube::json::Arena& arena) const;
  bool StaysAsItIs(const kube::json::Value& object) const;
  bool FollowsRules(const kube::json::Value& read) const;
  Said Ask(const kube::json::Value& read, const Schema& schema,
           kube::schema::PatternChecks& patterns) const;

  Schemas schemas_;
  bool looks_at_api_version_;
  bool refuses_duplicates_;  // an update that changes nothing may keep them
  kube::schema::FastValidator fast_validator_;
};

/// The place in an object that an error of the API server names.
struct LocatedField {
  std::vector<kube::schema::PathElement> elements;  ///< from the root; borrow from `field`
  std::string folded_path;  ///< indices as [*], keys of maps as .*; empty for the whole object
};

/// Finds where `field` is, e.g. "spec.ports[0].env.a.b" (the field of an error from
/// schema/validation; "<nil>" is the whole object). Names may hold dots and brackets: the longest
/// that `object`, or else `schema`, has is taken. What the object lacks, as what is required, is
/// still named. `members` is of `object` alone, and makes many look-ups quick.
LocatedField LocateField(std::string_view field, const kube::json::Value& object,
                         const kube::schema::SchemaProps& schema, kube::json::MemberIndex& members);

/// Counts `findings` about `object` in `tally`, each path and its words once. Returns whether the
/// server would refuse the object's next write: one that ratchets does not for what it tolerates,
/// and one that is older than a rule does not for that. Appends why, the server's whole strings, to
/// `refusals` unless that is the null pointer. Of long strings the first KiB, of one object some
/// MiB at most.
bool AddFindings(const VersionValidity::Findings& findings, const kube::json::Value& object,
                 const kube::schema::SchemaProps& schema, const ServerRules& server,
                 const report::CountedObject& counted, report::InvalidTally& tally,
                 std::vector<std::string>* refusals);

}  // namespace migrate::check
