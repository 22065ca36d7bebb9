import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compatPrecedence } from "../../rules/compat-precedence/compat-precedence.js";
import { redundantHostRules } from "../../rules/redundant-host-rules/redundant-host-rules.js";
import { shadowedRule } from "../../rules/shadowed-rule/shadowed-rule.js";
import { diskAccess } from "../../src/config/files/disk.js";
import { fix } from "../../src/lint/runner/fix.js";
import { LintSession } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, bobAuthentication, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { writeFiles } from "../support/programs/scratch-folder.js";

const modules = [
  ...["authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "authz_host", "access_compat"],
  ...["remoteip", "setenvif"],
];

const main = [
  "RemoteIPHeader X-Client",
  "RemoteIPInternalProxy 127.0.0.1",
  "SetEnvIf User-Agent Staff STAFF",
  "<Directory DOCROOT>",
  "AllowOverride All",
  "</Directory>",
];

/** What a client gets before the fix and after it: a listed one, another one, and one with a password. */
interface Case {
  readonly title: string;
  readonly outer?: readonly string[];
  readonly lines: readonly string[];
  readonly before: Statuses;
  readonly after: Statuses;
}

type Statuses = readonly [listed: number, other: number, bob: number];

const login = [...bobAuthentication, "Require valid-user"];
const nobody: Statuses = [403, 403, 403];
const everybody: Statuses = [200, 200, 200];
const onlyListed: Statuses = [200, 403, 403];
const allButListed: Statuses = [403, 200, 200];

const cases: readonly Case[] = [
  {
    title: "addresses below `Deny from all`",
    lines: ["Order allow,deny", "Deny from all", "Allow from 192.0.2.7", "Allow from 192.0.2.8"],
    before: nobody,
    after: onlyListed,
  },
  {
    title: "addresses of which some are denied",
    lines: ["Order allow,deny", "Deny from all", "Allow from 192.0.2.0/28", "Deny from 192.0.2.9"],
    before: nobody,
    after: onlyListed,
  },
  {
    title: "a denied address beside `Allow from all`",
    lines: ["Order deny,allow", "Allow from all", "Deny from 192.0.2.7"],
    before: everybody,
    after: allButListed,
  },
  {
    title: "a denied address beside `Allow from all`, without an Order",
    lines: ["Allow from all", "Deny from 192.0.2.7"],
    before: everybody,
    after: allButListed,
  },
  {
    title: "addresses beside `Require all denied`",
    lines: ["<RequireAll>", "Require all denied", "Require ip 192.0.2.7", "Require ip 192.0.2.8", "</RequireAll>"],
    before: nobody,
    after: onlyListed,
  },
  {
    title: "an address and a login beside `Require all denied`",
    lines: [
      ...bobAuthentication,
      ...["<RequireAll>", "Require all denied", "Require ip 192.0.2.0/28", "Require valid-user", "</RequireAll>"],
    ],
    before: nobody,
    // The second client is not in the network, and the third one has a password.
    after: [401, 401, 200],
  },
  {
    title: "a variable below an inherited `Require all denied`",
    outer: ["Require all denied"],
    lines: ["Order deny,allow", "Deny from all", "Allow from env=STAFF"],
    before: nobody,
    after: onlyListed,
  },
  {
    title: "`Allow from all` below an inherited login",
    outer: login,
    lines: ["Order allow,deny", "Allow from all"],
    before: [401, 401, 200],
    after: everybody,
  },
  {
    title: "a repeated address",
    lines: ["Require ip 192.0.2.7", "Require ip 192.0.2.7"],
    before: onlyListed,
    after: onlyListed,
  },
];

describe.skipIf(!httpd)(liveTitle("a fix does what the author meant"), () => {
  test("on a running server that reads the fixed files", { timeout: 60_000 }, async () => {
    const files = cases.flatMap(({ outer = [], lines }, index) => [
      [`${index}/.htaccess`, outer.map((line) => `${line}\n`).join("")],
      [`${index}/in/.htaccess`, lines.map((line) => `${line}\n`).join("")],
      [`${index}/in/index.html`, "x"],
    ]);
    await withRunningHttpd(
      modules,
      main,
      async ({ folder, ask }) => {
        const statusesOf = async (index: number): Promise<Statuses> => {
          const path = `/${index}/in/index.html`;
          const statusFor = async (client: string, more: Readonly<Record<string, string>> = {}) =>
            (await ask({ path, headers: { "X-Client": client, ...more } })).status;
          return [
            await statusFor("192.0.2.7", { "User-Agent": "Staff" }),
            await statusFor("192.0.2.9"),
            await statusFor("192.0.2.9", asBob),
          ];
        };
        const all = async () => {
          const found: Record<string, Statuses> = {};
          for (const [index, { title }] of cases.entries()) found[title] = await statusesOf(index);
          return found;
        };
        expect(await all()).toEqual(Object.fromEntries(cases.map(({ title, before }) => [title, before])));
        const read = (overlay: ReadonlyMap<string, string>) => {
          const loaded = loadProject(join(folder, "httpd.conf"), { kind: "server", access: diskAccess({ overlay }) });
          return loaded.ok ? loaded.value : undefined;
        };
        const project = read(new Map());
        if (project === undefined) throw new Error("cannot be read");
        const linted = new LintSession(project, { rules: [shadowedRule, redundantHostRules, compatPrecedence] }, read);
        const wanted = { isWanted: () => true, mayChange: () => true } as const;
        const { fixed, rejected } = fix([linted], { safety: "unsafe", ...wanted });
        expect(rejected.map(({ why }) => why)).toEqual([]);
        // Only the repeated line is deleted by a safe fix.
        expect(fix([linted], { safety: "safe", ...wanted }).applied).toBe(1);
        expect(fixed.texts.size).toBe(cases.length);
        for (const [path, text] of fixed.texts) writeFiles("/", { [path.slice(1)]: text });
        expect(await all()).toEqual(Object.fromEntries(cases.map(({ title, after }) => [title, after])));
      },
      Object.fromEntries(files),
    );
  });

  test("and NE, which escaped-redirect adds only to targets without inserted text, escapes nothing", async () => {
    const rules = [
      "RewriteEngine On",
      "RewriteRule ^/plain/(.*) /docs#install [R,NE]",
      "RewriteRule ^/inserted/(.*) /docs#$1 [R,NE]",
    ];
    await withRunningHttpd(["authz_core", "rewrite"], rules, async ({ ask }) => {
      const locationOf = async (path: string) => (await ask({ path })).headers.location?.replace(/^.*(?=\/docs)/, "");
      expect(await locationOf("/plain/a%20b")).toBe("/docs#install");
      expect(await locationOf("/inserted/a%20b")).toBe("/docs#a b");
    });
  });
});
