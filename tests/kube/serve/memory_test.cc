#include "kube/serve/memory.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kube/base/file_text.h"

namespace kube::serve {
namespace memory_test {

TEST_CASE("Large requests leave an eighth of the memory to small ones", "[kube][serve]") {
  MemoryPool pool(1024);
  REQUIRE(pool.TryChange(0, 800));
  CHECK_FALSE(pool.TryChange(0, 97));
  CHECK(pool.TryChange(0, 96));
  CHECK_FALSE(pool.TryChange(0, 5));
  for (int i = 0; i < 32; ++i) CHECK(pool.TryChange(0, 4));
  CHECK_FALSE(pool.TryChange(0, 4));
  CHECK(pool.taken() == 1024);
}

TEST_CASE("What a request has grows and shrinks as long as there is memory", "[kube][serve]") {
  MemoryPool pool(1024);
  CHECK(pool.CouldHave(896));
  CHECK_FALSE(pool.CouldHave(897));
  CHECK_FALSE(pool.TryChange(0, 897));
  REQUIRE(pool.TryChange(0, 500));
  CHECK_FALSE(pool.TryChange(500, 897));
  CHECK(pool.TryChange(500, 896));
  CHECK(pool.TryChange(896, 10));
  CHECK(pool.taken() == 10);
}

TEST_CASE("A share takes more as it goes, and gives all of it back", "[kube][serve]") {
  MemoryPool pool(1024);
  std::optional<WorkShare> share(std::in_place, pool);
  CHECK(share->TakeMore(100));
  CHECK(share->TakeMore(300));
  CHECK(share->CouldTake(496));
  CHECK_FALSE(share->CouldTake(497));
  CHECK_FALSE(share->TakeMore(497));
  CHECK(pool.taken() == 400);
  share.reset();
  CHECK(pool.taken() == 0);
}

TEST_CASE("Threads that take memory at once never have more than there is", "[kube][serve]") {
  MemoryPool pool(1000);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&pool] {
      for (int turn = 0; turn < 10'000; ++turn) {
        if (!pool.TryChange(0, 300)) continue;
        const std::size_t taken = pool.taken();
        pool.Change(300, 0);
        if (taken > 1000) std::terminate();
      }
    });
  }
  threads.clear();
  CHECK(pool.taken() == 0);
}

/// The memory that the container of a manifest may take, in bytes.
std::size_t LimitOf(const std::string& manifest) {
  const auto text = base::ReadFileText("krew/manifests/" + manifest);
  if (!text) FAIL(text.error().message);
  constexpr std::string_view kKey = "memory: ";
  const std::size_t limit = text->find(kKey, text->find("limits:\n"));
  REQUIRE(limit != text->npos);
  return std::stoul(text->substr(limit + kKey.size())) * 1024 * 1024;
}

TEST_CASE("The manifests give a container what requests may take, and what the rest takes",
          "[kube][serve]") {
  constexpr std::size_t kMebibyte = 1024 * 1024;
  const std::size_t all = MemoryLimits().total();
  CHECK(all == 184 * kMebibyte);  // as the manifests and docs/decisions/0027 say
  CHECK(LimitOf("guard.yaml") >= all + 64 * kMebibyte);
  CHECK(LimitOf("populate/controller.yaml") >= all + 128 * kMebibyte);
}

}  // namespace memory_test
}  // namespace kube::serve
