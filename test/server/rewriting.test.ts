import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Release } from "../../src/facts/release.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { CASE_ROOT, type Case } from "../support/cases/recorded-cases.js";
import { htaccessCases, type RewritingCase, sectionCases, serverCases } from "../support/cases/rewriting-cases.js";
import { isDeep, sampleOf } from "../support/depth.js";
import { counterfactuals } from "./counterfactuals.js";

const modules = [
  ...["authn_core", "authz_core", "authz_host", "access_compat", "setenvif", "env", "alias", "dir", "rewrite"],
  ...["headers", "mime"],
];
const tree = ["index.html", "x.txt", "a/index.html", "a/x.txt", "a/b/c.html", "secret/index.html", "secret/x.txt"];

/** Returns a case as if it had been recorded. */
function toCase({ lines, requests: texts }: RewritingCase, id: string, htaccess: readonly string[] = []): Case {
  const docroot = `${CASE_ROOT}/htdocs`;
  const text = [
    ...[`DocumentRoot ${docroot}`, "ServerName x.test", `<Directory ${docroot}/secret>`, "Require all denied"],
    ...["</Directory>", ...lines],
  ].join("\n");
  const requests = texts.map((text) => {
    const [url = "", method = "GET"] = text.split(" ");
    const [path = "", query] = url.split(/\?(.*)/s);
    const bare = {
      path: path === "" ? "/" : path,
      method,
      clientIp: "127.0.0.1",
      host: "x.test",
      status: 200,
      log: [],
    };
    return query === undefined ? bare : { ...bare, query };
  });
  const own = { "httpd.conf": `${text.replaceAll("DOCROOT", docroot)}\n` };
  const files = htaccess.length > 0 ? { ...own, "htdocs/.htaccess": `${htaccess.join("\n")}\n` } : own;
  return { id, release: "2.4", files, modules, tree: tree.map((path) => `htdocs/${path}`), requests };
}

const root = 'DocumentRoot "/srv/www"\nRewriteEngine On\n';

function decisionFor(lines: string, request: Partial<Request> = {}, release: Release = "2.4") {
  const access = memoryAccess({ "/etc/httpd.conf": `${root}${lines}\n` });
  const loaded = loadProject("/etc/httpd.conf", { access, kind: "server", release });
  if (!loaded.ok) throw new Error(loaded.error);
  const files = createListedFiles(["/srv/www/x.txt", "/srv/www/a/x.txt"]);
  return answer(loaded.value, { method: "GET", path: "/x.txt", clientIp: "192.0.2.7", ...request }, { files });
}

test.each([
  ["/.git/config", 403],
  ["/a/.env", 403],
  ["/.well-known/x", 404],
  ["/x.txt", 200],
])("matches a pattern with a lookahead: %s returns %i", (path, status) => {
  const { unknown, notes, ...decision } = decisionFor('RewriteRule "(^|/)\\.(?!well-known)" - [F]', { path });
  expect([decision.status, unknown, notes]).toEqual([status, [], []]);
});

