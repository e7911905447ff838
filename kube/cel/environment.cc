#include "kube/cel/environment.h"

#include <algorithm>

#include "kube/base/mutex.h"

namespace kube::cel {
namespace {

/// In the order in which the server adds them, which is that in which overloads are tried.
constexpr std::span<const Overload> (*kLibraries[])() = {
    OperatorLibrary, ConversionLibrary,    TimeLibrary,     UrlLibrary,      RegexLibrary,
    ListLibrary,     AuthorizationLibrary, OptionalLibrary, QuantityLibrary, StringLibrary,
    NetLibrary,      NamedFormatLibrary,   SemverLibrary};

std::vector<std::string_view> SplitTypes(std::string_view text) {
  std::vector<std::string_view> types;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (i > start) types.push_back(text.substr(start, i - start));
    start = i + 2;
  }
  return types;
}

void CollectParams(TypeRef type, std::vector<std::string>& names) {
  if (type->kind == Type::Kind::kTypeParam &&
      std::find(names.begin(), names.end(), type->name) == names.end()) {
    names.push_back(type->name);
  }
  for (const TypeRef param : type->params) CollectParams(param, names);
}

/// True for elements of which a map, and an optional of that, are too large for a type.
bool IsTooLarge(TypeRef element) { return element->size + 3 > TypePool::kLargestType; }

std::shared_ptr<const FunctionTable> TableOf(base::Release release) {
  static base::Mutex mutex;
  static std::map<base::Release, std::shared_ptr<const FunctionTable>> tables GUARDED_BY(mutex);
  const base::MutexLock lock(mutex);
  auto& table = tables[release];
  if (table == nullptr) table = std::make_shared<const FunctionTable>(release);
  return table;
}

/// The names of types and the messages of protobuf that all environments know.
struct CommonNames {
  TypePool pool;
  std::map<std::string, TypeRef, std::less<>> types;
  std::map<std::string, MessageType, std::less<>> messages;

  CommonNames() {
    for (const TypeRef type : {types::Bool(), types::Bytes(), types::Double(), types::Int(),
                               types::Null(), types::String(), types::TypeType(), types::Uint(),
                               types::Dyn(), types::Duration(), types::Timestamp()}) {
      this->types[type->name] = type;
    }
    this->types.erase("dyn");
    this->types["list"] = pool.List(pool.Param("A"));
    this->types["map"] = pool.Map(pool.Param("A"), pool.Param("B"));
    this->types["optional_type"] = pool.Optional(pool.Param("V"));
    for (const char* name : {"net.IP", "net.CIDR"}) this->types[name] = pool.Opaque(name);
    AddMessages();
  }

  void AddMessages() {
    const auto wrapper = [&](const std::string& name, TypeRef type) {
      messages["google.protobuf." + name] = {pool.Nullable(type), {{"value", type}}};
    };
    wrapper("BoolValue", types::Bool());
    wrapper("BytesValue", types::Bytes());
    wrapper("DoubleValue", types::Double());
    wrapper("FloatValue", types::Double());
    wrapper("Int32Value", types::Int());
    wrapper("Int64Value", types::Int());
    wrapper("StringValue", types::String());
    wrapper("UInt32Value", types::Uint());
    wrapper("UInt64Value", types::Uint());
    const TypeRef map = pool.Map(types::String(), types::Dyn());
    const TypeRef list = pool.List(types::Dyn());
    messages["google.protobuf.Any"] = {types::Any(),
                                       {{"type_url", types::String()}, {"value", types::Bytes()}}};
    messages["google.protobuf.Duration"] = {types::Duration(),
                                            {{"seconds", types::Int()}, {"nanos", types::Int()}}};
    messages["google.protobuf.Timestamp"] = {types::Timestamp(),
                                             {{"seconds", types::Int()}, {"nanos", types::Int()}}};
    messages["google.protobuf.Struct"] = {map, {{"fields", map}}};
    messages["google.protobuf.ListValue"] = {list, {{"values", list}}};
    messages["google.protobuf.Value"] = {types::Dyn(),
                                         {{"null_value", types::Int()},
                                          {"number_value", types::Double()},
                                          {"string_value", types::String()},
                                          {"bool_value", types::Bool()},
                                          {"struct_value", map},
                                          {"list_value", list}}};
  }
};

const CommonNames& Common() {
  static const CommonNames common;
  return common;
}

}  // namespace

