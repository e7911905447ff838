#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plugin/command/common_question.h"

namespace plugin::command {

/// A question that is put to a person once, for several clusters.
struct FleetQuestion {
  std::vector<std::size_t> requests;  ///< which ones it is about, by their places
  std::vector<std::string> lines;     ///< what is to be known before it is answered
  std::string question;
};

/// What is to be asked so that all of `requests` are answered. All that are to turn pruning on are
/// one question: below what holds for each of them there is a table of what would be lost where. Of
/// the others those that ask the same are one. `ended`: clusters that it is not about any more,
/// which the first question tells.
std::vector<FleetQuestion> QuestionsOf(const std::vector<Request>& requests,
                                       const std::vector<std::string>& ended);

}  // namespace plugin::command
