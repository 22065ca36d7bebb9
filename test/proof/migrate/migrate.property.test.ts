import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Project } from "../../../src/config/model/project.js";
import { findLegacyDirectives, migrate } from "../../../src/proof/migrate/migrate.js";
import type { MigrateSource } from "../../../src/proof/migrate/migration.js";
import { answer } from "../../../src/server/answer.js";
import { createAssumedFiles } from "../../../src/server/file-trees.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { toReadable } from "../../../src/text/source.js";
import { runCount, seedOr } from "../../support/depth.js";
import { randomRequest } from "../../support/random/random-requests.js";
import { filesOf, type RandomServer, randomServer } from "../../support/random/random-server.js";

const root = "/srv/x";

function textsOf(server: RandomServer): Record<string, string> {
  const files = filesOf(server, root, { ports: [8001, 8002], backend: 8003 });
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]));
}

function load(texts: Record<string, string>, hasCompat: boolean): Project {
  const withoutModules = hasCompat ? [] : ["access_compat"];
  const access = memoryAccess(texts);
  const loaded = loadProject(`${root}/httpd.conf`, { access, kind: "server", serverRoot: root, withoutModules });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

/** Servers without rewrite rules, because rules that cannot be evaluated prevent a proof. */
const plainServer = randomServer.map((server): RandomServer => {
  const plain = (lines: readonly string[]) => lines.filter((line) => !/^Rewrite/.test(line));
  const files = Object.entries(server.files).map(([path, lines]) => [path, plain(lines)]);
  return { ...server, body: plain(server.body), files: Object.fromEntries(files) };
});

const seed = seedOr(4711);

test("random configurations are migrated completely or not at all, and no client gains or loses access", {
  timeout: 600_000,
}, () => {
  let proved = 0;
  fc.assert(
    fc.property(plainServer, fc.array(randomRequest, { minLength: 10, maxLength: 10 }), (server, requests) => {
      const texts = textsOf(server);
      const before = load(texts, true);
      const read = (changed: ReadonlyMap<string, string>, isBefore: boolean) => {
        const readable = [...changed].map(([path, text]) => [path, toReadable(text)]);
        return load({ ...texts, ...Object.fromEntries(readable) }, isBefore);
      };
      const again: MigrateSource["again"] = (changed) => read(changed, true);
      const after: MigrateSource["after"] = (changed) => read(changed, false);
      const migration = migrate({ before, again, after }, "server", { ineffective: "delete" });
      if (migration.verdict === "refused") return;
      proved++;
      const now = migration.after;
      for (const request of requests) {
        const [old, later] = [before, now].map(
          (each) => answer(each, request, { files: createAssumedFiles(before) }).class,
        );
        if (old !== "unknown" && later !== "unknown") expect(later).toBe(old);
      }
      if (findLegacyDirectives(now).length === 0)
        expect(migrate({ before: now, again: () => now, after: () => now }, "server")).toMatchObject({ files: [] });
    }),
    { numRuns: runCount(3, 12), seed },
  );
  expect(proved).toBeGreaterThan(0);
});
