#include "plugin/cli/flag_set.h"

#include <algorithm>
#include <boost/program_options.hpp>

#include "kube/go/go_duration.h"
#include "kube/go/go_format.h"
#include "migrate/report/program_name.h"

namespace plugin::cli {
namespace {

namespace po = boost::program_options;
using kube::go::GoQuote;

std::string CommandPath(std::string_view command) {
  std::string path = migrate::report::OwnProgramName().command;
  if (!command.empty()) path.append(" ").append(command);
  return path;
}

// As Go prints one of whole seconds below an hour: "2m0s".
std::string DurationText(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  const std::string minutes = seconds < 60 ? "" : std::to_string(seconds / 60) + "m";
  return minutes + std::to_string(seconds % 60) + "s";
}

template <typename T>
std::function<void(const T&)> SetterOf(T& target) {
  return [&target](const T& value) { target = value; };
}

}  // namespace

UsageError::UsageError(std::string_view command, const std::string& message)
    : runtime_error(message + "\nSee '" + CommandPath(command) + " --help' for usage.") {}

struct FlagSet::Description {
  po::options_description options;
};

FlagSet::FlagSet(std::string_view command)
    : command_(command), description_(std::make_unique<Description>()) {}
FlagSet::~FlagSet() = default;

template <typename T>
Flag& FlagSet::Add(std::string_view name, FlagKind kind, std::string default_text,
                   std::string_view help, std::function<void(const T&)> set) {
  const std::size_t comma = name.find(',');
  const char shorthand = comma == std::string_view::npos ? '\0' : name[comma + 1];
  Flag& flag = flags_.emplace_back(
      Flag{.name = std::string(name.substr(0, comma)), .shorthand = shorthand, .kind = kind});
  flag.default_text = std::move(default_text);
  flag.help = help;
  if (kind == FlagKind::kBool) flag.values = {"false", "true"};
  description_->options.add_options()(flag.name.c_str(), po::value<T>()->notifier(std::move(set)));
  return flag;
}

Flag& FlagSet::Bool(std::string_view name, bool& target, std::string_view help) {
  return Add(name, FlagKind::kBool, target ? "true" : "false", help, SetterOf(target));
}

Flag& FlagSet::Int(std::string_view name, int& target, std::string_view help) {
  return Add(name, FlagKind::kInt, std::to_string(target), help, SetterOf(target));
}

Flag& FlagSet::Int64(std::string_view name, std::int64_t& target, std::string_view help) {
  return Add(name, FlagKind::kInt64, std::to_string(target), help, SetterOf(target));
}

Flag& FlagSet::String(std::string_view name, std::string& target, CandidateSource source,
                      std::string_view help) {
  Flag& flag = Add(name, FlagKind::kString, "'" + target + "'", help, SetterOf(target));
  flag.source = source;
  return flag;
}

Flag& FlagSet::Path(std::string_view name, std::filesystem::path& target, std::string_view help) {
  const auto set = [&target](const std::string& text) {
    if (!text.empty()) target = text;
  };
  Flag& flag = Add<std::string>(name, FlagKind::kString, "'" + target.string() + "'", help, set);
  flag.source = CandidateSource::kFolders;
  return flag;
}

Flag& FlagSet::Strings(std::string_view name, std::vector<std::string>& target,
                       CandidateSource source, std::string_view help) {
  Flag& flag = Add(name, FlagKind::kStrings, "[]", help, SetterOf(target));
  flag.source = source;
  return flag;
}

Flag& FlagSet::Array(std::string_view name, std::vector<std::string>& target,
                     CandidateSource source, std::string_view help) {
  Flag& flag = Add(name, FlagKind::kArray, "[]", help, SetterOf(target));
  flag.source = source;
  return flag;
}

Flag& FlagSet::Text(std::string_view name, std::string default_text, ReadText read,
                    std::string_view help, FlagKind kind) {
  const std::string key(name.substr(0, name.find(',')));
  Check([this, key, read = std::move(read)] {
    if (IsGiven(key)) read(texts_.at(key));
  });
  return Add<std::string>(name, kind, std::move(default_text), help,
                          [this, key](const std::string& text) { texts_[key] = text; });
}

Flag& FlagSet::List(std::string_view name, FlagKind kind, ReadList read, std::string_view help) {
  const auto list = std::make_shared<std::vector<std::string>>();
  Check([this, name = std::string(name), list, read = std::move(read)] {
    if (IsGiven(name)) read(*list);
  });
  return Add(name, kind, "[]", help, SetterOf(*list));
}

Flag& FlagSet::Duration(std::string_view name, std::chrono::nanoseconds& target,
                        std::string_view help) {
  const std::string flag = "--" + std::string(name);
  const auto read = [this, flag, &target](const std::string& text) {
    if (!text.empty()) target = ParseDuration(flag, text);
  };
  return Text(name, DurationText(target), read, help);
}

Flag& FlagSet::Timeout(std::string_view name, std::chrono::nanoseconds& target,
                       std::string_view help) {
  const std::string flag = "--" + std::string(name);
  const auto read = [this, flag, &target](const std::string& text) {
    if (text.empty()) return;
    const auto duration = kube::go::ParseGoDuration(text);
    if (!duration) Invalid(flag, text, "time: invalid duration " + GoQuote(text));
    if (*duration <= std::chrono::nanoseconds::zero()) Invalid(flag, text, "must be more than 0");
    target = *duration;
  };
  return Text(name, DurationText(target), read, help);
}

void FlagSet::Describe(std::string_view name, std::string help) {
  const auto flag = std::ranges::find(flags_, name, &Flag::name);
  flag->help = std::move(help);
  flag->is_global = false;
}

std::vector<std::string> FlagSet::Parse(std::span<const std::string> words) {
  auto normal = ParseFlags(words, flags_);
  if (!normal) throw UsageError(command_, normal.error());
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

void FlagSet::Finish(std::vector<std::string> arguments) {
  if (take_) take_(std::move(arguments));
  for (const auto& check : checks_) check();
}

void FlagSet::FinishCommon() {
  for (std::size_t i = 0; i < common_checks_; ++i) checks_[i]();
}

void FlagSet::EndCommon() {
  common_checks_ = checks_.size();
  for (Flag& flag : flags_) flag.is_global = true;
}

void FlagSet::Refuse(const std::string& message) const { throw UsageError(command_, message); }

void FlagSet::Invalid(std::string_view flag, const std::string& value,
                      const std::string& why) const {
  Refuse("invalid argument " + GoQuote(value) + " for " + GoQuote(flag) + " flag: " + why);
}

void FlagSet::RefuseBoth(bool a, std::string_view a_name, bool b, std::string_view b_name) const {
  if (!a || !b) return;
  Refuse(std::string(a_name).append(" and ").append(b_name) + " cannot be specified together");
}

std::chrono::nanoseconds FlagSet::ParseDuration(std::string_view flag,
                                                const std::string& text) const {
  const auto duration = kube::go::ParseGoDuration(text);
  if (!duration) Invalid(flag, text, "time: invalid duration " + GoQuote(text));
  if (*duration < std::chrono::nanoseconds::zero()) Invalid(flag, text, "must not be less than 0");
  return *duration;
}

}  // namespace plugin::cli
