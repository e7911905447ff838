#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kube/admission/handler.h"
#include "kube/admission/object_draft.h"
#include "kube/admission/review.h"
#include "migrate/populate/access_reviewer.h"
#include "migrate/populate/known_population.h"

namespace migrate::populate {

/// Asks for the right to `use` each template that requires permission, by its name, and selects a
/// Namespace as it is to be but not as it was: a new one, or one whose labels change. So whoever
/// changes a namespace for another reason needs no right that its creator had.
///
/// Disabled templates count: nobody asks any more when they are enabled. A namespace that opts out
/// is selected by none; it is by all that match when it ends to.
///
/// The refusal (403) names every template that the user may not use, and those of which that could
/// not be asked with the reason; where there are only such it is a 503.
kube::admission::Verdict CheckTemplateUse(const kube::admission::Review& review,
                                          const KnownPopulation& population,
                                          AccessReviewer& access);

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

struct WebhookChoice {
  bool is_wanted = true;
  /// Requests pass where nobody answers (failurePolicy Ignore).
  bool ignore_failures = false;
};

struct WebhookOptions {
  /// What rests on these is no permission where it can be got around by waiting for a time when
  /// nobody answers, so requests fail then; the administrator may choose otherwise. Namespaces can
  /// be neither made, nor changed, nor finally deleted meanwhile.
  WebhookChoice creator{}, opt_out{}, use{};
  /// This one has an end that nobody can keep who does not answer, and would stop all that is made
  /// in new namespaces, our own pods perhaps: so requests pass.
  WebhookChoice initialization{.ignore_failures = true};
  /// The webhooks stay when the program ends. Without that nobody is asked from its end until it,
  /// or another replica, has configured them again.
  bool persistent = false;
  /// Has to be longer than a ClusterAccessReviewer is patient.
  std::chrono::seconds timeout{10};
  /// Whose namespaces opt out: names of users, see UserOfServiceAccount.
  std::set<std::string, std::less<>> opt_out_users{};
  std::chrono::seconds initialization_timeout{30};
  std::function<TimePoint()> now = TimeOfDay;
};

/// What an API server asks us about namespaces, by handlers:
///
///     creator               mutates: who makes a namespace is noted on it
///     creator/check         validates: nobody changes that
///     opt-out               mutates: namespaces of some users opt out; only where there are any
///     opt-out/check         validates: others may not say so
///     use                   validates: some templates may not be used by everybody
///     initializers          mutates: a new namespace says who has to finish it
///     initialization        validates: objects in namespaces that were not populated yet
///     initialization/check  validates: not everybody may say that they were
///
/// Each asks about no more than selectors of a configuration can say:
///
/// - Those that validate Namespaces are for the subresources too, by which labels and annotations
///   can be changed as well.
///   Annotations and the selectors of templates cannot be asked for, so they are for all.
/// - `initialization` is for what is created in namespaces that are not populated, do not opt out,
///   and are not kube-system, by their labels, so that nobody is asked in the long run. Age, an
///   annotation, and that nothing selects a namespace, are no labels: one that opts out by its
///   annotation alone is said to be populated. It is for nothing outside of namespaces:
///   an API server would ask us about its own question whether somebody may `initialize`.
class PopulationWebhooks {
 public:
  /// `population` and `access` must outlive it, and it the handlers.
  PopulationWebhooks(const KnownPopulation& population, AccessReviewer& access,
                     WebhookOptions options);
  PopulationWebhooks(const PopulationWebhooks&) = delete;
  PopulationWebhooks& operator=(const PopulationWebhooks&) = delete;

  /// For an endpoint as well as for configurations.
  kube::admission::Handlers MakeHandlers() const;

 private:
  kube::admission::HandlerOptions OptionsOf(const WebhookChoice& choice) const;
  kube::admission::HandlerOptions CheckOptionsOf(const WebhookChoice& choice) const;
  void AddCreator(kube::admission::Handlers& handlers) const;
  void AddOptOut(kube::admission::Handlers& handlers) const;
  void AddUse(kube::admission::Handlers& handlers) const;
  void AddInitialization(kube::admission::Handlers& handlers) const;

  const KnownPopulation& population_;
  AccessReviewer& access_;
  const WebhookOptions options_;
  const InitializationGuard initialization_;
};

}  // namespace migrate::populate
