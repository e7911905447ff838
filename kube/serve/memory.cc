#include "kube/serve/memory.h"

namespace kube::serve {
namespace {

// Of a pool: what a small request has at most, and what the others leave.
constexpr std::size_t kSmallPart = 256, kKeptPart = 8;

}  // namespace

std::size_t MemoryPool::LimitFor(std::size_t wanted) const {
  return wanted <= size_ / kSmallPart ? size_ : size_ - size_ / kKeptPart;
}

bool MemoryPool::TryChange(std::size_t held, std::size_t wanted) {
  const std::size_t limit = LimitFor(wanted);
  std::size_t taken = taken_;
  do {
    const bool fits = wanted <= limit && taken - held <= limit - wanted;
    if (wanted > held && !fits) return false;
  } while (!taken_.compare_exchange_weak(taken, taken - held + wanted));
  return true;
}

bool WorkShare::TakeMore(std::size_t bytes) {
  if (!pool_.TryChange(held_, held_ + bytes)) return false;
  held_ += bytes;
  return true;
}

}  // namespace kube::serve
