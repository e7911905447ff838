#include "kube/meta/field_path.h"

#include <vector>

namespace kube::meta {

std::string FieldPath::ToString() const {
  std::vector<const FieldPath*> steps;
  for (const FieldPath* step = this; step != nullptr; step = step->parent_) steps.push_back(step);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!text.empty()) text += '.';
    text.append((*step)->name_);
    if ((*step)->kind_ == Kind::kKey) text.append("[").append((*step)->key_).append("]");
    if ((*step)->kind_ == Kind::kIndex) {
      text.append("[").append(std::to_string((*step)->index_)).append("]");
    }
  }
  return text;
}

}  // namespace kube::meta
