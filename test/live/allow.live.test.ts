import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { type AllowingChange, findAllowingChange, type NoChange } from "../../src/proof/allow/allow.js";
import { diskFiles } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, bobAuthentication, type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = [
  ...["authz_core", "authz_host", "authz_user", "auth_basic", "authn_core", "authn_file", "access_compat", "dir"],
  ...["autoindex", "mime", "rewrite", "cgi", "alias"],
];
const files = {
  "in/x.txt": "x\n",
  "in/p.cgi": "#!/bin/sh\necho Content-type: text/plain\necho\n",
  "empty/sub/x.txt": "x\n",
  "other/x.txt": "x\n",
};

/** The client that asks, and another one. */
const [client, other] = ["127.0.0.7", "127.0.0.8"];

interface Case {
  readonly lines: readonly string[];
  readonly url: string;
  readonly user?: "bob";
  /** More files of the document root. */
  readonly files?: Readonly<Record<string, string>>;
  /** The status for the other client before and after; by default that of the denial. */
  readonly others?: number;
}

/** Returns the change for a running server, and the contents of its changed files by path below its folder. */
function changeFor({ folder }: RunningHttpd, { url, user }: Pick<Case, "url" | "user">) {
  const read = (overlay: ReadonlyMap<string, string>) => {
    const access = diskAccess({ overlay });
    const loaded = loadProject(join(folder, "httpd.conf"), { access, kind: "server", htaccess: true });
    if (!loaded.ok) throw new Error(loaded.error);
    return { project: loaded.value, files: diskFiles(access), errors: 0 };
  };
  const request = { method: "GET", path: url, host: "x.test", clientIp: client, ...(user ? { user } : {}) };
  return findAllowingChange({ ...read(new Map()), semantics: "server", again: read }, request);
}

function isChange(found: AllowingChange | NoChange): found is AllowingChange {
  return typeof found !== "string";
}

/** Asks the server before and after the change, as the client and as another one. */
async function expectAllowed(denied: number, given: Case, allowed = 200): Promise<string> {
  const { url, user, lines, others = denied } = given;
  const all = { ...files, ...given.files };
  const headers = { Host: "x.test", ...(user ? asBob : {}) };
  const statusesOf = (running: RunningHttpd) =>
    Promise.all([client, other].map(async (from) => (await running.ask({ path: url, headers, from })).status));
  let changed: { readonly lines: readonly string[]; readonly files: Readonly<Record<string, string>> } | undefined;
  let written = "";
  await withRunningHttpd(
    modules,
    ["TypesConfig /dev/null", ...lines],
    async (running) => {
      expect(await statusesOf(running)).toEqual([denied, others]);
      const found = changeFor(running, given);
      if (!isChange(found)) throw new Error(`no change: ${found}`);
      const byPath = new Map(found.files.map(({ path, after }) => [path, after]));
      const main = byPath.get(join(running.folder, "httpd.conf"))?.replaceAll(`${running.folder}/htdocs`, "DOCROOT");
      const root = `${running.folder}/htdocs/`;
      const below = [...byPath].filter(([path]) => path.startsWith(root));
      changed = {
        lines: main === undefined ? ["TypesConfig /dev/null", ...lines] : main.split("Mutex posixsem\n").slice(1),
        files: { ...all, ...Object.fromEntries(below.map(([path, after]) => [path.slice(root.length), after])) },
      };
      written = found.files
        .flatMap(({ before, after }) => after.split("\n").filter((line) => !before.split("\n").includes(line)))
        .join("; ")
        .replaceAll(`${running.folder}/htdocs`, "DOCROOT");
      expect(found.answer.status).toBe(allowed);
    },
    all,
  );
  if (changed === undefined) throw new Error("no change");
  const isForAll = /Options|AllowOverride|END/.test(written);
  await withRunningHttpd(
    modules,
    changed.lines,
    async (running) => {
      const forUser = user !== undefined && written.includes(`user`);
      expect(await statusesOf(running)).toEqual([allowed, isForAll || forUser ? allowed : others]);
    },
    changed.files,
  );
  return written;
}

