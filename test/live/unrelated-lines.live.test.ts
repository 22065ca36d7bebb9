import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expiresInactive } from "../../rules/expires-inactive/expires-inactive.js";
import { headerGrantsAccess } from "../../rules/header-grants-access/header-grants-access.js";
import { inactiveRewriteRule } from "../../rules/inactive-rewrite-rule/inactive-rewrite-rule.js";
import { limitLeavesMethodsOpen } from "../../rules/limit-leaves-methods-open/limit-leaves-methods-open.js";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { wrongTargetPath } from "../../rules/wrong-target-path/wrong-target-path.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { lint } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { writeFiles } from "../support/programs/scratch-folder.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf, onlyVariant, onServer } from "../support/rules.js";

const relativeRedirect = onlyVariant(wrongTargetPath, "relative-redirect");

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");

const rewriteEngineOff = onlyVariant(inactiveRewriteRule, "rewrite-engine-off");

/** Returns the number of findings of a rule in a file of a running server: its main file, or another on its own. */
function countFindings({ folder }: RunningHttpd, rule: RuleDefinition, file = "httpd.conf"): number {
  const loaded = loadProject(join(folder, file));
  if (!loaded.ok) throw new Error(loaded.error);
  return lint(loaded.value, { rules: [rule] }).findings.length;
}

const inFolder = (folder: string, ...lines: readonly string[]) => [
  `<Directory "DOCROOT${folder}">`,
  ...lines,
  "</Directory>",
];

