#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/admission/review.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {

// The rights to NamespaceTemplates that no API server knows of itself.
inline constexpr char kUseVerb[] = "use";        ///< of one: to have it select a namespace
inline constexpr char kOptOutVerb[] = "optout";  ///< to say which namespaces opt out
/// To write into a namespace before it has all; of an initializer: to be that one.
inline constexpr char kInitializeVerb[] = "initialize";

/// What somebody would do with NamespaceTemplates, or as an initializer.
struct TemplateRight {
  std::string verb;
  std::string name{};  ///< of the template, or the initializer; empty: with all of them
  std::string resource = kTemplatePlural;  ///< or kInitializerPlural

  bool operator==(const TemplateRight&) const = default;
};

/// Whether somebody may.
struct AccessAnswer {
  enum class Kind : std::uint8_t {
    kAllowed,
    kDenied,
    kUnknown,  ///< it could not be asked
  };

  Kind kind = Kind::kUnknown;
  std::string
      reason{};  ///< of kUnknown: why; of kDenied what the server says, which may be nothing

  bool operator==(const AccessAnswer&) const = default;
};

/// Knows what somebody may do.
class AccessReviewer {
 public:
  virtual ~AccessReviewer() = default;
  /// An answer to each of `rights`, in their order. May wait for somebody to tell. For several
  /// threads at once; does not throw for what it cannot ask.
  virtual std::vector<AccessAnswer> Ask(const kube::admission::UserInfo& user,
                                        const std::vector<TemplateRight>& rights) = 0;
};

}  // namespace migrate::populate
