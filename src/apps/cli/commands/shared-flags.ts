/** Flags of several commands. */
import { listReleases, parseRelease, releaseLines } from "../../../facts/release.js";
import { type Severity, severities } from "../../../lint/finding.js";
import { semantics } from "../../../server/model/answer.js";
import { CONFINE_VARIABLE } from "../inputs/confined-paths.js";
import { type CommandArgument, choiceFlag, type FlagGroup, listFlag, switchFlag, textFlag } from "../inputs/flags.js";
import { STDIN_NAME } from "../inputs/standard-input.js";

/** Returns a flag that takes a release, by any of its names. */
export function releaseFlag(describe: string) {
  return {
    ...choiceFlag("Input", "VERSION", listReleases(), describe),
    canonicalize: (text: string) => parseRelease(text) ?? text,
    expected:
      "2.2, 2.4, one of their versions such as 2.4.29, or the httpd of a distribution: debian-N, rhel-N, sles-N or ubuntu-N",
    examples: [...releaseLines, ...listReleases().filter((name) => /^[a-z]/.test(name))],
  } as const;
}

/** Returns the flag for the files on the server's disk. */
export function filesFlag(what: string) {
  return textFlag("Input", "disk|assume|LIST", `${what}: those on disk, unknown, or listed`);
}

/** The flags that control how a configuration is read. */
export const inputFlags = {
  "server-root": textFlag("Input", "DIR", "Directory for relative paths; overrides ServerRoot"),
  sysroot: textFlag("Input", "DIR", "Resolve absolute paths below this directory"),
  map: listFlag("Input", "HOST=SERVER", "Read the server path SERVER from the local path HOST"),
  confine: {
    ...textFlag("Input", "DIR", "Read nothing outside this directory (default: that of HTTPD_LINT_CONFINE)"),
    // A container image confines all commands to the mounted directory.
    environment: CONFINE_VARIABLE,
  },
  define: { ...listFlag("Input", "NAME[=VALUE]", "Define a name, like `httpd -D` or Define"), alias: "D" },
  envvars: textFlag("Input", "FILE", "Environment of the server (default: envvars next to the main file)"),
  "process-env": {
    ...switchFlag("Input", "Also resolve ${NAME} from the environment of httpd-lint"),
    default: undefined,
  },
  modules: listFlag(
    "Input",
    "MODULE,…",
    "Loaded modules, instead of the LoadModule lines; `=+MODULE,-MODULE`: besides, or without",
  ),
  "no-module": listFlag("Input", "MODULE,…", "Modules that are not loaded, as `--modules=-MODULE`"),
  config: textFlag("Input", "FILE", "Configuration file (default: nearest .httpd-lint.json upwards)"),
  "no-config": switchFlag("Input", "Ignore configuration files"),
} as const;

/** The assumptions of a proof or a view. */
export const assumptionFlags = {
  "assume-no-userdir-htaccess": switchFlag("Input", "No `.htaccess` file in the directories of users controls access"),
} as const;

/** Those, and the release that reads it. */
export const readingFlags = { release: releaseFlag("Target version (default: 2.4)"), ...inputFlags } as const;

export const readingFlag = choiceFlag(
  "Input",
  semantics.join("|"),
  semantics,
  "Semantics: of httpd (default), or of its upgrade guide",
);

/** The flags for a server with any main file, or from standard input. */
export const mainFlags = {
  main: textFlag("Input", "FILE", "Main file of the server, whatever its name"),
  "stdin-filename": textFlag("Input", "NAME", `File name for standard input, with the path - (default: ${STDIN_NAME})`),
} as const;

export const outputFlag = { ...textFlag("Output", "FILE", "Write the result to a file"), alias: "o" } as const;

export const colorFlag = {
  ...choiceFlag("Output", "auto|always|never", ["auto", "always", "never"], "Use colors in text (default: auto)"),
  default: "auto",
} as const;

export const quietFlag = {
  group: "Output",
  describe:
    "Omit notes on standard error, and the summary of check as text; -qq: print nothing, only set the exit code",
  count: true,
  alias: "q",
} as const;

export const exitZeroFlag = switchFlag("Output", "Exit with 0 instead of 1");

/** The flags for the result, besides its format. */
export const resultFlags = {
  output: outputFlag,
  color: colorFlag,
  quiet: quietFlag,
  "exit-zero": exitZeroFlag,
} as const;

/** Returns a flag that takes a severity. @param usual the default */
export function severityFlag(group: FlagGroup, usual: Severity, describe: string) {
  return { ...choiceFlag(group, "LEVEL", severities, describe), default: usual };
}

export const failOnFlag = severityFlag("Output", "warning", "Least severity for exit code 1 (default: warning)");

/** The flag for commands that confirm a result on the running server. */
export const curlFlag = switchFlag("Output", "Show only the requests, as curl commands with the expected status");

/** Returns an error message for flags that cannot be combined with `--curl` or `--export`. */
export function findCurlConflict(flags: {
  readonly curl: boolean;
  readonly export?: string | undefined;
  readonly format: string;
  readonly requests?: string | undefined;
}): string | undefined {
  const { curl, export: exported, format, requests } = flags;
  if (curl && exported !== undefined) return "--curl and --export cannot be used together";
  const flag = curl ? "--curl" : exported === undefined ? undefined : "--export";
  if (flag === undefined) return undefined;
  if (requests !== undefined) return `${flag} cannot be used with --requests`;
  return format === "text" ? undefined : `${flag} has a format of its own; omit --format`;
}

/** The server argument of a command. */
export const entryArgument = {
  type: "string",
  describe: "Main file, its directory, or any file of the server (default: from .httpd-lint.json)",
} as const satisfies CommandArgument;