describe.skipIf(!httpd)(liveTitle("a change that allows a client"), () => {
  test.each<[why: string, status: number, given: Case, written: string]>([
    [
      "adds the address to a Require line",
      403,
      { lines: ["<Directory DOCROOT>\n    Require ip 10.0.0.0/8\n</Directory>"], url: "/in/x.txt" },
      "    Require ip 10.0.0.0/8 127.0.0.7",
    ],
    [
      "grants access to the document root, if only the root directory denies it",
      403,
      { lines: ["<Directory />\n    Require all denied\n</Directory>"], url: "/in/x.txt" },
      '<Directory "DOCROOT">;     Require ip 127.0.0.7',
    ],
    [
      "replaces a denial of all",
      403,
      { lines: ["<Location /in>\n    Require all denied\n</Location>"], url: "/in/x.txt" },
      "    Require ip 127.0.0.7",
    ],
    [
      "removes the address from a negated line",
      403,
      {
        lines: [
          "<Location /in>\n<RequireAll>\nRequire all granted\nRequire not ip 127.0.0.7 10.0.0.0/8\n</RequireAll>\n</Location>",
        ],
        url: "/in/x.txt",
        others: 200,
      },
      "Require not ip 10.0.0.0/8",
    ],
    [
      "adds a line after a container, for a client without a login",
      401,
      { lines: [`<Location /in>\n${bobAuthentication.join("\n")}\nRequire valid-user\n</Location>`], url: "/in/x.txt" },
      "Require ip 127.0.0.7",
    ],
    [
      "adds the user who logs in",
      401,
      {
        lines: [`<Location /in>\n${bobAuthentication.join("\n")}\nRequire user alice\n</Location>`],
        url: "/in/x.txt",
        user: "bob",
      },
      "Require user alice bob",
    ],
    [
      "keeps the login if only the address is denied",
      403,
      {
        lines: [
          `<Location /in>\n${bobAuthentication.join("\n")}\n<RequireAll>\nRequire valid-user\nRequire ip 10.0.0.0/8\n</RequireAll>\n</Location>`,
        ],
        url: "/in/x.txt",
        user: "bob",
      },
      "Require ip 10.0.0.0/8 127.0.0.7",
    ],
    [
      "adds the address to an Allow line",
      403,
      { lines: ["<Directory DOCROOT/in>\nOrder deny,allow\nDeny from all\n</Directory>"], url: "/in/x.txt" },
      "Allow from 127.0.0.7",
    ],
    [
      "removes the address from a Deny line",
      403,
      {
        lines: ["<Location /in>\nOrder allow,deny\nAllow from all\nDeny from 10.1.2.3 127.0.0.7\n</Location>"],
        url: "/in/x.txt",
        others: 200,
      },
      "Deny from 10.1.2.3",
    ],
    [
      "changes Deny and Require, if both deny",
      403,
      {
        lines: [
          "<Location /in>\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.0/8\nRequire ip 10.0.0.0/8\n</Location>",
        ],
        url: "/in/x.txt",
      },
      "Allow from 10.0.0.0/8 127.0.0.7; Require ip 10.0.0.0/8 127.0.0.7",
    ],
    [
      "excepts the address from a rule",
      403,
      {
        lines: [
          "RewriteEngine On",
          "RewriteCond %{REQUEST_URI} in [OR]",
          "RewriteCond %{REQUEST_URI} x",
          "RewriteRule . - [F]",
        ],
        url: "/in/x.txt",
      },
      "RewriteCond %{REMOTE_ADDR} !^127\\.0\\.0\\.7$",
    ],
    [
      "changes a .htaccess file",
      403,
      {
        lines: ["<Directory DOCROOT>\nAllowOverride All\n</Directory>"],
        url: "/in/x.txt",
        files: { "in/.htaccess": "<Limit GET>\n  Require ip 10.0.0.0/8\n</Limit>\n" },
      },
      "  Require ip 10.0.0.0/8 127.0.0.7",
    ],
    [
      "enables a listing",
      403,
      { lines: ["<Directory DOCROOT/empty>\nOptions -Indexes\n</Directory>"], url: "/empty/" },
      "Options +Indexes",
    ],
    [
      "allows a line of a .htaccess file",
      500,
      {
        lines: ["<Directory DOCROOT/in>\nAllowOverride AuthConfig\n</Directory>"],
        url: "/in/x.txt",
        files: { "in/.htaccess": "Options -Indexes\n" },
      },
      "AllowOverride AuthConfig Options",
    ],
  ])(
    "%s",
    async (_why, status, given, written) => {
      expect(await expectAllowed(status, given)).toBe(written);
    },
    60_000,
  );

  test("ends a loop", async () => {
    const lines = ["<Directory DOCROOT/in>\nRewriteEngine On\nRewriteRule ^(.*)$ s/$1 [L,NC]\n</Directory>"];
    const written = await expectAllowed(500, { lines, url: "/in/x.txt" }, 404);
    expect(written).toBe("RewriteRule ^(.*)$ s/$1 [NC,END]");
  }, 120_000);

  test.each<[why: string, lines: readonly string[], url: string, result: NoChange]>([
    ["access is granted", ["<Location /in>\nRequire all granted\n</Location>"], "/in/x.txt", "allowed"],
    [
      "a network is denied last",
      ["<Location /in>\nOrder allow,deny\nAllow from all\nDeny from 127.0.0.0/24\n</Location>"],
      "/in/x.txt",
      "none",
    ],
    ["a Redirect answers all clients", ["RedirectMatch 403 ^/in"], "/in/x.txt", "none"],
    [
      "a macro has the line for other sections, too",
      [
        "<Macro closed $p>\n<Location $p>\nRequire ip 10.0.0.0/8\n</Location>\n</Macro>\nUse closed /in\nUse closed /other",
      ],
      "/in/x.txt",
      "none",
    ],
  ])(
    "does not exist if %s",
    async (_why, lines, url, result) => {
      await withRunningHttpd(
        [...modules, "macro"],
        ["TypesConfig /dev/null", ...lines],
        async (running) => {
          const { status } = await running.ask({ path: url, headers: { Host: "x.test" }, from: client });
          expect(status).toBe(result === "allowed" ? 200 : 403);
          expect(changeFor(running, { url })).toBe(result);
        },
        files,
      );
    },
    60_000,
  );
});
