import { type CommandWords, type FlagWords, GENERATED, selectableNames } from "./command-words.js";

/** Returns the completion script for Elvish. Its editor selects the words that begin as the one on the line. */
export function renderElvishCompletion(commands: readonly CommandWords[]): string {
  const filesOf = (flag: FlagWords) =>
    flag.value?.kind === "file" || flag.value?.kind === "folder" ? formsOf(flag) : [];
  return `# Elvish completion for httpd-lint
${GENERATED}

use re
use str

set edit:completion:arg-completer[httpd-lint] = {|@words|
  var names = ${renderList(commands.map(({ name }) => name))}
  var flags = ${renderMap(commands, ({ flags }) => renderList(flags.flatMap(listFlagWords)))}
  # The values of flags; nothing for any text.
  var values = ${renderMap(commands, ({ flags }) => `[${flags.flatMap(renderValues).join(" ") || "&"}]`)}
  # The flags that take the name of a file.
  var files = ${renderMap(commands, ({ flags }) => renderList(flags.flatMap(filesOf)))}
  # The flags that take rules.
  var rules = ${renderMap(commands, ({ flags }) => renderList(flags.flatMap((flag) => (flag.value?.kind === "rules" ? formsOf(flag) : []))))}
  var arguments = ${renderMap(commands, ({ argument }) => renderList(argument.kind === "choice" ? argument.choices : []))}

  var command = check
  var found = $false
  for word $words[1..-1] {
    if (and (not $found) (has-value $names $word)) {
      set command = $word
      set found = $true
    }
  }
  var current = $words[-1]
  var previous = $words[-2]
  if (has-key $values[$command] $previous) {
    all $values[$command][$previous]
  } elif (has-value $rules[$command] $previous) {
    var before = (re:replace '[^,]*$' '' $current)
    for name ${renderList(selectableNames)} {
      put $before$name
    }
  } elif (has-value $files[$command] $previous) {
    edit:complete-filename $current
  } elif (str:has-prefix $current -) {
    all $flags[$command]
  } else {
    if (== (count $words) 2) {
      all $names
    }
    if (> (count $arguments[$command]) 0) {
      all $arguments[$command]
    } else {
      edit:complete-filename $current
    }
  }
}
`;
}

function renderMap(commands: readonly CommandWords[], render: (command: CommandWords) => string): string {
  return `[\n${commands.map((command) => `    &${command.name}=${render(command)}`).join("\n")}\n  ]`;
}

/** Returns the forms of a flag before its value, which is the next word. */
function formsOf({ short, long, isOptional }: FlagWords): readonly string[] {
  if (isOptional) return [];
  return [`--${long}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** Returns a flag, and its forms with a value. */
function listFlagWords({ short, long, value }: FlagWords): readonly string[] {
  return [
    ...(short === undefined ? [] : [`-${short}`]),
    `--${long}`,
    ...(value?.kind === "choice" ? value.choices.map((choice) => `--${long}=${choice}`) : []),
  ];
}

function renderValues(flag: FlagWords): readonly string[] {
  const { value } = flag;
  if (value?.kind !== "choice" && value?.kind !== "text") return [];
  return formsOf(flag).map((form) => `&${form}=${renderList(value.kind === "choice" ? value.choices : [])}`);
}

function renderList(words: readonly string[]): string {
  return `[${words.map((word) => `'${word.replaceAll("'", "''")}'`).join(" ")}]`;
}
