#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "kube/admission/handler.h"
#include "kube/admission/object_draft.h"
#include "kube/admission/review.h"
#include "migrate/populate/access_reviewer.h"
#include "migrate/populate/known_population.h"

namespace migrate::populate {

struct InitializationOptions {
  /// The age from which on a namespace takes objects whether it was populated or not.
  std::chrono::seconds timeout{30};
  std::function<TimePoint()> now = TimeOfDay;
};

/// Of a Namespace that is created: sets the annotation of pending initializers to those of all
/// configurations that select it, in the place of whatever the request says. Asked again it sets
/// the same, or what other webhooks have made of the labels meanwhile.
void SetPendingInitializers(const kube::admission::Review& review, const Population& population,
                            kube::admission::ObjectDraft& draft);

/// Refuses what takes a name out of that annotation, as long as the user may not `initialize` as
/// each that is taken out (namespaceinitializers), more than 64 at once, and whatever adds one
/// later. A new Namespace has to name all that select it as it is to be: another webhook may have
/// changed it.
kube::admission::Verdict CheckPendingInitializers(const kube::admission::Review& review,
                                                  const Population& population,
                                                  AccessReviewer& access);

/// Until a namespace was populated, and its initializers have finished, it takes objects from those
/// alone that may `initialize`, all namespaces or as one of the first 64 initializers that are
/// pending: what comes before the policies would not be held to them.
///
/// What passes, whoever it is of:
///
/// - All in a namespace that is said to be populated, opts out, or is older than the timeout; that
///   no enabled template selects, and nothing is pending in; and in kube-system.
/// - What the control plane creates: the API server, kube-controller-manager, kube-scheduler, and
///   service accounts of kube-system, as those of its controllers are. So each namespace has its
///   ServiceAccount `default` and its ConfigMap with the root CA as soon as without us.
/// - Questions that are asked in a namespace, such as LocalSubjectAccessReviews: nothing is stored.
///
/// A namespace that is not known is one that was made just now, and watches have yet to show; where
/// they have shown nothing for the timeout, it passes.
///
/// The refusal is a 429 with Retry-After of a second. That clients of Go, kubectl among them, send
/// again by themselves, up to ten times (client-go rest/with_retry.go); by then the namespace was
/// populated, and who creates it and what is in it by two commands sees nothing of all this. They
/// give up on 403, and repeat a 409 at once or not at all.
class InitializationGuard {
 public:
  /// Both must outlive it.
  InitializationGuard(const KnownPopulation& population, AccessReviewer& access,
                      InitializationOptions options)
      : population_(population), access_(access), options_(std::move(options)) {}

  /// Of an object that is created in a namespace.
  kube::admission::Verdict CheckObject(const kube::admission::Review& review) const;
  /// Of a Namespace that is created or changed: asks for the right to `initialize` from whoever
  /// sets or changes the label that says that it was populated. Anybody who may change the
  /// namespace may remove it, as that lets nobody in.
  kube::admission::Verdict CheckLabel(const kube::admission::Review& review) const;

 private:
  bool IsOver(TimePoint since) const { return options_.now() - since >= options_.timeout; }
  bool IsAwaited(const Population& population, const KnownNamespace* known) const;

  const KnownPopulation& population_;
  AccessReviewer& access_;
  const InitializationOptions options_;
};

}  // namespace migrate::populate
