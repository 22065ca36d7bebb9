import { readFileSync } from "node:fs";
import { commands } from "../src/apps/cli/commands/all-commands.js";
import { commandNames } from "../src/apps/cli/commands/command.js";
import {
  argumentsTitle,
  examplesTitle,
  formatUsage,
  type HelpGroup,
  type HelpRow,
  listHelpGroups,
  otherTitle,
} from "../src/apps/cli/commands/help.js";

/** What `--help` shows of a command. */
interface Help {
  readonly usage: string;
  readonly about: string;
  readonly groups: readonly HelpGroup[];
}

/** Returns the manual page: the commands and flags of `--help`, framed by handwritten sections. */
export function manPage(): string {
  const helps = commandNames.map((name) => {
    const command = commands[name];
    return {
      usage: `httpd-lint ${formatUsage(name, command)}`,
      about: command.describe,
      groups: listHelpGroups(command),
    };
  });
  const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const shared = sharedFlags(helps);
  const filled: Readonly<Record<string, string>> = {
    VERSION: version,
    COMMANDS: helps.map((help) => commandSection(help, shared)).join(""),
    SHARED: [...shared.values()].map(flagEntry).join(""),
  };
  const frame = readFileSync("scripts/man-page.frame.1", "utf8");
  return frame.replace(/@([A-Z]+)@\n?/g, (_, name: string) => filled[name] ?? "");
}

/** Returns flags with the same description in several commands, and no other description elsewhere. */
function sharedFlags(helps: readonly Help[]): ReadonlyMap<string, HelpRow> {
  const known = new Map<string, Set<string>>();
  const rows = helps.flatMap(flagsOf);
  for (const row of rows) known.set(row.name, (known.get(row.name) ?? new Set()).add(JSON.stringify(row)));
  const isSame = ({ name }: HelpRow) => known.get(name)?.size === 1;
  const isOften = ({ name }: HelpRow) => rows.filter((row) => row.name === name).length > 1;
  return new Map(rows.filter((row) => isSame(row) && isOften(row)).map((row) => [row.name, row]));
}

function flagsOf({ groups }: Help): readonly HelpRow[] {
  return groups.flatMap(({ title, rows }) => (title === argumentsTitle || title === examplesTitle ? [] : rows));
}

function commandSection(help: Help, shared: ReadonlyMap<string, HelpRow>): string {
  const own = help.groups.flatMap(({ title, rows }) => {
    const left = rows.filter(({ name }) => !shared.has(name));
    if (left.length === 0) return [];
    if (title === argumentsTitle) return left.map(argumentEntry);
    const entries = title === examplesTitle ? left.map(exampleEntry) : left.map(flagEntry);
    return title === otherTitle ? entries : [`.PP\n${escapeRoff(title)}\n`, ...entries];
  });
  // These two are common to all commands.
  const common = flagsOf(help).filter(({ name }) => shared.has(name) && !/--(?:help|version)$/.test(name));
  const also = common.map(({ name }) => `.BR ${escapeRoff(longName(name))} ,\n`).join("");
  const references =
    also === "" ? "" : `.PP\nAlso, as described in\n.BR "COMMON OPTIONS" :\n${also.replace(/ ,\n$/, " .\n")}`;
  return `.SS ${escapeRoff(help.usage)}\n${sentence(help.about)}\n${own.join("")}${references}`;
}

function longName(name: string): string {
  return /--[\w-]+/.exec(name)?.[0] ?? name;
}

function argumentEntry(row: HelpRow): string {
  return `.TP\n.I ${escapeRoff(row.name)}\n${sentence(row.description)}\n`;
}

function exampleEntry({ name }: HelpRow): string {
  return `.IP\n${escapeRoff(name)}\n`;
}

/** Formats a flag with its names in bold and its value in italics. */
function flagEntry({ name, description }: HelpRow): string {
  const [, names = "", value = ""] = /^((?:-\w, )?--[\w-]+)(.*)$/.exec(name) ?? [];
  const bold = names.split(", ").map((each) => `\\fB${escapeRoff(each)}\\fR`);
  const gap = value.startsWith(" ") ? " " : "";
  const shown = value === "" ? "" : `${gap}\\fI${escapeRoff(value.trim())}\\fR`;
  return `.TP\n${bold.join(", ")}${shown}\n${sentence(description)}\n`;
}

/** Formats text as a sentence. */
function sentence(text: string): string {
  const [first = "", ...rest] = text;
  const sentence = `${first.toUpperCase()}${rest.join("")}`;
  const line = escapeRoff(sentence.endsWith(".") ? sentence : `${sentence}.`);
  // A line with this start would be parsed as a request.
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

/** Escapes literal text, with backticked parts in bold: hyphens and backslashes are kept. */
function escapeRoff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replace(/`([^`]*)`/g, "\\fB$1\\fR");
}
