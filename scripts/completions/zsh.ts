import { type CommandWords, type FlagWords, GENERATED, selectableNames, type Value } from "./command-words.js";

/** Returns the completion script for zsh, which its completion system loads by the name `_httpd-lint`. */
export function renderZshCompletion(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name);
  return `#compdef httpd-lint
${GENERATED}

_httpd-lint() {
  local command=check
  integer index found=0
  for ((index = 2; index < CURRENT; index++)); do
    case $words[index] in
      (${names.join("|")})
        command=$words[index]
        found=1
        words=(httpd-lint "\${(@)words[index + 1,-1]}")
        (( CURRENT -= index - 1 ))
        break
        ;;
    esac
  done

  if (( ! found && CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    local -a commands=(
${commands.map(({ name, description }) => `      ${quote(`${name}:${description}`)}`).join("\n")}
    )
    _describe -t commands command commands
    _files
    return
  fi

  local -a selectable=(${selectableNames.join(" ")})
  case $command in
${commands.map(renderCommand).join("\n")}
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _httpd-lint "$@"
else
  compdef _httpd-lint httpd-lint
fi
`;
}

function renderCommand({ name, flags, argument }: CommandWords): string {
  const action = actionOf(argument);
  const rest = action === "" ? [] : [quote(`${argument.kind === "choice" ? "1" : "*"}:${argument.kind}:${action}`)];
  const lines = ["_arguments -s -S", ...flags.map(renderFlag), ...rest];
  return `    (${name})\n      ${lines.join(" \\\n        ")}\n      ;;`;
}

/** Renders a flag in the form of `_arguments`. A flag with a value that is not a choice may be repeated. */
function renderFlag({ short, long, description, value, valueName, isOptional }: FlagWords): string {
  const names = [...(short === undefined ? [] : [`-${short}`]), `--${long}`];
  const isRepeatable = value !== undefined && value.kind !== "choice";
  const before = isRepeatable ? "*" : names.length > 1 ? `(${names.join(" ")})` : "";
  const name = (each: string) => `${each}${value === undefined ? "" : each.startsWith("--") ? "=" : "+"}`;
  const message = valueName.replaceAll(":", "\\:");
  const taken = value === undefined ? "" : `${isOptional ? "::" : ":"}${message}:${actionOf(value)}`;
  const after = `${isOptional ? "-" : ""}[${description.replace(/[\\[\]]/g, "\\$&")}]${taken}`;
  const [only = ""] = names;
  if (names.length === 1) return quote(`${before}${name(only)}${after}`);
  return `${quote(before)}{${names.map(name).join(",")}}${quote(after)}`;
}

function actionOf(value: Value): string {
  if (value.kind === "choice") return `(${value.choices.join(" ")})`;
  if (value.kind === "rules") return "_sequence compadd - $selectable";
  if (value.kind === "file") return "_files";
  return value.kind === "folder" ? "_files -/" : "";
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
