import { httpdLint } from "../../test/support/programs/command.js";

/** A row of `--help`: a flag with its value, an argument or a command, and its description. */
export interface HelpRow {
  /** `-D, --define NAME[=VALUE]`, `PATH…`, `check [PATH…]`. */
  readonly name: string;
  readonly description: string;
}

/** The `--help` output of a command. */
export interface Help {
  readonly usage: string;
  readonly about: string;
  /** Rows by group, such as `Input:`. */
  readonly groups: ReadonlyMap<string, readonly HelpRow[]>;
}

/** Returns the help of each command of the built program. */
export function commandHelps(): readonly Help[] {
  return commandRows().map(({ name }) => helpOf([name.split(" ")[0] ?? "", "--help"]));
}

function commandRows(): readonly HelpRow[] {
  return helpOf(["--help"]).groups.get("Commands:") ?? [];
}

function helpOf(args: readonly string[]): Help {
  const { stdout, status, stderr } = httpdLint(args);
  if (status !== 0) throw new Error(`\`httpd-lint ${args.join(" ")}\` ended with ${status}: ${stderr}`);
  return readHelp(stdout);
}

/** Parses `--help` output. */
function readHelp(printed: string): Help {
  const [usage = "", about = "", ...parts] = printed.trimEnd().split("\n\n");
  const groups = parts.filter((part) => /^[A-Z][^\n]*:\n/.test(part)).map(groupIn);
  return {
    usage: usage.replace("Usage: ", "").replace("[OPTION…] ", ""),
    about: joinLines(about),
    groups: new Map(groups),
  };
}

function groupIn(part: string): readonly [string, readonly HelpRow[]] {
  const [title = "", ...lines] = part.split("\n");
  const rows: string[][] = [];
  // A row starts near the margin; continuation lines are indented further than any name.
  const isStart = (line: string) => /^ {2}(?:\S| {4}--)/.test(line);
  for (const line of lines) {
    if (isStart(line)) rows.push([line]);
    else rows.at(-1)?.push(line);
  }
  return [title, rows.map(rowIn)];
}

function rowIn(lines: readonly string[]): HelpRow {
  const [, name = "", rest = ""] = /^\s*(.*?)(?: {2,}(.*))?$/s.exec(lines.join("\n")) ?? [];
  return { name: name.trim(), description: joinLines(rest) };
}

function joinLines(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
