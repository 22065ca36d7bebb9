import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Project } from "../../../src/config/model/project.js";
import type { Release } from "../../../src/facts/release.js";
import { lint } from "../../../src/lint/runner/lint.js";
import { migrate } from "../../../src/proof/migrate/migrate.js";
import type { MigrateOptions, Migration, Proposal } from "../../../src/proof/migrate/migration.js";
import { countAccessLines } from "../../../src/proof/migrate/plan/access-lines.js";
import { formatPatch } from "../../../src/report/text/file-changes.js";
import { describeRequest } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

/** Migrates whole servers as operators write them. */

interface Server {
  readonly name: string;
  readonly entry: string;
  readonly from: Release;
}

const ubuntu14: Server = { name: "ubuntu14", entry: "/etc/apache2/apache2.conf", from: "2.4" };
const rhel6: Server = { name: "rhel6", entry: "/etc/httpd/conf/httpd.conf", from: "2.2" };
const halfMigrated: Server = { name: "half-way", entry: "/etc/httpd/conf/httpd.conf", from: "2.4" };

function textsOf({ name }: Server): Record<string, string> {
  const root = `test/fixtures/migrations/${name}`;
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => `${each.parentPath}/${each.name}`);
  return Object.fromEntries(paths.map((path) => [path.slice(root.length), readFileSync(path, "utf8")]));
}

/** Modules of 2.4 that a configuration of 2.2 does not load. */
const newModules = ["authn_core", "authz_core", "unixd", "mpm_prefork"];

function read({ entry, from }: Server, texts: Record<string, string>, release: Release, isAfter = false): Project {
  const loaded = loadProject(entry, {
    ...{ release, kind: "server", access: memoryAccess(texts) },
    ...(isAfter ? { withoutModules: ["access_compat"] } : {}),
    ...(isAfter && from === "2.2" ? { moreModules: newModules } : {}),
  });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

function migrateServer(server: Server, options: MigrateOptions = {}): Migration {
  const texts = textsOf(server);
  const after = (changed: ReadonlyMap<string, string>) =>
    read(server, { ...texts, ...Object.fromEntries(changed) }, "2.4", true);
  const again = (changed: ReadonlyMap<string, string>) =>
    read(server, { ...texts, ...Object.fromEntries(changed) }, server.from);
  return migrate({ before: read(server, texts, server.from), again, after }, "server", {
    ineffective: "delete",
    ...options,
  });
}

/** The rules about access lines, except those that recommend TLS for passwords and `::1` beside `127.0.0.1`. */
const accessRules = defaultRules.filter(
  ({ id, tags = [] }) =>
    tags.includes("access-control") && id !== "credentials-in-clear" && id !== "local-access-by-ipv4",
);

/** Lists the requests with different results under a proposal, and its changes. */
function describeProposal({ differences, files }: Proposal): string {
  const requests = differences.map(
    ({ difference: { request, before, after } }) => `${before.class} → ${after.class}: ${describeRequest(request)}\n`,
  );
  return [...requests, ...files.map(({ path, before, after }) => formatPatch(path, before, after))].join("");
}

test("stock files of Ubuntu 14.04 need only `Require all denied`", () => {
  const migration = migrateServer(ubuntu14);
  if (migration.verdict === "refused") throw new Error("refused");
  expect(migration.files.map(({ path }) => path)).toEqual(["/etc/apache2/mods-enabled/php5.conf"]);
  const [{ before = "", after = "" } = {}] = migration.files;
  const added = after.split("\n").filter((line) => !before.includes(line));
  expect(new Set(added)).toEqual(new Set(["    Require all denied"]));
  // A local client sees the same page of mod_status at `/server-status`.
  expect(migration.exceptions.samePage.map(({ request }) => request.path)).toEqual([
    "/server-status/.php",
    "/server-status/a.phps",
  ]);
  expect(migration.exceptions.byRelease).toEqual([]);
});

describe.each([ubuntu14, rhel6, halfMigrated])("$name", (server) => {
  test("has no findings about access after the migration", () => {
    const migration = migrateServer(server, { accept: { stricter: true, ids: new Set() } });
    if (migration.verdict === "refused") throw new Error("refused");
    const { findings } = lint(migration.after, { rules: accessRules });
    const faults = findings.filter(({ severity }) => severity !== "info");
    expect(faults.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([]);
    const before = lint(read(server, textsOf(server), "2.4"), { rules: accessRules });
    expect(before.findings).not.toEqual([]);
  });
});

describe.each([rhel6, halfMigrated])("$name", (server) => {
  const refused = migrateServer(server);
  const proposal = refused.verdict === "refused" ? refused.proposal : undefined;

  test("has a readable proposal with all differences", async () => {
    const text = proposal && describeProposal(proposal);
    await expect(text).toMatchFileSnapshot(`servers/${server.name}.txt`);
    expect(text).not.toContain("SetEnvIf");
    expect(proposal?.differences.every(({ isStricter }) => isStricter)).toBe(true);
  });

  test("is migrated if the differences are accepted, all by `stricter` or each by its ID", () => {
    const ids = new Set(proposal?.differences.map(({ id }) => id));
    for (const accept of [
      { stricter: true, ids: new Set<string>() },
      { stricter: false, ids },
    ]) {
      const migration = migrateServer(server, { accept });
      if (migration.verdict === "refused") throw new Error("refused");
      expect(migration.files).toEqual(proposal?.files);
      expect(new Set(migration.exceptions.accepted.map(({ id }) => id))).toEqual(ids);
      const lines = countAccessLines(read(server, textsOf(server), server.from));
      expect(countAccessLines(migration.after)).toBeLessThanOrEqual(1.5 * lines);
    }
  });

  test("is refused if a difference is not accepted, or an ID is unknown", () => {
    const [, ...others] = proposal?.differences.map(({ id }) => id) ?? [];
    const all = others.length + 1;
    const few = migrateServer(server, { accept: { stricter: false, ids: new Set(others) } });
    const notes = [`1 of ${all} not accepted; no client gains access`];
    expect(few).toMatchObject({ verdict: "refused", refused: [{ notes }] });
    const other = migrateServer(server, { accept: { stricter: true, ids: new Set(["d-00000000"]) } });
    expect(other.verdict === "refused" && other.refused[0]?.reason).toBe(
      "no difference of this conversion has the ID `d-00000000`",
    );
  });
});
