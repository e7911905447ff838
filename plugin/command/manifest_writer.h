#pragma once

#include <string>
#include <string_view>

#include "kube/json/json.h"
#include "plugin/cli/common_flags.h"

namespace plugin::command {

/// Writes objects to stdout one after the other as kubectl prints several: with kYaml as documents,
/// with kJson as the items of a List. Gathers them to pieces of some size.
class ManifestWriter {
 public:
  explicit ManifestWriter(terminal::OutputFormat format) : format_(format) {}

  void Write(const kube::json::Value& object);
  /// To be called once, at the end.
  void Finish();

 private:
  void AppendIndented(std::string_view object);
  void Flush();

  terminal::OutputFormat format_;
  bool first_ = true;
  std::string text_;
};

}  // namespace plugin::command
