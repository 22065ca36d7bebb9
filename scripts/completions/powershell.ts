import { type CommandWords, type FlagWords, GENERATED, selectableNames } from "./command-words.js";

/** Returns the completion script for PowerShell, in ASCII: old versions read other characters by the system's code page. */
export function renderPowershellCompletion(commands: readonly CommandWords[]): string {
  return `# PowerShell completion for httpd-lint
${GENERATED}

Register-ArgumentCompleter -Native -CommandName httpd-lint -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $names = ${renderList(commands.map(({ name }) => name))}
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    $named = @($before | Where-Object { $names -ccontains $_ })
    $command = if ($named.Count -gt 0) { $named[0] } else { 'check' }
    $flag = if ($before.Count -gt 0) { $before[-1] } else { '' }
    $current = $wordToComplete
    $prefix = ''
    if ($current -cmatch '^(--[\\w-]+=)(.*)$') {
        $flag = $Matches[1]
        $prefix = $Matches[1]
        $current = $Matches[2]
    }

    $words = @()
    switch -CaseSensitive ("\${command}:$flag") {
${renderValueCases(commands)}
        default {
            if ($current.StartsWith('-')) {
                switch -CaseSensitive ($command) {
${commands.map(renderFlagCase).join("\n")}
                }
            } elseif ($before.Count -eq 0) {
                $words = $names
            } else {
                switch -CaseSensitive ($command) {
${commands.flatMap(renderArgumentCase).join("\n")}
                }
            }
        }
    }
    # Without words, PowerShell completes the names of files.
    $words | Where-Object { $_.StartsWith($current, [System.StringComparison]::Ordinal) } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new("$prefix$_", $_, 'ParameterValue', $_)
    }
}
`;
}

/** Renders a case for each set of values, with the flags of the commands that take them. */
function renderValueCases(commands: readonly CommandWords[]): string {
  const patterns = new Map<string, string[]>();
  for (const { name, flags } of commands)
    for (const flag of flags) {
      const action = renderValue(flag);
      if (action !== undefined) patterns.set(action, [...(patterns.get(action) ?? []), ...listForms(name, flag)]);
    }
  return [...patterns]
    .map(([action, forms]) => `        { ${renderList(forms)} -ccontains $_ } {\n${action}            break\n        }`)
    .join("\n");
}

/** Returns the forms of a flag before its value: the value of an optional one follows a \`=\`. */
function listForms(command: string, { short, long, isOptional }: FlagWords): readonly string[] {
  const assigned = `${command}:--${long}=`;
  if (isOptional) return [assigned];
  return [assigned, `${command}:--${long}`, ...(short === undefined ? [] : [`${command}:-${short}`])];
}

function renderValue({ value }: FlagWords): string | undefined {
  if (value === undefined) return undefined;
  const indented = (...lines: readonly string[]) => lines.map((line) => `            ${line}\n`).join("");
  if (value.kind === "choice") return indented(`$words = ${renderList(value.choices)}`);
  if (value.kind !== "rules") return "";
  return indented(
    `$words = ${renderList(selectableNames)}`,
    "if ($current -cmatch '^(.*,)([^,]*)$') {",
    "    $prefix += $Matches[1]",
    "    $current = $Matches[2]",
    "}",
  );
}

function renderFlagCase({ name, flags }: CommandWords): string {
  const words = flags.flatMap(({ short, long, isOptional, value }) => [
    ...(short === undefined ? [] : [`-${short}`]),
    `--${long}`,
    ...(isOptional && value?.kind === "choice" ? value.choices.map((choice) => `--${long}=${choice}`) : []),
  ]);
  return `                    '${name}' { $words = ${renderList(words)} }`;
}

function renderArgumentCase({ name, argument }: CommandWords): readonly string[] {
  return argument.kind === "choice"
    ? [`                    '${name}' { $words = ${renderList(argument.choices)} }`]
    : [];
}

function renderList(words: readonly string[]): string {
  return `@(${words.map((word) => `'${word.replaceAll("'", "''")}'`).join(", ")})`;
}