describe("rewriting with unknown targets", () => {
  test.each([
    ["RewriteCond %{TIME_HOUR} >12\nRewriteRule ^/x - [F]", "because `%{TIME_HOUR}`", "return 403"],
    [
      "RewriteRule ^/(?:x(?R)?) /a/x.txt",
      "because whether the pattern `^/(?:x(?R)?)` matches",
      "rewrite to `/a/x.txt`",
    ],
    [
      "RewriteCond %{REQUEST_URI} -U\nRewriteRule ^/x /y [R=301]",
      "the result of the test `-U` for `/x.txt`",
      "rewrite to `/y` with status 301",
    ],
    [
      "RewriteMap m txt:/etc/m\nRewriteRule ^/(.*) /${m:$1}",
      "this rule is not applied because the result of `RewriteMap m`",
      "may rewrite to `/${m:$1}`",
    ],
    [
      "RewriteMap m prg:/etc/m\nRewriteRule ^/(.*) /${m:$1|a}",
      "this rule is not applied because the result of `RewriteMap m`",
      "may rewrite to `/${m:$1|a}`",
    ],
    [
      "RewriteCond %{LA-U:REMOTE_USER} bob\nRewriteRule ^ - [L]\nRewriteRule y - [F]",
      "`%{LA-U:REMOTE_USER}`",
      "skip later rules",
    ],
    [
      "RewriteCond %{SSL:SSL_PROTOCOL} v1 [OR]\nRewriteCond a b\nRewriteRule ^ - [G]",
      "`%{SSL:SSL_PROTOCOL}`",
      "return 410",
    ],
    ["RewriteCond expr \"-F '/x'\"\nRewriteRule ^ - [G]", "the test `-F", "return 410"],
    ["RewriteRule ^/x /~bob/x", "the home directories of users", "may rewrite to `/~bob/x`"],
    ["RewriteRule ^(.*) $1/z [N]", "the number of its rounds", "may rewrite to `$1/z`"],
  ])("makes the result unknown if it may decide, and adds a note: %s", (lines, why, where) => {
    const decision = decisionFor(lines);
    const mayDecide = !["skip later rules", "rewrite to `/a/x.txt`"].includes(where);
    expect(decision.status).toBe(mayDecide ? undefined : 200);
    expect(decision.unknown).toHaveLength(mayDecide ? 1 : 0);
    expect(decision.notes).toHaveLength(1);
    expect(decision.notes[0]?.text).toContain(why);
    expect(decision.notes[0]?.text).toContain(where);
    expect(decision.trace.map(({ effect }) => effect)).toContain(decision.notes[0]?.text);
  });

  test("is not reported if it has no effect", () => {
    for (const lines of [
      "RewriteCond %{TIME_HOUR} >12\nRewriteRule ^/y - [F]",
      "RewriteCond %{TIME_HOUR} >12\nRewriteCond a b\nRewriteRule ^ - [F]",
      "RewriteCond %{TIME_HOUR} >12 [OR]\nRewriteCond a a\nRewriteRule ^/y - [F]",
      "RewriteCond %{TIME_HOUR} >12\nRewriteRule ^ -",
    ])
      expect(decisionFor(lines)).toMatchObject({ status: 200, notes: [] });
    const either = "RewriteCond %{TIME_HOUR} >12 [OR]\nRewriteCond a a\nRewriteRule ^ - [F]";
    expect(decisionFor(either)).toMatchObject({ status: 403, notes: [] });
    expect(decisionFor("RewriteRule ^ http://%{TIME}.test/ [R=301]")).toMatchObject({ status: 301, notes: [] });
  });

  test.each<[lines: string, unknown: readonly string[]]>([
    ["RewriteRule ^/x - [E=a:%{TIME}]", []],
    ["RewriteRule ^/x - [E=a:%{TIME}]\nRewriteCond %{ENV:a} ^(.*)$\nRewriteRule ^/y - [F]", []],
    ["RewriteRule ^/x - [E=a:%{TIME}]\nRewriteRule ^/x - [E=a:b]\nRewriteCond %{ENV:a} c\nRewriteRule ^/x - [F]", []],
    [
      "RewriteRule ^/x - [E=a:%{TIME}]\nRewriteCond %{ENV:a} 2\nRewriteRule ^/x - [F]",
      ["whether `RewriteRule ^/x - [F]` applies (`%{TIME}` is unknown)"],
    ],
    [
      "RewriteRule ^/x - [E=%{TIME}:a]",
      ["the variable that `RewriteRule ^/x - [E=%{TIME}:a]` sets (`%{TIME}` is unknown)"],
    ],
  ])("reports for a variable of unknown value in %j: %j", (lines, unknown) => {
    expect(decisionFor(lines).unknown).toEqual(unknown);
  });

  test("has an alternative for each possible state of a file", () => {
    const access = memoryAccess({
      "/etc/httpd.conf": `${root}RewriteCond /srv/www%{REQUEST_URI} -f\nRewriteRule ^ - [F]\n`,
    });
    const loaded = loadProject("/etc/httpd.conf", { access, kind: "server" });
    if (!loaded.ok) throw new Error(loaded.error);
    const decision = answer(
      loaded.value,
      { method: "GET", path: "/x", clientIp: "192.0.2.7" },
      { files: { kindOf: () => "unknown" } },
    );
    expect(decision.alternatives.map(({ status }) => status).sort()).toEqual([301, 403, 404]);
    expect(decision.unknown).toContain("whether `/srv/www/x` exists");
  });
});

