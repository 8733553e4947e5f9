/** Scripts that ask the command itself for what can follow, and complete file names where it has nothing. */
export const SCRIPTS = {
  bash: `_parlance() {
  local IFS=$'\\n'
  COMPREPLY=($(parlance __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _parlance parlance
`,
  zsh: `#compdef parlance
_parlance() {
  local -a found
  found=(\${(f)"$(parlance __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -- "\${found[@]}"; else _files; fi
}
compdef _parlance parlance
`,
  fish: `function __parlance_complete
  set -l words (commandline -opc) (commandline -ct)
  parlance __complete -- $words[2..-1] 2>/dev/null
end
complete -c parlance -a '(__parlance_complete)'
`,
};
