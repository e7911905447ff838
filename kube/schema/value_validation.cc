#include "kube/schema/value_validation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "kube/go/go_value.h"
#include "kube/meta/make_field_error.h"
#include "kube/schema/correlation.h"
#include "kube/schema/formats.h"
#include "kube/schema/keyword_checks.h"

namespace kube::schema {
namespace {

/// Up to here a search from the start is faster than a set.
constexpr std::size_t kFew = 16;

}  // namespace

bool Outcome::IsKnown(const std::string& message) {
  if (findings_.size() <= kFew) {
    return std::ranges::find(findings_, message, &Finding::message) != findings_.end();
  }
  for (std::size_t i = messages_.size(); i < findings_.size(); ++i) {
    messages_.insert(findings_[i].message);
  }
  return messages_.contains(message);
}

void Outcome::Add(Finding finding) {
  if (!IsKnown(finding.message)) findings_.push_back(std::move(finding));
}

void Outcome::Merge(Outcome other) {
  matches_ += other.matches_;
  if (findings_.empty()) {
    findings_ = std::move(other.findings_);
    messages_ = std::move(other.messages_);
    return;
  }
  for (Finding& finding : other.findings_) Add(std::move(finding));
}

void Outcome::Forgive() {
  findings_.clear();
  messages_.clear();
}

namespace {

// Of the texts of findings about one value. A long name above very many that are missing would
// make gigabytes of a small one.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

/// The type keyword; two where int-or-string is a type.
class Types {
 public:
  Types(const SchemaProps& schema, ValidationKind kind) {
    if (kind == ValidationKind::kObject && schema.x_int_or_string) {
      names_ = {"integer", "string"};
      count_ = 2;
    } else if (!schema.type.empty()) {
      names_[0] = schema.type;
      count_ = 1;
    }
  }

  bool empty() const { return count_ == 0; }
  /// The type where there is exactly one, else empty.
  std::string_view single() const { return count_ == 1 ? names_[0] : std::string_view(); }
  bool Contains(std::string_view name) const {
    return std::find(names_.begin(), names_.begin() + count_, name) != names_.begin() + count_;
  }
  std::string Print() const { return count_ == 2 ? "integer,string" : std::string(names_[0]); }

 private:
  std::array<std::string_view, 2> names_;
  std::ptrdiff_t count_ = 0;
};

/// StripUnsupportedFormats of apiextensions pkg/apiserver/validation/formats.go.
bool IsFormatOfType(std::string_view format, std::string_view type) {
  if (type.empty() || type == "string") return IsKnownFormat(format);
  if (type == "integer") return format == "int32" || format == "int64";
  return type == "number" && (format == "float" || format == "double");
}

std::string_view EffectiveFormat(const SchemaProps& schema, const Types& types,
                                 ValidationKind kind) {
  if (kind == ValidationKind::kDefault || IsFormatOfType(schema.format, types.single())) {
    return schema.format;
  }
  return {};
}

std::string_view TypeOf(const json::Value& value, const std::optional<go::Number>& number) {
  if (value.is_bool()) return "boolean";
  if (value.is_number() && number->is_integer) return "integer";
  return json::TypeName(value.type());
}

/// The keys of an object that is asked for so many of them.
class ObjectKeys {
 public:
  ObjectKeys(const json::Value& object, std::size_t questions) : object_(object) {
    constexpr std::size_t kFewLookUps = 4096;
    if (object.size() * questions <= kFewLookUps) return;
    for (const json::Member& member : object.members()) set_.insert(member.key.text());
  }
  bool Contain(std::string_view key) const {
    return set_.empty() ? object_.Find(key) != nullptr : set_.contains(key);
  }

 private:
  const json::Value& object_;
  std::unordered_set<std::string_view> set_;
};

/// Validates one value after the other; holds the name of the one that it is at.
///
/// The order of the checks and what counts as a match follow kube-openapi's SchemaValidator.
class ValueValidator final : private NumberFindingSink {
 public:
  ValueValidator(std::string_view base_path, ValidationKind kind, PatternChecks& patterns)
      : base_path_(base_path), kind_(kind), patterns_(patterns) {}

