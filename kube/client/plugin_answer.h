#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "kube/base/result.h"
#include "kube/client/exec_protocol.h"

namespace kube::client {

/// What a credential plugin gave last, for all clients of this process that are the same user of
/// the same server: a plugin may ask a person, who is to be asked once. Of several threads each may
/// call.
class PluginAnswer {
 public:
  struct Given {
    ExecCredential credential;
    std::uint64_t number = 0;  ///< greater than that of what was given before
  };
  using RunFunction = std::function<base::Result<ExecCredential, std::string>()>;
  using UsableFunction = std::function<bool(const ExecCredential&)>;

  /// The credential for who has had that of number `known`, 0 for none: what was given behind it to
  /// somebody else, where that is usable; else what `run` gives, for which others wait. Throws what
  /// `run` throws.
  base::Result<Given, std::string> After(std::uint64_t known, const UsableFunction& is_usable,
                                         const RunFunction& run);

 private:
  std::mutex mutex_;
  std::optional<Given> last_;
};

}  // namespace kube::client
