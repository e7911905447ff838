#pragma once

#include <cstddef>
#include <functional>

namespace migrate::cluster {

/// How many threads a run over files uses: one a core, but no more than four.
std::size_t WorkerCount();

/// Runs `work(0)` ... `work(count - 1)`, each in a thread of its own, and meanwhile `produce` in
/// the calling one; waits for all of them. Throws again what one of them threw, `produce` first.
///
/// Where the system has no room for so many threads there are fewer, but at least one. The threads
/// have stacks for JSON of the deepest nesting that is read. `work` must end even if `produce`
/// throws.
void RunWorkers(std::size_t count, const std::function<void(std::size_t)>& work,
                const std::function<void()>& produce);

/// The same without a producer, all or none: where the system has no room for so many threads
/// `work` is not called, and kube::base::Error is thrown. So they may wait for each other.
void RunAllWorkers(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace migrate::cluster
