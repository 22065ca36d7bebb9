import type { Assumption } from "../../../config/model/project.js";
import { isBefore } from "../../../facts/release.js";
import type { Acceptance } from "../../../proof/migrate/acceptance.js";
import { createUnchangedMigration, findLegacyDirectives, migrate as migrated } from "../../../proof/migrate/migrate.js";
import { findNewerInclude, findNewerLines } from "../../../proof/migrate/plan/access-lines.js";
import { renderMigrationJson } from "../../../report/comparisons/migration-json.js";
import { describeHalfMigrated, listMigrationNotes } from "../../../report/comparisons/migration-notes.js";
import { listMigration, renderMigrationDiff } from "../../../report/comparisons/migration-report.js";
import type { Renderers } from "../../../report/formats.js";
import { joinIntoChunks } from "../../../report/index.js";
import { describeAssumptions, joinClauses } from "../../../report/text/assumption-words.js";
import { installConfig } from "../../../startup/install-config.js";
import { diskFileSystem } from "../../file-changes/file-system.js";
import { findUnfinishedTransaction } from "../../file-changes/write-changes.js";
import { chooseBackupDirectory, verifyAndWrite } from "../changes/finish-migration.js";
import { MigrationSource, migratedParts } from "../changes/migration-source.js";
import { findPermanentFaults } from "../changes/permanent-faults.js";
import { runRecover } from "../changes/write-in-place.js";
import { collectFilesRead, loadServer } from "../inputs/load-server.js";
import { chooseServer } from "../inputs/project-settings.js";
import { splitNames } from "../inputs/reading-options.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { ProgressLine } from "../output/progress-line.js";
import { outputStyleOf } from "../output/terminal.js";
import { defineCommand } from "./command.js";
import {
  findMisuse,
  findMisuseOnPart,
  findMisuseWithoutParts,
  type MigrateFlags,
  migrateFlags,
  type ServerMigration,
} from "./migrate-flags.js";
import { documentRenderers, textStyleOf, withServer } from "./server-command.js";

export const migrateCommand = defineCommand({
  describe: "Convert Order/Allow/Deny/Satisfy to Require without changing access",
  arguments: {
    entry: {
      type: "string",
      describe: "Main file of a server, or its directory (default: from .httpd-lint.json)",
    },
  },
  flags: migrateFlags,
  handler(flags) {
    const { entry, recover, undo, reading = "server" } = flags;
    // For recovery, the backup directory is enough.
    if ((recover === undefined && !undo) || entry !== undefined) return withServer(flags, runMigrate);
    const server = chooseServer(flags);
    const chosen = server.ok ? server.value.entry : undefined;
    return runMigrate({ ...flags, ...outputStyleOf(flags), entry: chosen, reading });
  },
});

/** Shows or writes a configuration converted to Require, if the conversion is proved not to change access. */
export function runMigrate(flags: MigrateFlags): CommandResult {
  const { entry, recover, undo } = flags;
  if (recover !== undefined) return runRecover(flags);
  if (undo) return createFailure(exitCodes.usage, "--undo needs --recover: use --recover=undo");
  if (entry === undefined)
    return createFailure(exitCodes.usage, "ENTRY is missing: expected the main file of a server");
  const wrong = findMisuse(flags, entry);
  return wrong === undefined ? migrateServer({ ...flags, entry }) : createFailure(exitCodes.usage, wrong);
}

function migrateServer(flags: ServerMigration): CommandResult {
  const loaded = loadServer({ ...flags, release: flags.from });
  if (!loaded.ok) return loaded.error;
  const { entry } = flags;
  const style = textStyleOf(flags);
  const { isPart, read: config } = loaded.value.project;
  const project = installConfig(config, migratedParts);
  const missing = project.assumptions.filter(isAboutMissingParts);
  const misused = isPart ? findMisuseOnPart(flags, config.kind) : undefined;
  const wrong = misused ?? findMisuseWithoutParts(flags, describeAssumptions(missing, style.base));
  if (wrong !== undefined) return createFailure(exitCodes.usage, wrong);
  const assumptions = describeAssumptions(project.assumptions, style.base);
  const before = {
    ...loaded.value,
    project,
    notes: [...loaded.value.notes, ...describeMissingParts(missing, style.base)],
  };
  const cutOff = findUnfinishedTransaction(chooseBackupDirectory(before.project, flags), diskFileSystem);
  if (cutOff) return createFailure(exitCodes.unreadable, cutOff.message);
  const [newer] = isBefore(flags.from, "2.4") ? findNewerLines(before.project) : [];
  if (newer && findLegacyDirectives(before.project).length > 0)
    return createFailure(exitCodes.usage, describeHalfMigrated(newer, style.base));
  const include = isBefore(flags.from, "2.4") ? findNewerInclude(before.project) : undefined;
  if (include) return createFailure(exitCodes.usage, describeHalfMigrated(include, style.base));
  const source = new MigrationSource(before.project, flags);
  const migration = newer
    ? createUnchangedMigration(before.project)
    : ProgressLine.onTerminal(flags.quiet).run((onProgress) =>
        migrated(source, flags.reading, {
          accept: readAcceptance(flags.accept),
          allowsVariables: flags.allowVariables ?? false,
          ineffective: flags.ineffective,
          findFaults: (made) => findPermanentFaults({ ...before, on24: source.currentOn24() }, made),
          onProgress,
        }),
      );
  const read = collectFilesRead(before);
  const render = (notes: readonly string[]) => {
    const renderers: Renderers<"migrate", () => Iterable<string>> = {
      diff: () => renderMigrationDiff(migration, style),
      json: () => renderMigrationJson(migration, style.base, assumptions),
      ...documentRenderers(
        { title: "Migration to Require", subject: entry },
        (options) => listMigration(migration, notes, options),
        style,
      ),
    };
    return joinIntoChunks(renderers[flags.format]());
  };
  if (migration.verdict === "refused") {
    const exitCode = flags.exitZero ? exitCodes.clean : exitCodes.findings;
    return { output: render([]), read, notes: before.notes, exitCode };
  }
  const done = verifyAndWrite(migration, before.project, flags);
  if (!done.ok) return done.error;
  const notes = listMigrationNotes(migration, style.base, {
    before: before.project,
    isAssumed: assumptions.length > 0,
    newer,
    isVerbose: flags.verbose === true,
    written: done.value.written,
    startup: newer ? [] : source.findStartErrors(migration.files),
  });
  return {
    output: render(notes),
    read,
    notes: [...before.notes, ...notes, ...done.value.notes],
    exitCode: done.value.exitCode,
  };
}

type AboutMissingParts = Assumption & { readonly code: "missing-files-empty" | "template-tags-empty" };

function isAboutMissingParts(assumption: Assumption): assumption is AboutMissingParts {
  return assumption.code === "missing-files-empty" || assumption.code === "template-tags-empty";
}

/** Returns a note on the missing parts of a server, and how to have them checked. */
function describeMissingParts(missing: readonly AboutMissingParts[], base: string): readonly string[] {
  if (missing.length === 0) return [];
  const remedies = [...new Set(missing.flatMap(({ problems }) => problems.map(({ remedy }) => remedy)))].join("; ");
  const assumed = joinClauses(describeAssumptions(missing, base));
  return [`httpd-lint: assuming that ${assumed}; to check the whole server, ${remedies}`];
}

function readAcceptance(words: readonly string[] | undefined): Acceptance {
  const ids = new Set(splitNames(words));
  const stricter = ids.delete("stricter");
  return { stricter, ids };
}
