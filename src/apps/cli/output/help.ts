/**
 * The flags of all commands, with the value as `--help` shows it; undefined for a flag without a value. yargs does not
 * show values, and its suggestions cover only commands.
 */
export const flagValues: ReadonlyMap<string, string | undefined> = new Map(
  Object.entries({
    // Input
    release: "2.2|2.4",
    from: "2.2|2.4",
    to: "2.2|2.4",
    main: "FILE",
    "server-root": "DIR",
    sysroot: "DIR",
    map: "HOST=SERVER",
    confine: "DIR",
    define: "NAME[=VALUE]",
    envvars: "FILE",
    "process-env": undefined,
    modules: "MODULE,…",
    "no-module": "MODULE,…",
    files: "disk|assume|LIST",
    wordlist: "FILE",
    reading: "server|guide",
    config: "FILE",
    "no-config": undefined,
    "config-nice": "FILE",
    "skip-unrecognized": undefined,
    "stdin-filename": "NAME",
    // Request
    method: "METHOD",
    absolute: undefined,
    scheme: "http|https",
    host: "NAME",
    port: "PORT",
    "server-ip": "ADDRESS",
    query: "QUERY",
    header: "'NAME: VALUE'",
    "client-ip": "ADDRESS",
    "client-host": "NAME",
    user: "NAME",
    group: "NAME",
    grants: "'PROVIDER WORDS'",
    env: "NAME[=VALUE]",
    requests: "LOG",
    changed: undefined,
    // Rules
    select: "RULE,…",
    "extend-select": "RULE,…",
    disable: "RULE,…",
    "min-severity": "LEVEL",
    "changed-since": "COMMIT",
    baseline: "FILE",
    "update-baseline": undefined,
    "report-ignored": undefined,
    // Changes
    fix: "[=unsafe]",
    diff: undefined,
    write: undefined,
    accept: "stricter|ID,…",
    ineffective: "restore|delete",
    "allow-variables": undefined,
    "backup-dir": "DIR",
    "assume-complete": undefined,
    "verify-with-httpd": "[=FILE]",
    "fix-start": undefined,
    recover: undefined,
    undo: undefined,
    force: undefined,
    // Output
    format: "FORMAT",
    sort: "location|severity",
    statistics: undefined,
    by: "rule|reference",
    output: "FILE",
    report: "FORMAT=FILE",
    category: "NAME",
    color: "auto|always|never",
    quiet: undefined,
    "fail-on": "LEVEL",
    "exit-zero": undefined,
    verbose: undefined,
    // Performance
    jobs: "NUMBER",
    cache: undefined,
    "cache-location": "FILE",
    watch: undefined,
    timings: undefined,
    // Other
    stdio: undefined,
    help: undefined,
    version: undefined,
  }),
);

/** Names of arguments in `--help`; any other is shown in upper case. */
const argumentNames: ReadonlyMap<string, string> = new Map([
  ["paths", "PATH…"],
  ["paths..", "PATH…"],
  ["url", "URL-OR-PATH"],
]);

/** A row of `--help`: a flag, an argument or a command, and its description. */
interface HelpRow {
  readonly name: string;
  readonly description: string;
}

