#include "migrate/check/invalid_findings.h"

#include "kube/base/utf8.h"
#include "migrate/check/located_field.h"
#include "migrate/check/managed_fields.h"

namespace migrate::check {
namespace {

using kube::meta::FieldError;

// As much as a person reads; one may quote all of the object.
std::string ShownMessage(const std::string& text) {
  constexpr std::size_t kMostBytes = 1024;
  if (text.size() <= kMostBytes) return text;
  return std::string(kube::base::utf8::Prefix(text, kMostBytes)) + "...";
}

// Digits in brackets as a star: messages name elements of lists.
std::string WithoutIndices(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t digits = text.front() == '[' ? text.find_first_not_of("0123456789", 1) : 0;
    const bool is_index = digits > 1 && digits != std::string_view::npos && text[digits] == ']';
    out += is_index ? "[*]" : text.substr(0, 1);
    text.remove_prefix(is_index ? digits + 1 : 1);
  }
  return out;
}

// What is left of an error without the place and the value.
std::string WordsOf(const FieldError& error, const std::string& folded_path) {
  std::string detail = error.detail;
  const std::string own_value = ": " + error.bad_value;
  if (!error.bad_value.empty() && detail.ends_with(own_value)) {
    detail.resize(detail.size() - own_value.size());
  }
  // kube-openapi begins its own texts with the path.
  if (!error.field.empty() && detail.starts_with(error.field)) {
    detail.replace(0, error.field.size(), folded_path);
  }
  return std::to_string(static_cast<int>(error.type)) + WithoutIndices(detail);
}

}  // namespace

bool AddFindings(const VersionValidity::Findings& findings, const kube::json::Value& object,
                 const kube::schema::SchemaProps& schema, bool ratchets,
                 const report::CountedObject& counted, report::InvalidTally& tally,
                 std::vector<std::string>* refusals) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  OwnerFinder owners(object);
  bool is_refused = false;
  std::size_t bytes = 0;
  for (const VersionValidity::Error& found : findings.errors) {
    const bool is_let_be = ratchets && found.tolerated;
    is_refused |= !is_let_be;
    bytes += found.error.field.size() + found.error.detail.size() + found.error.bad_value.size();
    if (bytes > kMostBytes) continue;
    const LocatedField located = LocateField(found.error.field, object, schema);
    const std::string message = found.error.ToString();
    tally.Add({.path = located.folded_path,
               .words = WordsOf(found.error, located.folded_path),
               .message = ShownMessage(message),
               .since_proposal = found.since_proposal,
               .tolerated = found.tolerated,
               .managers = owners.Find(located.elements).managers},
              counted);
    if (refusals != nullptr && !is_let_be) refusals->push_back(message);
  }
  return is_refused;
}

}  // namespace migrate::check
