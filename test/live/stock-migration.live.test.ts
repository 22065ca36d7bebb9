import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { runMigrate } from "../../src/cli/commands/migrate.js";
import type { MigrateFlags } from "../../src/cli/commands/migrate-flags.js";
import { loadServer } from "../../src/cli/inputs/load-server.js";
import { describeRequest, type Request } from "../../src/httpd/model/request.js";
import { readEnvvars } from "../../src/project/model/variables.js";
import { decide } from "../../src/simulate/decide.js";
import { type DecisionClass, decisionClassOf, type KnownDecisionClass } from "../../src/simulate/model/decision.js";
import { fromReadable } from "../../src/text/source.js";
import { upgrade } from "../support/apply-upgrade.js";
import { sampleOf } from "../support/depth.js";
import { httpd, liveTitle, loadModules, serverEnvironment } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { freePorts } from "../support/httpd/ports.js";
import { debian6, filesIn, install, rhel5, type StockServer, start } from "../support/httpd/stock-servers.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";

/** A request path, a client address and the result, optionally with the password of `bob`, or over TLS. */
type Row = readonly [path: string, clientIp: string, expected: KnownDecisionClass, more?: Partial<Request>];

interface Moved {
  readonly server: StockServer;
  /** Files to serve beside the index. */
  readonly documents: readonly string[];
  readonly rows: readonly Row[];
}

const here = "127.0.0.1";
const far = "203.0.113.7";
const bob = { user: "bob" } as const;
const tls = { scheme: "https" } as const;

/** A sample has only the first, which is proved in a quarter of the time. */
const servers: readonly Moved[] = [
  {
    server: debian6,
    documents: ["share/apache2/icons/a.gif", "lib/cgi-bin/other", "share/doc/x"].map((path) => `usr/${path}`),
    rows: [
      ["/", here, "allowed"],
      ["/", far, "allowed"],
      ["/.htaccess", here, "403"],
      ["/icons/a.gif", far, "allowed"],
      ["/icons/.ht", far, "403"],
      ["/cgi-bin/run", far, "allowed"],
      ["/doc/x", "127.9.9.9", "allowed"],
      ["/doc/x", "::1", "allowed"],
      ["/doc/x", far, "403"],
      ["/server-status", here, "allowed"],
      ["/server-status", "::1", "allowed"],
      ["/server-status", "127.0.0.2", "403"],
      ["/server-status", far, "403"],
      ["/", far, "allowed", tls],
      ["/.ht", here, "403", tls],
      ["/server-status", far, "403", tls],
    ],
  },
  {
    server: rhel5,
    documents: [
      ...["html/staff/index.html", "icons/a.gif", "cgi-bin/other", "error/x.html", "usage/index.html"],
      ...["manual/new/a.gif"],
    ].map((path) => `var/www/${path}`),
    rows: [
      ["/", here, "allowed"],
      ["/", far, "allowed"],
      ["/.htpasswd", here, "403"],
      ["/staff/", here, "allowed"],
      ["/staff/", far, "401"],
      ["/staff/", far, "allowed", bob],
      ["/staff/.htaccess", here, "401"],
      ["/staff/.htaccess", far, "allowed", bob],
      ["/icons/a.gif", far, "allowed"],
      ["/icons/.ht", far, "403"],
      ["/cgi-bin/run", far, "allowed"],
      ["/cgi-bin/.ht", far, "403"],
      ["/error/x.html", far, "allowed"],
      ["/error/.ht", far, "403"],
      ["/server-status", here, "allowed"],
      ["/server-status", far, "403"],
      ["/usage/", here, "allowed"],
      ["/usage/", "::1", "allowed"],
      ["/usage/", far, "403"],
      ["/usage/.ht", here, "allowed"],
      ["/apps/x", far, "allowed"],
      ["/manual/", far, "allowed"],
      ["/manual/de/new/a.gif", far, "allowed"],
      ["/manual/fr/.htaccess", far, "403"],
      ["/manual/de/en/", far, "allowed"],
      ["/old/x", far, "allowed"],
      ["/", far, "allowed", tls],
      ["/staff/", far, "401", tls],
      ["/.ht", far, "403", tls],
    ],
  },
];

describe.skipIf(!httpd)(
  liveTitle(
    "a stock 2.2 configuration moved to Require answers on the live 2.4 without mod_access_compat as under 2.2",
  ),
  () => {
    test.each(sampleOf(servers, 2).map((moved) => [moved.server.name, moved] as const))(
      "%s",
      { timeout: 120_000 },
      async (_, moved) => {
        await whileInScratchFolder(async (root) => {
          await moveAndAsk(moved, root);
        });
      },
    );
  },
);