  /// `old` is the value before, where a server that ratchets compares; else a null pointer.
  Outcome Validate(const json::Value& value, const SchemaProps& schema, bool is_nested,
                   const json::Value* old = nullptr) {
    Outcome outcome;
    const std::size_t bytes = bytes_;
    Outcome* const outer = std::exchange(outcome_, &outcome);
    if (value.is_null()) {
      ValidateNull(value, schema);
    } else {
      ValidateNotNull(value, schema, is_nested, old);
    }
    outcome_ = outer;
    if (old != nullptr && !outcome.is_valid() && correlation_.IsUnchanged(value, *old, schema)) {
      outcome.Forgive();
      bytes_ = bytes;
    }
    return outcome;
  }

  /// True if the outcome could be another one, as it cannot be told whether a pattern holds.
  bool is_undecided() const { return is_undecided_; }

 private:
  /// Goes to a part of the value while it lives.
  class Step {
   public:
    Step(ValueValidator& validator, std::string_view part)
        : validator_(validator), outer_size_(validator.name_.size()) {
      validator_.name_ += part;
    }
    ~Step() { validator_.name_.resize(outer_size_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    ValueValidator& validator_;
    std::size_t outer_size_;
  };

  void ValidateNull(const json::Value& value, const SchemaProps& schema) {
    const Types types(schema, kind_);
    if (types.empty() || types.Contains("null") || schema.nullable) {
      outcome_->CountMatch();
    } else {
      AddWrongType(types.Print(), "null");
    }
    CheckEnum(value, schema);
  }

  void ValidateNotNull(const json::Value& value, const SchemaProps& schema, bool is_nested,
                       const json::Value* old) {
    const Types types(schema, kind_);
    const std::string_view format = EffectiveFormat(schema, types, kind_);
    std::optional<go::Number> number;
    if (value.is_number()) number = go::ReadNumber(value);
    CheckType(value, number, types, format);
    CheckAlternatives(value, schema);
    if (value.is_string()) CheckString(value.text(), schema, format, is_nested);
    if (number) CheckNumber(*number, schema, types, format);
    if (value.is_array()) CheckArray(value, schema, is_nested, old);
    CheckEnum(value, schema);
    outcome_->CountMatch();
    if (value.is_object()) CheckObject(value, schema, is_nested, old);
    outcome_->CountMatch();
  }

  // What is found.

  /// The base path, or what Go prints for none.
  std::string RootPath() const { return base_path_.empty() ? "<nil>" : base_path_; }

  std::string FieldPath() const {
    const std::string_view name = std::string_view(name_).substr(name_.starts_with('.') ? 1 : 0);
    return name_.empty() || name_ == "." ? RootPath() : meta::Child(base_path_, name);
  }

  std::string Message(std::string_view text) const {
    std::string message = name_ + " in body ";
    return message.append(text);
  }

  /// An error at the place with the value.
  void AddInvalid(std::string_view text, std::string bad_value,
                  meta::ErrorType type = meta::ErrorType::kInvalid) {
    std::string message = Message(text);
    meta::FieldError error = meta::Invalid(FieldPath(), std::move(bad_value), message);
    error.type = type;
    AddFinding(std::move(message), std::move(error));
  }

  void AddWrongType(std::string_view expected, std::string_view actual) {
    std::string text = "must be of type ";
    text.append(expected).append(": ").append(go::GoQuote(actual));
    AddInvalid(text, go::GoQuote(actual), meta::ErrorType::kTypeInvalid);
  }

  /// An error that the server shows at the root only.
  void AddAtRoot(std::string message) {
    meta::FieldError error = meta::Invalid(RootPath(), go::GoQuote(""), message);
    AddFinding(std::move(message), std::move(error));
  }

  /// An error that has no text of kube-openapi in it; `text` tells it from others at its place.
  void Add(meta::FieldError error, std::string_view text) {
    AddFinding(Message(text), std::move(error));
  }

  void AddFinding(std::string message, meta::FieldError error) {
    bytes_ += message.size() + error.field.size() + error.bad_value.size() + error.detail.size();
    if (bytes_ > kMostBytes) {
      message = "";
      error = {meta::ErrorType::kInternal, RootPath(), "",
               "there are more errors than can be listed"};
    }
    outcome_->Add({std::move(message), std::move(error)});
  }

  // What is checked.

  void CheckType(const json::Value& value, const std::optional<go::Number>& number,
                 const Types& types, std::string_view format) {
    if (types.empty() && format.empty()) return;
    outcome_->CountMatch();
    const std::string_view type = TypeOf(value, number);
    const bool has_number_type = types.Contains("number") || types.Contains("integer");
    const bool is_number_of_type =
        number && (number->is_integer ? types.Contains("number")
                                      : types.Contains("integer") && IsJsonInteger(number->real));
    const bool is_of_type = types.Contains(type) || is_number_of_type;
    const bool is_text_or_list = value.is_string() || value.is_array();
    if (!is_text_or_list && !format.empty() && !is_of_type) {
      const std::string_view own = !number ? "" : number->is_integer ? "int64" : "float64";
      if (own != format) return AddWrongType(format, own);
    }
    // Beside a format kube-openapi leaves strings and lists to the check of the format.
    const bool is_left_to_format = !has_number_type && !format.empty() && is_text_or_list;
    if (is_left_to_format || is_of_type) return outcome_->CountMatch();
    AddWrongType(types.Print(), type);
  }

  void CheckAlternatives(const json::Value& value, const SchemaProps& schema) {
    outcome_->CountMatch();
    outcome_->CountMatch();
    if (!schema.any_of.empty()) CheckAnyOf(value, schema.any_of);
    if (!schema.one_of.empty()) CheckOneOf(value, schema.one_of);
    if (!schema.all_of.empty()) CheckAllOf(value, schema.all_of);
    if (!schema.not_schema) return;
    const std::size_t bytes = bytes_;
    const bool is_valid = Validate(value, *schema.not_schema, true).is_valid();
    bytes_ = bytes;
    if (is_valid) {
      AddAtRoot(go::GoQuote(name_) + " must not validate the schema (not)");
    }
  }

  void CheckAnyOf(const json::Value& value, const GoList<SchemaProps>& schemas) {
    std::optional<Outcome> best;
    const std::size_t bytes = bytes_;
    for (const SchemaProps& schema : schemas) {
      Outcome outcome = Validate(value, schema, true);
      if (outcome.is_valid()) {
        bytes_ = bytes;
        return outcome_->Merge(std::move(outcome));
      }
      if (!best || outcome.matches() > best->matches()) best = std::move(outcome);
    }
    AddAtRoot(go::GoQuote(name_) + " must validate at least one schema (anyOf)");
    outcome_->Merge(std::move(*best));
  }

  void CheckOneOf(const json::Value& value, const GoList<SchemaProps>& schemas) {
    std::optional<Outcome> best_failure, first_success;
    std::size_t valid = 0;
    const std::size_t bytes = bytes_;
    for (const SchemaProps& schema : schemas) {
      Outcome outcome = Validate(value, schema, true);
      if (outcome.is_valid()) {
        ++valid;
        if (!first_success) first_success = std::move(outcome);
      } else if (!best_failure || outcome.matches() > best_failure->matches()) {
        best_failure = std::move(outcome);
      }
    }
    if (valid == 1) {
      bytes_ = bytes;
      return outcome_->Merge(std::move(*first_success));
    }
    const std::string found =
        valid == 0 ? "Found none valid" : "Found " + std::to_string(valid) + " valid alternatives";
    AddAtRoot(go::GoQuote(name_) + " must validate one and only one schema (oneOf). " + found);
    if (valid == 0) outcome_->Merge(std::move(*best_failure));
  }

  void CheckAllOf(const json::Value& value, const GoList<SchemaProps>& schemas) {
    std::size_t valid = 0;
    for (const SchemaProps& schema : schemas) {
      Outcome outcome = Validate(value, schema, true);
      if (outcome.is_valid()) ++valid;
      outcome_->Merge(std::move(outcome));
    }
    if (valid == schemas.size()) return;
    AddAtRoot(go::GoQuote(name_) + " must validate all the schemas (allOf)" +
              (valid == 0 ? ". None validated" : ""));
  }

  void CheckString(std::string_view text, const SchemaProps& schema, std::string_view format,
                   bool is_nested) {
    outcome_->CountMatch();
    CheckLengthAndPattern(text, schema, is_nested);
    if (format.empty() || !IsKnownFormat(format)) return;
    outcome_->CountMatch();
    if (MatchesFormat(format, text)) return;
    AddInvalid("must be of type " + std::string(format) + ": " + go::GoQuote(text),
               go::GoQuote(text), meta::ErrorType::kTypeInvalid);
  }

  /// The first that fails counts.
  void CheckLengthAndPattern(std::string_view text, const SchemaProps& schema, bool is_nested) {
    if (schema.max_length && base::utf8::CountCharacters(text) > *schema.max_length) {
      return Add(meta::TooLong(FieldPath(), *schema.max_length),
                 "should be at most " + std::to_string(*schema.max_length) + " chars long");
    }
    if (schema.min_length && base::utf8::CountCharacters(text) < *schema.min_length) {
      return AddInvalid("should be at least " + std::to_string(*schema.min_length) + " chars long",
                        go::GoQuote(text));
    }
    if (schema.pattern.empty()) return;
    const std::uint64_t undecided = patterns_.undecided();
    if (const auto mismatch = patterns_.Mismatch(schema.pattern, text)) {
      AddInvalid(*mismatch, go::GoQuote(text));
    }
    // Below a "not" or "oneOf" any answer could be the wrong one.
    if (patterns_.undecided() != undecided && is_nested) is_undecided_ = true;
  }

  void CheckNumber(const go::Number& number, const SchemaProps& schema, const Types& types,
                   std::string_view format) {
    outcome_->CountMatch();
    outcome_->CountMatch();
    std::string_view type = types.single();
    if (type != "integer" && type != "number") type = {};
    const bool counts = !type.empty() && IsFormatOfType(format, type);
    ValidateNumber(number, schema, type, counts ? format : "", *this);
  }

  void OnOutside(std::string_view message, std::string bad_value) override {
    AddInvalid(message, std::move(bad_value));
  }
  void OnBadFactor(std::string factor) override {
    std::string message =
        "factor MultipleOf declared for " + name_ + " must be positive: " + factor;
    meta::FieldError error = meta::Invalid(FieldPath(), std::move(factor), message);
    AddFinding(std::move(message), std::move(error));
  }
  void OnWrongType(std::string_view what, std::string_view type) override {
    std::string message(what);
    message.append(" value must be of type ").append(type).append(" in ").append(name_);
    AddAtRoot(std::move(message));
  }

  void CheckArray(const json::Value& array, const SchemaProps& schema, bool is_nested,
                  const json::Value* old) {
    outcome_->CountMatch();
    outcome_->CountMatch();
    if (const SchemaProps* items = schema.ItemsSchema()) {
      for (std::size_t i = 0; i < array.size(); ++i) {
        const Step step(*this, "[" + std::to_string(i) + "]");
        const json::Value& element = array.elements()[i];
        const json::Value* const old_element =
            old == nullptr ? nullptr : correlation_.OldElement(*old, element, schema);
        outcome_->Merge(Validate(element, *items, is_nested, old_element));
      }
    }
    const auto size = static_cast<std::int64_t>(array.size());
    if (schema.min_items && size < *schema.min_items) {
      AddInvalid("should have at least " + std::to_string(*schema.min_items) + " items",
                 std::to_string(size));
    }
    if (schema.max_items && size > *schema.max_items) {
      Add(meta::TooMany(FieldPath(), size, *schema.max_items),
          "should have at most " + std::to_string(*schema.max_items) + " items");
    }
    if (schema.unique_items && HasDuplicates(array)) {
      AddInvalid("shouldn't contain duplicates", go::GoQuote(""));
    }
  }

  void CheckEnum(const json::Value& value, const SchemaProps& schema) {
    if (!schema.enum_values || IsInEnum(value, *schema.enum_values)) return;
    meta::FieldError error =
        meta::NotSupported(FieldPath(), meta::PrintBadValue(value), PrintEnum(*schema.enum_values));
    Add(std::move(error), "should be one of " + FormatEnum(*schema.enum_values));
  }

  void CheckObject(const json::Value& object, const SchemaProps& schema, bool is_nested,
                   const json::Value* old) {
    outcome_->CountMatch();
    CheckSize(static_cast<std::int64_t>(object.size()), schema);
    const bool has_no_additional = is_nested && kind_ == ValidationKind::kDefault;
    const SchemaPropsOrBool* additional =
        has_no_additional ? nullptr : schema.additional_properties.get();
    for (const json::Member& member : object.members()) {
      CheckMember(member, schema, additional, is_nested, old);
    }
    if (!schema.required) return;
    const ObjectKeys keys(object, schema.required->size());
    for (const std::string_view name : *schema.required) {
      if (keys.Contain(name)) continue;
      const Step step(*this, "." + std::string(name));
      Add(meta::Required(FieldPath()), "is required");
    }
  }

  void CheckSize(std::int64_t size, const SchemaProps& schema) {
    if (schema.min_properties && size < *schema.min_properties) {
      AddInvalid("should have at least " + std::to_string(*schema.min_properties) + " properties",
                 std::to_string(size));
    }
    if (schema.max_properties && size > *schema.max_properties) {
      Add(meta::TooMany(FieldPath(), size, *schema.max_properties),
          "should have at most " + std::to_string(*schema.max_properties) + " properties");
    }
  }

  void CheckMember(const json::Member& member, const SchemaProps& schema,
                   const SchemaPropsOrBool* additional, bool is_nested, const json::Value* old) {
    const std::string_view key = member.key.text();
    std::string part = ".";
    part.append(key);
    if (old != nullptr) old = OldMember(*old, key, schema);
    if (const SchemaProps* property = schema.FindProperty(key)) {
      const Step step(*this, name_.empty() ? key : std::string_view(part));
      outcome_->Merge(Validate(member.value, *property, is_nested, old));
    } else if (additional && additional->schema) {
      const Step step(*this, part);
      outcome_->Merge(Validate(member.value, *additional->schema, is_nested, old));
    } else if (additional && !additional->allows) {
      std::string message = name_ + part + " in body is a forbidden property";
      meta::FieldError error = meta::InvalidText(FieldPath(), key, message);
      AddFinding(std::move(message), std::move(error));
    }
  }

  // The server shows both values of these in one version, so that they say nothing.
  const json::Value* OldMember(const json::Value& old, std::string_view key,
                               const SchemaProps& schema) {
    const bool is_type = name_.empty() && (key == "kind" || key == "apiVersion");
    return is_type ? nullptr : correlation_.OldMember(old, key, schema);
  }

  const std::string base_path_;
  const ValidationKind kind_;
  PatternChecks& patterns_;
  bool is_undecided_ = false;
  std::size_t bytes_ = 0;  // of the findings; also of alternatives that fail as others do
  std::string name_;       // of the value, as kube-openapi writes it: "a.b[0]", ".a" below a map
  Outcome* outcome_ = nullptr;
  Correlation correlation_;
};

std::vector<meta::FieldError> Errors(ValueValidator validator, const json::Value& value,
                                     const SchemaProps& schema, const json::Value* old) {
  const Outcome outcome = validator.Validate(value, schema, /*is_nested=*/false, old);
  if (validator.is_undecided()) return {};
  std::vector<meta::FieldError> errors;
  for (const Outcome::Finding& finding : outcome.findings()) errors.push_back(finding.error);
  meta::SortAndDeduplicate(errors);
  return errors;
}

}  // namespace

std::vector<meta::FieldError> ValidateValue(const json::Value& value, const SchemaProps& schema,
                                            std::string_view path, PatternChecks& patterns,
                                            ValidationKind kind) {
  return Errors(ValueValidator(path, kind, patterns), value, schema, nullptr);
}

std::vector<meta::FieldError> ValidateChange(const json::Value& value, const json::Value& old,
                                             const SchemaProps& schema, std::string_view path,
                                             PatternChecks& patterns) {
  return Errors(ValueValidator(path, ValidationKind::kObject, patterns), value, schema, &old);
}

}  // namespace kube::schema
