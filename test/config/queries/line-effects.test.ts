import { describe, expect, test } from "vitest";
import { decidingFactsOf, placedLinesOf } from "../../../src/config/queries/deciding-facts.js";
import { effectsOfLine, mayShareFacts } from "../../../src/config/queries/line-effects.js";
import type { Fact } from "../../../src/facts/effects.js";
import { loadText } from "../../support/projects.js";

/** Returns what the last line of a text reads and writes, without what its place adds. */
function effectsOfLast(text: string) {
  const found = placedLinesOf(loadText(text)).at(-1)?.effects;
  if (found === undefined) return undefined;
  return { reads: [...found.reads].sort(), writes: [...found.writes].sort() };
}

describe("the names that a line reads and writes", () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['SetEnvIf User-Agent "^x" !a b=1', ["header:user-agent", "variable:user-agent"], ["variable:a", "variable:b"]],
    ["SetEnvIfNoCase Request_URI ^/x FOO", ["path"], ["variable:foo"]],
    ['SetEnvIf "^X-" ^ a', ["header:*"], ["variable:a"]],
    ["BrowserMatch ^a b", ["header:user-agent"], ["variable:b"]],
    ["SetEnv A b", ["path"], ["variable:a"]],
    ["PassEnv A B", [], ["variable:a", "variable:b"]],
    ["RequestHeader set X-A 1 env=B", ["path", "variable:b"], ["header:x-a"]],
    ["Allow from env=REDIRECT_a", ["address", "variable:a", "variable:redirect_a"], ["status"]],
    ["Require env A", ["variable:a"], ["status"]],
    ["Require not ip 10.0.0.1", ["address"], ["status"]],
    ["Require expr %{HTTP:X-A} == '1'", ["header:x-a"], ["status"]],
    ["Require expr req('X-A') == reqenv('B')", ["header:x-a", "variable:b"], ["status"]],
    ["Require expr req(%{HTTP_HOST}) == '1'", ["header:*", "header:host", "variable:http_host"], ["status"]],
    ["Require expr -f '/a'", ["file-kind"], ["status"]],
    ["Require expr -R '10.0.0.0/8'", ["address"], ["status"]],
    ["SSLVerifyClient none", [], ["config:mod_ssl", "status", "tls"]],
    ["SSLVerifyClient require", ["config:mod_ssl"], ["config:mod_ssl", "status", "tls"]],
    ["CustomLog a b env=c", [], ["log"]],
    ["Options Indexes", ["path"], ["file", "handler", "status"]],
  ])("%s", (text, reads, writes) => {
    expect(effectsOfLast(text)).toEqual({ reads, writes });
  });

  test.each<readonly [string, readonly string[]]>([
    ["RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]", ["variable:http_authorization"]],
    ["RewriteRule .* - [E=A%1:b]", ["variable:*"]],
    ["RewriteRule .* - [S=1]", ["config:mod_rewrite"]],
    ["RewriteRule .* - [CO=a:b:c]", ["response-headers"]],
    ["RewriteRule .* - [F]", ["file", "handler", "path", "query", "status"]],
    ["RewriteRule a b", ["file", "handler", "path", "query", "status"]],
    ["RewriteRule a - [H=cgi-script]", ["handler"]],
    ["RewriteCond %{HTTP_HOST} a\nRewriteRule a - [E=b:c]", ["variable:b"]],
  ])("of a rule: %s", (text, writes) => {
    expect(effectsOfLast(`RewriteEngine On\n${text}`)?.writes).toEqual(writes);
  });

  test.each<readonly [string, readonly string[]]>([
    ["text/plain", ["default-type"]],
    ["None", ["default-type"]],
    ["application/x-httpd-php", ["default-type", "handler"]],
    ["cgi-script", ["default-type", "handler"]],
  ])("of DefaultType %s: a type may be the name of a handler", (type, writes) => {
    const [placed] = placedLinesOf(loadText(`DefaultType ${type}`, { release: "2.2" }));
    expect([...(placed?.effects?.writes ?? [])].sort()).toEqual(writes);
  });

  test("include those of the conditions of a rule, and no others", () => {
    const text = "RewriteEngine On\nRewriteCond %{HTTP:X-A} a\nRewriteRule a - [E=b:c]\nRewriteCond %{ENV:B} a";
    const [, , rule] = placedLinesOf(loadText(`${text}\nRewriteRule b c`));
    expect([...(rule?.effects?.reads ?? [])]).toEqual(["path", "config:mod_rewrite", "header:x-a"]);
    const [, condition] = placedLinesOf(loadText(text));
    expect([...(condition?.effects?.writes ?? [])]).toEqual(["variable:b"]);
  });

  test("include what the sections around it read", () => {
    const project = loadText("<If \"%{HTTP:X-A} == '1'\">\n<Files a>\nSetEnv A b\n</Files>\n</If>");
    const last = placedLinesOf(project).at(-1);
    expect([...(last?.effects?.reads ?? [])].sort()).toEqual(["file", "header:x-a", "path"]);
  });

  test("are unknown for other directives", () => {
    const [line] = loadText("Frobnicate on").directives;
    expect(line && effectsOfLine(line, "2.4")).toBeUndefined();
  });
});

describe("a fact", () => {
  test.each<readonly [Fact, Fact, boolean]>([
    ["variable:a", "variable:a", true],
    ["variable:a", "variable:b", false],
    ["variable:*", "variable:b", true],
    ["variable:ssl_*", "variable:ssl_protocol", true],
    ["variable:ssl_*", "variable:*", true],
    ["variable:ssl_*", "header:*", false],
  ])("%s and %s: %s", (one, other, isShared) => {
    expect(mayShareFacts(new Set([one]), new Set([other]))).toBe(isShared);
    expect(mayShareFacts(new Set([other]), new Set([one]))).toBe(isShared);
  });
});

describe("the facts that decide", () => {
  test.each<readonly [string, Fact, boolean]>([
    ["SetEnvIf Remote_Addr ^127 dontlog\nCustomLog a b env=!dontlog", "variable:dontlog", false],
    ["SetEnvIf Remote_Addr ^127 a\nRequire env a", "variable:a", true],
    ["SetEnvIf X-A ^127 a\nSetEnvIf a 1 b\nRequire env b", "header:x-a", true],
    ["SetEnvIf X-A ^127 a\nSetEnvIf a 1 b\nCustomLog a b env=b", "header:x-a", false],
    ["RewriteEngine On\nRewriteCond %{HTTP:X-A} a\nRewriteRule a - [E=b:c]", "header:x-a", false],
    ["RewriteEngine On\nRewriteCond %{HTTP:X-A} a\nRewriteRule a - [S=1]\nRewriteRule a b", "header:x-a", true],
    ["RewriteEngine On\nRewriteCond %{HTTP:X-A} a\nRewriteRule a b", "header:x-a", true],
    ["AuthType Digest", "config:mod_auth_digest", true],
    ["AuthType Basic", "config:mod_auth_digest", false],
    ["ProxyPass / http://127.0.0.1/", "variable:no-proxy", true],
    ["Alias /a /b", "variable:no-proxy", false],
  ])("in %j: %s: %s", (text, fact, isDeciding) => {
    expect(mayShareFacts(decidingFactsOf(loadText(text)), new Set([fact]))).toBe(isDeciding);
  });
});
