import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { nameDifferences } from "../../../src/proof/migrate/acceptance.js";
import { load } from "../../support/projects.js";

const modules = [
  "authz_core",
  "authz_host",
  "alias",
  "rewrite",
  "dir",
  "allowmethods",
  "setenvif",
  "env",
  "access_compat",
];

function sideOf(lines: string, release: Release = "2.4") {
  const text = `Listen 80\nDocumentRoot "/srv/www"\n${lines}\n`;
  return {
    project: load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server", modules }),
    semantics: "server",
  } as const;
}

/** Returns each difference as `GET /x: 403 → 404 (neither)`. */
function changes(before: string, after: string): readonly string[] {
  return compare(sideOf(before), sideOf(after)).differences.map(
    ({ request: { method, path }, change, ...answers }) =>
      `${method} ${path}: ${answers.before.status} → ${answers.after.status} (${change})`,
  );
}

const at = (path: string, line: string) => `<Location "${path}">\n${line}\n</Location>`;
const denied = at("/x", "Require all denied");

describe("an answer without content after a denial gains nothing", () => {
  test.each([
    ["RedirectMatch 404 ^/x(/|$)", 404],
    ["RedirectMatch gone ^/x(/|$)", 410],
    ["RedirectMatch 400 ^/x(/|$)", 400],
    ["RedirectMatch 503 ^/x(/|$)", 503],
    ["RedirectMatch ^/x(/|$) http://www.example.com/", 302],
    ["RewriteEngine On\nRewriteRule ^/x(/|$) - [R=405]", 405],
    ["RewriteEngine On\nRewriteRule ^/x(/|$) - [R=429]", 429],
    ["RewriteEngine On\nRewriteRule ^/x(/|$) https://www.example.com/ [R=308]", 308],
    [at("/x", "RedirectMatch 404 ."), 404],
  ])("%s", (line, status) => {
    const found = changes(denied, line);
    expect(found.length).toBeGreaterThan(0);
    for (const each of found) expect(each).toMatch(new RegExp(`: 403 → ${status} \\(neither\\)$`));
    // Back to the denial, nobody loses anything.
    for (const each of changes(line, denied)) expect(each).toMatch(new RegExp(`: ${status} → 403 \\(neither\\)$`));
  });

  test("a method that no file answers", () => {
    const before = at("/x", "<LimitExcept GET POST>\nRequire all denied\n</LimitExcept>");
    expect(changes(before, "")).toEqual(["PUT /x: 403 → 405 (neither)"]);
  });
});

describe("content that was not given before is a gain", () => {
  test.each([
    ["RedirectMatch 404 ^/x(/|$)", "GET /x: 404 → 200 (gain)"],
    ["RedirectMatch ^/x(/|$) https://www.example.com/login", "GET /x: 302 → 200 (gain)"],
    ["RewriteEngine On\nRewriteRule ^/x(/|$) - [R=400]", "GET /x: 400 → 200 (gain)"],
    ["RewriteEngine On\nRewriteRule ^/x(/|$) - [R=503]", "GET /x: 503 → 200 (gain)"],
    [denied, "GET /x: 403 → 200 (gain)"],
  ])("without %s", (line, difference) => {
    expect(changes(line, "")).toEqual([difference]);
    expect(changes("", line)).toEqual([difference.replace(/(\d+) → (\d+) \(gain/, "$2 → $1 (loss")]);
  });

  test("twin: the same redirect to another target changes no class", () => {
    expect(changes("Redirect /x http://a.example.com/", "Redirect /x http://b.example.com/")).toEqual([]);
  });

  test("for one of several methods", () => {
    const only = (...methods: readonly string[]) => changes(denied, at("/x", `Require method ${methods.join(" ")}`));
    expect(only("PUT")).toEqual(["PUT /x: 403 → 405 (neither)"]);
    // The example has the method that gains access, also if another is first.
    expect(only("PUT", "POST", "DELETE")).toEqual(["POST /x: 403 → 200 (gain)"]);
  });
});

describe("methods that AllowMethods rejects", () => {
  test.each([
    ["", at("/x", "AllowMethods POST"), ["GET /x: 200 → 405 (loss)"]],
    [at("/x", "AllowMethods POST"), at("/x", "AllowMethods GET POST"), ["GET /x: 405 → 200 (gain)"]],
    [at("/x", "AllowMethods GET POST"), at("/x", "AllowMethods POST GET"), []],
  ])("%j to %j", (before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });
});

test("a missing file is the same answer as a file: the disk decides", () => {
  expect(changes("", 'Alias "/y" "/srv/other"')).toEqual([]);
});

test("only a gain needs more than the consent to stricter access", () => {
  const stricter = (before: string, after: string) => {
    const { differences, methods } = compare(sideOf(before), sideOf(after));
    return nameDifferences(differences, methods).map(({ isStricter }) => isStricter);
  };
  expect(stricter(denied, "RedirectMatch 400 ^/x(/|$)")).toEqual([true]);
  expect(stricter("", denied)).toEqual([true]);
  expect(stricter("RedirectMatch 400 ^/x(/|$)", "")).toEqual([false]);
  expect(stricter(denied, "")).toEqual([false]);
});
