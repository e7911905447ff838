#include "migrate/report/object_class.h"

#include <array>

namespace migrate::report {
namespace {

struct Spelling {
  std::string_view name, key;
  bool is_failure;
};

// In the order of ObjectClass.
constexpr std::array<Spelling, kObjectClasses> kSpellings = {{
    {"rewritten", "rewritten", false},
    {"mutated", "mutated", false},
    {"unchanged", "unchanged", false},
    {"accepted", "accepted", false},
    {"gone", "gone", false},
    {"invalid", "invalid", true},
    {"denied", "denied", true},
    {"webhook-unavailable", "webhookUnavailable", true},
    {"forbidden", "forbidden", true},
    {"too-large", "tooLarge", true},
    {"conflict", "conflict", true},
    {"failed", "failed", true},
    {"held", "held", true},
    {"not-tried", "notTried", true},
}};

const Spelling& SpellingOf(ObjectClass object_class) {
  return kSpellings[static_cast<std::size_t>(object_class)];
}

}  // namespace

std::string_view ClassName(ObjectClass object_class) { return SpellingOf(object_class).name; }

std::string_view ClassKey(ObjectClass object_class) { return SpellingOf(object_class).key; }

bool IsFailure(ObjectClass object_class) { return SpellingOf(object_class).is_failure; }

}  // namespace migrate::report
