#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/text_decoder.h"
#include "kube/json/list_splitter.h"

namespace kube::json {

/// Takes a file of manifests as it arrives, in pieces of any size, and hands out one manifest at a
/// time, as kubectl reads files and standard input. The memory is that of the largest document.
///
/// A file whose first character is "{" is a sequence of JSON values, split as by ListSplitter;
/// after one of them a line "---" may start YAML. Any other file holds YAML documents between
/// lines of "---"; those with nothing but comments are left out. What is in a document is checked
/// by whoever parses it; it may turn out to be null.
///
/// UTF-16 with a byte order mark is read too; then positions count in its UTF-8 form.
class ManifestSplitter : private ListSplitter::Sink {
 public:
  enum class Format : std::uint8_t { kJson, kYaml };

  struct Manifest {
    Format format;
    ListSplitter::Kind kind;          ///< for YAML always kObject, a list too
    std::string_view text;            ///< UTF-8; holds during the call only
    TextPosition position;            ///< where it starts
    std::string_view list_head = {};  ///< of an item: see ListSplitter::list_head
  };

  /// The largest YAML document, which has to be held whole.
  static constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 30;

  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnManifest(const Manifest& manifest) = 0;
  };

  /// `sink` must outlive the splitter.
  explicit ManifestSplitter(Sink& sink) : sink_(sink) {}
  ManifestSplitter(const ManifestSplitter&) = delete;
  ManifestSplitter& operator=(const ManifestSplitter&) = delete;

  /// Takes the next piece. After an error nothing more may be pushed.
  [[nodiscard]] std::optional<SplitError> Push(std::string_view bytes);
  /// Says that the file is complete. An error if the last value is not.
  [[nodiscard]] std::optional<SplitError> Finish();

 private:
  void OnObject(ListSplitter::Kind kind, std::string_view text,
                const TextPosition& position) override;
  std::optional<SplitError> Take(std::string_view text);
  std::optional<SplitError> Guess(std::string_view text, bool at_end);
  std::optional<SplitError> TakeJson(std::string_view text);
  std::optional<SplitError> PushJson(std::string_view text);
  std::optional<SplitError> FinishJson();
  std::optional<SplitError> TakeYaml(std::string_view text);
  std::optional<SplitError> TakeLine(std::string_view line);
  void HandOutDocument();

  Sink& sink_;
  base::TextDecoder decoder_;
  std::optional<Format> format_;  // absent until the first character that is no white space
  std::string waiting_;  // not split yet: before the guess, the start of a separator, or a line
  TextPosition here_;    // after all that is in document_ or was handed out
  std::optional<ListSplitter> list_splitter_;
  std::string document_;  // complete lines
  TextPosition document_position_;
  bool has_content_ = false;
};

}  // namespace kube::json
