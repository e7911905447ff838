#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::cluster {
namespace batch_queue_test {

struct TextBatch {
  std::string text;
  void Clear() { text.clear(); }
};

TEST_CASE("Batches arrive in order and the producer waits for the workers", "[batch_queue]") {
  BatchQueue<TextBatch> queue(2);
  std::string seen;
  std::thread worker([&] {
    while (auto batch = queue.TakeFull()) {
      seen += batch->text;
      queue.Recycle(std::move(batch));
    }
  });
  for (const char* text : {"a", "b", "c", "d", "e"}) {
    auto batch = queue.TakeEmpty();
    CHECK(batch->text.empty());
    batch->text = text;
    queue.Put(std::move(batch));
  }
  queue.Close();
  worker.join();
  CHECK(seen == "abcde");
}

TEST_CASE("Abort ends both sides", "[batch_queue]") {
  BatchQueue<TextBatch> queue(1);
  auto batch = queue.TakeEmpty();
  std::thread waiting([&queue] { CHECK(queue.TakeEmpty() == nullptr); });
  queue.Abort();
  waiting.join();
  CHECK(queue.TakeFull() == nullptr);
}

}  // namespace batch_queue_test
}  // namespace migrate::cluster
