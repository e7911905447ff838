#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>

#include "kube/json/json.h"
#include "migrate/report/place.h"

namespace migrate::check {

/// Objects that wait for a CRD which may still come, outside of memory.
class DeferredObjects {
 public:
  /// Keeps a copy. May be called by several threads. Throws kube::base::Error if the disk is full.
  void Add(const kube::json::Value& object, const report::Place& place);

  /// Hands out every object, in the order of adding, for the length of the call. Throws
  /// kube::base::Error if one cannot be read back.
  void ForEach(
      const std::function<void(kube::json::Value& object, const report::Place& place)>& take);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::unique_ptr<std::FILE, CloseFile> spill_;  // a file without a name, gone when it is closed
};

}  // namespace migrate::check
