import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownVerdict } from "../support/cases/own-verdict.js";
import { loadText } from "../support/projects.js";

/** The answers of httpd 2.2.34 by directive and line: `accepted`, or its message. Pilcrows separate lines. */
const recorded: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "verdicts-22.json"), "utf8"),
);

/** The number of arguments without what they are, which the tables of 2.2 do not have. */
const withoutHelp = (verdict: string) => verdict.replace(/( (?:takes|requires) [a-z ]*arguments?), .*/, "$1");

describe("2.2 accepts or rejects lines, with its message", () => {
  test.each(Object.entries(recorded))("%s", (_, answers) => {
    const found = Object.keys(answers).map((line) => {
      const text = `ServerName x.test\n${line.replaceAll("¶", "\n")}\n`;
      const verdict = ownVerdict(loadText(text, { kind: "server", release: "2.2" }));
      return [line, withoutHelp(verdict.replace(/^AH00526 \d+ /, ""))];
    });
    const expected = Object.entries(answers).map(([line, verdict]) => [line, withoutHelp(verdict)]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });
});

/** Functions of 2.2.34 that compile patterns: server/core.c, and mod_rewrite.c, mod_headers.c, mod_alias.c, mod_proxy.c. */
describe("2.2 compiles patterns", () => {
  const verdictOf = (line: string, release: "2.2" | "2.4") =>
    ownVerdict(loadText(`ServerName x.test\n${line}\n`, { kind: "server", release })).replace(/^AH00526 \d+ /, "");

  test.each([
    ["RewriteRule (a /b", "RewriteRule: cannot compile regular expression '(a'"],
    ["rewriterule !(a - [F]", "RewriteRule: cannot compile regular expression '(a'"],
    ["RewriteCond %{REQUEST_URI} a)", "RewriteCond: cannot compile regular expression 'a)'"],
    ["RewriteCond %{REQUEST_URI} ( [NC]", "RewriteCond: cannot compile regular expression '('"],
    ["RewriteCond %{REQUEST_URI} !*a", "RewriteCond: cannot compile regular expression '*a'"],
    ['<LocationMatch "^(a">\n</LocationMatch>', "Regex could not be compiled"],
    ['<FilesMatch "[a">\n</FilesMatch>', "Regex could not be compiled"],
    ["ScriptAliasMatch (a /b", "Regular expression could not be compiled."],
    ["ProxyPassMatch (a http://b.test/", "Regular expression could not be compiled."],
    ["Header edit A (b c", "Header edit regex could not be compiled"],
    ["Header always edit* A (b c", "Header edit regex could not be compiled"],
    ["RequestHeader edit A (b c", "Header edit regex could not be compiled"],
    ["Header echo (b", "Header echo regex could not be compiled"],
  ])("%s: %s", (line, message) => {
    expect(verdictOf(line, "2.2")).toBe(message);
    expect(verdictOf(line, "2.4")).toBe(message);
  });

  test.each([
    "RewriteRule ^(a)$ /b",
    "RewriteRule !^a - [F]",
    "RewriteCond %{REQUEST_URI} !=(a",
    "RewriteCond %{REQUEST_URI} >(a",
    "RewriteCond %{REQUEST_FILENAME} !-d",
    '<LocationMatch "^(a)">\n</LocationMatch>',
    '<FilesMatch "[a]">\n</FilesMatch>',
    "ProxyPass (a http://b.test/",
    "ProxyPassMatch ^(a) http://b.test/",
    "Header set A (b",
    "Header edit A (b) c",
    "Header echo (b)",
  ])("twin: accepts %s", (line) => {
    expect(verdictOf(line, "2.2")).toBe("accepted");
    expect(verdictOf(line, "2.4")).toBe("accepted");
  });

  test("and knows no numeric comparison in conditions", () => {
    expect(verdictOf("RewriteCond %{REMOTE_PORT} -lt(", "2.2")).toContain("cannot compile");
    expect(verdictOf("RewriteCond %{REMOTE_PORT} -lt(", "2.4")).toBe("accepted");
  });
});
