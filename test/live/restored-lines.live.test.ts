import { join } from "node:path";
import { expect, test } from "vitest";
import { runMigrate } from "../../src/apps/cli/commands/migrate.js";
import { type EditedFile, readEdited } from "../support/applied-edits.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, bobAuthentication, type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** Serves lines without effect, and what `migrate` makes of them with each choice. */

const modules = [
  ...["authn_core", "authn_file", "auth_basic", "authz_core", "authz_host", "authz_user", "setenvif", "env", "dir"],
  "remoteip",
];

function directory(path: string, ...lines: readonly string[]): readonly string[] {
  return [`<Directory "DOCROOT${path}">`, ...lines, "</Directory>"];
}

const lines = [
  ...["RemoteIPHeader Client-Ip", "RemoteIPInternalProxy 127.0.0.1"],
  ...['<Directory "/">', "AllowOverride None", "Require all denied", "</Directory>"],
  ...['<FilesMatch "^\\.ht">', "Require all denied", "</FilesMatch>"],
  ...directory("/site", "Order allow,deny", "Allow from all"),
  ...directory("/office", "Order deny,allow", "Deny from all", "Allow from 192.0.2.0/24"),
  ...directory("/own", "AllowOverride Limit"),
  ...directory("/list", "Require all granted", "Order Deny,Allow", "Allow from 192.0.2.1"),
  ...directory("/variable", "Require all granted", "SetEnvIf Pass . ok", "Allow from env=ok"),
  ...directory("/ban", "Require all granted", "Deny from 203.0.113.66", "Allow from all"),
  ...directory("/useless", "Require all granted", "Order allow,deny", "Deny from all", "Allow from 192.0.2.1"),
  ...directory("/closed", "Require all granted", "Order deny,allow", "Deny from all"),
  ...directory("/closed/login", ...bobAuthentication, "Require valid-user"),
  ...directory("/closed/press", "Require all granted"),
  ...directory("/nobody", "Require all granted", "Order deny,allow", "Deny from all", "Allow from None"),
  ...directory("/plain", "Require all granted", "Order allow,deny", "Allow from all", "Deny from 203.0.113.66"),
];

const files = {
  "own/.htaccess": "Order allow,deny\nAllow from all\n",
  ...Object.fromEntries(
    [
      "site",
      "office",
      "own",
      "list",
      "variable",
      "ban",
      "useless",
      "closed",
      "closed/login",
      "closed/press",
      "nobody",
      "plain",
    ].flatMap((folder) => [[`${folder}/a.txt`, "here\n"] as const, [`${folder}/.htpasswd`, "bob:x\n"] as const]),
  ),
};

const office = { "Client-Ip": "192.0.2.1" };
const banned = { "Client-Ip": "203.0.113.66" };
const anyone = { "Client-Ip": "198.51.100.9" };

/** The statuses now, and with the restored lines. */
const requests: readonly (readonly [path: string, headers: Record<string, string>, now: number, restored: number])[] = [
  ["/site/a.txt", anyone, 403, 200],
  ["/site/.htpasswd", anyone, 403, 403],
  ["/office/a.txt", office, 403, 200],
  ["/office/a.txt", anyone, 403, 403],
  ["/office/.htpasswd", office, 403, 403],
  ["/own/a.txt", anyone, 403, 200],
  ["/own/.htaccess", anyone, 403, 403],
  ["/list/a.txt", office, 200, 200],
  ["/list/a.txt", anyone, 200, 403],
  ["/variable/a.txt", { ...anyone, Pass: "yes" }, 200, 200],
  ["/variable/a.txt", anyone, 200, 403],
  ["/ban/a.txt", banned, 200, 403],
  ["/ban/a.txt", anyone, 200, 200],
  ["/useless/a.txt", office, 403, 200],
  ["/useless/a.txt", anyone, 403, 403],
  ["/useless/.htpasswd", office, 403, 403],
  ["/closed/a.txt", anyone, 403, 403],
  ["/closed/login/a.txt", anyone, 403, 401],
  ["/closed/login/a.txt", { ...anyone, ...asBob }, 403, 200],
  ["/closed/login/.htpasswd", { ...anyone, ...asBob }, 403, 403],
  ["/closed/press/a.txt", anyone, 403, 200],
  ["/nobody/a.txt", anyone, 403, 403],
  ["/plain/a.txt", banned, 403, 403],
  ["/plain/a.txt", anyone, 200, 200],
];

test.skipIf(!httpd)(
  liveTitle("restored lines have the effect that they were written for, and deleted ones none"),
  async () => {
    const migrated: Record<string, Served> = {};
    await withRunningHttpd(
      [...modules, "access_compat"],
      lines,
      async (running) => {
        expect(await statusesOf(running)).toEqual(requests.map(([path, , now]) => [path, now]));
        for (const choice of ["restore", "delete"] as const) migrated[choice] = migrate(running.folder, choice);
      },
      files,
    );
    for (const [choice, served] of Object.entries(migrated))
      await withRunningHttpd(
        modules,
        served.lines,
        async (running) => {
          const expected = requests.map(([path, , now, restored]) => [path, choice === "restore" ? restored : now]);
          expect(await statusesOf(running)).toEqual(expected);
        },
        { ...files, ...served.files },
      );
  },
  120_000,
);

async function statusesOf(running: RunningHttpd): Promise<readonly (readonly [string, number])[]> {
  const found: (readonly [string, number])[] = [];
  for (const [path, headers] of requests) found.push([path, (await running.ask({ path, headers })).status]);
  return found;
}

/** The lines of a main file after its head, and files in the DocumentRoot. */
interface Served {
  readonly lines: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** Migrates the configuration of a running server. */
function migrate(folder: string, ineffective: "restore" | "delete"): Served {
  const entry = join(folder, "httpd.conf");
  const { output, exitCode } = runMigrate({
    ...{ entry, from: "2.4", reading: "server", format: "json", write: false, undo: false },
    ...{ fixStart: false, ineffective, exitZero: false, colour: false, hyperlinks: false, width: undefined },
  });
  const json: { readonly files: readonly EditedFile[] } = JSON.parse([...output].join(""));
  expect(exitCode, [...output].join("")).toBe(0);
  const root = `${folder}/htdocs`;
  const main = json.files.find(({ path }) => path.endsWith("httpd.conf"));
  const [, body = ""] = (main ? readEdited(main) : "").split("Mutex posixsem\n");
  const htaccess = json.files.filter(({ path }) => path.endsWith(".htaccess"));
  return {
    lines: body.trimEnd().replaceAll(root, "DOCROOT").split("\n"),
    files: Object.fromEntries(
      htaccess.map((file) => [file.path.slice(file.path.indexOf("htdocs/") + 7), readEdited(file)]),
    ),
  };
}
