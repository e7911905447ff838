#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/json/json.h"
#include "migrate/report/check_report.h"
#include "migrate/report/migration_report.h"
#include "migrate/report/object_class.h"
#include "migrate/report/program_name.h"

namespace plugin::report {

/// Builds a JSON object member by member. Keys and texts are borrowed; what is made goes to the
/// arena.
class ObjectBuilder {
 public:
  explicit ObjectBuilder(kube::json::Arena& arena)
      : arena_(arena), object_(kube::json::Value::Object()) {}

  ObjectBuilder& Add(std::string_view key, kube::json::Value value) {
    object_.Set(key, value, arena_);
    return *this;
  }
  ObjectBuilder& Text(std::string_view key, std::string_view text) {
    return Add(key, ToValue(text));
  }
  ObjectBuilder& TextIfAny(std::string_view key, std::string_view text) {
    return text.empty() ? *this : Text(key, text);
  }
  ObjectBuilder& Number(std::string_view key, std::uint64_t number) {
    return Add(key, kube::json::Value::Number(arena_.Copy(std::to_string(number))));
  }
  ObjectBuilder& NumberIfAny(std::string_view key, std::uint64_t number) {
    return number == 0 ? *this : Number(key, number);
  }
  ObjectBuilder& Bool(std::string_view key, bool value) {
    return Add(key, kube::json::Value::Bool(value));
  }
  ObjectBuilder& BoolIfTrue(std::string_view key, bool value) {
    return value ? Bool(key, true) : *this;
  }

  /// An array of what `convert` makes of each element.
  /// `elements` is a range, such as a vector or a set, and has to outlive what is built.
  template <typename Elements, typename Convert>
  ObjectBuilder& List(std::string_view key, const Elements& elements, Convert convert) {
    kube::json::Value array = kube::json::Value::Array();
    for (const auto& element : elements) array.Append(convert(element), arena_);
    return Add(key, array);
  }
  template <typename Elements, typename Convert>
  ObjectBuilder& ListIfAny(std::string_view key, const Elements& elements, Convert convert) {
    return elements.empty() ? *this : List(key, elements, convert);
  }
  template <typename Range>
  ObjectBuilder& Texts(std::string_view key, const Range& texts) {
    return List(key, texts, [this](const std::string& text) { return ToValue(text); });
  }
  ObjectBuilder& TextsIfAny(std::string_view key, const std::vector<std::string>& texts) {
    return texts.empty() ? *this : Texts(key, texts);
  }

  kube::json::Value Build() const { return object_; }

 private:
  kube::json::Value ToValue(std::string_view text) {
    // Names of files need not be UTF-8.
    if (!kube::base::utf8::IsValid(text)) text = arena_.Copy(kube::base::utf8::Sanitize(text));
    return kube::json::Value::String(text);
  }

  kube::json::Arena& arena_;
  kube::json::Value object_;
};

/// Adds `prunedFields`, as every report has them; what is made goes to `arena`.
void AddPrunedFields(ObjectBuilder& builder, const std::vector<migrate::report::FieldUse>& uses,
                     kube::json::Arena& arena);

// What the JSON of several reports says alike.

/// The apiVersion of every report.
inline constexpr std::string_view kReportApiVersion = "kubectl-prune/v1alpha1";

/// A report of that kind, with where, when and by what it was made, as far as it is known.
ObjectBuilder BeginReport(std::string_view kind, const migrate::report::RunFacts& run,
                          kube::json::Arena& arena);

/// "done", "failures", "error" or "interrupted".
std::string_view OutcomeName(migrate::report::Outcome outcome);
/// "client" or "server"; empty: it was none.
std::string_view DryRunName(migrate::report::DryRun dry_run);

/// To the thousandth, which is enough.
kube::json::Value Seconds(double seconds, kube::json::Arena& arena);

/// Adds how many objects there are, as `total`, and how many of each class, also where none is.
template <typename Class, std::size_t kClasses>
void AddCounts(ObjectBuilder& builder, std::string_view total,
               const migrate::report::CountsBy<Class, kClasses>& counts) {
  builder.Number(total, counts.Total());
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto of_class = static_cast<Class>(i);
    builder.Number(ClassKey(of_class), counts[of_class]);
  }
}

/// Adds which object it is, its class, and why: of an ObjectFailure or a RestoreFailure.
template <typename Failure, typename Class>
void AddFailure(ObjectBuilder& builder, const Failure& failure, Class of_class) {
  builder.TextIfAny("namespace", failure.namespace_).Text("name", failure.name);
  builder.Text("class", ClassName(of_class));
  if (failure.code != 0) builder.Number("code", static_cast<std::uint64_t>(failure.code));
  builder.TextIfAny("reason", failure.reason).Text("message", failure.message);
}

}  // namespace plugin::report
