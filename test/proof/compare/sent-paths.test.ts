import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { load } from "../../support/projects.js";
import { Random } from "../../support/random/random.js";

const common = ["authz_host", "setenvif", "alias", "dir"];

function sideOf(lines: readonly string[], release: Release) {
  const modules = release === "2.2" ? common : [...common, "authz_core", "access_compat"];
  const text = `${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server", modules });
  return { project, semantics: "server" } as const;
}

const root = (...lines: readonly string[]) => ['<Directory "/">', ...lines, "</Directory>"];
const at = (path: string, ...lines: readonly string[]) => [`<Location "${path}">`, ...lines, "</Location>"];
const granted = root("Require all granted");

/** Compares two servers with a common line, and returns the verdict with the paths of the examples, as sent. */
function compareWith(line: string, before: readonly string[], after: readonly string[], release: Release = "2.4") {
  const { verdict, differences, unproved } = compare(
    sideOf([line, ...before], release),
    sideOf([line, ...after], release),
  );
  return [verdict, ...differences.map(({ request }) => request.path), ...unproved.map(({ reason }) => reason)];
}

const denying = root("<RequireAll>", "Require all granted", "Require not env x", "</RequireAll>");
const needing = (path: string) => [...granted, ...at(path, "Require env x")];

describe("a test of the path as sent is independent of the path as resolved", () => {
  test.each<readonly [string, string, readonly string[], readonly string[], string]>([
    ["an escape that it needs", 'SetEnvIf Request_URI "^/a%62" x', granted, denying, "/a%62"],
    ["in capitals", "SetEnvIf Request_URI ^/%6A x", granted, denying, "/%6A"],
    ["in an expression", 'SetEnvIfExpr "%{REQUEST_URI} =~ m#^/a%62#" x', granted, denying, "/a%62"],
    ["an escape that evades it", "SetEnvIf Request_URI ^/adm x", needing("/adm"), granted, "/ad%6d"],
    ["regardless of case", "SetEnvIfNoCase Request_URI ^/ADM x", needing("/adm"), granted, "/ad%6d"],
    [
      "a negated condition",
      'SetEnvIfExpr "%{REQUEST_URI} !~ m#^/adm#" x',
      [...granted, ...at("/adm", "<RequireAll>", "Require all granted", "Require not env x", "</RequireAll>")],
      granted,
      "/ad%6d",
    ],
    [
      "at the end",
      "SetEnvIf Request_URI \\.gif$ x",
      [...granted, "<Files *.gif>", "Require env x", "</Files>"],
      granted,
      "/.gi%66",
    ],
    [
      "a folder that it leaves",
      "SetEnvIf Request_URI ^/adm x",
      needing("/b"),
      [...granted, ...at("/b", "Require all denied")],
      "/adm/../b",
    ],
  ])("%s", (_, line, before, after, path) => {
    const [verdict, ...paths] = compareWith(line, before, after);
    expect([verdict, paths.includes(path) ? path : paths]).toEqual(["different", path]);
  });

  test.each<readonly [string, string, readonly string[], readonly string[]]>([
    [
      "rules that agree for both results",
      "SetEnvIf Request_URI \\.gif$ x",
      needing("/b"),
      [...granted, ...at("/b", "<RequireAny>", "Require env x", "</RequireAny>")],
    ],
    ["a variable that no rule reads", "SetEnvIf Request_URI \\.gif$ image", granted, root("Require  all  granted")],
    ["a line of a section", at("/adm", "SetEnvIf Request_URI ^/adm x").join("\n"), needing("/adm"), granted],
  ])("twin: %s stay equivalent", (_, line, before, after) => {
    expect(compareWith(line, before, after)).toEqual(["equivalent"]);
  });

  test("in 2.2, too", () => {
    const order = (...lines: readonly string[]) => root("Order allow,deny", "Allow from all", ...lines);
    const line = 'SetEnvIf Request_URI "^/a%62" x';
    expect(compareWith(line, order(), order("Deny from env=x"), "2.2")).toEqual(["different", "/a%62"]);
  });
});

const patterns: readonly [string, ...string[]] = [
  "^/a%62",
  "^/adm",
  "\\.gif$",
  "%",
  "^/[^%]*$",
  "^/a.m",
  "%2e",
  "//",
  "\\.\\.",
  "^/%61",
  "adm.+gif",
  "^/$",
];
const conditions: readonly [string, ...string[]] = [
  "Require env x",
  "Require not env x",
  "Require all granted",
  "Require all denied",
];
const characters: readonly [string, ...string[]] = [
  "/",
  "a",
  "d",
  "m",
  "b",
  ".gif",
  "%61",
  "%62",
  "%64m",
  "adm",
  "/../",
  "%2e",
  ".",
  "//",
  "b",
  "%66",
];

test("no pair that is called equivalent differs for a path as sent", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = new Random(seed);
    const setter = () =>
      `${random.pick(["SetEnvIf", "SetEnvIfNoCase"])} Request_URI "${random.pick(patterns)}" ${random.pick(["x", "x", "!x"])}`;
    const setters = Array.from({ length: 1 + random.below(2) }, setter);
    const rules = () => {
      const wrapped = ["<RequireAll>", "Require all granted", random.pick(conditions), "</RequireAll>"];
      return [...granted, ...at(random.pick(["/", "/adm", "/b"]), ...wrapped)];
    };
    const [before, after] = [rules(), rules()].map((lines) => sideOf([...setters, ...lines], "2.4"));
    if (before === undefined || after === undefined || compare(before, after).verdict !== "equivalent") continue;
    const servers = [before, after].map(({ project }) => new SimulatedServer(project, { kindOf: () => "file" }));
    for (let tries = 0; tries < 60; tries++) {
      const path = `/${Array.from({ length: 1 + random.below(6) }, () => random.pick(characters)).join("")}`;
      const [one, other] = servers.map(
        (server) => server.answer({ method: "GET", path, host: "x.test", clientIp: "203.0.113.7" }).access,
      );
      expect([seed, path, one]).toEqual([seed, path, other]);
    }
  }
}, 300_000);
