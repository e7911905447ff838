#include "plugin/cli/completion_script.h"

#include "plugin/cli/help.h"

namespace plugin::cli {
namespace {

// All scripts ask `kubectl-prune __complete WORD...`: candidates, a line each, with a tab before
// the description, then a line of ":" and the sum of 2 (no blank behind), 4 (no file names) and 16
// (folders only), as github.com/spf13/cobra has it.

constexpr std::string_view kBash = R"script(# bash completion for kubectl-prune
#
#   source <(kubectl prune completion bash)
#
# The completion of kubectl itself completes "kubectl prune" where it finds kubectl_complete-prune:
#
#   kubectl prune completion kubectl | sudo tee /usr/local/bin/kubectl_complete-prune > /dev/null
#   sudo chmod +x /usr/local/bin/kubectl_complete-prune

_kubectl_prune() {
  local i word value line joins=0 directive=4
  local -a words=()
  COMPREPLY=()
  # readline takes "--flag=value" for three words, and "a:b" too.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]} > 0)) && [[ $word == [=:] || $joins == 1 ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    [[ $word == [=:] ]] && joins=1 || joins=0
  done
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=${line#:}
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <(kubectl-prune __complete "${words[@]}" 2>/dev/null)
  value=${words[${#words[@]}-1]}
  if [[ $value == -*=* ]]; then value=${value#*=}; fi
  if ((directive & 2)); then compopt -o nospace; fi
  if ((!(directive & 4))); then
    local kind=-f
    if ((directive & 16)); then kind=-d; fi
    compopt -o filenames
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$kind" -- "$value")
  fi
  # readline puts what it is given in the place of what stands behind the last colon.
  if [[ $value == *:* && $COMP_WORDBREAKS == *:* ]]; then
    value=${value%"${value##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$value"}")
  fi
}

complete -F _kubectl_prune kubectl-prune
)script";

constexpr std::string_view kZsh = R"script(#compdef kubectl-prune
# zsh completion for kubectl-prune
#
#   source <(kubectl prune completion zsh)
#
# The completion of kubectl itself completes "kubectl prune" where it finds kubectl_complete-prune:
#
#   kubectl prune completion kubectl | sudo tee /usr/local/bin/kubectl_complete-prune > /dev/null
#   sudo chmod +x /usr/local/bin/kubectl_complete-prune

_kubectl-prune() {
  local line name directive=4
  local -a candidates given
  given=("${(@Q)words[2,CURRENT]}")
  for line in "${(@f)$(kubectl-prune __complete "${given[@]}" 2>/dev/null)}"; do
    if [[ $line == :* ]]; then
      directive=${line#:}
    elif [[ -n $line ]]; then
      name=${line%%$'\t'*}
      if [[ $line == *$'\t'* ]]; then
        candidates+=("${name//:/\\:}:${line#*$'\t'}")
      else
        candidates+=("${name//:/\\:}")
      fi
    fi
  done
  if [[ ${given[-1]} == -*=* ]]; then compset -P '*='; fi
  if ((directive & 16)); then
    _files -/
  elif ((!(directive & 4))); then
    _files
  fi
  if ((directive & 2)); then
    _describe 'kubectl prune' candidates -S ''
  else
    _describe 'kubectl prune' candidates
  fi
}

if [[ ${funcstack[1]} == _kubectl-prune ]]; then
  _kubectl-prune "$@"
else
  compdef _kubectl-prune kubectl-prune
fi
)script";

constexpr std::string_view kFish = R"script(# fish completion for kubectl-prune
#
#   kubectl prune completion fish | source
#
# The completion of kubectl itself completes "kubectl prune" where it finds kubectl_complete-prune:
#
#   kubectl prune completion kubectl | sudo tee /usr/local/bin/kubectl_complete-prune > /dev/null
#   sudo chmod +x /usr/local/bin/kubectl_complete-prune

function __kubectl_prune_complete
    set -l given (commandline -opc)
    set -e given[1]
    # Without the quote of a word that is still open.
    set -l current (commandline -ct | string replace -r '^["\']' '')
    set -l directive 4
    set -l prefix ''
    set -l value $current
    if string match -q -- '-*=*' "$current"
        set prefix (string replace -r '=.*' '=' -- $current)
        set value (string replace -r '^[^=]*=' '' -- $current)
    end
    for line in (kubectl-prune __complete $given "$current" 2>/dev/null)
        if string match -q -- ':*' $line
            set directive (string sub -s 2 -- $line)
        else
            echo $prefix$line
        end
    end
    if test (math "bitand($directive, 16)") -ne 0
        for path in (__fish_complete_directories "$value" '')
            echo $prefix$path
        end
    else if test (math "bitand($directive, 4)") -eq 0
        for path in (__fish_complete_path "$value")
            echo $prefix$path
        end
    end
end

complete -c kubectl-prune -f -a '(__kubectl_prune_complete)'
)script";

constexpr std::string_view kKubectl = R"script(#!/bin/sh
# kubectl's own completion runs this for "kubectl prune ...", with the words behind "prune".
exec kubectl-prune __complete "$@"
)script";

std::string_view TextFor(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "fish") return kFish;
  if (shell == "zsh") return kZsh;
  return kKubectl;
}

}  // namespace

std::string CompletionScript(std::string_view shell, const migrate::report::ProgramName& name) {
  return Renamed(TextFor(shell), name);
}

}  // namespace plugin::cli
