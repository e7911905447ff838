#pragma once

#include "kube/admission/review.h"
#include "kube/admission/verdict.h"
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

}  // namespace migrate::populate
