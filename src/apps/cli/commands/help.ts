import { type ArgumentTable, type Flag, flagGroups } from "../inputs/flags.js";
import type { CommandDescription } from "./command.js";

/** A row of `--help`: a flag, an argument or a command, and its description. */
export interface HelpRow {
  /** `-D, --define NAME[=VALUE]`, `PATH…`, `check [PATH…]`. */
  readonly name: string;
  readonly description: string;
}

export interface HelpGroup {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

export const argumentsTitle = "Arguments:";
export const otherTitle = "Other:";
export const examplesTitle = "Examples:";

/** A group of flags under a title. */
interface FlagGroupRows {
  readonly title: string;
  readonly flags: readonly (readonly [name: string, flag: Flag])[];
}

/** The flags of all commands. */
const versionFlag: Flag = { describe: "Print the version", alias: "V" };
const helpFlag: Flag = { describe: "Print this help", alias: "h" };

/** Returns the flags of a command as `--help` groups them, with those of all commands. Groups without flags are left out. */
export function listFlagGroups({ flags }: Pick<CommandDescription, "flags">): readonly FlagGroupRows[] {
  const shown = Object.entries(flags).filter(([, { hidden }]) => hidden !== true);
  const flagsOf = (group: Flag["group"]) => shown.filter(([, flag]) => flag.group === group);
  const other = [["version", versionFlag] as const, ...flagsOf(undefined), ["help", helpFlag] as const];
  return [
    ...flagGroups.map((group) => ({ title: `${group}:`, flags: flagsOf(group) })),
    { title: otherTitle, flags: other },
  ].filter((group) => group.flags.length > 0);
}

/** Returns the arguments, flags and examples of a command, as `--help` groups them. Groups without rows are left out. */
export function listHelpGroups(command: CommandDescription): readonly HelpGroup[] {
  const { arguments: all, examples = [] } = command;
  return [
    { title: argumentsTitle, rows: listArguments(all).map(([name, description]) => ({ name, description })) },
    ...listFlagGroups(command).map(({ title, flags }) => ({ title, rows: flags.map(describeFlag) })),
    { title: examplesTitle, rows: examples.map((name) => ({ name, description: "" })) },
  ].filter(({ rows }) => rows.length > 0);
}

/** Returns a command with its arguments, as help and documentation show it: `check [PATH…]`. */
export function formatUsage(name: string, { arguments: all }: Pick<CommandDescription, "arguments">): string {
  return [name, ...listArguments(all).map(([argument]) => `[${argument}]`)].join(" ");
}

function listArguments(all: ArgumentTable): readonly (readonly [name: string, description: string])[] {
  return Object.entries(all).map(([name, { value, describe }]) => [value ?? name.toUpperCase(), describe]);
}

function describeFlag([name, { alias, value, describe }]: readonly [string, Flag]): HelpRow {
  const names = `${typeof alias === "string" ? `-${alias}, ` : ""}--${name}`;
  const separator = value === undefined || value.startsWith("[=") ? "" : " ";
  return { name: `${names}${separator}${value ?? ""}`, description: describe };
}

const commonRows = [describeFlag(["version", versionFlag]), describeFlag(["help", helpFlag])];

/**
 * Returns the values of the flags of all commands, as `--help` shows them; undefined for a flag without a value.
 */
export function collectFlagValues(
  commands: Iterable<Pick<CommandDescription, "flags">>,
): ReadonlyMap<string, string | undefined> {
  const values = new Map<string, string | undefined>();
  for (const { flags } of commands)
    for (const [name, { value, hidden }] of Object.entries(flags)) if (hidden !== true) values.set(name, value);
  return values.set("help", undefined).set("version", undefined);
}

/** The width of help that is not printed to a terminal, and the maximum on one. */
const MAX_WIDTH = 100;
/** A longer name is on a line of its own. */
const MAX_NAME_WIDTH = 34;

const exitCodeRows: readonly HelpRow[] = [
  { name: "0", description: "Success: no finding at or above --fail-on, equivalent, or converted" },
  { name: "1", description: "Findings at or above --fail-on, differences, or failed expectations" },
  { name: "2", description: "Wrong usage, or invalid configuration file" },
  { name: "3", description: "Input cannot be read, or a file cannot be replaced" },
  { name: "4", description: "Internal error" },
  { name: "5", description: "Undecided: the result depends on unknown facts" },
];

/** Renders the list of commands. @param width columns of the terminal; undefined if there is none */
export function renderOverview(
  about: string,
  commands: readonly (readonly [name: string, command: CommandDescription])[],
  width: number | undefined,
): string {
  const columns = columnsOf(width);
  const rows = commands.map(([name, command], index) => ({
    name: formatUsage(name, command),
    description: index === 0 ? `${command.describe} (default)` : command.describe,
  }));
  return [
    "Usage: httpd-lint [COMMAND] [OPTION…] [PATH…]",
    about,
    renderGroup({ title: "Commands:", rows }, columns),
    renderGroup({ title: "Options:", rows: commonRows.map(alignFlag) }, columns),
    renderGroup({ title: "Exit codes:", rows: exitCodeRows }, columns),
    "Run `httpd-lint COMMAND --help` for the options of a command.",
  ].join("\n\n");
}

/** Renders the arguments and flags of a command. @param width as of `renderOverview` */
export function renderCommandHelp(name: string, command: CommandDescription, width: number | undefined): string {
  const columns = columnsOf(width);
  const groups = listHelpGroups(command).map(({ title, rows }) => {
    const isOfFlags = title !== argumentsTitle && title !== examplesTitle;
    return renderGroup({ title, rows: isOfFlags ? rows.map(alignFlag) : rows }, columns);
  });
  const usage = `Usage: httpd-lint ${formatUsage(`${name} [OPTION…]`, command)}`;
  return [usage, command.describe, ...groups].join("\n\n");
}

function columnsOf(width: number | undefined): number {
  return Math.min(width ?? MAX_WIDTH, MAX_WIDTH);
}

/** Aligns flags with and without a short name. */
function alignFlag({ name, description }: HelpRow): HelpRow {
  return { name: name.startsWith("--") ? `    ${name}` : name, description };
}

function renderGroup({ title, rows }: HelpGroup, width: number): string {
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
