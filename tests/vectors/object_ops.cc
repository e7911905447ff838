// The ops that say what becomes of an object: prune, server, prune-defaults,
// validate-update.
#include <algorithm>

#include "kube/base/text.h"
#include "kube/crd/crd_validation.h"
#include "kube/crd/custom_resource.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/fast_validator.h"
#include "kube/schema/object_validation.h"
#include "kube/schema/pruning.h"
#include "tests/vectors/inputs.h"
#include "tests/vectors/ops.h"

namespace vectors {
namespace {

using kube::crd::CustomResourceServer;
using kube::crd::ServerNotes;
using kube::schema::ErrorsOfCreate;
using kube::schema::ErrorsOfUpdate;
using kube::schema::ObjectRules;
using kube::schema::Ratcheting;
using kube::schema::StructuralSchema;
using Error = std::optional<std::string>;

/// The server's answer is {"object"} or {"error"}, or both where it is complete but refused.
/// "panic" is a bug of the server: there any error will do.
void CompareAnswer(std::string_view what, const kube::json::Value& expected,
                   const kube::json::Value& object, const Error& error, Mismatches& mismatches) {
  const Error expected_error = FindString(expected, "error");
  const bool is_panic = expected_error && expected_error->starts_with("panic");
  if (!is_panic || !error) mismatches.CompareErrors(what, expected_error, error);
  const kube::json::Value* expected_object = expected.Find("object");
  if (expected_object) mismatches.CompareJson(what, *expected_object, object);
  if (!expected_object && !expected_error) throw BadVector("neither object nor error");
}

/// The error of a request with fieldValidation=Strict; absent if there is no unknown field.
Error StrictDecodingError(const std::vector<std::string>& unknown_fields) {
  if (unknown_fields.empty()) return std::nullopt;
  return "strict decoding error: unknown field \"" +
         kube::base::Join(unknown_fields, "\", unknown field \"") + "\"";
}

class Paths : public kube::schema::UnknownFieldSink {
 public:
  void OnUnknownField(const kube::schema::UnknownField& field) override {
    const std::string path = field.Path();
    sorted.insert(std::ranges::upper_bound(sorted, path), path);
  }
  std::vector<std::string> sorted;
};

bool IsEmpty(const kube::json::Value& value) {
  if (value.is_string()) return value.text().empty();
  if (value.is_object() || value.is_array()) return value.size() == 0;
  return value.is_null() || kube::json::AsInt64(value) == 0;
}

/// What is in `before` and not in `after`, of a subtree its top. Nothing of the object's own
/// metadata, and nothing that is empty: a server drops that from metadata that it knows.
void FindMissing(const kube::json::Value& before, const kube::json::Value& after,
                 const std::string& path, std::vector<std::string>& missing) {
  if (before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      FindMissing(before.elements()[i], after.elements()[i], path + "[" + std::to_string(i) + "]",
                  missing);
    }
  }
  if (!before.is_object() || !after.is_object()) return;
  for (const kube::json::Member& member : before.members()) {
    const std::string below = path + (path.empty() ? "" : ".") + std::string(member.key.text());
    if (below == "metadata" || IsEmpty(member.value)) continue;
    if (const kube::json::Value* kept = after.Find(member.key.text())) {
      FindMissing(member.value, *kept, below, missing);
    } else {
      missing.push_back(below);
    }
  }
}

class FullPaths : public Paths {
 public:
  void OnUnknownField(const kube::schema::UnknownField& field) override {
    if (!IsEmpty(field.value)) Paths::OnUnknownField(field);
  }
};

/// `read` is what a server that prunes shows of `object` in its own version.
void CompareLost(const kube::json::Value& object, const StructuralSchema* schema,
                 const kube::json::Value& read, Mismatches& mismatches) {
  std::vector<std::string> missing;
  FindMissing(object, read, "", missing);
  FullPaths lost;
  kube::schema::FindLostFields(object, schema, lost);
  std::ranges::sort(missing);
  mismatches.CompareStrings("lost", missing, lost.sorted);
}

struct ServerRun {
  const Vector& vector;
  const kube::crd::Crd& crd;
  const CustomResourceServer& server;
  std::string_view version;
  Mismatches& mismatches;

