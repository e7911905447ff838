#include <rapidjson/filereadstream.h>
#include <rapidjson/reader.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/bench/readers.h"

namespace bench {
namespace {

constexpr int kMaxDepth = 10000;
constexpr unsigned kFlags =
    rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;

struct DepthGuard : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, DepthGuard> {
  bool Default() { return true; }
  bool StartObject() { return ++depth <= kMaxDepth; }
  bool StartArray() { return ++depth <= kMaxDepth; }
  bool EndObject(rapidjson::SizeType) { return depth-- > 0; }
  bool EndArray(rapidjson::SizeType) { return depth-- > 0; }
  int depth = 0;
};

}  // namespace

Counts ReadWithRapidJson(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<char> buffer(64 * 1024);
  rapidjson::FileReadStream stream(file.get(), buffer.data(), buffer.size());
  rapidjson::Reader reader;
  DepthGuard handler;
  if (!reader.Parse<kFlags>(stream, handler)) throw std::runtime_error("RapidJSON refuses " + path);
  return {};
}

}  // namespace bench
