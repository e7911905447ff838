#include "migrate/cluster/spool_line.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

namespace migrate::cluster {
namespace {

constexpr std::string_view kObject = "object", kPage = "page";

// In the order of EntryState.
constexpr std::string_view kEntryStates[] = {"none", "some", "doubtful", "stale"};

void AddField(std::string& line, std::string_view field) {
  if (!line.empty()) line += '\t';
  for (const char c : field) {
    switch (c) {
      case '\\':
        line += "\\\\";
        break;
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      default:
        line += c;
    }
  }
}

template <typename... Fields>
std::string Line(const Fields&... fields) {
  std::string line;
  (AddField(line, fields), ...);
  line += '\n';
  return line;
}

std::string_view NameOf(EntryState entries) {
  return kEntryStates[static_cast<std::size_t>(entries)];
}

/// Takes a line apart, field by field.
class FieldReader {
 public:
  explicit FieldReader(std::string_view line) : left_(line) {}

  /// True if all fields were as asked for, and no more are there.
  bool IsDone() const { return is_good_ && is_at_end_; }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return is_at_end_; }

  std::string Text() {
    std::string text;
    const std::string_view field = Raw();
    for (std::size_t i = 0; i < field.size(); ++i) {
      text += field[i] == '\\' ? Unescape(field, ++i) : field[i];
    }
    return text;
  }
  template <typename Number>
  Number Integer() {
    const std::string_view field = Raw();
    Number number{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error != std::errc() || end != field.data() + field.size()) is_good_ = false;
    return number;
  }
  void Expect(std::string_view text) {
    if (Raw() != text) is_good_ = false;
  }
  report::ObjectClass Class() {
    const std::string_view name = Raw();
    for (std::size_t i = 0; i < report::kObjectClasses; ++i) {
      if (report::ClassName(static_cast<report::ObjectClass>(i)) == name)
        return static_cast<report::ObjectClass>(i);
    }
    is_good_ = false;
    return report::ObjectClass::kFailed;
  }
  EntryState Entries() {
    const auto found = std::ranges::find(kEntryStates, Raw());
    if (found == std::end(kEntryStates)) is_good_ = false;
    return is_good_ ? static_cast<EntryState>(found - std::begin(kEntryStates)) : EntryState::kNone;
  }

 private:
  std::string_view Raw() {
    if (is_at_end_) is_good_ = false;
    const std::size_t tab = left_.find('\t');
    const std::string_view field = left_.substr(0, tab);
    is_at_end_ = tab == left_.npos;
    left_ = is_at_end_ ? std::string_view() : left_.substr(tab + 1);
    return field;
  }
  char Unescape(std::string_view field, std::size_t at) {
    const char c = at < field.size() ? field[at] : '\0';
    if (c == 't') return '\t';
    if (c == 'n') return '\n';
    if (c != '\\') is_good_ = false;
    return c;
  }

  std::string_view left_;
  bool is_good_ = true, is_at_end_ = false;
};

}  // namespace

std::string ObjectLine(const ListedObject& object) {
  return Line(kObject, object.namespace_, object.name, object.uid, object.resource_version,
              std::to_string(object.generation), NameOf(object.entries));
}

std::string PageEndLine(const PageEnd& end) {
  return Line(kPage, std::to_string(end.checksum), end.continue_token);
}

std::string AnswerLine(std::uint64_t number, const ObjectAnswer& answer) {
  return Line(std::to_string(number), report::ClassName(answer.object_class), answer.uid,
              answer.resource_version, std::to_string(answer.generation),
              std::string_view(answer.generation_moved ? "1" : "0"), std::to_string(answer.code),
              answer.reason, answer.message, NameOf(answer.entries),
              std::to_string(answer.entries_cleaned),
              std::string_view(answer.are_entries_emptied ? "1" : "0"));
}

std::optional<ListedObject> ReadObjectLine(std::string_view line) {
  FieldReader fields(line);
  fields.Expect(kObject);
  if (!fields.is_good()) return std::nullopt;
  ListedObject object;
  object.namespace_ = fields.Text();
  object.name = fields.Text();
  object.uid = fields.Text();
  object.resource_version = fields.Text();
  object.generation = fields.Integer<std::int64_t>();
  // Spools of before have no more.
  if (!fields.is_at_end()) object.entries = fields.Entries();
  if (!fields.IsDone()) return std::nullopt;
  return object;
}

std::optional<PageEnd> ReadPageEndLine(std::string_view line) {
  FieldReader fields(line);
  fields.Expect(kPage);
  if (!fields.is_good()) return std::nullopt;
  PageEnd end;
  end.checksum = fields.Integer<std::uint64_t>();
  end.continue_token = fields.Text();
  if (!fields.IsDone()) return std::nullopt;
  return end;
}

std::optional<NumberedAnswer> ReadAnswerLine(std::string_view line) {
  FieldReader fields(line);
  NumberedAnswer result;
  result.number = fields.Integer<std::uint64_t>();
  if (!fields.is_good()) return std::nullopt;
  result.answer.object_class = fields.Class();
  result.answer.uid = fields.Text();
  result.answer.resource_version = fields.Text();
  result.answer.generation = fields.Integer<std::int64_t>();
  result.answer.generation_moved = fields.Integer<unsigned>() != 0;
  result.answer.code = fields.Integer<int>();
  result.answer.reason = fields.Text();
  result.answer.message = fields.Text();
  if (!fields.is_at_end()) {
    result.answer.entries = fields.Entries();
    result.answer.entries_cleaned = fields.Integer<std::uint64_t>();
    result.answer.are_entries_emptied = !fields.is_at_end() && fields.Integer<unsigned>() != 0;
  }
  if (!fields.IsDone()) return std::nullopt;
  return result;
}

std::uint64_t Checksum(std::string_view text, std::uint64_t before) {
  std::uint64_t sum = before;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    sum *= 0x100000001b3;
  }
  return sum;
}

}  // namespace migrate::cluster
