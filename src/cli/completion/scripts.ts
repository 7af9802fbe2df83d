/** The supported shells. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

/** Says to a script that a file may be named here. */
export const filesWord = ':files'

// Each script calls `dlv __complete -- WORDS… CURRENT` and gets one candidate per line: the word, a tab, its
// description. What it puts on the line is quoted by the shell's own means; the names of files, too, are left to the shell.
const scripts: Readonly<Record<Shell, string>> = {
  bash: `# dlv completion for bash. Load it with:  source <(dlv completion bash)
_dlv() {
  local word text index
  local -a texts=()
  COMPREPLY=()
  while IFS=$'\\t' read -r word text; do
    [[ -z "$word" ]] && continue
    [[ "$word" == ${filesWord} ]] && compopt -o default 2>/dev/null
    [[ "$word" == ${filesWord} ]] && continue
    [[ "$word" =~ ^[A-Za-z0-9_./+:=,@-]+$ ]] || printf -v word %q "$word"
    COMPREPLY+=("$word") && texts+=("$text")
  done < <(dlv __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # Only a list (63, "?") shows what each word is: everything else may put what it gets on the line.
  if [[ \${#COMPREPLY[@]} -gt 1 && "\${COMP_TYPE:-9}" == 63 ]]; then
    for index in "\${!COMPREPLY[@]}"; do
      [[ -n "\${texts[index]}" ]] && COMPREPLY[index]+="  (\${texts[index]})"
    done
  fi
}
complete -o nospace -F _dlv_spaced dlv
_dlv_spaced() {
  _dlv
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then compopt +o nospace 2>/dev/null
  elif [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" != *= ]]; then COMPREPLY=("\${COMPREPLY[0]} "); fi
}
`,
  zsh: `#compdef dlv
# dlv completion for zsh. Load it with:  source <(dlv completion zsh)
_dlv() {
  local -a candidates
  local word text files
  while IFS=$'\\t' read -r word text; do
    [[ "$word" == ${filesWord} ]] && files=1 && continue
    [[ -n "$word" ]] && candidates+=("\${word//:/\\\\:}\${text:+:$text}")
  done < <(dlv __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe 'dlv' candidates
  elif [[ -n "$files" ]]; then [[ "$PREFIX" == --*=* ]] && compset -P '*='; _files; fi
}
(( $+functions[compdef] )) && compdef _dlv dlv
`,
  fish: `# dlv completion for fish. Load it with:  dlv completion fish | source
function __dlv_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (dlv __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" != ${filesWord}
      echo $line
    else
      set -l flag (string match -r -- '^--[^=]+=' $words[-1])
      set -l path (string replace -- "$flag" '' $words[-1])
      __fish_complete_path "$path" | string replace -r '^' -- "$flag"
    end
  end
end
complete -c dlv -f -a '(__dlv_complete)'
`,
  powershell: `# dlv completion for PowerShell. Load it with:  dlv completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName dlv -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  dlv __complete -- @words 2>$null | Where-Object { $_ -ne '${filesWord}' } | ForEach-Object {
    $word, $text = $_ -split "\`t", 2
    if (-not $text) { $text = $word }
    $quoted = $word
    if ($word -notmatch '^[\\w./+:=-]+$') {
      $quoted = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'"
    }
    [System.Management.Automation.CompletionResult]::new($quoted, $word, 'ParameterValue', $text)
  }
}
`,
}

/** The completion script of a shell. */
export function completionScript(shell: Shell): string {
  return scripts[shell]
}
