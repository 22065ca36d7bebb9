import { describe, expect, test } from "vitest";
import { acceptNothing, nameDifferences } from "../../../src/proof/migrate/acceptance.js";
import { AttemptProver } from "../../../src/proof/migrate/attempt-prover.js";
import { type Attempt, createAttempt } from "../../../src/proof/migrate/attempts.js";
import { exploreSource } from "../../../src/proof/migrate/conversion.js";
import type { MigrateSource, Migration } from "../../../src/proof/migrate/migration.js";
import { stateReason } from "../../../src/proof/migrate/plan/inexpressible.js";
import { reasonFor, wordsOfReason } from "../../../src/proof/model/unproved-reasons.js";
import { StepAllowance } from "../../../src/regex/budget.js";
import { load } from "../../support/projects.js";

const path = "/etc/httpd/httpd.conf";
const sections = [
  ["/a", "192.0.2.1"],
  ["/b", "192.0.2.2"],
] as const;

/** Returns a server with one section for each path. @param lines those of the section, for its client address */
function serverText(lines: (client: string) => string): string {
  const all = sections.map(([at, client]) => `<Location "${at}">\n${lines(client)}\n</Location>`);
  return `DocumentRoot /srv\n${all.join("\n")}\n`;
}

const before = serverText((client) => `Order deny,allow\nDeny from all\nAllow from ${client}`);
const [first, second] = sections.map(([, client]) => client);

/** Returns a rewrite with the Require lines of each section. */
function attemptWith(requireLines: Readonly<Record<string, string>>): Attempt {
  const text = serverText((client) => requireLines[client] ?? `Require ip ${client}`);
  return createAttempt("simple", { refused: [], texts: new Map([[path, text]]) });
}

/** Returns the reasons why a rewrite of a server with a line that 2.4 rejects is not proved with so many steps in all. */
function reasonsWithin(steps: number): readonly string[] {
  const modules = ["authn_core", "authz_core", "authz_host", "access_compat", "dir"];
  const read = (line: string) => (texts: ReadonlyMap<string, string>) => {
    const [text = before] = texts.values();
    return load({ [path]: `${line}${text}` }, { release: "2.4", kind: "server", modules });
  };
  const again = read("<Directory />\nOptions Indexes +FollowSymLinks\n</Directory>\n");
  const source: MigrateSource = { before: again(new Map()), again, after: again, withStartFixes: read("") };
  const explored = exploreSource(source, "server", {});
  if (!explored.ok) throw new Error("the server cannot be explored");
  const { goals, budget } = explored.value;
  const prover = new AttemptProver(source, "server", goals, budget, new StepAllowance(steps));
  const migration = prover.findProved([attemptWith({})]) ?? prover.refuse(acceptNothing, false);
  return migration.verdict === "refused" ? (migration.comparison?.unproved.map(({ reason }) => reason) ?? []) : [];
}

test("a rewrite without enough steps has the reasons of the first comparison, not of a second one without steps", () => {
  const reasons = Array.from({ length: 18 }, (_, power) => reasonsWithin(2 ** power)).flat();
  expect(reasons).toContain(wordsOfReason(reasonFor("more-entry-points")));
  expect(reasons).not.toContain(wordsOfReason(reasonFor("out-of-steps")));
  expect(reasonsWithin(Number.POSITIVE_INFINITY)).toEqual([]);
});

/** Tries the rewrites in this order, and returns the proposal that remains. */
function propose(attempts: readonly Attempt[]): Migration {
  const read = (modules: string[]) => (texts: ReadonlyMap<string, string>) =>
    load(Object.fromEntries([[path, before], ...texts]), { release: "2.4", kind: "server", modules });
  const modules = ["authn_core", "authz_core", "authz_host", "authz_user", "dir", "mime", "env", "setenvif"];
  const again = read([...modules, "access_compat"]);
  const source: MigrateSource = { before: again(new Map()), again, after: read(modules) };
  const explored = exploreSource(source, "server", {});
  if (!explored.ok) throw new Error("the server cannot be explored");
  const { goals, budget, steps } = explored.value;
  const prover = new AttemptProver(source, "server", goals, budget, steps);
  return prover.findProved(attempts) ?? prover.refuse(acceptNothing, false);
}

