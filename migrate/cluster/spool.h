#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/spool_line.h"
#include "migrate/report/migration_report.h"
#include "migrate/report/object_class.h"

namespace migrate::cluster {

/// Reads the lines of a file in turn, from `offset` on, `piece` bytes at a time.
class LineReader {
 public:
  /// Longer ones are none of ours.
  static constexpr std::size_t kMaxLine = 1024 * 1024;

  /// `file` must outlive it.
  explicit LineReader(const StateFile& file, std::uint64_t offset = 0,
                      std::size_t piece = 64 * 1024)
      : file_(&file), piece_(piece), buffer_offset_(offset), next_(offset) {}

  /// The next line without its line break, which lives until the next call. Absent where no whole
  /// line is left before `end`, or it is too long; with a later `end` there may be more.
  std::optional<std::string_view> Next(std::uint64_t end);
  /// Where the line starts that is read next.
  std::uint64_t next_offset() const { return next_; }

 private:
  const StateFile* file_;
  std::size_t piece_;
  std::string buffer_;
  std::uint64_t buffer_offset_;  // of the buffer in the file
  std::uint64_t next_;
};

/// An object and its number in the list, from 0.
struct SpooledObject {
  std::uint64_t number = 0;
  ListedObject object;
};

/// What was listed and what was answered, on disk: so the list runs ahead of the writes, memory
/// stays small (a byte an object, and the failures), and a sweep that was killed goes on.
///
/// NAME.listed has a line an object, and behind each page the continue token and a checksum; a page
/// may be written once it is safe on disk. NAME.answered has a line an answer; a failure that is
/// taken up counts as none, so that the object is tried again. What is broken, cut off or none of
/// ours is taken for absent from the first bad place on. An answer that is lost so does no harm:
/// the object is written once more and answers the same.
///
/// All methods throw kube::base::Error where a file cannot be read or written.
class Spool {
 public:
  /// Takes up what an earlier run left in `folder` under `name`, if it was for the same `purpose`;
  /// else, and where nothing is there, starts with nothing.
  Spool(const std::filesystem::path& folder, const std::string& name, const std::string& purpose);
  /// Takes up what is there for whatever purpose; with nothing there, it is complete and empty.
  Spool(const std::filesystem::path& folder, const std::string& name);

  /// Removes the files, if there are any. Throws std::filesystem::filesystem_error.
  static void Remove(const std::filesystem::path& folder, const std::string& name);

  // The list:

  /// Adds an object to the page that is being read.
  void Add(const ListedObject& object);
  /// Makes the page safe. `continue_token` is how the list goes on; empty: it is complete.
  void EndPage(const std::string& continue_token);
  /// Forgets the page that is being read.
  void DropPage();

  /// What it is for; empty if nothing was there.
  const std::string& purpose() const { return purpose_; }
  bool is_complete() const { return is_complete_; }
  /// Of the last page; empty at the beginning and at the end.
  const std::string& continue_token() const { return continue_token_; }
  /// Of the last object in a page that is safe, as etcd orders them; empty at the beginning.
  const std::string& last_key() const { return last_key_; }
  /// The number of objects in pages that are safe.
  std::uint64_t listed() const { return classes_.size(); }

  // The writes:

  /// The next object without an answer; absent where there is none (yet).
  std::optional<SpooledObject> Next();
  /// Counts the answer, an object's first and only one.
  void Answer(std::uint64_t number, const ObjectAnswer& answer);
  /// Lets the answers survive the death of this process.
  void Flush() { answered_.Flush(); }

  /// True if every listed object has its answer.
  bool is_answered() const { return counts_.Total() == listed(); }
  /// What became of an object; kNotTried without an answer.
  report::ObjectClass class_of(std::uint64_t number) const { return classes_[number]; }
  /// All listed objects, those without an answer as kNotTried.
  report::ClassCounts counts() const;
  std::uint64_t generations_moved() const { return generations_moved_; }
  /// The objects whose managedFields were emptied by our writes: "namespace/name" or "name". Reads
  /// the names from disk.
  std::set<std::string> Emptied() const;
  /// The objects of whose managedFields entries were cleaned, and these entries.
  const report::ManagedFieldsCleaned& cleaned() const { return cleaned_; }
  /// Objects that answered with stale entries all the same.
  std::uint64_t stale_left() const { return stale_left_; }
  /// The greatest that an object answered; 0 where none did, or none is a number.
  std::uint64_t newest_resource_version() const { return newest_resource_version_; }
  /// Reads the names from disk; by namespace and name. Without what has no answer.
  std::vector<report::ObjectFailure> Failures() const;
  /// The same with it, as kNotTried.
  std::vector<report::ObjectFailure> FailuresAndNotTried() const;

  // For who reads it all again; the lines are those of spool_line.h.

  LineReader ObjectLines() const { return LineReader(listed_, first_object_); }
  LineReader AnswerLines() const { return LineReader(answered_); }
  /// For a single line at `offset`.
  LineReader AnswerLineAt(std::uint64_t offset) const { return LineReader(answered_, offset, 512); }
  std::uint64_t listed_end() const { return page_end_; }
  std::uint64_t answered_end() const { return answered_.size(); }

 private:
  void LoadListed(const std::optional<std::string>& purpose);
  void LoadPages(LineReader& lines);
  void StartAnew();
  void LoadAnswered();
  bool HandleAnswer(std::string_view line);
  std::vector<report::ObjectFailure> Failures(bool with_not_tried) const;
  void ForEachObject(const std::function<void(std::uint64_t, std::string_view)>& take) const;
  std::optional<report::ObjectFailure> FailureOf(std::uint64_t number, bool with_not_tried) const;
  void Count(std::uint64_t number, const ObjectAnswer& answer);

  StateFile listed_, answered_;
  std::string purpose_;             // in one line
  std::uint64_t first_object_ = 0;  // where its line starts
  std::uint64_t page_end_ = 0;      // where the last safe page ends
  bool is_complete_ = false;
  std::string continue_token_, last_key_;
  std::vector<report::ObjectClass> classes_;

  // Of the page that is being read:
  std::uint64_t page_objects_ = 0;
  std::uint64_t checksum_ = kEmptyChecksum;
  std::string page_last_key_;

  std::optional<LineReader> unanswered_;  // made anew where the list starts anew
  std::uint64_t next_number_ = 0;

  report::ClassCounts counts_;  // of what was answered
  std::uint64_t generations_moved_ = 0;
  report::ManagedFieldsCleaned cleaned_;
  std::uint64_t stale_left_ = 0;
  std::set<std::uint64_t> emptied_;
  std::uint64_t newest_resource_version_ = 0;
  std::map<std::uint64_t, ObjectAnswer> failures_;
};

/// The order of etcd's keys, in which an API server lists: by this, as bytes.
std::string ObjectKey(const ListedObject& object);

}  // namespace migrate::cluster
