#include "kube/json/json.h"

namespace kube::json {

std::string_view TypeName(Type type) {
  constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view GoTypeName(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
      return "<nil>";
    case Type::kNumber:
      return AsInt64(value) ? "int64" : "float64";
    case Type::kArray:
      return "[]interface {}";
    case Type::kObject:
      return "map[string]interface {}";
    case Type::kBool:
    case Type::kString:
      break;
  }
  return TypeName(value.type());
}

}  // namespace kube::json
