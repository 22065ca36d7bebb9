import type { Project } from "../../../src/config/model/project.js";
import type { Release } from "../../../src/facts/release.js";
import { migrate } from "../../../src/proof/migrate/migrate.js";
import type { MigrateOptions, MigrateSource, Migration } from "../../../src/proof/migrate/migration.js";
import type { Semantics } from "../../../src/server/model/answer.js";
import { fromReadable, toReadable } from "../../../src/text/source.js";
import { load } from "../../support/projects.js";

export interface CaseOptions extends Pick<MigrateOptions, "accept" | "allowsVariables" | "budget" | "ineffective"> {
  readonly from?: Release;
  readonly to?: Release;
  readonly reading?: Semantics;
  /** Modules that are not loaded. */
  readonly without?: readonly string[];
  /** Modules that are loaded in addition. */
  readonly with?: readonly string[];
}

const shared = [
  ...["authn_file", "auth_basic", "authz_user", "authz_groupfile", "authz_host", "authz_dbm", "authz_owner"],
  ...["env", "setenvif", "alias", "dir", "mime", "status", "version", "rewrite"],
  ...["userdir", "vhost_alias"],
];

const modules22 = [...shared, "authn_default", "authz_default"];
const modules24 = [...shared, "authn_core", "authz_core", "macro"];

function loadFiles(files: Readonly<Record<string, string>>, release: Release, modules: readonly string[]): Project {
  const readable = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, toReadable(text)]));
  return load(readable, { release, kind: "server", modules: [...modules] });
}

/** Migrates the files of a server whose main file is `/etc/httpd/httpd.conf`. */
export function migrateFiles(files: Readonly<Record<string, string>>, options: CaseOptions = {}): Migration {
  const { from = "2.4", to = "2.4", reading = "server", without = [], with: additional = [], ...more } = options;
  const select = (modules: readonly string[]) => [...modules.filter((name) => !without.includes(name)), ...additional];
  const texts = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, fromReadable(text)]));
  const own = select(from === "2.2" ? modules22 : [...modules24, "access_compat"]);
  const before = loadFiles(texts, from, own);
  const again: MigrateSource["again"] = (changed) => loadFiles({ ...texts, ...Object.fromEntries(changed) }, from, own);
  const after: MigrateSource["after"] = (changed) =>
    loadFiles({ ...texts, ...Object.fromEntries(changed) }, to, select(modules24));
  return migrate({ before, again, after }, reading, more);
}

const head = 'DocumentRoot "/srv"\n';

/** Returns the lines of the migrated main file after its DocumentRoot; or the reason if it is rejected. */
export function migrateLines(lines: readonly string[], options: CaseOptions = {}): readonly string[] {
  const migration = migrateFiles({ "/etc/httpd/httpd.conf": `${head}${lines.join("\n")}\n` }, options);
  if (migration.verdict === "refused") return ["refused", ...reasonsOf(migration)];
  const [file] = migration.files;
  return (file ? file.after.slice(head.length) : `${lines.join("\n")}\n`).trimEnd().split("\n");
}

export function reasonsOf(migration: Migration): readonly string[] {
  if (migration.verdict === "proved") return [];
  const { refused, comparison } = migration;
  return [...refused.map(({ reason }) => reason), ...(comparison ? [comparison.verdict] : [])];
}
