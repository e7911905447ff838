#include "kube/meta/object_path.h"

#include <algorithm>
#include <vector>

namespace kube::meta {
namespace {

std::vector<const PathStep*> StepsFromRoot(const PathStep* last) {
  std::vector<const PathStep*> steps;
  for (const PathStep* step = last; step != nullptr; step = step->parent) steps.push_back(step);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

void AppendName(std::string& path, std::string_view name) {
  if (!path.empty()) path += '.';
  path += name;
}

bool NeedsQuotes(std::string_view name) {
  const auto ends_it = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' ||
           std::string_view(".,[]()'\"\\").find(c) != std::string_view::npos;
  };
  return name.empty() || name == "*" || std::ranges::any_of(name, ends_it);
}

void AppendQuoted(std::string& path, std::string_view name) {
  path += "['";
  for (const char c : name) {
    if (c == '\'' || c == '\\') path += '\\';
    path += c;
  }
  path += "']";
}

void AppendBracketed(std::string& path, std::string_view text) {
  path += '[';
  path += text;
  path += ']';
}

}  // namespace

std::string PrintPath(const PathStep* last) {
  std::string path;
  for (const PathStep* step : StepsFromRoot(last)) {
    switch (step->kind) {
      case PathStep::Kind::kField:
        AppendName(path, step->name);
        break;
      case PathStep::Kind::kKey:
        AppendBracketed(path, step->name);
        break;
      case PathStep::Kind::kIndex:
        AppendBracketed(path, std::to_string(step->index));
        break;
    }
  }
  return path;
}

std::string PrintFoldedPath(const PathStep* last) {
  std::string path;
  for (const PathStep* step : StepsFromRoot(last)) {
    switch (step->kind) {
      case PathStep::Kind::kField:
        AppendPathName(path, step->name);
        break;
      case PathStep::Kind::kKey:
        AppendPathOfKeys(path);
        break;
      case PathStep::Kind::kIndex:
        AppendBracketed(path, "*");
        break;
    }
  }
  return path;
}

void AppendPathName(std::string& path, std::string_view name) {
  NeedsQuotes(name) ? AppendQuoted(path, name) : AppendName(path, name);
}

void AppendPathOfKeys(std::string& path) { AppendName(path, "*"); }

std::string WithLeadingDot(std::string_view path) {
  return (path.starts_with("['") ? "" : ".") + std::string(path);
}

}  // namespace kube::meta
