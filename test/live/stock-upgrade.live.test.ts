import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEnvvars } from "../../src/config/model/variables.js";
import { rangeOf } from "../../src/text/source.js";
import { upgrade } from "../support/apply-upgrade.js";
import { httpd, liveTitle, serverEnvironment } from "../support/httpd/httpd.js";
import { freePorts } from "../support/httpd/ports.js";
import { debian6, filesIn, install, rhel5, type StockServer, start } from "../support/httpd/stock-servers.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";

/** The rules that report problems of each server in the first pass. */
const fixtures: readonly (readonly [fixture: StockServer, rules: readonly string[]])[] = [
  [rhel5, ["modules-to-load", "removed-directive", "removed-module", "refused-at-start", "built-in-module"]],
  [debian6, ["modules-to-load", "removed-directive", "removed-module"]],
];

/** Deletes the line that loads a module, and returns a function that restores it. */
function removeModule(root: string, module: string): () => void {
  const line = new RegExp(`^LoadModule ${module} .*\\n`, "m");
  const path = filesIn(root).find((each) => line.test(readFileSync(each, "latin1")));
  if (path === undefined) throw new Error(`nothing loads ${module}`);
  const text = readFileSync(path, "latin1");
  writeFileSync(path, text.replace(line, ""), "latin1");
  return () => writeFileSync(path, text, "latin1");
}

describe.skipIf(!httpd)(
  liveTitle("a 2.2 configuration with all fixes starts on the live 2.4, and needs each added module"),
  () => {
    test.each(fixtures.map(([fixture, rules]) => [fixture.name, fixture, rules] as const))(
      "%s",
      async (_, fixture, expectedRules) => {
        await whileInScratchFolder(async (root) => {
          const [http, https] = await freePorts();
          install(fixture, root, [http, https]);
          const environment = fixture.envvars
            ? readEnvvars(readFileSync(join(root, fixture.envvars), "latin1"))
            : new Map();
          const entry = join(root, fixture.entry);
          const env = { ...serverEnvironment, ...Object.fromEntries(environment) };
          const before = spawnSync(httpd ?? "apache2", ["-t", "-d", dirname(entry), "-f", entry], { env });
          expect(before.status).toBe(1);
          const { reportedRules, addedModules, remaining } = upgrade(entry, environment);
          expect(expectedRules.filter((rule) => !reportedRules.has(rule))).toEqual([]);
          const places = remaining.map(
            ({ message, span }) => `${span.file.path}:${rangeOf(span).start.line}: ${message}`,
          );
          expect(places).toEqual([]);
          expect(await start(entry, http, env)).toEqual({ status: 200, output: "" });
          for (const module of addedModules) {
            const restore = removeModule(root, module);
            expect({ module, ...(await start(entry, http, env)) }).not.toMatchObject({ status: 200 });
            restore();
          }
          expect(await start(entry, http, env)).toEqual({ status: 200, output: "" });
        });
      },
    );
  },
);
