#include "plugin/command/manifest_writer.h"

#include "kube/yaml/yaml.h"
#include "plugin/terminal/output.h"

namespace plugin::command {
namespace {

constexpr std::size_t kPiece = 64 * 1024;
// What kubectl prints around several objects.
constexpr std::string_view kListStart = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n";
constexpr std::string_view kListEnd = "\n    ],\n    \"kind\": \"List\"\n}\n";
constexpr std::string_view kEmptyList =
    "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n    \"kind\": \"List\"\n}\n";
constexpr std::string_view kItemIndent = "        ";

}  // namespace

void ManifestWriter::Write(const kube::json::Value& object) {
  if (format_ == terminal::OutputFormat::kYaml) {
    if (!first_) text_ += "---\n";
    kube::yaml::PrintTo(text_, object);
  } else {
    text_ += first_ ? kListStart : ",\n";
    AppendIndented(terminal::PrintJson(object));
  }
  first_ = false;
  if (text_.size() >= kPiece) Flush();
}

void ManifestWriter::Finish() {
  if (format_ == terminal::OutputFormat::kJson) text_ += first_ ? kEmptyList : kListEnd;
  Flush();
}

// Strings hold no line breaks as such: each one is between two lines of the object.
void ManifestWriter::AppendIndented(std::string_view object) {
  while (true) {
    const std::size_t end = object.find('\n');
    text_.append(kItemIndent).append(object.substr(0, end));
    if (end == std::string_view::npos) return;
    text_ += '\n';
    object.remove_prefix(end + 1);
  }
}

void ManifestWriter::Flush() {
  terminal::WriteStdout(text_);
  text_.clear();
}

}  // namespace plugin::command
