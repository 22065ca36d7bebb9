import type { Argv } from "yargs";
import type { EntryKind } from "../../../config/model/project.js";
import type { Release } from "../../../facts/directives.js";
import { type IneffectiveChoice, ineffectiveChoices } from "../../../proof/migrate/migration.js";
import { joinClauses } from "../../../report/text/assumption-words.js";
import { type Semantics, semantics } from "../../../server/model/answer.js";
import { findServerProgram } from "../changes/verify.js";
import type { ServerFlags } from "../inputs/load-server.js";
import { isPipePath } from "../inputs/standard-input.js";
import { commandFormats } from "../output/formats.js";
import type { ReportFlags } from "./server-command.js";
import { addInputFlags, addOutputFlags, defineReleaseFlag, flagGroups, verboseFlag } from "./shared-options.js";

/** Output formats of a migration. */
const formats = commandFormats.migrate;

export interface MigrateFlags extends Omit<ServerFlags, "release" | "entry">, ReportFlags {
  /** Not needed to recover. */
  readonly entry?: string | undefined;
  /** The release whose results are preserved. */
  readonly from: Release;
  readonly reading: Semantics;
  readonly format: (typeof formats)[number];
  /** Whether the files are changed. */
  readonly write: boolean;
  /** Directory for the originals and the journal. */
  readonly backupDir?: string | undefined;
  /** Whether an interrupted run is finished or undone. */
  readonly recover: boolean;
  /** Whether notes are omitted. */
  readonly quiet?: boolean | undefined;
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

/** Declares the flags of `migrate`. */
export function addMigrateFlags(command: Argv) {
  return addOutputFlags(addInputFlags(command))
    .positional("entry", {
      type: "string",
      describe: "Main file of a server, or its directory (default: from .httpd-lint.json)",
    })
    .option("from", {
      ...defineReleaseFlag("Version whose decisions are kept (default: 2.4)"),
      default: "2.4" as Release,
    })
    .option("reading", {
      requiresArg: true,
      choices: semantics,
      describe: "Semantics to keep: of httpd (default), or of its upgrade guide",
    })
    .option("format", {
      requiresArg: true,
      choices: formats,
      default: "diff" as (typeof formats)[number],
      describe: "Output format (default: diff): diff, json",
    })
    .option("write", {
      type: "boolean",
      default: false,
      describe: "Change the files, all or none, and keep the originals",
    })
    .option("backup-dir", {
      type: "string",
      requiresArg: true,
      describe: "Directory for the originals (default: .httpd-lint/ by the main file)",
    })
    .option("verify-with-httpd", {
      type: "string",
      describe: "Run `httpd -t` on the new contents first; =FILE: the httpd program",
    })
    .option("assume-complete", {
      type: "boolean",
      default: false,
      describe: "With --write: files that are not here do not affect access",
    })
    .option("fix-start", {
      type: "boolean",
      default: false,
      describe: "With --from 2.2: also fix errors that prevent 2.4 from starting",
    })
    .option("accept", {
      type: "string",
      array: true,
      nargs: 1,
      describe: "Accept `stricter` results, or single differences by ID",
    })
    .option("ineffective", {
      requiresArg: true,
      choices: ineffectiveChoices,
      describe: "Lines that have no effect today: `restore` their effect, or `delete` them",
    })
    .option("allow-variables", {
      type: "boolean",
      default: false,
      describe: "Allow SetEnvIf variables to distinguish sections",
    })
    .option("verbose", { ...verboseFlag, describe: "List all hosts and lines of a note or difference" })
    .option("recover", {
      type: "boolean",
      default: false,
      describe: "Finish an interrupted --write",
    })
    .option("undo", { type: "boolean", default: false, describe: "With --recover: restore the originals instead" })
    .group(["from", "reading"], flagGroups.input)
    .group(
      [
        "accept",
        "ineffective",
        "allow-variables",
        "write",
        "backup-dir",
        "assume-complete",
        "verify-with-httpd",
        "fix-start",
        "recover",
        "undo",
      ],
      flagGroups.changes,
    );
}

/** Checks that the flags are compatible and available on this machine. */
export function findMisuse(
  { from, fixStart, sysroot, map = [], moreMaps = [], verifyWithHttpd: requestedProgram, write }: MigrateFlags,
  entry: string,
): string | undefined {
  if (write && entry === "-") return "--write cannot change standard input; name the file, or omit --write";
  if (write && isPipePath(entry)) return "--write cannot change a pipe; name the file, or omit --write";
  if (fixStart && from !== "2.2") return "--fix-start needs --from 2.2: it fixes errors that prevent 2.4 from starting";
  if (requestedProgram === undefined) return undefined;
  const mapped = map.length + moreMaps.length > 0 ? "use --map" : undefined;
  const elsewhere = sysroot === undefined ? mapped : "read below --sysroot";
  const different = entry === "-" ? "read standard input" : elsewhere;
  if (different !== undefined) return `--verify-with-httpd runs the httpd of this machine, which cannot ${different}`;
  const found = findServerProgram(requestedProgram);
  return "failed" in found ? found.failed : undefined;
}

/** Returns the error in the flags if the entry is a part of a server. */
export function findMisuseOnPart(
  { entry, write, assumeComplete, verifyWithHttpd, backupDir }: ServerMigration,
  kind: EntryKind,
): string | undefined {
  const part = `\`${entry}\` is only a part of a server`;
  if (verifyWithHttpd !== undefined)
    return `${part}, but --verify-with-httpd needs the main file; name it with ENTRY or --main`;
  if (write && !assumeComplete)
    return `${part}, so nothing was written; name its main file with ENTRY or --main, or add --assume-complete if no other file sets access for these paths`;
  if (write && kind === "htaccess" && backupDir === undefined)
    return `\`${entry}\` may be in a document root; name a directory outside it for the originals with --backup-dir`;
  return undefined;
}

/** Returns the error in the flags if files of the server are missing. @param assumptions what the proof assumes about them */
export function findMisuseWithoutParts(
  { write, assumeComplete }: ServerMigration,
  assumptions: readonly string[],
): string | undefined {
  if (!write || assumeComplete || assumptions.length === 0) return undefined;
  return `nothing was written: it is not known that ${joinClauses(assumptions)}; add the missing files, or add --assume-complete if it is so`;
}
