#include "kube/cel/value_preview.h"

#include "kube/base/utf8.h"
#include "kube/go/go_format.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

/// Prints until the text is long enough.
class Previewer {
 public:
  explicit Previewer(std::size_t most) : most_(most) {}

  std::string Run(const Value& value) {
    Add(value);
    return base::utf8::Shortened(out_, most_);
  }

 private:
  bool IsFull() const { return out_.size() > most_; }

  // Each level prints something before it goes deeper, so that none is too deep.
  void Add(const Value& value) {
    if (IsFull()) return;
    if (value.is_list()) {
      AddList(value);
    } else if (value.is_map()) {
      AddMap(value);
    } else if (value.kind == Kind::kOptional && value.inner != nullptr) {
      out_ += "optional.of(";
      Add(*value.inner);
      out_ += ')';
    } else {
      AddPlain(value);
    }
  }

  void AddList(const Value& list) {
    out_ += '[';
    for (std::uint32_t i = 0; i < ListSize(list) && !IsFull(); ++i) {
      if (i > 0) out_ += ", ";
      Add(ListItem(memory_, list, i));
    }
    out_ += ']';
  }

  void AddMap(const Value& map) {
    out_ += '{';
    bool is_first = true;
    for (MapCursor cursor(memory_, map); !cursor.AtEnd() && !IsFull(); cursor.Next()) {
      if (!is_first) out_ += ", ";
      is_first = false;
      const MapEntry entry = cursor.Entry();
      Add(entry.key);
      out_ += ": ";
      Add(entry.value);
    }
    out_ += '}';
  }

  void AddPlain(const Value& value) {
    switch (value.kind) {
      case Kind::kString:
        out_ += go::GoQuote(base::utf8::Prefix(value.text(), most_ + 1));
        break;
      case Kind::kBytes:
        out_ += 'b';
        out_ += go::GoQuote(value.text().substr(0, most_ + 1));
        break;
      case Kind::kNull:
        out_ += "null";
        break;
      default:
        out_ += PreviewText(Describe(value), most_ + 1);
        break;
    }
  }

  const std::size_t most_;
  std::string out_;
  json::Arena arena_;
  Memory memory_{arena_};
};

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

std::string PreviewValue(const Value& value, std::size_t most) {
  try {
    return Previewer(most).Run(value);
  } catch (const GivenUp&) {
    return "...";  // to look at it takes too much memory
  }
}

std::string PreviewText(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text) {
    if (out.size() > most) break;
    const bool is_blank = IsBlank(c);
    if (is_blank && (out.empty() || out.back() == ' ')) continue;
    out += is_blank ? ' ' : c;
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return base::utf8::Shortened(base::utf8::Sanitize(out), most);
}

}  // namespace kube::cel
