#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/yaml/yaml.h"
#include "kube/yaml/yaml_parser.h"

namespace kube::yaml {

/// Follows the events of one document, and notes where its keys stand.
class KeyTracker {
 public:
  /// Lines count from `first_line`. `lines` must outlive it, and is begun anew.
  KeyTracker(std::size_t first_line, KeyLines& lines);

  /// `expects_key`: the event is, or begins, the key of a map.
  void Take(const Event& event, bool expects_key);

 private:
  struct Frame {
    bool is_map;
    std::string pointer;    // of the map or sequence
    std::string key{};      // of the value that comes next, where it is a map
    std::size_t index = 0;  // the same, where it is a sequence
  };

  void NoteKey(std::string_view key, std::size_t line);
  std::string TakePlace();

  const std::size_t first_line_;
  KeyLines& lines_;
  std::vector<Frame> frames_;
};

}  // namespace kube::yaml
