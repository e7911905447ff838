#pragma once

#include "kube/admission/handler.h"

namespace example {

/// The handlers that docs/ADMISSION.md shows.
kube::admission::Handlers ExampleHandlers();

}  // namespace example
