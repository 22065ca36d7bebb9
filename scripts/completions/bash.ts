import { type CommandWords, type FlagWords, GENERATED, selectableNames } from "./command-words.js";

/** Returns the completion script for bash; it needs no other package, and works from bash 3.2 on. */
export function renderBashCompletion(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name);
  return `# bash completion for httpd-lint
${GENERATED}

_httpd_lint() {
    local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
    # bash splits words at "=".
    if [[ $current == "=" ]]; then
        current=
    elif [[ $previous == "=" ]]; then
        previous=\${COMP_WORDS[COMP_CWORD - 2]}
    fi

    local command= word index
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=\${COMP_WORDS[index]}
        case $word in
            ${names.join(" | ")})
                command=$word
                break
                ;;
        esac
    done

    local words= prefix=
    COMPREPLY=()
    case \${command:-check}:$previous in
${renderValueCases(commands)}
        *)
            if [[ $current == -* ]]; then
                case \${command:-check} in
${commands.map(renderFlagCase).join("\n")}
                esac
            else
                case $command in
                    "") ((COMP_CWORD == 1)) && words="${names.join(" ")}" ;;
${commands.flatMap(renderArgumentCase).join("\n")}
                esac
            fi
            ;;
    esac
    # Without words, bash completes the names of files.
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
}

complete -o bashdefault -o default -F _httpd_lint httpd-lint
`;
}

/** Renders a case for each set of values, with the flags of the commands that take them. */
function renderValueCases(commands: readonly CommandWords[]): string {
  const patterns = new Map<string, string[]>();
  for (const { name, flags } of commands)
    for (const flag of flags) {
      const action = renderValue(flag);
      if (action === undefined) continue;
      const own = [`${name}:--${flag.long}`, ...(flag.short === undefined ? [] : [`${name}:-${flag.short}`])];
      patterns.set(action, [...(patterns.get(action) ?? []), ...own]);
    }
  return [...patterns].map(([action, own]) => `        ${own.join(" | ")})\n${action}            ;;`).join("\n");
}

function renderValue({ value, isOptional }: FlagWords): string | undefined {
  if (value === undefined || isOptional) return undefined;
  const indented = (...lines: readonly string[]) => lines.map((line) => `            ${line}\n`).join("");
  if (value.kind === "choice") return indented(`words="${value.choices.join(" ")}"`);
  if (value.kind === "file" || value.kind === "folder") return indented("return");
  if (value.kind === "text") return indented("compopt +o bashdefault +o default 2> /dev/null", "return");
  return indented(
    `words="${selectableNames.join(" ")}"`,
    "if [[ $current == *,* ]]; then",
    "    prefix=${current%,*},",
    "    current=${current##*,}",
    "fi",
  );
}

function renderFlagCase({ name, flags }: CommandWords): string {
  const words = flags.flatMap(({ short, long, isOptional, value }) => [
    ...(short === undefined ? [] : [`-${short}`]),
    `--${long}`,
    ...(isOptional && value?.kind === "choice" ? value.choices.map((choice) => `--${long}=${choice}`) : []),
  ]);
  return `                    ${name}) words="${words.join(" ")}" ;;`;
}

function renderArgumentCase({ name, argument }: CommandWords): readonly string[] {
  if (argument.kind !== "choice") return [];
  return [`                    ${name}) words="${argument.choices.join(" ")}" ;;`];
}
