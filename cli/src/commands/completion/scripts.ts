/** What a shell loads once; each asks `workspace __complete` for the words that may come. */
export const SCRIPTS = {
  bash: `_workspace() {
  local IFS=$'\\n'
  COMPREPLY=($(workspace __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _workspace workspace
`,
  zsh: `#compdef workspace
_workspace() {
  local -a found
  found=("\${(@f)$(workspace __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _workspace workspace
`,
  fish: `function __workspace_complete
  set -l words (commandline -opc) (commandline -ct)
  workspace __complete -- $words[2..-1] 2>/dev/null
end
complete -c workspace -f -a '(__workspace_complete)'
`,
} as const;
