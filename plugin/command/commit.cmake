# Writes the source file that tells the commit, for the build in whose CMakeLists.txt it is named. What is there stays
# as it is where it says the same, so that nothing is compiled anew.
#
#   SOURCE   the folder of the sources; without a .git of its own, or without git, the commit is not known
#   OUTPUT   the file
set(commit "")
set(has_changes false)
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_VARIABLE why)
  if(NOT failed)
    # Beside others that use git at the same time.
    execute_process(COMMAND git --no-optional-locks -C ${SOURCE} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes RESULT_VARIABLE failed ERROR_VARIABLE why)
  endif()
  if(failed)
    message(WARNING "git cannot tell the commit, so the program will not either: ${failed} ${why}")
    set(commit "")
  elseif(changes)
    set(has_changes true)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "plugin/command/run_facts.h"

namespace plugin::command {

const std::string_view kCommit = "@commit@";
const bool kHasUncommittedChanges = @has_changes@;

}  // namespace plugin::command
]])
