#pragma once

#include "kube/cel/checker.h"
#include "kube/cel/cost.h"

namespace kube::cel {

/// What an expression costs at least and at most (cel-go checker/cost.go with the server's own
/// rules), by what `sizes` says of the variables; null: they may have any size.
Range EstimateCost(const CheckedExpression& checked, const SizeSource* sizes);

}  // namespace kube::cel