FunctionTable::FunctionTable(base::Release release) {
  for (const auto library : kLibraries) {
    for (const Overload& overload : library()) {
      if (release < overload.since) continue;
      Function& function = functions_[overload.function];
      function.name = overload.function;
      Signature signature;
      signature.overload = &overload;
      for (const std::string_view arg : SplitTypes(overload.args)) {
        signature.args.push_back(types_.Parse(arg));
        CollectParams(signature.args.back(), signature.params);
      }
      signature.result = types_.Parse(overload.result);
      CollectParams(signature.result, signature.params);
      function.signatures.push_back(std::move(signature));
    }
  }
}

const Function* FunctionTable::Find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

Environment::Environment(base::Release release) : release_(release), functions_(TableOf(release)) {}

void Environment::AddVariable(std::string name, TypeRef type) {
  variables_.push_back({std::move(name), type});
}

TypeRef Environment::AddSchema(const SchemaType& schema, const std::string& name) {
  return Declare(schema, name);
}

TypeRef Environment::Declare(const SchemaType& schema, const std::string& name) const {
  switch (schema.kind) {
    case SchemaType::Kind::kBool:
      return types::Bool();
    case SchemaType::Kind::kInt:
      return types::Int();
    case SchemaType::Kind::kDouble:
      return types::Double();
    case SchemaType::Kind::kString:
      return types::String();
    case SchemaType::Kind::kBytes:
      return types::Bytes();
    case SchemaType::Kind::kDate:
    case SchemaType::Kind::kDateTime:
      return types::Timestamp();
    case SchemaType::Kind::kDuration:
      return types::Duration();
    case SchemaType::Kind::kList:
    case SchemaType::Kind::kSet:
    case SchemaType::Kind::kListMap: {
      const TypeRef element = Declare(*schema.element, name + ".@idx");
      return IsTooLarge(element) ? types::Dyn() : types_->List(element);
    }
    case SchemaType::Kind::kMap: {
      const TypeRef value = Declare(*schema.element, name + ".@elem");
      return IsTooLarge(value) ? types::Dyn() : types_->Map(types::String(), value);
    }
    case SchemaType::Kind::kObject: {
      Object& object = objects_[name];
      if (object.schema == nullptr) {
        object.schema = &schema;
        object.message.type = types_->Struct(name);
      }
      return object.message.type;
    }
    default:
      return types::Dyn();
  }
}

int Environment::FindVariable(std::string_view name) const {
  const auto found = std::find_if(variables_.begin(), variables_.end(),
                                  [&](const Variable& v) { return v.name == name; });
  return found == variables_.end() ? -1 : static_cast<int>(found - variables_.begin());
}

TypeRef Environment::FindTypeName(std::string_view name) const {
  const auto& types = Common().types;
  const auto found = types.find(name);
  if (found != types.end()) return found->second;
  const MessageType* message = FindMessage(name);
  return message == nullptr ? nullptr : message->type;
}

void Environment::DeclareFields(const std::string& name, Object& object) const {
  if (object.has_fields) return;
  object.has_fields = true;
  for (const SchemaField& field : object.schema->fields) {
    if (!field.type->is_declared || field.name.empty()) continue;
    object.message.fields[field.name] = Declare(*field.type, name + "." + field.name);
  }
}

const MessageType* Environment::FindMessage(std::string_view name) const {
  const auto object = objects_.find(name);
  if (object != objects_.end()) {
    DeclareFields(object->first, object->second);
    return &object->second.message;
  }
  const auto& messages = Common().messages;
  const auto found = messages.find(name);
  return found == messages.end() ? nullptr : &found->second;
}

}  // namespace kube::cel
