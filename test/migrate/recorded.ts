import { readFileSync } from "node:fs";
import { type Migration, migrate } from "../../src/migrate/migrate.js";
import { fromReadable, toReadable } from "../../src/text/source.js";
import { CASE_ROOT, type Case, loadCase, modulesOf } from "../support/cases/recorded-cases.js";

/** The recorded configurations of a file that start, every so many of them. */
export function recordedCases(name: string, step: number): readonly Case[] {
  return readFileSync(`test/conformance/truth/${name}.jsonl`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Case => JSON.parse(line))
    .filter(({ startup }) => startup === undefined)
    .filter((_, index) => index % step === 0);
}

/** Modules of 2.2 that 2.4 has none of. */
const gone = new Set(["authn_default", "authz_default"]);

/** A case as a server of 2.4 without mod_access_compat is to answer it. */
function caseWith(each: Case, texts: ReadonlyMap<string, string>): Case {
  const changed = [...texts].map(([path, text]) => [path.slice(CASE_ROOT.length + 1), toReadable(text)]);
  const modules =
    each.release === "2.4" ? modulesOf(each) : [...modulesOf(each), "authn_core", "authz_core", "authz_dbm"];
  return {
    ...each,
    release: "2.4",
    files: { ...each.files, ...Object.fromEntries(changed) },
    modules: [...new Set(modules)].filter((name) => name !== "access_compat" && !gone.has(name)),
  };
}

/** A recorded configuration moved. */
export function migratedCase(each: Case): Migration {
  const after = (texts: ReadonlyMap<string, string>) => loadCase(caseWith(each, texts)).project;
  return migrate({ before: loadCase(each).project, after }, "server");
}

/** The same case with what the migration has changed. */
export function afterwardsOf(each: Case, migration: Migration & { readonly verdict: "proved" }): Case {
  return caseWith(each, new Map(migration.files.map((file) => [fromReadable(file.path), file.after])));
}
