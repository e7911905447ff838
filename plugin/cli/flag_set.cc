#include "plugin/cli/flag_set.h"

#include <boost/program_options.hpp>

#include "plugin/cli/usage_error.h"

namespace plugin::cli {

namespace po = boost::program_options;

struct FlagSet::Description {
  po::options_description options;
};

FlagSet::FlagSet() : description_(std::make_unique<Description>()) {}
FlagSet::~FlagSet() = default;

template <typename T>
void FlagSet::Add(std::string name, char shorthand, FlagKind kind, T& target) {
  description_->options.add_options()(name.c_str(), po::value<T>(&target));
  flags_.push_back({std::move(name), shorthand, kind});
}

void FlagSet::Bool(std::string name, char shorthand, bool& target) {
  Add(std::move(name), shorthand, FlagKind::kBool, target);
}

void FlagSet::Int(std::string name, char shorthand, int& target) {
  Add(std::move(name), shorthand, FlagKind::kInt, target);
}

void FlagSet::IntIfGiven(std::string name, std::optional<int>& target) {
  const auto set = [&target](int value) { target = value; };
  description_->options.add_options()(name.c_str(), po::value<int>()->notifier(set));
  flags_.push_back({std::move(name), 0, FlagKind::kInt});
}

void FlagSet::Int64(std::string name, char shorthand, std::int64_t& target) {
  Add(std::move(name), shorthand, FlagKind::kInt64, target);
}

void FlagSet::String(std::string name, char shorthand, std::string& target) {
  Add(std::move(name), shorthand, FlagKind::kString, target);
}

void FlagSet::OptionalString(std::string name, std::string& target, std::string value_of_bare) {
  String(std::move(name), 0, target);
  flags_.back().value_of_bare = std::move(value_of_bare);
}

void FlagSet::Strings(std::string name, char shorthand, std::vector<std::string>& target) {
  Add(std::move(name), shorthand, FlagKind::kStrings, target);
}

void FlagSet::Array(std::string name, char shorthand, std::vector<std::string>& target) {
  Add(std::move(name), shorthand, FlagKind::kArray, target);
}

std::vector<std::string> FlagSet::Parse(std::string_view command,
                                        std::span<const std::string> words) {
  auto normal = ParseFlags(words, flags_);
  if (!normal) throw UsageError(command, normal.error());
  // Already in one form, so Boost's own spelling rules and guesses have no part in it.
  po::parsed_options parsed(&description_->options);
  for (const FlagValue& flag : normal->flags) {
    parsed.options.emplace_back(flag.name, std::vector<std::string>{flag.value});
  }
  po::variables_map values;
  po::store(parsed, values);
  po::notify(values);
  given_ = std::move(normal->given);
  return std::move(normal->arguments);
}

}  // namespace plugin::cli