  void CompareWrites(const kube::json::Value& expected) {
    kube::json::Arena arena;
    kube::json::Value object = kube::json::DeepCopy(Get(vector.input, "object"), arena);
    ServerNotes notes;
    Error error = server.OnRequest(object, version, arena, &notes, vector.object_text);
    CompareAnswer("request", Get(expected, "request"), object, error, mismatches);

    const Error strict = StrictDecodingError(notes.unknown_fields);
    mismatches.CompareErrors("requestStrictError", FindString(expected, "requestStrictError"),
                             strict ? strict : error);

    const kube::json::Value* etcd_write = expected.Find("etcdWrite");
    if (etcd_write == nullptr) return;
    if (!error) error = server.OnWrite(object, arena);
    CompareAnswer("etcdWrite", *etcd_write, object, error, mismatches);
  }

  void CompareRead(const kube::json::Value& expected) {
    const kube::json::Value* etcd_read = expected.Find("etcdRead");
    if (etcd_read == nullptr) return;
    kube::json::Arena arena;
    kube::json::Value object = kube::json::DeepCopy(Get(vector.input, "object"), arena);
    const Error error = server.OnRead(object, version, arena, nullptr, vector.object_text);
    CompareAnswer("etcdRead", *etcd_read, object, error, mismatches);
    const kube::json::Value* read = etcd_read->Find("object");
    const kube::meta::GroupVersionKind type = kube::meta::TypeOf(Get(vector.input, "object"));
    const bool is_own = type.group_version.group == crd.group && type.kind == crd.names.kind &&
                        type.group_version.version == version;
    if (crd.preserve_unknown_fields || !is_own || read == nullptr) return;
    CompareLost(Get(vector.input, "object"), server.FindSchema(version), *read, mismatches);
  }
};

void CompareServer(const Vector& vector, const kube::json::Value& expected,
                   Mismatches& mismatches) {
  auto crd = ReadCrdOrSchema(vector, mismatches);
  if (!crd) return;
  crd->preserve_unknown_fields |= GetFlag(vector.input, "preserveUnknownFields");
  const CustomResourceServer server(*crd, crd->preserve_unknown_fields);
  ServerRun run{vector, *crd, server, BareType(vector).group_version.version, mismatches};
  if (vector.input.Find("version")) run.version = GetText(vector.input, "version");
  run.CompareWrites(expected);
  run.CompareRead(expected);
}

/// The defaults of both schemas, node by node.
void CompareDefaults(const std::string& path, const StructuralSchema* expected,
                     const StructuralSchema* got, Mismatches& mismatches) {
  if (expected == nullptr || got == nullptr) {
    if (expected != got) mismatches.Add(path, expected ? "a schema" : "none", got ? "one" : "none");
    return;
  }
  mismatches.CompareJson(path + " default", expected->default_value.value_or(kube::json::Value()),
                         got->default_value.value_or(kube::json::Value()));
  CompareDefaults(path + "[]", expected->items.get(), got->items.get(), mismatches);
  CompareDefaults(path + ".*", expected->additional_schema.get(), got->additional_schema.get(),
                  mismatches);
  if (expected->properties.size() != got->properties.size()) {
    mismatches.Add(path, "other properties", "these");
  }
  for (const auto& property : expected->properties) {
    CompareDefaults(path + "." + property.name, &property.schema, got->FindProperty(property.name),
                    mismatches);
  }
}

// Nothing is taken for valid at a glance that has an error once it is read as a server that prunes
// shows it, nor for an object without a loss that loses something by that.
void CompareFastValidator(const kube::json::Value& object, const ObjectRules& rules,
                          Mismatches& mismatches) {
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  const auto sight = kube::schema::FastValidator(rules.schema).Look(object, patterns);
  if (sight.loses_nothing) {
    Paths lost;
    kube::schema::FindLostFields(object, &rules.structural, lost);
    mismatches.CompareStrings("loses nothing at a glance", {}, lost.sorted);
  }
  if (!sight.is_valid) return;
  kube::json::Arena arena;
  kube::json::Value read = kube::json::DeepCopy(object, arena);
  if (!kube::schema::ReadBySchema(read, &rules.structural, arena)) return;
  mismatches.CompareStrings(
      "valid at a glance", {},
      kube::meta::SortedStrings(ErrorsOfUpdate(read, read, rules, Ratcheting::kNone, patterns)));
}

}  // namespace

