# Prints the words that zsh offers at the end of a command line: `zsh -f zsh-completions.zsh SCRIPT LINE`. zsh completes only
# in an interactive shell, so one runs in a pseudo-terminal, with a `compadd` that prints its words.
zmodload zsh/zpty
zpty shell zsh -f -i

connect() {
  zpty -w shell "$1"
  zpty -r shell line $'*ready*' > /dev/null
}

local setup=$(mktemp)
cat > $setup <<'SETUP'
PROMPT=
autoload -Uz compinit
compinit -u -D
source $1
bindkey '^M' undefined
bindkey '^J' undefined
bindkey '^I' complete-word
mark() { print -r -- '<words>' }
leave() { print -r -- '</words>'; exit }
compprefuncs=(mark)
comppostfuncs=(leave)
compadd() {
  # Calls with these options only fill arrays.
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return
  fi
  typeset -a words_of_call
  builtin compadd -A words_of_call "$@"
  (( $#words_of_call )) && print -rl -- $words_of_call
}
print ready
SETUP

zpty -w shell "source $setup $1"
repeat 100 { zpty -r shell line && [[ $line == *ready[^\)]* ]] && break }
zpty -n -w shell "$2"$'\t'
local isWord=
while zpty -r shell line; do
  line=${line%%[[:space:]]##}
  case $line in
    *'</words>'*) break ;;
    *'<words>'*) isWord=1 ;;
    *) [[ -n $isWord ]] && print -r -- $line ;;
  esac
done
rm -f $setup
zpty -d shell