/** Returns the text of the proposal for a migration; undefined if there is none. */
function proposedText(migration: Migration): string | undefined {
  return migration.verdict === "refused" ? migration.proposal?.files[0]?.after : "proved";
}

describe("of two rewrites that change access", () => {
  const oneDenied = attemptWith({ [first ?? ""]: "Require all denied" });
  const bothDenied = attemptWith({ [first ?? ""]: "Require all denied", [second ?? ""]: "Require all denied" });
  const oneOpened = attemptWith({ [first ?? ""]: "Require all granted" });

  test.each<[string, Attempt, Attempt]>([
    ["with fewer differences", oneDenied, bothDenied],
    ["that gives no client access, even with more differences", bothDenied, oneOpened],
  ])("the one %s is proposed, in either order", (_, better, worse) => {
    const expected = better.texts.get(path);
    expect(proposedText(propose([better, worse]))).toBe(expected);
    expect(proposedText(propose([worse, better]))).toBe(expected);
  });

  test("twin: one that changes nothing is proved, whatever came before", () => {
    expect(proposedText(propose([oneOpened, attemptWith({})]))).toBe("proved");
  });
});

describe("a rewrite after which requests fail with 500", () => {
  // Require valid-user without AuthType returns 500 (AH00027).
  const failing = attemptWith({ [first ?? ""]: "Require valid-user" });

  test("is not proposed, so that nobody can accept it", () => {
    const migration = propose([failing]);
    expect(migration).toMatchObject({ verdict: "refused", comparison: { verdict: "different" } });
    expect(proposedText(migration)).toBeUndefined();
  });

  test("does not replace a proposal", () => {
    const denied = attemptWith({ [first ?? ""]: "Require all denied", [second ?? ""]: "Require all denied" });
    expect(proposedText(propose([denied, failing]))).toBe(denied.texts.get(path));
  });
});

test("a rewrite that could be made only in part is not proved, even if its texts keep all access", () => {
  const reason = { ...stateReason("no-place-for-lines"), directive: undefined };
  expect(propose([{ ...attemptWith({}), refused: [reason] }])).toMatchObject({ verdict: "refused", refused: [reason] });
});

describe("an exact rewrite", () => {
  // The server has six access lines.
  const withLines = (count: number): Attempt => {
    const lines = Array.from({ length: count - 1 }, () => `Require ip ${first}`).join("\n");
    return { ...attemptWith({ [first ?? ""]: lines }), kind: "exact" };
  };

  test("may have half as many access lines again", () => {
    expect(propose([withLines(9)]).verdict).toBe("proved");
  });

  test("twin: a longer one is not readable and not a result", () => {
    expect(propose([withLines(10)]).verdict).toBe("refused");
  });
});

test("differences that only files distinguish have different IDs, which do not depend on each other", () => {
  const migration = propose([attemptWith({ [first ?? ""]: "Require all denied" })]);
  const [named] = (migration.verdict === "refused" && migration.proposal?.differences) || [];
  if (named === undefined) throw new Error("the migration has no named difference");
  const { difference } = named;
  const assumptions = { ...difference.assumptions, files: new Map([["/srv/a", "file" as const]]) };
  const withFile = { ...difference, assumptions };
  const idsOf = (...all: Parameters<typeof nameDifferences>[0]) =>
    nameDifferences(all, { all: ["GET"], unnamed: [] }).map(({ id }) => id);
  expect(idsOf(withFile, difference)).toEqual([...idsOf(withFile), ...idsOf(difference)]);
  expect(new Set(idsOf(withFile, difference)).size).toBe(2);
});
