import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { runMigrate } from "../../src/apps/cli/commands/migrate.js";
import { loadServer } from "../../src/apps/cli/inputs/load-server.js";
import { answer } from "../../src/server/answer.js";
import { decisionClassOf } from "../../src/server/model/answer.js";
import { describeRequest, type Request } from "../../src/server/model/request.js";
import { type EditedFile, readEdited } from "../support/applied-edits.js";
import { sampleOf } from "../support/depth.js";
import { httpd, liveTitle, moduleFolder, serverEnvironment } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { freePorts } from "../support/httpd/ports.js";
import { filesIn, start } from "../support/httpd/stock-servers.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";

/** Runs a half-migrated server after its migration, and compares its answers with those of the original. */

const entryPath = "etc/httpd/conf/httpd.conf";

const documents = [
  ...["www/index.html", "www/a.bak", "www/staff/a", "www/staff/personnel/a", "www/staff/personnel/archive/a"],
  ...["www/staff/canteen/a", "www/staff/canteen/.htaccess", "www/staff/tools/a", "www/staff/tools/admin.cgi"],
  ...["www/staff/tools/setup.cgi", "projects/a", "projects/alpha/a", "projects/alpha/release/a", "projects/beta/a"],
  ...["projects/beta/a.key", "projects/beta/.htpasswd", "projects/beta/upload/a", "partners/a", "partners/north/a"],
  ...["partners/south/a", "partners/south/prices.csv", "partners/public/a", "partners/public/.ht"],
];

const paths = [
  ...documents.map((path) => `/${path.replace(/^www\//, "")}`),
  ...["/server-status", "/server-status/a.bak", "/server-info", "/partners/south/status"],
];

const clients = [
  ...["127.0.0.1", "203.0.113.7", "198.51.100.9", "192.0.2.3", "10.1.0.1", "10.2.0.1", "10.3.0.1", "10.3.4.1"],
  "10.7.0.1",
];

const users = [undefined, "alice", "admin", "director"] as const;

/** All passwords are `secret`. */
const accounts = ["alice", "admin", "director"].map((name) => `${name}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join("");

describe.skipIf(!httpd)(
  liveTitle("a half-migrated server returns the same answers after its migration, except for the listed differences"),
  () => {
    test("all of which are stricter", { timeout: 300_000 }, async () => {
      await whileInScratchFolder(async (root) => {
        const [port] = await freePorts();
        const entry = install(root, port);
        const allRequests = paths.flatMap((path) =>
          clients.flatMap((clientIp) =>
            users.map(
              (user): Request => ({
                ...{ method: "GET", path, clientIp, host: "intranet.example.com", port },
                ...(user === undefined ? {} : { user, ...(user === "alice" ? { groups: ["personnel"] } : {}) }),
              }),
            ),
          ),
        );
        const requests = sampleOf(allRequests, 5);
        const loaded = loadServer({ entry, release: "2.4", files: "disk" });
        if (!loaded.ok) throw new Error(loaded.error.notes.join("\n"));
        const before = requests.map(
          (request) => answer(loaded.value.project, request, { files: loaded.value.files }).class,
        );
        const { listed, pages } = migrate(entry);
        changeFile(entry, (text) => text.replace(/^LoadModule access_compat_module .*$/m, remoteIp));
        const changed: string[] = [];
        const result = await start(entry, port, serverEnvironment, async () => {
          for (const [index, request] of requests.entries()) {
            const after = decisionClassOf(await answerTo(request));
            if (after === before[index]) continue;
            if (pages.some((path) => request.path.startsWith(path)) && after === "allowed") continue;
            changed.push(`${before[index]} ${after}`);
            expect(listed, describeRequest(request)).toContain(`${before[index]} ${after}`);
            expect(after, describeRequest(request)).not.toBe("allowed");
          }
        });
        expect(result).toEqual({ status: 200, output: "" });
        expect(changed).not.toEqual([]);
      });
    });
  },
);

/** The client address is taken from the request header. */
const remoteIp = [
  "LoadModule remoteip_module modules/mod_remoteip.so",
  "RemoteIPHeader Client-Ip",
  "RemoteIPInternalProxy 127.0.0.1",
].join("\n");

/** User ID that the server may switch to: that of the test process, or nobody's. */
const userId = process.getuid?.() === 0 ? 65534 : process.getuid?.();

function install(root: string, port: number): string {
  cpSync("test/fixtures/migrations/half-way", root, { recursive: true });
  for (const path of filesIn(root))
    changeFile(path, (text) =>
      text
        .replace(/(?<=")\/(?=(?:etc|srv)\/)/g, `${root}/`)
        // Some modules are built in.
        .replace(/^LoadModule \S+ modules\/(\S+)\n/gm, (line, file) =>
          existsSync(join(moduleFolder, file)) ? line : "",
        )
        .replace(/^Listen 80$/m, `Listen 127.0.0.1:${port}`)
        .replace(/^(User|Group) apache$/gm, `$1 #${userId}`),
    );
  for (const path of documents) {
    mkdirSync(join(root, "srv", path, ".."), { recursive: true });
    writeFileSync(join(root, "srv", path), "here\n");
  }
  mkdirSync(join(root, "etc/httpd/run"));
  mkdirSync(join(root, "etc/httpd/logs"));
  symlinkSync(moduleFolder, join(root, "etc/httpd/modules"));
  for (const name of ["users", "partners"]) writeFileSync(join(root, "etc/httpd", name), accounts);
  writeFileSync(join(root, "etc/httpd/groups"), "personnel: alice\n");
  writeFileSync(join(root, "etc/httpd/mime.types"), "text/html html\n");
  chmodSync(root, 0o755);
  return join(root, entryPath);
}

/** Writes the accepted migration. @returns the changes of answers that it lists, and the paths of its pages */
function migrate(entry: string): { readonly listed: readonly string[]; readonly pages: readonly string[] } {
  const { output, notes } = runMigrate({
    ...{ entry, from: "2.4", reading: "server", format: "json", accept: ["stricter"], write: false, fixStart: false },
    ...{
      ineffective: "delete" as const,
      undo: false,
      exitZero: false,
      colour: false,
      hyperlinks: false,
      width: undefined,
    },
  });
  const result: Migrated = JSON.parse([...output].join(""));
  expect(result.verdict, notes.join("\n")).toBe("proved");
  for (const file of result.files) writeFileSync(resolve(file.path), readEdited(file), "latin1");
  const listed = result.accepted.map(({ difference: { before, after } }) => `${before.class} ${after.class}`);
  return { listed, pages: (result.samePage ?? []).map(({ request }) => request.path.replace(/\/[^/]*$/, "/")) };
}

interface Migrated {
  readonly verdict: string;
  readonly files: readonly EditedFile[];
  readonly accepted: readonly {
    readonly difference: Readonly<Record<"before" | "after", { readonly class: string }>>;
  }[];
  readonly samePage?: readonly { readonly request: { readonly path: string } }[];
}

function changeFile(path: string, by: (text: string) => string): void {
  writeFileSync(path, by(readFileSync(path, "latin1")), "latin1");
}

function answerTo({ path, clientIp, host = "", port = 0, user }: Request): Promise<number> {
  const authorization = user === undefined ? {} : { Authorization: `Basic ${btoa(`${user}:secret`)}` };
  return statusOf({ port, path, headers: { Host: host, "Client-Ip": clientIp, ...authorization } });
}
