import { describe, expect, test } from "vitest";
import { compare } from "../../src/proof/compare/compare.js";
import type { ConfigComparison } from "../../src/proof/model/comparison.js";
import { sampleOf } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { load } from "../support/projects.js";

const modules = ["authz_core", "alias", "rewrite", "setenvif"];

/** Patterns with lookaround, back references and other features that linear-time engines do not support. */
const patterns = [
  ...[
    "(^|/)\\.(?!well-known)",
    "^/(?!pub|api/)",
    "\\.(?!txt$)[a-z]+$",
    "/(?=a)(?!.*b$)",
    "(?<!/api)/x",
    "(?<=/)a(?!b)",
  ],
  ...["/([^/]+)/\\1(?:/|$)", "^/(a+)(?>b|bc)c", "/(?<n>x|y)/\\k<n>", "^(?=.*a)(?=.*b)(?!.*//)", "(?i)/SECRET(?-i)A"],
  ...["(?<!\\.)txt$", "/a++b", "/(?:a|ab)(?!b)", "\\b(?:old|bak)\\b", "^(?!/(?:pub|a))(?!.*\\.txt$)", "(.)\\1\\1"],
  ...[
    "(?x) ^/a ( /x | b ) $",
    "^/(?U)(a+)(.*)(?n)(x)?$",
    "(?n)/(a)(?<m>b+)",
    "(?x: /a +) b",
    "(?x)[ /]a\\ b | ^/ a {3} $",
    "/(?x) x (?-x) y|/x /|/\\Q x\\E|^/ pub /",
  ],
];

const paths = [
  ...["/.git/config", "/a/.env", "/.well-known/x", "/.well-known", "/pub/x", "/pubx", "/api/x", "/api", "/x", "/a/x"],
  ...["/x.txt", "/x.bak", "/x.txt.old", "/oldx", "/my-old/x", "/a", "/ab", "/abc", "/abb", "/aab", "/aabc", "/aaab"],
  ...["/a/a", "/a/a/x", "/a/ab", "/x/x", "/x/y", "/y/y.txt", "/secretA", "/SECRETA", "/secreta", "/b/a", "/b.a/x", "/"],
  ...["/xtxt", "/aaa", "/x%0Ay", "/%C3%A9%C3%A9%C3%A9"],
];

/** Uses each pattern in each kind of directive that has patterns. */
const kinds: readonly (readonly [kind: string, lines: (pattern: string, kind: string) => readonly string[]])[] = [
  ["location", (pattern) => [`<LocationMatch "${pattern}">`, "Require all denied", "</LocationMatch>"]],
  ["rule", (pattern) => ["RewriteEngine On", `RewriteRule "${pattern}" - [F]`]],
  ["negated", (pattern) => ["RewriteEngine On", `RewriteRule "!${pattern}" - [F]`]],
  [
    "condition",
    (pattern) => ["RewriteEngine On", `RewriteCond %{REQUEST_URI} "${pattern}"`, "RewriteRule ^ /to-%1 [R,L]"],
  ],
  [
    "variable",
    (pattern) => [`SetEnvIf Request_URI "${pattern}" found`, "<Location />", "Require env found", "</Location>"],
  ],
  ["redirect", (pattern) => [`RedirectMatch 410 "${pattern}"`]],
  ["expression", (pattern) => ["<Location />", `Require expr "%{REQUEST_URI} =~ m#${pattern}#"`, "</Location>"]],
  ["name", (pattern) => [`<FilesMatch "${pattern}">`, "Require all denied", "</FilesMatch>"]],
];

