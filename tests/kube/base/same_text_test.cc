#include <catch2/catch.hpp>
#include <string>

#include "kube/base/text.h"

namespace kube::base {
namespace same_text_test {

TEST_CASE("Texts of every length are the same in all of their bytes, or not the same",
          "[kube][base][same_text]") {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string text(size, 'a');
    CHECK(SameText(text, std::string(size, 'a')));
    CHECK_FALSE(SameText(text, text + "a"));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = '\0';
      CAPTURE(size, at);
      CHECK_FALSE(SameText(text, other));
      CHECK_FALSE(SameText(other, text));
    }
  }
}

}  // namespace same_text_test
}  // namespace kube::base
