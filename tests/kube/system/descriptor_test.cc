#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <thread>

#include "kube/base/file_text.h"

namespace kube::base {
namespace {

bool IsOpen(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

TEST_CASE("A descriptor is closed at its end, unless it was given away", "[kube][descriptor]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  {
    const Descriptor closed(ends[0]);
    Descriptor given_away(ends[1]);
    CHECK(given_away.get() == ends[1]);
    CHECK(given_away.Release() == ends[1]);
    CHECK(given_away.get() < 0);
  }
  CHECK_FALSE(IsOpen(ends[0]));
  REQUIRE(IsOpen(ends[1]));
  Descriptor early(ends[1]);
  early.Close();
  CHECK_FALSE(IsOpen(ends[1]));
}

TEST_CASE("All is written, also where there is no room for a while", "[kube][descriptor]") {
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  Descriptor from(ends[0]), to(ends[1]);
  REQUIRE(fcntl(to.get(), F_SETFL, O_NONBLOCK) == 0);
  const std::string bytes(1024 * 1024, 'x');  // more than a pipe holds
  std::string got;
  std::thread reader([&] {
    std::array<char, 4096> piece{};
    ssize_t count = 0;
    while ((count = read(from.get(), piece.data(), piece.size())) > 0) {
      got.append(piece.data(), static_cast<std::size_t>(count));
    }
  });
  const int error = WriteAll(to.get(), bytes);
  to.Close();
  reader.join();
  CHECK(error == 0);
  CHECK(got == bytes);
}

TEST_CASE("What cannot be written tells why", "[kube][descriptor]") {
  const Descriptor none(-1);
  CHECK(WriteAll(none.get(), "x") == EBADF);
  CHECK(WriteAll(none.get(), "") == 0);
}

}  // namespace
}  // namespace kube::base