describe.skipIf(!httpd)(liveTitle("patterns with lookaround and back references"), () => {
  test("match as on the server, in each kind of directive", async () => {
    const hosts = kinds.flatMap(([kind, linesOf]) =>
      patterns.flatMap((pattern, index) => [
        ...["<VirtualHost *:*>", `ServerName ${kind}${index}.test`, ...linesOf(pattern, kind), "</VirtualHost>"],
      ]),
    );
    await withRunningHttpd(modules, ["LogLevel crit", ...hosts], async (running) => {
      const simulatedServer = simulatedServerOn(running);
      const differing: unknown[] = [];
      const seen = new Set<string>();
      for (const [index, pattern] of patterns.entries())
        for (const [kind] of sampleOf(kinds, 4))
          for (const path of paths) {
            const host = `${kind}${index}.test`;
            const { status } = await running.ask({ path, headers: { Host: host } });
            const decision = simulatedServer.answer({ method: "GET", path, host, clientIp: "127.0.0.1" });
            seen.add(`${kind} ${status}`);
            if (decision.status !== status || decision.unknown.length > 0)
              differing.push({ kind, pattern, path, status, decided: decision.status, unknown: decision.unknown });
          }
      expect(differing).toEqual([]);
      expect(seen.size).toBe(2 * sampleOf(kinds, 4).length);
    });
  }, 60_000);

  test("do not match on the server if they need too many steps, and are unknown", async () => {
    const lines = ['<LocationMatch "/(a+)+/secret$">', "Require all denied", "</LocationMatch>"];
    await withRunningHttpd(modules, lines, async (running) => {
      const simulatedServer = simulatedServerOn(running);
      for (const [count, status, unknown] of [
        [4, 403, 0],
        [28, 404, 1],
      ] as const) {
        const path = `/${"a".repeat(count)}!/a/secret`;
        const decision = simulatedServer.answer({ method: "GET", path, clientIp: "127.0.0.1" });
        expect([(await running.ask({ path })).status, decision.unknown.length]).toEqual([status, unknown]);
        if (unknown === 0) expect(decision.status).toBe(status);
      }
    });
  }, 60_000);
});

/** Patterns of both sides of a comparison, and its verdict. */
const compared: readonly (readonly [before: string, after: string, verdict: ConfigComparison["verdict"]])[] = [
  ["^/(?!pub)", "^/(?!pub|news)", "different"],
  ["^/(?!pub|news)", "^/(?!news)(?!pub)", "equivalent"],
  ["(?<!/)x$", "(?<!/|a)x$", "different"],
  ["(?<!/|a)x$", "(?<!a)(?<!/)x$", "equivalent"],
  ["(?<=/a)/x", "/a/x", "equivalent"],
  ["\\.(?!txt$)", "\\.(?!txt)", "different"],
  ["/(a|b)\\1", "/(?:aa|bb)", "unknown"],
  ["/(a|b)\\1", "/(a|b)\\1", "equivalent"],
];

const denyMatches = (pattern: string) => [`<LocationMatch "${pattern}">`, "Require all denied", "</LocationMatch>"];

function compareOn(before: string, after: string): ConfigComparison {
  const [one, other] = [before, after].map((pattern) => {
    const text = ['DocumentRoot "/srv/www"', ...denyMatches(pattern), ""].join("\n");
    const options = { release: "2.4", kind: "server", modules: ["authz_core"] } as const;
    return { project: load({ "/etc/httpd/httpd.conf": text }, options), semantics: "server" } as const;
  });
  if (one === undefined || other === undefined) throw new Error("expected two projects");
  return compare(one, other);
}

describe.skipIf(!httpd)(liveTitle("proofs about patterns with lookaround"), () => {
  test("show the differences that the server has, and no others", async () => {
    const hosts = compared.flatMap(([before, after], index) =>
      [before, after].flatMap((pattern, side) => [
        ...["<VirtualHost *:*>", `ServerName h${index}-${side}.test`, ...denyMatches(pattern), "</VirtualHost>"],
      ]),
    );
    await withRunningHttpd(["authz_core"], ["LogLevel crit", ...hosts], async (running) => {
      for (const [index, [before, after, verdict]] of compared.entries()) {
        const found = compareOn(before, after);
        expect([before, after, found.verdict]).toEqual([before, after, verdict]);
        const isDenied = async (side: number, path: string) =>
          (await running.ask({ path, headers: { Host: `h${index}-${side}.test` } })).status === 403;
        if (verdict === "different") expect(found.differences.length).toBeGreaterThan(0);
        for (const difference of found.differences) {
          const sides = [difference.before, difference.after].map((each) => each.class === "403");
          const { path } = difference.request;
          expect([path, await isDenied(0, path), await isDenied(1, path)]).toEqual([path, ...sides]);
        }
        if (verdict === "equivalent")
          for (const path of [...paths, "/news", "/newsx", "/ax", "/bx", "/aa/x", "/b/b"])
            expect([before, path, await isDenied(0, path)]).toEqual([before, path, await isDenied(1, path)]);
      }
    });
  }, 60_000);
});
