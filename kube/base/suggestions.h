#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kube::base {

/// Those of `known` that somebody who typed `word` may have meant, in their order: at most two
/// letters off, or starting with `word` (as github.com/spf13/cobra suggests commands). Words of
/// four letters or less are at most one off: with two, "pods" would be "jobs".
std::vector<std::string_view> Suggest(std::string_view word,
                                      std::span<const std::string_view> known);

/// "; did you mean --local or --locale?", for behind an error; empty where there are none in
/// `meant`, or more than `most`, which help nobody.
std::string DidYouMean(std::span<const std::string> meant, std::size_t most);

}  // namespace kube::base
