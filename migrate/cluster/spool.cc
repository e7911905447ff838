#include "migrate/cluster/spool.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kube/base/result.h"
#include "kube/meta/names.h"
#include "migrate/cluster/object_metadata.h"

namespace migrate::cluster {

std::optional<std::string_view> LineReader::Next(std::uint64_t end) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t start = static_cast<std::size_t>(next_ - buffer_offset_);
    const std::size_t line_break = buffer_.find('\n', start + searched);
    if (line_break != buffer_.npos) {
      next_ = buffer_offset_ + line_break + 1;
      return std::string_view(buffer_).substr(start, line_break - start);
    }
    searched = buffer_.size() - start;
    const std::uint64_t filled = buffer_offset_ + buffer_.size();
    if (searched > kMaxLine || filled >= end) return std::nullopt;
    buffer_.erase(0, start);
    buffer_offset_ = next_;
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + static_cast<std::size_t>(std::min<std::uint64_t>(piece_, end - filled)));
    const std::size_t got = file_->ReadAt(filled, buffer_.data() + kept, buffer_.size() - kept);
    buffer_.resize(kept + got);
    if (got == 0) return std::nullopt;
  }
}

namespace {

constexpr std::string_view kFormat = "kubectl-prune sweep 1: ";

// Whatever a selector holds.
std::string InOneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::filesystem::path FilePath(const std::filesystem::path& folder, const std::string& name,
                               const char* extension) {
  return folder / (name + extension);
}

}  // namespace

std::string ObjectKey(const ListedObject& object) {
  return kube::meta::NamespacedName(object.namespace_, object.name);
}

Spool::Spool(const std::filesystem::path& folder, const std::string& name,
             const std::string& purpose)
    : listed_(FilePath(folder, name, ".listed")), answered_(FilePath(folder, name, ".answered")) {
  LoadListed(purpose);
  LoadAnswered();
}

Spool::Spool(const std::filesystem::path& folder, const std::string& name)
    : listed_(FilePath(folder, name, ".listed")), answered_(FilePath(folder, name, ".answered")) {
  LoadListed(std::nullopt);
  LoadAnswered();
}

void Spool::Remove(const std::filesystem::path& folder, const std::string& name) {
  // A list without answers would be taken up, answers without a list are not.
  for (const char* extension : {".listed", ".answered"}) {
    std::filesystem::remove(FilePath(folder, name, extension));
  }
}

void Spool::LoadListed(const std::optional<std::string>& purpose) {
  LineReader lines(listed_);
  const auto header = lines.Next(listed_.size());
  const std::string wanted = InOneLine(purpose.value_or(""));
  const bool is_sweep = header && header->starts_with(kFormat);
  purpose_ = is_sweep ? std::string(header->substr(kFormat.size())) : "";
  if (!is_sweep || (purpose && purpose_ != wanted)) {
    purpose_ = wanted;
    return StartAnew();
  }
  first_object_ = page_end_ = lines.next_offset();
  LoadPages(lines);
  listed_.Truncate(page_end_);
  unanswered_ = ObjectLines();
}

void Spool::StartAnew() {
  answered_.Truncate(0);
  listed_.Truncate(0);
  listed_.Append(std::string(kFormat) + purpose_ + "\n");
  first_object_ = page_end_ = listed_.size();
  unanswered_ = ObjectLines();
}

void Spool::LoadPages(LineReader& lines) {
  std::uint64_t objects = 0, checksum = kEmptyChecksum;
  std::string last_key = last_key_;
  while (!is_complete_) {
    const auto line = lines.Next(listed_.size());
    if (!line) return;
    if (const auto object = ReadObjectLine(*line)) {
      ++objects;
      checksum = Checksum("\n", Checksum(*line, checksum));
      last_key = ObjectKey(*object);
      continue;
    }
    const auto end = ReadPageEndLine(*line);
    if (!end || end->checksum != checksum) return;
    classes_.resize(classes_.size() + objects, report::ObjectClass::kNotTried);
    continue_token_ = end->continue_token;
    is_complete_ = continue_token_.empty();
    last_key_ = last_key;
    page_end_ = lines.next_offset();
    objects = 0;
    checksum = kEmptyChecksum;
  }
}

void Spool::LoadAnswered() {
  LineReader lines(answered_);
  std::uint64_t good_end = 0;
  for (;;) {
    const auto line = lines.Next(answered_.size());
    if (!line || !HandleAnswer(*line)) break;
    good_end = lines.next_offset();
  }
  answered_.Truncate(good_end);
}

bool Spool::HandleAnswer(std::string_view line) {
  const auto read = ReadAnswerLine(line);
  if (!read || read->number >= listed()) return false;
  if (classes_[read->number] != report::ObjectClass::kNotTried) return false;
  if (read->answer.object_class == report::ObjectClass::kNotTried) return false;
  // What failed is tried again, and what was held is asked for again: the cause may be fixed.
  if (!report::IsFailure(read->answer.object_class)) Count(read->number, read->answer);
  return true;
}

