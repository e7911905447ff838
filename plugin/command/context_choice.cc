#include "plugin/command/context_choice.h"

#include <fnmatch.h>

#include <cstddef>
#include <set>
#include <string_view>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/go/go_format.h"

namespace plugin::command {
namespace {

using kube::base::Error;
using kube::go::GoQuote;

constexpr std::size_t kMostListed = 20;

std::string_view Trim(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

void AppendLines(std::vector<std::string>& patterns, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    if (!line.empty() && !line.starts_with('#')) patterns.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void AppendFile(std::vector<std::string>& patterns, const std::string& path) {
  const auto text = kube::base::ReadFileText(path);
  if (!text) throw Error("--contexts: " + text.error().message);
  const std::size_t before = patterns.size();
  AppendLines(patterns, *text);
  if (patterns.size() == before) throw Error("--contexts: " + path + " names no context");
}

// The names of contexts have slashes and may begin with a dot: neither means anything here.
bool Chooses(const std::string& pattern, const std::string& name) {
  return pattern == name || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::string WhatThereIs(const kube::client::Kubeconfig& kubeconfig) {
  if (kubeconfig.contexts.empty()) return "there is none";
  std::vector<std::string> names;
  for (const auto& [name, context] : kubeconfig.contexts) {
    if (names.size() == kMostListed) break;
    names.push_back(name);
  }
  const std::size_t left_out = kubeconfig.contexts.size() - names.size();
  return "there are: " + kube::base::Join(names, ", ") +
         (left_out == 0 ? "" : " and " + std::to_string(left_out) + " more");
}

}  // namespace

std::vector<std::string> ReadPatterns(const std::vector<std::string>& words) {
  std::vector<std::string> patterns;
  for (const std::string& word : words) {
    if (word.starts_with('@')) {
      AppendFile(patterns, word.substr(1));
    } else {
      patterns.push_back(word);
    }
  }
  return patterns;
}

std::vector<std::string> ChooseContexts(const std::vector<std::string>& patterns,
                                        const kube::client::Kubeconfig& kubeconfig) {
  std::set<std::string> chosen;
  for (const std::string& pattern : patterns) {
    bool is_of_use = false;
    for (const auto& [name, context] : kubeconfig.contexts) {
      if (!Chooses(pattern, name)) continue;
      chosen.insert(name);
      is_of_use = true;
    }
    if (is_of_use) continue;
    throw Error("no context of the kubeconfig matches " + GoQuote(pattern) + "; " +
                WhatThereIs(kubeconfig));
  }
  return {chosen.begin(), chosen.end()};
}

std::string WhyNowhere(const std::string& context, const kube::client::Kubeconfig& kubeconfig) {
  const std::string& name = kubeconfig.contexts.at(context).cluster;
  const auto cluster = kubeconfig.clusters.find(name);
  if (name.empty()) return "the context names no cluster";
  if (cluster == kubeconfig.clusters.end())
    return "the cluster " + GoQuote(name) + " does not exist";
  if (cluster->second.server.empty()) return "the cluster " + GoQuote(name) + " has no server";
  return "";
}

}  // namespace plugin::command
