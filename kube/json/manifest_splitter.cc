#include "kube/json/manifest_splitter.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kube/json/block_masks.h"

namespace kube::json {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
constexpr std::string_view kSeparator = "---";
constexpr std::string_view kSeparatorLine = "\n---";

// How far kubectl looks for a "{" (NewYAMLOrJSONDecoder of k8s.io/apimachinery).
constexpr std::size_t kGuessBytes = 4096;

std::string_view Trim(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);  // npos + 1 is 0
}

// A tab may not indent, not even a comment: who parses it has to say so.
bool IsCommentOrBlank(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \r\n");
  return first == std::string_view::npos || line[first] == '#';
}

// text.find(kSeparatorLine); many lines are short, and few begin so.
std::size_t FindSeparatorLine(std::string_view text) {
  std::size_t at = 0;
  for (; text.size() - at > kBlock; at += kBlock) {
    const std::uint64_t breaks = Block(text.data() + at).Equal('\n');
    if ((breaks & Block(text.data() + at + 1).Equal('-')) != 0) break;
  }
  return text.find(kSeparatorLine, at);
}

// The number of characters at the end that may be the start of a separator line.
std::size_t SeparatorStartAtEnd(std::string_view text) {
  for (std::size_t count = kSeparatorLine.size() - 1; count > 0; --count) {
    if (text.ends_with(kSeparatorLine.substr(0, count))) return count;
  }
  return 0;
}

}  // namespace

std::optional<SplitError> ManifestSplitter::Push(std::string_view bytes) {
  return Take(decoder_.Decode(bytes));
}

std::optional<SplitError> ManifestSplitter::Finish() {
  if (auto error = Take(decoder_.Finish())) return error;
  if (!format_) {
    if (auto error = Guess({}, true)) return error;
  }
  const std::string rest = std::exchange(waiting_, {});
  if (format_ == Format::kJson) {
    if (auto error = PushJson(rest)) return error;
    return FinishJson();
  }
  if (!rest.empty()) {
    if (auto error = TakeLine(rest)) return error;
  }
  HandOutDocument();
  return std::nullopt;
}

std::optional<SplitError> ManifestSplitter::Take(std::string_view text) {
  if (!format_) return Guess(text, false);
  return format_ == Format::kJson ? TakeJson(text) : TakeYaml(text);
}

std::optional<SplitError> ManifestSplitter::Guess(std::string_view text, bool at_end) {
  waiting_ += text;
  const std::size_t first = waiting_.find_first_not_of(kWhiteSpace);
  if (first == std::string::npos && waiting_.size() < kGuessBytes && !at_end) return std::nullopt;
  const bool is_json = first < kGuessBytes && waiting_[first] == '{';
  format_ = is_json ? Format::kJson : Format::kYaml;
  ListSplitter::Sink& list_sink = *this;
  if (is_json) list_splitter_.emplace(list_sink, here_);
  return Take(std::exchange(waiting_, {}));
}

// A line break cannot be inside of a JSON string, nor "--" outside, so that what looks like a
// separator is one. (kubectl takes YAML after JSON since 1.33, but refused it before.)
std::optional<SplitError> ManifestSplitter::TakeJson(std::string_view text) {
  const std::string joined = waiting_.empty() ? std::string() : waiting_ + std::string(text);
  if (!joined.empty()) text = joined;
  const std::size_t separator = FindSeparatorLine(text);
  if (separator == std::string_view::npos) {
    const std::size_t held_back = SeparatorStartAtEnd(text);
    waiting_ = text.substr(text.size() - held_back);
    return PushJson(text.substr(0, text.size() - held_back));
  }
  waiting_.clear();
  if (auto error = PushJson(text.substr(0, separator + 1))) return error;
  if (auto error = FinishJson()) return error;
  format_ = Format::kYaml;
  return TakeYaml(text.substr(separator + 1));
}

std::optional<SplitError> ManifestSplitter::PushJson(std::string_view text) {
  return list_splitter_->Push(text);
}

std::optional<SplitError> ManifestSplitter::FinishJson() {
  auto error = list_splitter_->Finish();
  here_ = list_splitter_->position();
  list_splitter_.reset();
  return error;
}

void ManifestSplitter::OnObject(ListSplitter::Kind kind, std::string_view text,
                                const TextPosition& position) {
  const bool is_item = kind == ListSplitter::Kind::kItem;
  sink_.OnManifest({Format::kJson, kind, text, position,
                    is_item ? list_splitter_->list_head() : std::string_view()});
}

std::optional<SplitError> ManifestSplitter::TakeYaml(std::string_view text) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(line.size());
    if (!waiting_.empty()) {
      waiting_ += line;
      line = waiting_;
    }
    if (auto error = TakeLine(line)) return error;
    waiting_.clear();
  }
  waiting_ += text;
  if (document_.size() + waiting_.size() <= kMaxYamlBytes) return std::nullopt;
  return SplitError{document_position_,
                    "a YAML document of more than 1 GiB is too large; print it as JSON"};
}

// As YAMLReader of k8s.io/apimachinery: only a comment may stand behind "---".
std::optional<SplitError> ManifestSplitter::TakeLine(std::string_view line) {
  const TextPosition start = here_;
  here_.offset += line.size();
  here_.line += line.ends_with('\n') ? 1 : 0;
  if (!line.starts_with(kSeparator)) {
    if (document_.empty()) document_position_ = start;
    has_content_ = has_content_ || !IsCommentOrBlank(line);
    document_ += line;
    return std::nullopt;
  }
  const std::string_view behind = Trim(line.substr(kSeparator.size()));
  if (!behind.empty() && behind.front() != '#') {
    return SplitError{start, "invalid Yaml document separator: " + std::string(behind)};
  }
  HandOutDocument();
  return std::nullopt;
}

void ManifestSplitter::HandOutDocument() {
  if (has_content_) {
    sink_.OnManifest({Format::kYaml, ListSplitter::Kind::kObject, document_, document_position_});
  }
  document_.clear();
  has_content_ = false;
}

}  // namespace kube::json
