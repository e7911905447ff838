#pragma once

#include "tests/vectors/vector.h"

namespace vectors {

/// Each replays the lines of one op by the code that the commands use.
void ReplayPrune(const Vector& vector, Mismatches& mismatches);
void ReplayServer(const Vector& vector, Mismatches& mismatches);
void ReplayPruneDefaults(const Vector& vector, Mismatches& mismatches);
void ReplayStructural(const Vector& vector, Mismatches& mismatches);
void ReplayValidateSchema(const Vector& vector, Mismatches& mismatches);
void ReplayNonStructuralCondition(const Vector& vector, Mismatches& mismatches);
void ReplayValidateCrd(const Vector& vector, Mismatches& mismatches);
void ReplayValidateUpdate(const Vector& vector, Mismatches& mismatches);
void ReplayJsonText(const Vector& vector, Mismatches& mismatches);
void ReplayGetObjectMeta(const Vector& vector, Mismatches& mismatches);
void ReplayCelExpr(const Vector& vector, Mismatches& mismatches);
void ReplayValidateCel(const Vector& vector, Mismatches& mismatches);

/// The folder with the CRDs that lines of validate-cel name by their file; by default "modern" in
/// test_support::CorpusFolder().
void SetCorpus(const std::string& folder);

}  // namespace vectors
