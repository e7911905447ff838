#include "migrate/check/invalid_findings.h"

#include "kube/base/utf8.h"
#include "migrate/check/located_field.h"
#include "migrate/check/managed_fields.h"

namespace migrate::check {
namespace {

using kube::meta::FieldError;

// As much as a person reads; one message may quote all of the object.
std::string FirstKib(std::string_view text) { return kube::base::utf8::Shortened(text, 1024); }

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

// What an error is about. The server shows what concerns allOf, anyOf, oneOf and not at the root,
// with the name in quotes, and so the ranges of types, with the name at the end.
std::string_view PlaceOf(const FieldError& error) {
  const std::string_view detail = error.detail;
  if (error.field != "<nil>") return error.field;
  const std::size_t quoted_end = detail.find("\" must ");
  if (detail.starts_with('"') && quoted_end != std::string_view::npos) {
    return detail.substr(1, quoted_end - 1);
  }
  constexpr std::string_view kIn = " in ";
  const std::size_t in = detail.rfind(kIn);
  const bool names_type = detail.find(" value must be of type ") != std::string_view::npos;
  return names_type && in != std::string_view::npos ? detail.substr(in + kIn.size()) : error.field;
}

// What is left of an error without the place and the value.
std::string WordsOf(const FieldError& error, std::string_view place,
                    const std::string& folded_path) {
  std::string detail = error.detail;
  const std::string own_value = ": " + error.bad_value;
  if (!error.bad_value.empty() && detail.ends_with(own_value)) {
    detail.resize(detail.size() - own_value.size());
  }
  const std::size_t at = place.empty() ? std::string::npos : detail.find(place);
  if (at != std::string::npos) detail.replace(at, place.size(), folded_path);
  return std::to_string(static_cast<int>(error.type)) + FirstKib(WithoutIndices(detail));
}

}  // namespace

bool AddFindings(const VersionValidity::Findings& findings, const kube::json::Value& object,
                 const kube::schema::SchemaProps& schema, const ServerRules& server,
                 const report::CountedObject& counted, report::InvalidTally& tally,
                 std::vector<std::string>* refusals) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  OwnerFinder owners(object);
  kube::json::MemberIndex members;
  bool is_refused = false;
  std::size_t bytes = 0;
  for (const VersionValidity::Error& found : findings.errors) {
    const auto later = LaterRelease(found.error, server.release);
    const bool is_let_be = later || (server.ratchets && found.tolerated);
    is_refused |= !is_let_be;
    if (bytes > kMostBytes) continue;
    const std::string_view place = PlaceOf(found.error);
    const LocatedField located = LocateField(place, object, schema, members);
    report::InvalidFinding finding{.path = located.folded_path,
                                   .words = WordsOf(found.error, place, located.folded_path),
                                   .message = FirstKib(found.error.ToString()),
                                   .since_proposal = found.since_proposal,
                                   .tolerated = found.tolerated,
                                   .from_release = later ? later->ToString() : "",
                                   .managers = owners.Find(located.elements).managers};
    tally.Add(finding, counted);
    bytes += finding.path.size() + finding.words.size() + finding.message.size();
    if (refusals != nullptr && !is_let_be) refusals->push_back(std::move(finding.message));
  }
  return is_refused;
}

}  // namespace migrate::check
