#include "kube/schema/rule_validation.h"
#include "tests/fuzz/schema_and_object.h"

namespace {

using kube::schema::RuleOutcome;

std::vector<std::string> Texts(const RuleOutcome& outcome) {
  return kube::meta::SortedStrings(outcome.errors);
}

}  // namespace

// Rules of a schema are compiled and held against an object: as one that is new, and as one that
// stays what it is, of which a server that ratchets refuses no more than one that does not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::SchemaAndObject input;
  if (!fuzz::Read(fuzz::Text(data, size), input)) return 0;
  const auto rules = kube::schema::RuleValidator::Make(input.props, true);
  if (rules == nullptr) return 0;
  const kube::json::Value& object = input.object();
  const RuleOutcome created = rules->Validate(object, "");
  fuzz::Require(created.warnings.empty());
  fuzz::Require(Texts(created) == Texts(rules->Validate(object, "")));
  const RuleOutcome updated = rules->Validate(object, "", {.old = &object});
  const RuleOutcome ratcheted = rules->Validate(object, "", {.old = &object, .ratchets = true});
  fuzz::Require(ratcheted.errors.size() <= updated.errors.size());
  fuzz::Require(ratcheted.errors.size() + ratcheted.warnings.size() == updated.errors.size());
  return 0;
}
