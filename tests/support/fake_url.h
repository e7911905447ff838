#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace test_support {

using Query = std::map<std::string, std::string>;

/// The parts between separators; an empty text has none, and what follows the last separator counts
/// only where it is not empty.
std::vector<std::string> Split(std::string_view text, char separator);

/// The parts of a request's path, unescaped. Throws std::invalid_argument for what is not
/// percent-encoded.
std::vector<std::string> PathOf(std::string_view target);
/// What is asked after the question mark, unescaped; throws as PathOf.
Query QueryOf(std::string_view target);
/// Empty where the query does not have the key.
std::string ValueOf(const Query& query, const std::string& key);

}  // namespace test_support
