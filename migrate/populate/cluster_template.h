#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/populate/apply_set.h"
#include "migrate/rewrite/retry.h"

namespace migrate::populate {

/// Path of the list of NamespaceTemplates.
std::string TemplatesPath();

/// What a cluster has of a NamespaceTemplate beside its spec.
struct ClusterTemplate {
  std::string name, uid, resource_version;
  std::int64_t generation = 0;
  ApplySetState apply_set;
  std::string status{};  ///< as JSON; empty: none
};

/// Why a template as a whole is refused: what was made of it stays as it is, and nothing new comes.
struct TemplateRefusal {
  std::string reason{};  ///< of a condition, and an Event: "Invalid"
  std::string why{};
};

/// Of an object, or its metadata alone.
ClusterTemplate ReadClusterTemplate(const kube::json::Value& object);

/// A template as a run finds it once more.
enum class TemplateNow : std::uint8_t {
  kSame,     ///< as it was: nobody has changed its spec
  kChanged,  ///< its spec, or it is another one of that name, or is to be left alone
  kGone,
  kUnknown,  ///< the server does not say
};

/// Looks for the template of this name; `known` is how it was found, absent if there was none.
TemplateNow LookAgain(const std::string& name, const ClusterTemplate* known,
                      const kube::client::Session& session);

/// Something of an object that status.failures is to tell.
struct StatusFailure {
  std::string namespace_, object, message;
};

/// Why something could not be written into a template.
struct NoteProblem {
  std::string why;
  bool is_changed = false;  ///< it is another one, or gone, than the one that was read
  bool is_invalid = false;  ///< the server's rules forbid it
};
/// Absent: it was written, or there was no need to.
using NoteResult = std::optional<NoteProblem>;

/// Writes what a template says of itself: its ApplySet, and its status. That has the condition
/// Refused, True, as long as the template is refused, and no condition else. Each write is tried
/// again as those of objects are, for the template as it was read; where its spec was changed
/// meanwhile nothing is written.
class TemplateWriter {
 public:
  /// With `is_dry_run` everything is sent, and nothing stored. `version` is that of this program,
  /// and `patience` how long each write is tried again.
  TemplateWriter(std::string version, bool is_dry_run, kube::base::Clock::Duration patience,
                 const kube::client::Session& session)
      : version_(std::move(version)),
        is_dry_run_(is_dry_run),
        patience_(patience),
        session_(session) {}

  /// Its ApplySet has these types and namespaces from now on, beside those that it has. One that
  /// has types and names no namespaces has too many to name, and stays so.
  NoteResult Widen(ClusterTemplate& of, const std::set<GroupKind>& types,
                   const std::set<std::string>& namespaces) const;
  /// It has no others. Where somebody else has changed the ApplySet meanwhile it stays as it is.
  NoteResult Narrow(ClusterTemplate& of, const std::set<GroupKind>& types,
                    const std::set<std::string>& namespaces) const;
  /// Of the template as it was read. Sends nothing where that is its status already.
  NoteResult WriteStatus(ClusterTemplate& of, std::size_t namespaces,
                         const std::vector<StatusFailure>& failures) const;
  /// The same of a template that is refused, of which the rest of its status stays. `now` is RFC
  /// 3339. Not an error where the server takes no status for a template that its schema forbids
  /// by now.
  NoteResult WriteRefusal(ClusterTemplate& of, const TemplateRefusal& refusal,
                          const std::string& now) const;
  /// Of one that is refused no more, and else left alone.
  NoteResult ClearRefusal(ClusterTemplate& of) const;

 private:
  using Wanted = std::function<ApplySetState(const ApplySetState& live)>;

  NoteResult Write(ClusterTemplate& of, const Wanted& wanted, bool keeps_others) const;
  NoteResult PatchStatus(ClusterTemplate& of, const kube::json::Value& patch,
                         std::string status) const;
  NoteResult PauseAfter(const kube::client::CallError& error, rewrite::RetryBudget& budget) const;
  NoteResult ReadAnew(ClusterTemplate& of, const ApplySetState* only) const;

  const std::string version_;
  const bool is_dry_run_;
  const kube::base::Clock::Duration patience_;
  const kube::client::Session session_;
};

}  // namespace migrate::populate
