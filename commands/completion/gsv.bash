# Completion of gsv for bash. For this shell:  source <(gsv completion bash)

# Undoes the quotes and backslashes of a word, and runs nothing of it: `plain` is what it says, `open` the quote that is not closed yet, and
# `inside` what stands before that.
_gsv_plain() {
  local text=$1 char at
  plain="" open="" inside=""
  for ((at = 0; at < ${#text}; at++)); do
    char=${text:at:1}
    case $open$char in
      "'" | '"') open=$char inside=$plain ;;
      "''" | '""') open="" ;;
      "\\" | '"\')
        ((at += 1))
        char=${text:at:1}
        [[ -n $open && $char != [\"\\\`\$] ]] && plain+="\\"
        plain+=$char
        ;;
      *) plain+=$char ;;
    esac
  done
}

# Makes `value` one that bash reads as it stands behind what is typed: names of files are anybody's, and a ~ of gsv's must not become this
# machine's home.
_gsv_quote() {
  [[ -z $value ]] && return
  if [[ -z $open ]]; then
    printf -v value %q "$value"
    return
  fi
  local text=$value char at
  value=""
  for ((at = 0; at < ${#text}; at++)); do
    char=${text:at:1}
    case $open$char in
      "''") value+="'\\''" ;;
      '"!') value+='"\!"' ;;
      '""' | '"\' | '"$' | '"`') value+="\\$char" ;;
      *) value+=$char ;;
    esac
  done
}

# Bash has cut words at : and =, gsv does not: words that stand against each other belong together, and what is put in place of the last
# piece must not repeat the pieces before it.
_gsv() {
  local plain open inside
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
  _gsv_plain "${current%"$last"}"
  local head=$plain
  for ((i = 0; i <= at; i++)); do
    _gsv_plain "${words[i]}"
    words[i]=$plain
  done
  # Within quotes all that stands after them is put in place.
  [[ -n $open ]] && head=$inside
  while IFS=$'\t' read -r value note; do
    case $value in
      "") ;;
      :files) files=1 ;;
      :*) ;;
      *)
        value=${value#"$head"}
        _gsv_quote
        values+=("$value")
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
