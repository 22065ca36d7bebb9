import type { Options } from "yargs";

/** The groups of flags in `--help`, in order. Flags without a group follow, with those of all commands. */
export const flagGroups = ["Input", "Request", "Rules", "Changes", "Output", "Performance"] as const;
export type FlagGroup = (typeof flagGroups)[number];

/** A flag of a command. The parser, `--help`, the completion scripts and the manual page are made from it. */
export interface Flag extends Options {
  readonly group?: FlagGroup;
  readonly describe: string;
  /** The value as `--help` shows it, such as `DIR`; `[=FILE]` if it may be omitted. Absent for a flag without one. */
  readonly value?: string;
  /** The value if the flag is written without one; the next argument is then not its value. */
  readonly valueIfOmitted?: string;
  /** The environment variable with the default. */
  readonly environment?: string;
  /** Returns the value for one of its other spellings; any other text as it is. */
  readonly canonicalize?: (text: string) => string;
  /** What error messages say instead of all choices, if there are too many to list. */
  readonly expected?: string;
  /** The choices that completion scripts offer, if there are too many to list. */
  readonly examples?: readonly string[];
}

/** An argument of a command that is not a flag. */
export interface CommandArgument extends Options {
  readonly type: "string";
  readonly describe: string;
  /** Its name in `--help`; default: the one in capitals. */
  readonly value?: string;
  /** The words that completion scripts offer instead of files. */
  readonly words?: readonly string[];
}

/** The flags of a command by name, in the order of `--help`. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** The arguments of a command by name, in order. */
export type ArgumentTable = Readonly<Record<string, CommandArgument>>;

/** Defines a flag with any text as its value. */
export function textFlag(group: FlagGroup, value: string, describe: string) {
  return { group, value, describe, type: "string", requiresArg: true } as const;
}

/** Defines a flag that may be repeated. */
export function listFlag(group: FlagGroup, value: string, describe: string) {
  return { group, value, describe, type: "string", array: true, nargs: 1 } as const;
}

/** Defines a flag whose value is one of some words. */
export function choiceFlag<Choice extends string>(
  group: FlagGroup,
  value: string,
  choices: readonly Choice[],
  describe: string,
) {
  return { group, value, describe, choices, type: "string", requiresArg: true } as const;
}

/** Defines a flag without a value. */
export function switchFlag(group: FlagGroup, describe: string) {
  return { group, describe, type: "boolean", default: false } as const;
}

/** Defines a flag whose value may be omitted: `--fix`, `--fix=unsafe`. @param choices the first is the one if omitted */
export function optionalChoiceFlag<const Choices extends readonly [string, ...string[]]>(
  group: FlagGroup,
  choices: Choices,
  describe: string,
) {
  const [usual, ...others] = choices;
  const value = `[=${others.join("|")}]`;
  return { group, value, choices: choices as readonly Choices[number][], valueIfOmitted: usual, describe } as const;
}

/** Returns a former spelling of a flag, which still works but is not listed. */
export function formerFlag<const F extends Flag>(flag: F) {
  return { ...flag, hidden: true } as const;
}

/** Defines the flag for the format of the result. @param formats those of the command; the first is the default */
export function formatFlag<const Formats extends readonly [string, ...string[]]>(formats: Formats) {
  const usual: Formats[number] = formats[0];
  const describe = `Output format (default: ${usual}): ${formats.join(", ")}`;
  return { ...choiceFlag<Formats[number]>("Output", "FORMAT", formats, describe), default: usual, alias: "f" } as const;
}
