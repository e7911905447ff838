#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kube/json/json.h"

namespace migrate::populate {

/// What stands for $(NAMESPACE) and $(CREATOR).
struct Variables {
  std::string_view namespace_;
  /// Absent or empty: it is not known who has made the namespace.
  std::optional<std::string_view> creator;
};

/// True if $(CREATOR) stands for a value in some text of `value`.
bool UsesCreator(const kube::json::Value& value);

/// Puts values in the place of $(NAMESPACE) and $(CREATOR) in texts; `$$(NAMESPACE)` becomes the
/// text `$(NAMESPACE)`, and `$$(CREATOR)` its like. All else stays as it is, so that other
/// references and their escapes mean what they mean to whom they are for, as `$(HOST)` and
/// `$$(HOST)` in args of a container. What a value brings is not looked at again.
///
/// Of one object: takes no more than an API server takes in a request.
class Substitution {
 public:
  explicit Substitution(const Variables& variables) : variables_(variables) {}

  /// Substitutes in all texts of `value`, not in its keys. Borrows from it and from `arena`. Where
  /// problem() says that it cannot be done, it is half done.
  void ApplyTo(kube::json::Value& value, kube::json::Arena& arena);

  /// The same for one text.
  std::string Expand(std::string_view text);

  /// Why something had no value, e.g. "$(CREATOR) is not known"; empty: all had.
  const std::string& problem() const { return problem_; }
  /// A reference to the creator was found.
  bool used_creator() const { return used_creator_; }

 private:
  std::string Creator();

  const Variables variables_;
  std::size_t bytes_ = 0;  // of the texts that were made
  std::string problem_;
  bool used_creator_ = false;
};

}  // namespace migrate::populate
