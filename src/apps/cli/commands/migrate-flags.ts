import type { EntryKind } from "../../../config/model/project.js";
import { isSince, type Release } from "../../../facts/release.js";
import { type IneffectiveChoice, ineffectiveChoices } from "../../../proof/migrate/migration.js";
import { type OutputFormat, outputFormats } from "../../../report/formats.js";
import { joinClauses } from "../../../report/text/assumption-words.js";
import type { Semantics } from "../../../server/model/answer.js";
import { findServerProgram } from "../changes/verify.js";
import {
  choiceFlag,
  type FlagTable,
  formatFlag,
  formerFlag,
  listFlag,
  optionalChoiceFlag,
  switchFlag,
  textFlag,
} from "../inputs/flags.js";
import type { ServerFlags } from "../inputs/load-server.js";
import { isPipePath } from "../inputs/standard-input.js";
import type { ReportFlags } from "./server-command.js";
import { assumptionFlags, inputFlags, mainFlags, readingFlag, releaseFlag, resultFlags } from "./shared-flags.js";

export interface MigrateFlags extends Omit<ServerFlags, "release" | "entry">, ReportFlags {
  /** Not needed to recover. */
  readonly entry?: string | undefined;
  /** The release whose results are preserved. */
  readonly from: Release;
  readonly reading: Semantics;
  readonly format: OutputFormat<"migrate">;
  /** Whether the files are changed. */
  readonly write: boolean;
  /** Directory for the originals and the journal. */
  readonly backupDir?: string | undefined;
  /** Whether an interrupted run is finished or undone. */
  readonly recover?: (typeof recoveries)[number] | undefined;
  /** The installed httpd program that checks the new contents; empty for the one on the PATH. */
  readonly verifyWithHttpd?: string | undefined;
  /** Whether a server may be rewritten if only a part of it is here, assuming that the rest does not affect access. */
  readonly assumeComplete?: boolean | undefined;
  /** Whether errors that prevent 2.4 from starting are fixed as well. */
  readonly fixStart: boolean;
  /** The differences that the result may have: `stricter`, or their IDs. */
  readonly accept?: readonly string[] | undefined;
  /** Whether sections may set variables that others test. */
  readonly allowVariables?: boolean | undefined;
  /** What happens to lines without effect. */
  readonly ineffective?: IneffectiveChoice | undefined;
  readonly undo: boolean;
}

/** The flags of a migration of a named server. */
export type ServerMigration = MigrateFlags & { readonly entry: string };

const recoveries = ["finish", "undo"] as const;

/** The flags of `migrate`. */
export const migrateFlags = {
  ...inputFlags,
  ...mainFlags,
  from: { ...releaseFlag("Version whose decisions are kept (default: 2.4)"), default: "2.4" },
  reading: { ...readingFlag, describe: "Semantics to keep: of httpd (default), or of its upgrade guide" },
  accept: listFlag("Changes", "stricter|ID,…", "Accept `stricter` results, or single differences by ID"),
  ineffective: choiceFlag(
    "Changes",
    ineffectiveChoices.join("|"),
    ineffectiveChoices,
    "Lines that have no effect today: `restore` their effect, or `delete` them",
  ),
  "allow-variables": switchFlag("Changes", "Allow SetEnvIf variables to distinguish sections"),
  write: switchFlag("Changes", "Change the files, all or none, and keep the originals"),
  "backup-dir": textFlag("Changes", "DIR", "Directory for the originals (default: .httpd-lint/ by the main file)"),
  "assume-complete": switchFlag("Changes", "With --write: files that are not here do not affect access"),
  ...assumptionFlags,
  "verify-with-httpd": {
    group: "Changes",
    value: "[=FILE]",
    type: "string",
    valueIfOmitted: "",
    describe: "Run `httpd -t` on the new contents first; =FILE: the httpd program",
  },
  "fix-start": switchFlag("Changes", "With --from 2.2: also fix errors that prevent 2.4 from starting"),
  recover: optionalChoiceFlag(
    "Changes",
    recoveries,
    "Finish an interrupted --write; =undo: restore the originals instead",
  ),
  undo: formerFlag(switchFlag("Changes", "With --recover: restore the originals instead")),
  format: formatFlag(outputFormats.migrate),
  ...resultFlags,
  verbose: switchFlag("Output", "List all hosts and lines of a note or difference"),
} as const satisfies FlagTable;

/** Checks that the flags are compatible and available on this machine. */
export function findMisuse(
  { from, fixStart, sysroot, map = [], moreMaps = [], verifyWithHttpd: requestedProgram, write }: MigrateFlags,
  entry: string,
): string | undefined {
  if (write && entry === "-") return "--write cannot change standard input; name the file, or omit --write";
  if (write && isPipePath(entry)) return "--write cannot change a pipe; name the file, or omit --write";
  if (fixStart && isSince(from, "2.4"))
    return "--fix-start needs --from 2.2: it fixes errors that prevent 2.4 from starting";
  if (requestedProgram === undefined) return undefined;
  const mapped = map.length + moreMaps.length > 0 ? "use --map" : undefined;
  const elsewhere = sysroot === undefined ? mapped : "read below --sysroot";
  const different = entry === "-" ? "read standard input" : elsewhere;
  if (different !== undefined) return `--verify-with-httpd runs the httpd of this machine, which cannot ${different}`;
  const found = findServerProgram(requestedProgram);
  return found.ok ? undefined : found.error;
}

/** Returns the error in the flags if the entry is a part of a server. */
export function findMisuseOnPart(
  { entry, write, assumeComplete, verifyWithHttpd, backupDir }: ServerMigration,
  kind: EntryKind,
): string | undefined {
  const part = `\`${entry}\` is only a part of a server`;
  if (verifyWithHttpd !== undefined)
    return `${part}, but --verify-with-httpd needs the main file; name it with ENTRY or --main`;
  const needsBackup = write && kind === "htaccess" && backupDir === undefined;
  const misuses = [
    ...(write && !assumeComplete
      ? [
          `${part}, so nothing was written; name its main file with ENTRY or --main, or add --assume-complete if no other file sets access for these paths`,
        ]
      : []),
    ...(needsBackup
      ? [
          `${assumeComplete ? `\`${entry}\`` : "it"} may be in a document root; name a directory outside it for the originals with --backup-dir`,
        ]
      : []),
  ];
  return misuses.length === 0 ? undefined : misuses.join("; ");
}

/** Returns the error in the flags if files of the server are missing. @param assumptions what the proof assumes about them */
export function findMisuseWithoutParts(
  { write, assumeComplete }: ServerMigration,
  assumptions: readonly string[],
): string | undefined {
  if (!write || assumeComplete || assumptions.length === 0) return undefined;
  return `nothing was written: it is not known that ${joinClauses(assumptions)}; add the missing files, or add --assume-complete if it is so`;
}