interface HelpGroup {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

/** The help that yargs prints, with one line for each row. */
interface ParsedHelp {
  readonly usage: string;
  readonly about: string;
  readonly groups: readonly HelpGroup[];
}

/** The width of help that is not printed to a terminal, and the maximum on one. */
const MAX_WIDTH = 100;
/** A longer name is on a line of its own. */
const MAX_NAME_WIDTH = 34;

const commandsTitle = "Commands:";
const argumentsTitle = "Positionals:";
/** Titles that differ from those of yargs. */
const titles: ReadonlyMap<string, string> = new Map([
  [argumentsTitle, "Arguments:"],
  ["Options:", "Other:"],
]);

const exitCodeRows: readonly HelpRow[] = [
  { name: "0", description: "Success: nothing found, equivalent, or converted" },
  { name: "1", description: "Findings, differences, or failed expectations" },
  { name: "2", description: "Wrong usage, or invalid configuration file" },
  { name: "3", description: "Input cannot be read, or a file cannot be replaced" },
  { name: "4", description: "Internal error" },
  { name: "5", description: "Undecided: the result depends on unknown facts" },
];

/**
 * Renders help: the list of commands, or the arguments and flags of one command.
 *
 * @param printed the help as yargs prints it
 * @param width columns of the terminal; undefined if there is none
 */
export function renderHelp(printed: string, width: number | undefined): string {
  const help = parseHelp(printed);
  const columns = Math.min(width ?? MAX_WIDTH, MAX_WIDTH);
  const commands = help.groups.find(({ title }) => title === commandsTitle);
  return commands === undefined ? renderCommandHelp(help, columns) : renderOverview(help, commands.rows, columns);
}

function renderOverview({ about, groups }: ParsedHelp, commands: readonly HelpRow[], width: number): string {
  const rows = commands.map(({ name, description }) => {
    const command = formatUsage(name);
    return {
      name: command.replace(/^httpd-lint /, ""),
      description: command.startsWith("httpd-lint check") ? `${description} (default)` : description,
    };
  });
  const other = groups.filter(({ title }) => title === "Options:");
  return [
    "Usage: httpd-lint [COMMAND] [OPTION…] [PATH…]",
    about,
    renderGroup(commandsTitle, rows, width),
    ...other.map((group) => renderGroup("Options:", group.rows.map(formatFlagRow), width)),
    renderGroup("Exit codes:", exitCodeRows, width),
    "Run `httpd-lint COMMAND --help` for the options of a command.",
  ].join("\n\n");
}

function renderCommandHelp({ usage, about, groups }: ParsedHelp, width: number): string {
  const [, command = "", rest = ""] = /^(\S+ \S+)(.*)$/.exec(formatUsage(usage)) ?? [];
  return [
    `Usage: ${command} [OPTION…]${rest}`,
    about,
    ...groups.map(({ title, rows }) =>
      renderGroup(
        titles.get(title) ?? title,
        rows.map(title === argumentsTitle ? formatArgumentRow : formatFlagRow),
        width,
      ),
    ),
  ].join("\n\n");
}

/** Parses the help that yargs prints. */
function parseHelp(printed: string): ParsedHelp {
  const [usage = "", about = "", ...parts] = printed.trimEnd().split("\n\n");
  const groups = parts.map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return { title, rows: lines.map(parseRow) };
  });
  return { usage, about, groups };
}

/** The type, choices and default of a flag, which yargs appends to its description. */
const yargsNotes = /\s*\[(?:boolean|string|array|default|choices|required)\b.*$/;

function parseRow(line: string): HelpRow {
  const [, name = "", description = ""] = /^\s*(.*?)(?:\s{2,}(.*))?$/.exec(line) ?? [];
  return { name, description: description.replace(yargsNotes, "") };
}

/** Formats arguments as the documentation does: `[paths..]` as `[PATH…]`. */
function formatUsage(usage: string): string {
  return usage.replace(/\[([\w.]+)\]/g, (_, name: string) => `[${formatArgumentName(name)}]`);
}

function formatArgumentName(name: string): string {
  return argumentNames.get(name) ?? name.toUpperCase();
}

function formatArgumentRow({ name, description }: HelpRow): HelpRow {
  return { name: formatArgumentName(name), description };
}

/** Adds the value to a flag, and aligns flags with and without a short name. */
function formatFlagRow({ name, description }: HelpRow): HelpRow {
  const value = flagValues.get(/--(\S+)/.exec(name)?.[1] ?? "");
  const aligned = name.startsWith("--") ? `    ${name}` : name;
  const separator = value === undefined || value.startsWith("[=") ? "" : " ";
  return { name: `${aligned}${separator}${value ?? ""}`, description };
}

function renderGroup(title: string, rows: readonly HelpRow[], width: number): string {
  const names = rows.map(({ name }) => name.length).filter((length) => length <= MAX_NAME_WIDTH);
  const indent = Math.max(...names, 0) + 4;
  const lines = rows.flatMap(({ name, description }) => {
    const start = `  ${name}`;
    if (description === "") return [start];
    const [first = "", ...others] = wrapWords(description, width - indent);
    const below = others.map((line) => " ".repeat(indent) + line);
    return start.length + 2 > indent
      ? [start, " ".repeat(indent) + first, ...below]
      : [start.padEnd(indent) + first, ...below];
  });
  return [title, ...lines].join("\n");
}

/** Breaks text into lines between words. */
function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
