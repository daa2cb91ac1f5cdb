# Completion of gsv for bash. For this shell:  source <(gsv completion bash)

# Bash has cut words at : and =, gsv does not: words that stand against each other belong together, and what is put in place of the last
# piece must not repeat the pieces before it.
_gsv() {
  local -a words=() values=() notes=()
  local word gap rest="" exact="" glued="" value note files="" i
  if [[ -n $COMP_LINE && $COMP_LINE == "${COMP_WORDS[0]}"* ]]; then
    exact=1
    rest=${COMP_LINE#"${COMP_WORDS[0]}"}
  fi
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ -n $exact ]]; then
      gap=${rest%%[![:space:]]*}
      rest=${rest#"$gap"}
      rest=${rest#"$word"}
      glued=""
      [[ -z $gap ]] && glued=1
    elif [[ $word == [:=]* ]]; then
      glued=1
    fi
    if [[ -n $glued && ${#words[@]} -gt 0 ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    glued=""
    [[ -z $exact && $word == [:=]* ]] && glued=1
  done
  local at=$((${#words[@]} - 1))
  local current=${words[at]} last=${COMP_WORDS[COMP_CWORD]}
  [[ $last == [:=]* ]] && last=""
  local head=${current%"$last"}
  while IFS=$'\t' read -r value note; do
    case $value in
      "") ;;
      :files) files=1 ;;
      :*) ;;
      *)
        # A ~ of gsv's must not become this machine's home.
        [[ $value == "~"* && $current == "~"* ]] && value="\\$value"
        values+=("${value#"$head"}")
        notes+=("$note")
        ;;
    esac
  done < <("${COMP_WORDS[0]/#\~\//$HOME/}" __complete "$at" "${words[@]}" 2>/dev/null)
  # Descriptions stand in a list that is only looked at, never in what is put in.
  if [[ ${COMP_TYPE-} == 63 && ${#values[@]} -gt 1 ]]; then
    for ((i = 0; i < ${#values[@]}; i++)); do
      [[ -n ${notes[i]} ]] && values[i]+="  (${notes[i]})"
    done
  fi
  COMPREPLY=(${values[@]+"${values[@]}"})
  # Behind a directory the path may go on, and behind a = a value is still to come.
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[/=] ]]; then
    compopt -o nospace 2>/dev/null
  fi
  if [[ -n $files ]]; then
    compopt -o default 2>/dev/null
  fi
}
complete -F _gsv gsv
