import { readFileSync } from "node:fs";
import { migrate } from "../../../src/proof/migrate/migrate.js";
import type { MigratedFile, MigrateOptions, MigrateSource, Migration } from "../../../src/proof/migrate/migration.js";
import { fromReadable, toReadable } from "../../../src/text/source.js";
import { CASE_ROOT, type Case, loadCase, modulesOf } from "../../support/cases/recorded-cases.js";
import { sampleOf } from "../../support/depth.js";

/** Returns a sample of the recorded configurations in a file that start. */
export function recordedCases(name: string, step: number): readonly Case[] {
  const all = readFileSync(`test/conformance/truth/${name}.jsonl`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Case => JSON.parse(line))
    .filter(({ startup }) => startup === undefined);
  return sampleOf(all, step);
}

/** Modules of 2.2 that 2.4 does not have. */
const removedModules = new Set(["authn_default", "authz_default"]);

/** Returns a case with other contents of files. */
function withTexts(each: Case, texts: ReadonlyMap<string, string>): Case {
  const changed = [...texts].map(([path, text]) => [path.slice(CASE_ROOT.length + 1), toReadable(text)]);
  return { ...each, files: { ...each.files, ...Object.fromEntries(changed) } };
}

/** Returns a case for a 2.4 server without mod_access_compat. */
function caseWith(each: Case, texts: ReadonlyMap<string, string>): Case {
  const modules =
    each.release === "2.4" ? modulesOf(each) : [...modulesOf(each), "authn_core", "authz_core", "authz_dbm"];
  return {
    ...withTexts(each, texts),
    release: "2.4",
    modules: [...new Set(modules)].filter((name) => name !== "access_compat" && !removedModules.has(name)),
  };
}

/** Migrates a recorded configuration. Most are too complex for Require lines without variables. */
export function migrateCase(
  each: Case,
  options: MigrateOptions = { allowsVariables: true, ineffective: "delete" },
): Migration {
  const after: MigrateSource["after"] = (texts) => loadCase(caseWith(each, texts)).project;
  const again: MigrateSource["again"] = (texts) => loadCase(withTexts(each, texts)).project;
  return migrate({ before: loadCase(each).project, again, after }, "server", options);
}

/** Returns the case with the changes of a migration. */
export function caseAfterMigration(each: Case, { files }: { readonly files: readonly MigratedFile[] }): Case {
  return caseWith(each, new Map(files.map((file) => [fromReadable(file.path), file.after])));
}
