// What errors call values and their types.
#include "kube/base/utf8.h"
#include "kube/cel/opaque.h"
#include "kube/cel/schema_type.h"
#include "kube/cel/time.h"
#include "kube/cel/value.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

/// Prints values for errors. Ends where the text gets too long, or the values too deep.
class Describer {
 public:
  std::string Run(const Value& value) {
    Add(value, 0);
    return base::utf8::Shortened(out_, kLongest);
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  bool IsFull() const { return out_.size() > kLongest; }

  void Add(const Value& value, int level) {
    if (IsFull()) return;
    if (level > Memory::kMostLevels) {
      out_ += "...";
    } else if (value.is_list()) {
      AddList(value, level + 1);
    } else if (value.is_map()) {
      AddMap(value, level + 1);
    } else if (value.kind == Kind::kOptional && value.inner != nullptr) {
      out_ += "optional(";
      Add(*value.inner, level + 1);
      out_ += ')';
    } else if (value.kind == Kind::kBytes) {
      AddBytes(value.text());
    } else {
      AddPlain(value);
    }
  }

  void AddList(const Value& list, int level) {
    out_ += '[';
    for (std::uint32_t i = 0; i < ListSize(list) && !IsFull(); ++i) {
      if (i > 0) out_ += ", ";
      Add(ListItem(memory_, list, i), level);
    }
    out_ += ']';
  }

  void AddMap(const Value& map, int level) {
    out_ += '{';
    bool is_first = true;
    for (MapCursor cursor(memory_, map); !cursor.AtEnd() && !IsFull(); cursor.Next()) {
      if (!is_first) out_ += ", ";
      is_first = false;
      const MapEntry entry = cursor.Entry();
      Add(entry.key, level);
      out_ += ": ";
      Add(entry.value, level);
    }
    out_ += '}';
  }

  void AddBytes(std::string_view bytes) {
    out_ += '[';
    for (std::size_t i = 0; i < bytes.size() && !IsFull(); ++i) {
      if (i > 0) out_ += ' ';
      out_ += std::to_string(static_cast<unsigned char>(bytes[i]));
    }
    out_ += ']';
  }

  void AddPlain(const Value& value) {
    switch (value.kind) {
      case Kind::kNull:
        out_ += "NULL_VALUE";
        break;
      case Kind::kBool:
        out_ += value.boolean ? "true" : "false";
        break;
      case Kind::kInt:
        out_ += std::to_string(value.integer);
        break;
      case Kind::kUint:
        out_ += std::to_string(value.natural);
        break;
      case Kind::kDouble:
        out_ += json::FormatFloatG(value.real);
        break;
      case Kind::kDuration:
        out_ += FormatGoDuration(value.integer);
        break;
      case Kind::kTimestamp:
        out_ += FormatTimestamp(value);
        break;
      case Kind::kType:
        out_ += PrintType(value.type);
        break;
      case Kind::kOptional:
        out_ += "optional.none()";
        break;
      case Kind::kOpaque:
        out_ += DescribeOpaque(*value.opaque);
        break;
      default:  // texts and errors
        out_ += value.text().substr(0, kLongest + 1);
        break;
    }
  }

  std::string out_;
  json::Arena arena_;
  Memory memory_{arena_};
};

}  // namespace

TypeRef RuntimeType(const Value& value) {
  static TypePool pool;
  static const TypeRef list = pool.List(types::Dyn());
  static const TypeRef map = pool.Map(types::Dyn(), types::Dyn());
  static const TypeRef optional = pool.Optional(types::Dyn());
  switch (value.kind) {
    case Kind::kNull:
      return types::Null();
    case Kind::kBool:
      return types::Bool();
    case Kind::kInt:
      return types::Int();
    case Kind::kUint:
      return types::Uint();
    case Kind::kDouble:
      return types::Double();
    case Kind::kString:
      return types::String();
    case Kind::kBytes:
      return types::Bytes();
    case Kind::kDuration:
      return types::Duration();
    case Kind::kTimestamp:
      return types::Timestamp();
    case Kind::kList:
    case Kind::kJsonList:
      return list;
    case Kind::kMap:
    case Kind::kJsonMap:
    case Kind::kObject:
      return map;
    case Kind::kOptional:
      return optional;
    case Kind::kType:
      return types::TypeType();
    case Kind::kOpaque:
      return OpaqueType(*value.opaque);
    default:
      return types::Error();
  }
}

std::string_view RuntimeTypeName(const Value& value) { return RuntimeType(value)->name; }

std::string GoTypeOf(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "types.Null";
    case Kind::kBool:
      return "types.Bool";
    case Kind::kInt:
      return "types.Int";
    case Kind::kUint:
      return "types.Uint";
    case Kind::kDouble:
      return "types.Double";
    case Kind::kString:
      return "types.String";
    case Kind::kBytes:
      return "types.Bytes";
    case Kind::kDuration:
      return "types.Duration";
    case Kind::kTimestamp:
      return "types.Timestamp";
    case Kind::kOptional:
      return "*types.Optional";
    case Kind::kType:
      return "*types.Type";
    case Kind::kList:
      return "*types.baseList";
    case Kind::kMap:
      return "*types.baseMap";
    case Kind::kOpaque: {
      const std::string_view name = RuntimeTypeName(value);
      if (name == "kubernetes.NamedFormat") return "cel.Format";
      return "cel." + std::string(name.substr(name.find('.') + 1));
    }
    default:
      return std::string(RuntimeTypeName(value));
  }
}

std::string Describe(const Value& value) { return Describer().Run(value); }

}  // namespace kube::cel
