import { Lexer } from "chevrotain";
import { afterEach, describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import type { Project } from "../../src/config/model/project.js";
import type { Release } from "../../src/facts/release.js";
import { lint } from "../../src/lint/runner/lint.js";
import { compare } from "../../src/proof/compare/compare.js";
import { NodeTable } from "../../src/proof/requests/node-table.js";
import { SymbolTable } from "../../src/proof/requests/symbol-table.js";
import { PerDirConfig } from "../../src/server/sections/per-dir-config.js";
import { SpellingList } from "../../src/text/closest-word.js";
import { load } from "../support/projects.js";
import { hostSections } from "./hosts.js";

/**
 * Time differs between machines, but the amount of work does not. These figures are from the commit that recorded them.
 * A value clearly above one is a regression; for a value below, record the lower figure here.
 */
const TOLERANCE = 0.05;

/** The counters. */
interface Work {
  /** Tokens produced by the lexers. */
  tokens: number;
  /** Merges of sections. */
  merges: number;
  /** Models probed. */
  situations: number;
  /** BDD nodes requested. */
  nodes: number;
  /** Words compared with similar ones. */
  comparisons: number;
}

const original = {
  tokenize: Lexer.prototype.tokenize,
  under: PerDirConfig.prototype.extend,
  witness: SymbolTable.prototype.witness,
  node: NodeTable.prototype.node,
  distance: SpellingList.prototype.distance,
};

function restore(): void {
  Lexer.prototype.tokenize = original.tokenize;
  PerDirConfig.prototype.extend = original.under;
  SymbolTable.prototype.witness = original.witness;
  NodeTable.prototype.node = original.node;
  SpellingList.prototype.distance = original.distance;
}

afterEach(restore);

function workOf(run: () => void): Work {
  const work: Work = { tokens: 0, merges: 0, situations: 0, nodes: 0, comparisons: 0 };
  Lexer.prototype.tokenize = function (...args) {
    const result = original.tokenize.apply(this, args);
    work.tokens += result.tokens.length;
    return result;
  };
  PerDirConfig.prototype.extend = function (...args) {
    work.merges++;
    return original.under.apply(this, args);
  };
  SymbolTable.prototype.witness = function (...args) {
    work.situations++;
    return original.witness.apply(this, args);
  };
  NodeTable.prototype.node = function (...args) {
    work.nodes++;
    return original.node.apply(this, args);
  };
  SpellingList.prototype.distance = function (...args) {
    work.comparisons++;
    return original.distance.apply(this, args);
  };
  run();
  restore();
  return work;
}

const names = ["tokens", "merges", "situations", "nodes"] as const;

function expectNear(work: Work, figures: Omit<Work, "comparisons">): void {
  for (const name of names) {
    expect(work[name], `${name}: more than was written down`).toBeLessThanOrEqual(figures[name] * (1 + TOLERANCE));
    expect(work[name], `${name}: less, write it down`).toBeGreaterThanOrEqual(figures[name] * (1 - TOLERANCE));
  }
}

const server = (text: string, release: Release = "2.4"): Project =>
  load({ "/etc/httpd/httpd.conf": `Listen 8099\nNameVirtualHost *:8099\n${text}` }, { kind: "server", release });

/**
 * Lines that only allow everybody where a user is required: whether they are redundant takes a proof over all requests.
 */
const redundant = `DocumentRoot /srv
<Directory /srv/private>
  Order deny,allow
  Allow from all
  AuthType Basic
  AuthName Private
  AuthUserFile /etc/users
  Require valid-user
</Directory>
<Files ~ "\\.bak$">
  Require all denied
</Files>
`;

/** Returns two hosts with folders that each have their own `.htaccess` file. */
function hostsWithFiles(folders: number): Project {
  const hosts = ["a", "b"].map(
    (name) => `<VirtualHost *:8099>\nServerName ${name}.test\nDocumentRoot /srv/${name}\n</VirtualHost>\n`,
  );
  const all = "<Directory /srv>\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n";
  const main = `Listen 8099\nNameVirtualHost *:8099\n${all}${hosts.join("")}`;
  const files = ["a", "b"].flatMap((host) =>
    Array.from({ length: folders }, (_, n) => [
      `/srv/${host}/d${n}/.htaccess`,
      `<Files "secret-${n}.txt">\nOrder deny,allow\nDeny from all\n</Files>
<FilesMatch "${host}x${n}|y${n}">\nOrder deny,allow\nDeny from all\n</FilesMatch>
Redirect /was${n}${host} /is${n}\n`,
    ]),
  );
  return load({ "/etc/httpd/httpd.conf": main, ...Object.fromEntries(files) }, { kind: "server" });
}

describe("counted work", () => {
  test("of a check of 200 hosts", () => {
    const work = workOf(() => lint(server(hostSections(200, 8099)), { rules: defaultRules }));
    expectNear(work, { tokens: 94, merges: 150, situations: 0, nodes: 0 });
  });

  test("at most doubles with the number of hosts", () => {
    const [single, double] = [200, 400].map((hosts) =>
      workOf(() => lint(server(hostSections(hosts, 8099)), { rules: defaultRules })),
    );
    for (const name of names) expect(double?.[name], name).toBeLessThanOrEqual(2.1 * (single?.[name] ?? 0));
  });

  test("of a check that needs a proof", () => {
    const work = workOf(() => lint(server(redundant), { rules: defaultRules }));
    expectNear(work, { tokens: 11, merges: 240, situations: 25, nodes: 2674 });
  });

  test("of names that nothing defines: few are compared with others", () => {
    const letters = (n: number) =>
      [7, 11, 13, 17, 19, 23].map((step) => String.fromCharCode(97 + ((n * step + step) % 26)));
    const names = Array.from({ length: 600 }, (_, n) => `${letters(n).join("")}${letters(n + 5).join("")}${n} on\n`);
    const { comparisons } = workOf(() => lint(server(names.join("")), { rules: defaultRules }));
    expect(comparisons).toBeLessThan(names.length);
  });

  test("of a comparison of both releases", () => {
    const text = hostSections(5, 8099);
    const side = (release: Release) => ({ project: server(text, release), semantics: "server" }) as const;
    const work = workOf(() => compare(side("2.2"), side("2.4")));
    expectNear(work, { tokens: 35, merges: 1611, situations: 190, nodes: 9814 });
  });

  test("at most doubles with the number of `.htaccess` files of a host", () => {
    const comparing = (folders: number) => () => {
      const side = { project: hostsWithFiles(folders), semantics: "server" } as const;
      return compare(side, side);
    };
    let kinds: readonly number[] = [];
    const [single, double] = [4, 8].map((folders) =>
      workOf(() => {
        const { pathClasses, unproved } = comparing(folders)();
        expect(unproved).toEqual([]);
        kinds = [...kinds, pathClasses];
      }),
    );
    for (const name of names) expect(double?.[name], name).toBeLessThanOrEqual(2.2 * (single?.[name] ?? 0));
    const [few = 0, many = 0] = kinds;
    expect(many, "kinds of paths").toBeLessThanOrEqual(2.2 * few);
    if (single) expectNear(single, { tokens: 0, merges: 1152, situations: 156, nodes: 9272 });
  });
});
