#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "kube/client/client.h"

namespace plugin::command {

/// What a server warns of (KEP-1693), as people get it. Other warnings are told as they come. Those
/// of objects that are written one after the other are counted, and told once for all objects of
/// which it warns in the same way: since 1.30 it warns at every write of an object that a CEL rule
/// refuses whose values the write leaves alone (KEP-4008), and of each for its own indices.
///
/// For one thread, but for Count().
class ServerWarnings {
 public:
  /// `write_line` is given the lines: "Warning: ...".
  explicit ServerWarnings(std::function<void(const std::string&)> write_line)
      : write_line_(std::move(write_line)) {}

  /// As kube::client::ClientOptions::on_warning.
  void Take(const std::string& text, const kube::client::WrittenObject& object);

  /// Tells those of objects, and forgets them: a line for the objects of a CRD of which it warns
  /// alike, with what it says of the first one. Those of most objects come first; of more than 20
  /// lines the rest are counted.
  void TellOfObjects();

  /// How many warnings were told by all of them, for --warnings-as-errors. Those of objects count
  /// once for each line. For any thread.
  static std::size_t Count();

 private:
  struct Alike {
    std::string text{}, example{};              ///< of the first object
    std::unordered_set<std::size_t> objects{};  ///< the hashes of their names
    bool has_more = false;                      ///< objects that were not counted
    std::size_t place = 0;                      ///< among the others, as they came
  };

  void Write(const std::string& text);

  std::function<void(const std::string&)> write_line_;
  std::map<std::string, Alike> of_objects_;
  std::size_t counted_ = 0;  ///< objects of all of them
  bool has_more_ = false;    ///< beyond those that are kept apart
};

}  // namespace plugin::command
