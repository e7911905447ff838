#include "migrate/check/invalid_findings.h"

#include <algorithm>
#include <charconv>

#include "kube/base/utf8.h"
#include "kube/meta/object_path.h"
#include "migrate/check/managed_fields.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::schema::SchemaProps;

// A name with more dots and brackets is taken for several.
constexpr int kMostParts = 64;

class Locator {
 public:
  Locator(std::string_view field, const Value& object, const SchemaProps& schema,
          kube::json::MemberIndex& members)
      : rest_(field == "<nil>" ? "" : field),
        value_(&object),
        schema_(&schema),
        members_(members) {}

  LocatedField Run() {
    while (!rest_.empty()) {
      if (rest_.front() == '[' && !IsObject()) {
        TakeIndex();
      } else {
        TakeName();
      }
    }
    return std::move(located_);
  }

 private:
  bool IsObject() const { return value_ != nullptr && value_->is_object(); }

  void TakeIndex() {
    const std::string_view text = rest_.substr(1, rest_.find(']') - 1);
    rest_.remove_prefix(std::min(text.size() + 2, rest_.size()));
    std::size_t index = 0;
    std::from_chars(text.data(), text.data() + text.size(), index);
    located_.elements.push_back({.key = {}, .index = index, .is_index = true});
    located_.folded_path += "[*]";
    const bool is_there = value_ != nullptr && value_->is_array() && index < value_->size();
    value_ = is_there ? &value_->elements()[index] : nullptr;
    schema_ = schema_ == nullptr ? nullptr : schema_->ItemsSchema();
  }

  void TakeName() {
    const bool is_bracketed = rest_.front() == '[';
    if (is_bracketed || rest_.front() == '.') rest_.remove_prefix(1);
    const std::string_view name = LongestName(is_bracketed);
    rest_.remove_prefix(std::min(name.size() + (is_bracketed ? 1 : 0), rest_.size()));
    located_.elements.push_back({.key = name});
    const SchemaProps* below = schema_ == nullptr ? nullptr : schema_->FindProperty(name);
    const auto* additional = schema_ == nullptr ? nullptr : schema_->additional_properties.get();
    if (below == nullptr && additional != nullptr) {
      below = additional->schema.get();
      kube::meta::AppendPathOfKeys(located_.folded_path);
    } else {
      kube::meta::AppendPathName(located_.folded_path, name);
    }
    value_ = IsObject() ? members_.Find(*value_, name) : nullptr;
    schema_ = below;
  }

  std::string_view LongestName(bool is_bracketed) const {
    const std::string_view ends = is_bracketed ? "]" : ".[";
    const std::string_view shortest = rest_.substr(0, rest_.find_first_of(ends, 1));
    std::string_view in_object, in_schema, candidate = shortest;
    for (int parts = 0; parts < kMostParts; ++parts) {
      if (IsObject() && members_.Find(*value_, candidate) != nullptr) in_object = candidate;
      if (schema_ != nullptr && schema_->FindProperty(candidate) != nullptr) in_schema = candidate;
      if (candidate.size() == rest_.size()) break;
      candidate = rest_.substr(0, rest_.find_first_of(ends, candidate.size() + 1));
    }
    if (!in_object.empty()) return in_object;
    return in_schema.empty() ? shortest : in_schema;
  }

  std::string_view rest_;
  const Value* value_;         // null pointer: what follows is not in the object
  const SchemaProps* schema_;  // null pointer: nor specified
  kube::json::MemberIndex& members_;
  LocatedField located_;
};

}  // namespace

LocatedField LocateField(std::string_view field, const Value& object, const SchemaProps& schema,
                         kube::json::MemberIndex& members) {
  return Locator(field, object, schema, members).Run();
}

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
std::string ServerMessage(const FieldError& error, std::string_view place,
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
                                   .words = ServerMessage(found.error, place, located.folded_path),
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
