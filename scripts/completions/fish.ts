import { type CommandWords, type FlagWords, GENERATED, selectableNames, type Value } from "./command-words.js";

/** Returns the completion script for fish. */
export function renderFishCompletion(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name);
  return `# fish completion for httpd-lint
${GENERATED}

# Prints the command on the line, or the default one after the first argument.
function __httpd_lint_command
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if contains -- $word ${names.join(" ")}
            echo $word
            return
        end
    end
    echo check
end

function __httpd_lint_is
    test (__httpd_lint_command) = $argv[1]
end

function __httpd_lint_starts
    test (count (commandline -opc)) -eq 1
end

# Completes the last rule of a list.
function __httpd_lint_rules
    set -l before (string match -r '^.*,' -- (commandline -ct | string replace -r '^--[\\w-]+=' ''))
    printf '%s\\n' "$before"{${selectableNames.join(",")}}
end

${commands.map(renderStart).join("\n")}
${commands.flatMap(renderCommand).join("\n")}
`;
}

function renderStart({ name, description }: CommandWords): string {
  return `complete -c httpd-lint -n __httpd_lint_starts -a ${name} -d ${quote(description)}`;
}

function renderCommand({ name, flags, argument }: CommandWords): readonly string[] {
  const start = `complete -c httpd-lint -n '__httpd_lint_is ${name}'`;
  const own = argument.kind === "file" ? [] : [`${start} -f${argument.kind === "choice" ? choicesOf(argument) : ""}`];
  return [...own, ...flags.map((flag) => `${start}${renderFlag(flag)}`)];
}

function renderFlag({ short, long, description, value, isOptional }: FlagWords): string {
  const names = `${short === undefined ? "" : ` -s ${short}`} -l ${long}`;
  return `${names}${value && !isOptional ? renderValue(value) : ""} -d ${quote(description)}`;
}

function renderValue(value: Value): string {
  if (value.kind === "choice") return ` -x${choicesOf(value)}`;
  if (value.kind === "rules") return " -x -a '(__httpd_lint_rules)'";
  if (value.kind === "folder") return " -x -a '(__fish_complete_directories)'";
  return value.kind === "file" ? " -r -F" : " -x";
}

function choicesOf(value: Value): string {
  // The description is that of the flag; after a tab, each word has its own, which is empty.
  return value.kind === "choice" ? ` -a '${value.choices.map((choice) => `${choice}\\t`).join(" ")}'` : "";
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
