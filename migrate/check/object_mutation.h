#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/mutation/mutation.h"

namespace migrate::check {

/// The mutation trees of --mutation, and where they come from. Immutable, for several threads.
class ObjectMutation {
 public:
  /// `sources` are the names of the files; `fingerprint` tells one mutation from another, also in a
  /// later run.
  ObjectMutation(kube::mutation::Mutation mutation, std::string sources, std::string fingerprint)
      : mutation_(std::move(mutation)),
        sources_(std::move(sources)),
        fingerprint_(std::move(fingerprint)) {}

  /// What becomes of `object`, which stays as it is; absent where nothing does. Borrows from
  /// `object`, from this and from `arena`.
  ///
  /// A migration that was killed applies it to some objects once more. So the error, for people, is
  /// that of an object that would be changed by that again (`{a: (b), b: (a)}`).
  kube::base::Result<std::optional<kube::json::Value>, std::string> Apply(
      const kube::json::Value& object, kube::json::Arena& arena) const;

  /// As Mutation::Names.
  bool Names(std::string_view member, std::string_view kind) const {
    return mutation_.Names(member, kind);
  }
  /// "trees.yaml", or "a.yaml and b.yaml".
  const std::string& sources() const { return sources_; }
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  kube::mutation::Mutation mutation_;
  std::string sources_, fingerprint_;
};

/// Reads files of mutation trees (kube/mutation/mutation.h), in this order; "-" is the standard
/// input. The null pointer for none. Throws kube::base::Error for what cannot be read, is no
/// mutation ("trees.yaml:3: spec.[labels]: ..."), or holds no tree.
std::shared_ptr<const ObjectMutation> ReadMutations(const std::vector<std::string>& filenames);

}  // namespace migrate::check
