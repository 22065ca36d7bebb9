import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEnvvars } from "../../src/project/model/variables.js";
import { rangeOf } from "../../src/text/source.js";
import { upgrade } from "../support/apply-upgrade.js";
import { httpd, liveTitle, serverEnvironment } from "../support/httpd/httpd.js";
import { freePorts } from "../support/httpd/ports.js";
import { debian6, filesIn, install, rhel5, type StockServer, start } from "../support/httpd/stock-servers.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";

/** The problems of each, as the rules report them in the first pass. */
const fixtures: readonly (readonly [fixture: StockServer, reported: readonly string[]])[] = [
  [rhel5, ["modules-to-load", "removed-directive", "removed-module", "refused-at-start", "built-in-module"]],
  [debian6, ["modules-to-load", "removed-directive", "removed-module"]],
];

/** Deletes the line that loads a module, and returns a function that restores it. */
function withoutModule(root: string, module: string): () => void {
  const line = new RegExp(`^LoadModule ${module} .*\\n`, "m");
  const path = filesIn(root).find((each) => line.test(readFileSync(each, "latin1")));
  if (path === undefined) throw new Error(`nothing loads ${module}`);
  const text = readFileSync(path, "latin1");
  writeFileSync(path, text.replace(line, ""), "latin1");
  return () => writeFileSync(path, text, "latin1");
}

describe.skipIf(!httpd)(
  liveTitle("what the fixes make of a 2.2 configuration starts on the live 2.4, and needs each module"),
  () => {
    test.each(fixtures.map(([fixture, reported]) => [fixture.name, fixture, reported] as const))(
      "%s",
      async (_, fixture, first) => {
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
          const { reported, supplied, left } = upgrade(entry, environment);
          expect(first.filter((rule) => !reported.has(rule))).toEqual([]);
          const places = left.map(({ message, span }) => `${span.file.path}:${rangeOf(span).start.line}: ${message}`);
          expect(places).toEqual([]);
          expect(await start(entry, http, env)).toEqual({ status: 200, said: "" });
          for (const module of supplied) {
            const back = withoutModule(root, module);
            expect({ module, ...(await start(entry, http, env)) }).not.toMatchObject({ status: 200 });
            back();
          }
          expect(await start(entry, http, env)).toEqual({ status: 200, said: "" });
        });
      },
    );
  },
);
