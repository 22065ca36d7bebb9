import { findClosestWord } from "../../../text/closest-word.js";
import { formatWordList } from "../../../text/words.js";
import type { Flag } from "../inputs/flags.js";

/**
 * Describes an error of the argument parser: what is wrong, and what is expected instead.
 *
 * @param reason the message of yargs in one line
 * @param args the arguments after the program's name
 * @param commands the names of all commands
 * @param flags the flags of all commands by name
 * @param flagValues the flags of all commands, with the value as `--help` shows it
 */
export function describeUsageError(
  reason: string,
  args: readonly string[],
  commands: readonly string[],
  flags: ReadonlyMap<string, Flag>,
  flagValues: ReadonlyMap<string, string | undefined>,
): string {
  const command = commands.find((name) => name === args[0]);
  const help = `see \`httpd-lint ${command === undefined ? "" : `${command} `}--help\``;
  const [, unknown] = /^Unknown arguments?: (.+)$/.exec(reason) ?? [];
  if (unknown !== undefined) return describeUnknownArgument(unknown.split(", "), args, command, help, flagValues);
  const [, flag = "", given = "", choices = ""] =
    /^Invalid values: Argument: (\S+), Given: (.*?), Choices: (.*?)(?: Argument: .*)?$/.exec(reason) ?? [];
  if (flag !== "") return describeInvalidValue(flag, given, choices, flags.get(flag)?.expected);
  const [, incomplete] = /^Not enough arguments following: (\S+)$/.exec(reason) ?? [];
  if (incomplete !== undefined) return describeMissingValue(incomplete, flagValues.get(incomplete));
  return `${reason}; ${help}`;
}

/** Describes the first unknown flag, or an argument too many. */
function describeUnknownArgument(
  unknown: readonly string[],
  args: readonly string[],
  command: string | undefined,
  help: string,
  flagValues: ReadonlyMap<string, string | undefined>,
): string {
  // yargs lists a flag with dashes in camel case, too.
  const flag = args.map(toFlagName).find((name) => name !== undefined && unknown.includes(name));
  if (flag === undefined) return `unexpected argument \`${unknown[0]}\`; ${help}`;
  const written = formatFlag(flag);
  if (flagValues.has(flag)) return `${written} is not a flag of \`${command ?? "check"}\`; ${help}`;
  const near = flag.length > 1 ? findClosestWord(flag, flagValues.keys()) : undefined;
  return `unknown flag ${written}; ${near === undefined ? help : `did you mean ${formatFlag(near)}?`}`;
}

function toFlagName(arg: string): string | undefined {
  return /^--?([^-=][^=]*)/.exec(arg)?.[1];
}

function formatFlag(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function describeInvalidValue(flag: string, given: string, choices: string, fromFlag: string | undefined): string {
  const names = choices.split(", ").map(unquote);
  const value = unquote(given);
  const expected = fromFlag ?? formatWordList(names, "or");
  if (value === "") return `${formatFlag(flag)} needs a value: ${expected}`;
  // A version that does not exist is not a misspelling of another.
  const near = /^\d/.test(value) ? undefined : findClosestWord(value, names);
  const advice = near === undefined ? "" : `; did you mean \`${near}\`?`;
  return `invalid value \`${value}\` for ${formatFlag(flag)}: expected ${expected}${advice}`;
}

function unquote(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}

function describeMissingValue(flag: string, value: string | undefined): string {
  const example = value === undefined ? "" : `: ${formatFlag(flag)} ${value}`;
  return `${formatFlag(flag)} needs a value${example}`;
}