describe("the trace of a rule, with the deciding lines", () => {
  const maybe = (effect: string) => `may apply and ${effect}, because \`%{TIME}\` is unknown`;
  const stops = maybe("skip later rules");
  const time = "RewriteCond %{TIME} 1";
  test.each<[readonly string[], string, number]>([
    [
      ["RewriteRule ^/y - [C]", "RewriteRule x - [C]", "RewriteRule x - [F]"],
      "does not apply; its chained rules do not apply either",
      3,
    ],
    [
      ["RewriteCond a b", "RewriteRule ^/x - [C]", "RewriteRule x - [F]"],
      "does not apply: `RewriteCond a b` is false; its chained rules do not apply either",
      3,
    ],
    [["RewriteCond a b", "RewriteRule ^/x - [F]"], "does not apply: `RewriteCond a b` is false", 2],
    [["RewriteRule ^/x - [E=A:bcd,E=c]"], "sets `A`, `c`", 1],
    [["RewriteRule ^/x -"], "applies", 1],
    [
      ["ServerAdmin a@b", "RewriteCond %{server_admin} x", "RewriteRule ^/x - [F]"],
      "does not apply: `RewriteCond %{server_admin} x` is false, since `%{server_admin}` is `a@b`",
      3,
    ],
    [["ServerAdmin a@b", "RewriteCond a b", "RewriteRule ^/x - [F]"], "does not apply: `RewriteCond a b` is false", 2],
    [[time, "RewriteRule ^/x - [C]", "RewriteRule x - [F]"], `${stops}; its chained rules do not apply either`, 3],
    ...["L", "END", "S=1", "N", "PT"].map((flag): [readonly string[], string, number] => [
      [time, `RewriteRule ^/x - [${flag}]`, "RewriteRule x - [F]"],
      stops,
      2,
    ]),
    [[time, "RewriteRule ^/x - [E=a:b,E=c]"], maybe("set `a:b`, `c`"), 2],
    [[time, "RewriteRule ^/x /y [R=301]"], maybe("rewrite to `/y` with status 301"), 2],
    [[time, "RewriteRule ^/x /y [R]"], maybe("rewrite to `/y` with status 302"), 2],
    [[time, "RewriteRule ^/x /y"], maybe("rewrite to `/y`"), 2],
    [[time, "RewriteRule ^/x - [G]"], maybe("return 410"), 2],
    [["RewriteRule ^/x - [E=a:%{TIME}]"], "sets `a`", 1],
    [["RewriteRule ^/x - [E=%{TIME}:a]"], "sets `%{TIME}:a` to an unknown value: `%{TIME}`", 1],
  ])("%j: %s", (lines, effect, count) => {
    const step = decisionFor(lines.join("\n")).trace.find(({ section }) => section.startsWith("RewriteRule"));
    const namedLines = step?.lines.filter(({ key }) => /^(rewrite(rule|cond|map)|serveradmin)$/.test(key)) ?? [];
    expect([step?.effect, namedLines.length]).toEqual([effect, count]);
  });
});

describe("2.2", () => {
  test.each<[string, number]>([
    ["RewriteRule ^/x //a/x.txt", 200],
    ["RewriteRule ^/x /etc", 404],
    ["RewriteRule ^/x /a/x.txt?$0", 200],
  ])("returns the expected status for %s: %i", (lines, status) => {
    expect(decisionFor(lines, {}, "2.2").status).toBe(status);
  });

  test("ignores a relative path, and does not support END", () => {
    expect(decisionFor("RewriteRule ^/x a/x.txt", {}, "2.2").status).toBe(400);
    expect(decisionFor("RewriteRule ^/x a/x.txt").status).toBe(200);
    expect(decisionFor("RewriteRule ^/x /etc/nowhere", {}, "2.2").status).toBe(404);
  });
});

describe("traces name the rewrite directives that affect the result", () => {
  test.each([
    ["servers", serverCases.map((each, index) => toCase(each, `server ${index}`))],
    ["sections", sectionCases.map((each, index) => toCase(each, `section ${index}`))],
    [
      "`.htaccess` files",
      htaccessCases.map(({ lines, requests }, index) =>
        toCase(
          { lines: [`<Directory ${CASE_ROOT}/htdocs>`, "AllowOverride All", "</Directory>"], requests },
          `htaccess ${index}`,
          ["RewriteEngine On", ...lines],
        ),
      ),
    ],
  ])("of %s", (_, cases) => {
    const found = sampleOf(cases, 5).map((each) => counterfactuals(each));
    expect(found.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(found.reduce((sum, { checked }) => sum + checked, 0)).toBeGreaterThan(isDeep ? 20 : 4);
  });
});
