import { runMigrate } from "../../../src/apps/cli/commands/migrate.js";
import type { Release } from "../../../src/facts/release.js";
import { fromReadable } from "../../../src/text/source.js";
import { type EditedFile, readEdited } from "../../support/applied-edits.js";

/** A migration that is proved. */
export interface MigratedTexts {
  /** The new contents of changed files, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** The changes of answers that the migration lists: `401 403`. */
  readonly listed: ReadonlySet<string>;
}

/** Migrates a configuration; differences that deny more are accepted. */
export function migrateTexts(entry: string, from: Release): MigratedTexts | { readonly failed: string } {
  const { output } = runMigrate({
    ...{ entry, from, reading: "server", format: "json", accept: ["stricter"], write: false, fixStart: false },
    ...{ undo: false, exitZero: false, colour: false, hyperlinks: false, width: undefined },
  });
  const text = [...output].join("");
  if (!text.startsWith("{")) return { failed: text };
  const result: MigrationResult = JSON.parse(text);
  if (result.verdict !== "proved") return { failed: "not migrated" };
  const changes = [
    ...(result.accepted ?? []).map(({ difference }) => difference),
    ...(result.samePage ?? []),
    ...(result.byRelease ?? []),
  ];
  return {
    texts: new Map(result.files.map((file) => [fromReadable(file.path), readEdited(file)])),
    listed: new Set(changes.map((each) => `${each.before.class} ${each.after.class}`)),
  };
}

type ListedChange = Readonly<Record<"before" | "after", { readonly class: string }>>;

interface MigrationResult {
  readonly verdict: string;
  readonly files: readonly EditedFile[];
  readonly accepted?: readonly { readonly difference: ListedChange }[];
  readonly samePage?: readonly ListedChange[];
  readonly byRelease?: readonly ListedChange[];
}
