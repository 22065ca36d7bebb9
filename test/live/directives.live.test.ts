import { describe, expect, test } from "vitest";
import {
  drawListing,
  drawOwnDirectives,
  findServer,
  ownModules,
  serverVersion,
  updateTable,
} from "../../scripts/draw-directives.js";
import table from "../../src/facts/data/2.4.json" with { type: "json" };
import { findDirectiveFacts, isAllowedIn } from "../../src/facts/directives.js";
import { contextKinds, type Trial, tryContexts } from "../facts/support/context-trials.js";
import { isDeep } from "../support/depth.js";

const server = findServer();
const version = server === undefined ? "" : serverVersion(server);
/** Other releases of 2.4 may support more or fewer directives: with them, a difference causes a note, not a failure. */
const sameServer = version === table.server;
const isFull = isDeep;

const liveTest = (title: string, run: (server: string) => void | Promise<void>, timeout?: number) =>
  server === undefined
    ? test.skip(`${title} (no apache2 or httpd on this machine)`, () => undefined)
    : test(title, () => run(server), timeout);

function report(title: string, lines: readonly string[]): void {
  if (lines.length > 0) process.stderr.write(`${version}: ${title}\n${lines.map((line) => `  ${line}\n`).join("")}`);
}

/** Returns all trials in a deep run, or else a sample that is large enough to detect an outdated table. */
function selectTrials(trials: readonly Trial[]): readonly Trial[] {
  return isFull ? trials : trials.filter(({ context }, index) => context === "htaccess" || index % 139 === 0);
}

describe("the live server", () => {
  liveTest("lists the directives of the table", (command) => {
    const { directives, failures } = drawOwnDirectives(command);
    expect(directives.length).toBeGreaterThan(400);
    const updated = updateTable(table, directives, version);
    report("the table of 2.4 was generated from another server, and differs", [...failures, ...updated.drift]);
    if (sameServer) expect(updated.table).toEqual(table);
  });

  const title = isFull
    ? "allows every directive in the contexts of the table"
    : "allows a sample of directives in the contexts of the table";
  liveTest(
    title,
    async (command) => {
      const { directives } = drawListing(command, ownModules(command, "event"));
      const names = new Set(directives.map(({ section, name }) => (section ? `<${name}` : name)));
      const known = [...names].flatMap((name) => findDirectiveFacts("2.4", name).slice(0, 1));
      const trials = selectTrials(
        known.flatMap((directive) => contextKinds.map((context) => ({ directive, context }))),
      );
      const answers = await tryContexts(command, trials);
      expect(answers).toHaveLength(trials.length);
      const differing = answers
        .filter(({ directive, context, refusal }) => isAllowedIn(directive, context) !== (refusal === undefined))
        .map(({ directive, context, refusal }) => `${directive.name} in ${context}: ${refusal ?? "is allowed"}`);
      report("directives have other contexts than in the table", differing);
      if (sameServer) expect(differing).toEqual([]);
    },
    600_000,
  );
});