describe.skipIf(!httpd)(
  liveTitle("migrate --write --fix-start changes a stock 2.2 configuration to one that the installed 2.4 accepts"),
  () => {
    test.each(sampleOf(servers, 2).map((moved) => [moved.server.name, moved] as const))(
      "%s",
      { timeout: 120_000 },
      async (_, moved) => {
        await whileInScratchFolder(async (root) => {
          install(moved.server, root, await freePorts());
          prepare(moved, root);
          const entry = join(root, moved.server.entry);
          const isOfServer = (path: string) => !path.includes("/.httpd-lint/");
          const texts = () =>
            filesIn(join(root, "etc"))
              .filter(isOfServer)
              .map((path) => readFileSync(path, "latin1"));
          const old = texts();
          const alone = runMigrate({ ...asked, entry, verifyWithHttpd: "" });
          expect(alone.exitCode, "without the flag it does not start").toBe(1);
          expect(alone.notes.join("\n")).toContain("authz_default_module` does not exist in 2.4");
          expect(texts()).toEqual(old);
          enable(runMigrate({ ...asked, entry, fixStart: true }).notes, entry);
          const ran = runMigrate({ ...asked, entry, fixStart: true, write: true, verifyWithHttpd: "" });
          expect([ran.exitCode, ran.notes.filter((note) => note.includes(" -t` accepts the new contents"))]).toEqual([
            0,
            [expect.anything()],
          ]);
          expect(texts().filter((text) => /^\s*(?:Order|SSLMutex|LockFile|RewriteLock)\s/im.test(text))).toEqual([]);
        });
      },
    );
  },
);

const asked: Omit<MigrateFlags, "entry"> = {
  // rhel5 has a `Satisfy any` that only variables preserve for files that another section denies.
  allowVariables: true,
  from: "2.2",
  reading: "server",
  format: "diff",
  write: false,
  fixStart: false,
  recover: false,
  undo: false,
  exitZero: false,
  colour: false,
  hyperlinks: false,
  width: undefined,
};

/** Runs the a2enmod command of a note. */
function enable(notes: readonly string[], entry: string): void {
  for (const name of notes.flatMap((note) => /`a2enmod ([^`]*)`/.exec(note)?.[1]?.split(" ") ?? []))
    writeFileSync(join(dirname(entry), "mods-enabled", `${name}.load`), loadModules([name]));
}

async function moveAndAsk(moved: Moved, root: string): Promise<void> {
  const { server, rows } = moved;
  const [http, https] = await freePorts();
  install(server, root, [http, https]);
  prepare(moved, root);
  const entry = join(root, server.entry);
  writeFileSync(join(dirname(entry), "users"), "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
  const requests = rows.map(([path, clientIp, , more]): Request => {
    const port = more?.scheme === "https" ? https : http;
    return { method: "GET", path, clientIp, host: "x.test", port, ...more };
  });
  const expected = rows.map(([, , each]) => each);
  expect(said(requests, decidedBy(entry, requests))).toEqual(said(requests, expected));

  moveToRequire(entry);
  const environment = server.envvars ? readEnvvars(readFileSync(join(root, server.envvars), "latin1")) : new Map();
  expect(upgrade(entry, environment).left).toEqual([]);
  expect(filesIn(join(root, "etc")).filter(loadsOldAccess)).toEqual([]);

  change(entry, (text) => `${text}\n${loadModules(["remoteip"])}${fromAnywhere}`);
  const answers: KnownDecisionClass[] = [];
  const ran = await start(entry, http, { ...serverEnvironment, ...Object.fromEntries(environment) }, async () => {
    for (const request of requests) answers.push(decisionClassOf(await answerTo(request)));
  });
  expect(ran).toEqual({ status: 200, said: "" });
  expect(said(requests, answers)).toEqual(said(requests, expected));
}

function prepare({ documents }: Moved, root: string): void {
  for (const path of filesIn(join(root, "etc")))
    change(path, (text) => text.replace(/\/usr\/(?=share\/|lib\/cgi-bin)/g, `${root}$&`));
  for (const path of documents) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "here\n");
  }
}

function change(path: string, by: (text: string) => string): void {
  writeFileSync(path, by(readFileSync(path, "latin1")), "latin1");
}

function said(requests: readonly Request[], answers: readonly DecisionClass[]): readonly string[] {
  return requests.map((request, index) => `${describeRequest(request)}: ${answers[index]}`);
}

/** Returns 2.2's decisions with the original lines. */
function decidedBy(entry: string, requests: readonly Request[]): readonly DecisionClass[] {
  const loaded = loadServer({ entry, release: "2.2", files: "disk" });
  if ("failed" in loaded) throw new Error(loaded.failed.notes.join("\n"));
  const { project, files } = loaded;
  return requests.map((request) => decide(project, request, { files }).class);
}

/** Writes the command's output to the files. */
function moveToRequire(entry: string): void {
  const { output, notes } = runMigrate({ ...asked, entry, format: "json" });
  const { files }: { files: readonly { readonly path: string; readonly text: string }[] } = JSON.parse(
    [...output].join(""),
  );
  expect(files.length, notes.join("\n")).toBeGreaterThan(0);
  for (const { path, text } of files) writeFileSync(resolve(path), fromReadable(text), "latin1");
}

function loadsOldAccess(path: string): boolean {
  return /^\s*LoadModule\s+access_compat_module/im.test(readFileSync(path, "latin1"));
}

/** The client address is taken from the request header. */
const fromAnywhere = "RemoteIPHeader Client-Ip\nRemoteIPInternalProxy 127.0.0.1\n";

function answerTo({ path, clientIp, host = "", port = 0, scheme, user }: Request): Promise<number> {
  const authorization = user === undefined ? {} : { Authorization: `Basic ${btoa(`${user}:secret`)}` };
  const headers = { Host: host, "Client-Ip": clientIp, ...authorization };
  return scheme === "https"
    ? statusOf({ port, path, headers, rejectUnauthorized: false }, httpsRequest)
    : statusOf({ port, path, headers });
}