void ReplayPrune(const Vector& vector, Mismatches& mismatches) {
  kube::json::Arena arena;
  const auto schema = ReadStructural(vector, arena, mismatches);
  if (!schema) return;
  const bool is_root = GetFlag(vector.input, "isResourceRoot");
  kube::json::Value object = kube::json::DeepCopy(Get(vector.input, "object"), arena);

  Paths found;
  kube::schema::FindUnknownFields(object, &*schema, is_root, found);
  mismatches.CompareJson("object after FindUnknownFields", Get(vector.input, "object"), object);

  const std::vector<std::string> paths = kube::schema::Prune(object, &*schema, is_root);
  mismatches.CompareJson("pruned", Get(vector.expected, "pruned"), object);
  Get(vector.expected, "prunedPaths");
  const auto expected_paths = FindStrings(vector.expected, "prunedPaths");
  mismatches.CompareStrings("prunedPaths", expected_paths, paths);
  mismatches.CompareStrings("prunedPaths by FindUnknownFields", expected_paths, found.sorted);
  const auto props = is_root ? ReadSchema(vector, mismatches) : std::nullopt;
  if (props) CompareFastValidator(Get(vector.input, "object"), {*props, *schema}, mismatches);

  if (const kube::json::Value* server = vector.expected.Find("server")) {
    CompareServer(vector, *server, mismatches);
  }
}

void ReplayServer(const Vector& vector, Mismatches& mismatches) {
  CompareServer(vector, vector.expected, mismatches);
}

void ReplayPruneDefaults(const Vector& vector, Mismatches& mismatches) {
  kube::json::Arena arena;
  auto schema = ReadStructural(vector, arena, mismatches);
  if (!schema) return;
  const Error error = kube::schema::PruneDefaults(*schema, arena);
  mismatches.CompareErrors("error", FindString(vector.expected, "error"), error);
  if (error || FindString(vector.expected, "error")) return;

  const auto expected_schema =
      ReadStructural({vector.op, vector.expected, vector.expected, {}}, arena, mismatches);
  if (expected_schema) CompareDefaults("", &*expected_schema, &*schema, mismatches);
}

void ReplayValidateUpdate(const Vector& vector, Mismatches& mismatches) {
  kube::json::Arena arena;
  const auto schema = ReadSchema(vector, mismatches);
  const auto structural = ReadStructural(vector, arena, mismatches);
  if (!schema || !structural) return;
  const kube::json::Value& object = Get(vector.input, "object");
  const kube::json::Value& old = Get(vector.input, "old");
  const ObjectRules rules{*schema, *structural};
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  const auto compare = [&](std::string_view what,
                           const std::vector<kube::meta::FieldError>& errors) {
    Get(vector.expected, what);
    mismatches.CompareStrings(what, FindStrings(vector.expected, what),
                              kube::meta::SortedStrings(errors));
  };
  compare("create", ErrorsOfCreate(object, rules, patterns));
  compare("update", ErrorsOfUpdate(object, old, rules, Ratcheting::kNone, patterns));
  compare("updateRatcheting",
          ErrorsOfUpdate(object, old, rules, Ratcheting::kUnchangedValues, patterns));
  CompareFastValidator(object, rules, mismatches);
  CompareFastValidator(old, rules, mismatches);
}

}  // namespace vectors
