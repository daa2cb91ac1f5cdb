#compdef gsv
# Completion of gsv for zsh. For this shell:  source <(gsv completion zsh)
_gsv() {
  local -a typed values notes
  local line value note files=""
  local at=$((CURRENT - 2))
  typed=("${(@Q)words[2,CURRENT]}")
  typed[CURRENT-1]="${(Q)PREFIX}"
  for line in "${(@f)$("${~words[1]}" __complete $at "${typed[@]}" 2>/dev/null)}"; do
    value=${line%%$'\t'*}
    note=""
    [[ $line == *$'\t'* ]] && note=${line#*$'\t'}
    case $value in
      "") ;;
      :files) files=1 ;;
      :*) ;;
      *)
        values+=("$value")
        notes+=("$value${note:+  -- $note}")
        ;;
    esac
  done
  # A value is still to come behind a =.
  local -a end=()
  [[ $#values -gt 0 && -z ${values:#*=} ]] && end=(-S "")
  (( $#values )) && compadd "${end[@]}" -l -d notes -a values
  [[ -n $files ]] && _files
  return 0
}
if [[ $funcstack[1] == _gsv ]]; then
  _gsv "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _gsv gsv
fi