describe.skipIf(!httpd)(liveTitle("a finding stays beside an unrelated line"), () => {
  const redirect = ["Options FollowSymLinks", "RewriteEngine On", "RewriteRule ^a$ b [R]"];
  const merge = "RewriteOptions MergeBase";
  const based = (folder: string, ...more: readonly string[]) =>
    inFolder(folder, "RewriteEngine On", "RewriteBase /base/", ...more);

  test.each<[string, readonly string[], "/base/b" | "on the disk"]>([
    ["no RewriteBase", inFolder("/x", ...redirect), "on the disk"],
    ["a RewriteBase of its own", inFolder("/x", "RewriteBase /base/", ...redirect), "/base/b"],
    ["a RewriteBase beside it", [...based("/y"), ...inFolder("/x", ...redirect)], "on the disk"],
    ["a RewriteBase above it", [...based(""), ...inFolder("/x", ...redirect)], "on the disk"],
    ["MergeBase on the server", [merge, ...based(""), ...inFolder("/x", ...redirect)], "on the disk"],
    ["MergeBase in the directory", [...based(""), ...inFolder("/x", merge, ...redirect)], "/base/b"],
    ["MergeBase above it", [...based("", merge), ...inFolder("/x", ...redirect)], "/base/b"],
    ["MergeBase beside it", [...based("/y", merge), ...inFolder("/x", ...redirect)], "on the disk"],
  ])("a redirect to a relative path, with %s", async (_, lines, expected) => {
    await withRunningHttpd(
      ["authz_core", "rewrite"],
      lines,
      async (server) => {
        const { headers } = await server.ask({ path: "/x/a" });
        const target = new URL(headers.location ?? "").pathname;
        expect(target === `${server.folder}/htdocs/x/b` ? "on the disk" : target).toBe(expected);
        expect(countFindings(server, relativeRedirect)).toBe(expected === "on the disk" ? 1 : 0);
      },
      { "x/index.html": "x\n", "y/index.html": "y\n" },
    );
  });

  test.each([
    ["a hyphen", "known-host", ["Order deny,allow", "Deny from all", "Allow from env=known-host"]],
    ["a dot", "a.b", ["Require env a.b"]],
    ["other case", "KNOWN", ["Require env known"]],
  ])("a header that grants access by a variable with %s", async (_, variable, rules) => {
    const modules = ["access_compat", "authz_core", "authz_host", "setenvif"];
    const lines = [`SetEnvIf User-Agent "^Monitor" ${variable}`, ...inFolder("", ...rules)];
    const text = onServer(`${lines.join("\n").replaceAll("DOCROOT", "/srv")}\n`);
    expect(findingsOf([headerGrantsAccess], text)).toHaveLength(1);
    await withRunningHttpd(
      modules,
      lines,
      async ({ ask }) => {
        expect((await ask({ path: "/a.txt" })).status).toBe(403);
        expect((await ask({ path: "/a.txt", headers: { "User-Agent": "Monitor" } })).status).toBe(200);
      },
      { "a.txt": "a\n" },
    );
  });

  const on = ["Options FollowSymLinks", "RewriteEngine On"];
  const gone = (pattern: string) => `RewriteRule ${pattern} - [R=410]`;
  const daily = 'ExpiresDefault "access plus 1 day"';

  test.each<[string, RuleDefinition, readonly string[], boolean]>([
    ["RewriteEngine beside it", rewriteEngineOff, [...inFolder("/y", ...on), ...inFolder("/x", gone("^a$"))], true],
    ["RewriteEngine below it", rewriteEngineOff, [...inFolder("/x/z", ...on), ...inFolder("/x", gone("^a$"))], true],
    ["RewriteEngine above it", rewriteEngineOff, [...inFolder("", ...on), ...inFolder("/x", gone("^a$"))], false],
    [
      "ExpiresActive beside it",
      expiresInactive,
      [...inFolder("/y", "ExpiresActive On"), ...inFolder("/x", daily)],
      true,
    ],
    [
      "ExpiresActive below it",
      expiresInactive,
      [...inFolder("/x/z", "ExpiresActive On"), ...inFolder("/x", daily)],
      false,
    ],
    ["ExpiresActive above it", expiresInactive, [...inFolder("", "ExpiresActive On"), ...inFolder("/x", daily)], false],
    [
      "an Inherit of its own",
      pathPatterns,
      [
        ...inFolder("/x", ...on, "RewriteRule ^a$ /q"),
        ...inFolder("/x/z", ...on, "RewriteOptions Inherit", gone("^/q$")),
      ],
      true,
    ],
    [
      "an InheritBefore of its own",
      pathPatterns,
      [
        ...inFolder("/x", ...on, "RewriteRule ^a$ /q"),
        ...inFolder("/x/z", ...on, "RewriteOptions InheritBefore", gone("^/q$")),
      ],
      false,
    ],
    [
      "an Inherit below it",
      pathPatterns,
      [
        ...inFolder("/x", ...on, gone("^/q$")),
        ...inFolder("/x/z", ...on, "RewriteOptions Inherit", "RewriteRule ^a$ /q"),
      ],
      false,
    ],
    [
      "an Inherit beside it",
      pathPatterns,
      [
        ...inFolder("/x", ...on, gone("^/q$")),
        ...inFolder("/y", ...on, "RewriteOptions Inherit", "RewriteRule ^a$ /q"),
      ],
      true,
    ],
    [
      "an Inherit of the server",
      pathPatterns,
      ["RewriteOptions Inherit", ...inFolder("/x", ...on, gone("^/q$"))],
      true,
    ],
  ])("a line without effect, with %s", async (_, rule, lines, isReported) => {
    const loaded = ["authz_core", "expires", "mime", "rewrite"];
    await withRunningHttpd(
      loaded,
      ["TypesConfig /dev/null", ...lines],
      async (server) => {
        const answers = [await server.ask({ path: "/x/a" }), await server.ask({ path: "/x/z/a" })];
        const hasEffect = answers.some(({ status, headers }) => status === 410 || headers.expires !== undefined);
        expect(hasEffect).toBe(!isReported);
        expect(countFindings(server, rule)).toBe(isReported ? 1 : 0);
      },
      { "x/a": "x\n", "x/z/a": "z\n", "y/a": "y\n" },
    );
  });

  const modules = [
    ...["authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "autoindex", "cache", "deflate", "dir"],
    ...["expires", "filter", "mime", "socache_shmcb", "speling", "ssl", "substitute"],
  ];
  const limited = ["<Limit GET>", "Require valid-user", "</Limit>"];
  const certificate = sharedFolder();

  test.each([
    ["AddOutputFilterByType DEFLATE text/html", 401, 200],
    ['ExpiresByType text/plain "access plus 1 day"', 401, 200],
    ['Substitute "s/a/b/"', 401, 200],
    ["IndexOptions FancyIndexing", 401, 200],
    ["CheckSpelling On", 401, 200],
    ["SSLRequireSSL", 401, 200],
    ["CacheEnable disk", 500, 500],
  ])("access rules for a method in a `.htaccess` file, with %s", async (line, kept, open) => {
    if (!makeCertificate(certificate.at("key.pem"), certificate.at("cert.pem"))) throw new Error("no openssl");
    const port = await freePort();
    const host = [
      ...["SSLEngine on", `SSLCertificateFile ${certificate.at("cert.pem")}`],
      `SSLCertificateKeyFile ${certificate.at("key.pem")}`,
    ];
    const lines = [
      ...["TypesConfig /dev/null", ...inFolder("", "AllowOverride All"), `Listen 127.0.0.1:${port}`],
      ...[`<VirtualHost 127.0.0.1:${port}>`, ...host, "</VirtualHost>"],
    ];
    await withRunningHttpd(
      modules,
      lines,
      async (server) => {
        const users = join(server.folder, "users");
        const content = [line, "AuthType Basic", "AuthName x", `AuthUserFile ${users}`, ...limited];
        writeFiles(join(server.folder, "htdocs"), { ".htaccess": `${content.join("\n")}\n` });
        const ask = (method: string) => statusOf({ port, path: "/a.txt", method, rejectUnauthorized: false }, request);
        expect([await ask("GET"), await ask("POST")]).toEqual([kept, open]);
        expect(countFindings(server, limitLeavesMethodsOpen, "htdocs/.htaccess")).toBe(kept === 401 ? 1 : 0);
      },
      { "a.txt": "a\n" },
    );
  });
});