void Spool::Add(const ListedObject& object) {
  const std::string line = ObjectLine(object);
  listed_.Append(line);
  checksum_ = Checksum(line, checksum_);
  ++page_objects_;
  page_last_key_ = ObjectKey(object);
}

void Spool::EndPage(const std::string& continue_token) {
  listed_.Append(PageEndLine({continue_token, checksum_}));
  listed_.Sync();
  page_end_ = listed_.size();
  continue_token_ = continue_token;
  is_complete_ = continue_token.empty();
  if (page_objects_ > 0) last_key_ = page_last_key_;
  classes_.resize(classes_.size() + page_objects_, report::ObjectClass::kNotTried);
  page_objects_ = 0;
  checksum_ = kEmptyChecksum;
}

void Spool::DropPage() {
  listed_.Truncate(page_end_);
  page_objects_ = 0;
  checksum_ = kEmptyChecksum;
}

std::optional<SpooledObject> Spool::Next() {
  while (next_number_ < listed()) {
    const auto line = unanswered_->Next(page_end_);
    if (!line)
      throw kube::base::Error("cannot read " + listed_.path().string() + ": it was changed");
    if (line->starts_with("page")) continue;
    const std::uint64_t number = next_number_++;
    if (classes_[number] != report::ObjectClass::kNotTried) continue;
    auto object = ReadObjectLine(*line);
    if (!object)
      throw kube::base::Error("cannot read " + listed_.path().string() + ": it was changed");
    return SpooledObject{number, *std::move(object)};
  }
  return std::nullopt;
}

void Spool::Answer(std::uint64_t number, const ObjectAnswer& answer) {
  answered_.Append(AnswerLine(number, answer));
  Count(number, answer);
}

void Spool::Count(std::uint64_t number, const ObjectAnswer& answer) {
  classes_[number] = answer.object_class;
  ++counts_[answer.object_class];
  if (answer.generation_moved) ++generations_moved_;
  if (answer.entries_cleaned > 0) cleaned_ += {1, answer.entries_cleaned};
  if (answer.entries == EntryState::kStale) ++stale_left_;
  if (answer.are_entries_emptied) emptied_.insert(number);
  newest_resource_version_ = std::max(newest_resource_version_, NumberOf(answer.resource_version));
  if (report::IsFailure(answer.object_class)) failures_.emplace(number, answer);
}

report::ClassCounts Spool::counts() const {
  report::ClassCounts counts = counts_;
  counts[report::ObjectClass::kNotTried] = listed() - counts_.Total();
  return counts;
}

std::vector<report::ObjectFailure> Spool::Failures() const {
  return failures_.empty() ? std::vector<report::ObjectFailure>()
                           : Failures(/*with_not_tried=*/false);
}

std::vector<report::ObjectFailure> Spool::FailuresAndNotTried() const {
  return Failures(/*with_not_tried=*/true);
}

// With its number and its line.
void Spool::ForEachObject(const std::function<void(std::uint64_t, std::string_view)>& take) const {
  LineReader lines = ObjectLines();
  for (std::uint64_t number = 0; number < listed();) {
    const auto line = lines.Next(page_end_);
    if (!line)
      throw kube::base::Error("cannot read " + listed_.path().string() + ": it was changed");
    if (!line->starts_with("page")) take(number++, *line);
  }
}

std::set<std::string> Spool::Emptied() const {
  std::set<std::string> names;
  if (emptied_.empty()) return names;
  ForEachObject([&](std::uint64_t number, std::string_view line) {
    if (!emptied_.contains(number)) return;
    names.insert(ObjectKey(ReadObjectLine(line).value_or(ListedObject())));
  });
  return names;
}

std::vector<report::ObjectFailure> Spool::Failures(bool with_not_tried) const {
  std::vector<report::ObjectFailure> failures;
  ForEachObject([&](std::uint64_t number, std::string_view line) {
    auto failure = FailureOf(number, with_not_tried);
    if (!failure) return;
    ListedObject object = ReadObjectLine(line).value_or(ListedObject());
    failure->namespace_ = std::move(object.namespace_);
    failure->name = std::move(object.name);
    failures.push_back(*std::move(failure));
  });
  std::ranges::sort(failures, {}, [](const report::ObjectFailure& failure) {
    return std::tie(failure.namespace_, failure.name);
  });
  return failures;
}

// Without its names.
std::optional<report::ObjectFailure> Spool::FailureOf(std::uint64_t number,
                                                      bool with_not_tried) const {
  report::ObjectFailure failure;
  failure.object_class = classes_[number];
  if (failure.object_class == report::ObjectClass::kNotTried) {
    return with_not_tried ? std::optional(failure) : std::nullopt;
  }
  const auto answered = failures_.find(number);
  if (answered == failures_.end()) return std::nullopt;
  failure.code = answered->second.code;
  failure.reason = answered->second.reason;
  failure.message = answered->second.message;
  return failure;
}

}  // namespace migrate::cluster
