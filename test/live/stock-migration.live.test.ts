import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { runMigrate } from "../../src/apps/cli/commands/migrate.js";
import type { MigrateFlags } from "../../src/apps/cli/commands/migrate-flags.js";
import { loadServer } from "../../src/apps/cli/inputs/load-server.js";
import { readEnvvars } from "../../src/config/model/variables.js";
import { answer } from "../../src/server/answer.js";
import { type DecisionClass, decisionClassOf, type KnownDecisionClass } from "../../src/server/model/answer.js";
import { describeRequest, type Request } from "../../src/server/model/request.js";
import { type EditedFile, readEdited } from "../support/applied-edits.js";
import { upgrade } from "../support/apply-upgrade.js";
import { sampleOf } from "../support/depth.js";
import { httpd, liveTitle, loadModules, serverEnvironment } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { freePorts } from "../support/httpd/ports.js";
import { debian6, filesIn, install, rhel5, type StockServer, start } from "../support/httpd/stock-servers.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";

/** A request path, a client address and the result, optionally with the password of `bob`, or over TLS. */
type Row = readonly [path: string, clientIp: string, expected: KnownDecisionClass, more?: Partial<Request>];

interface MigratedStock {
  readonly server: StockServer;
  /** Files to serve in addition to the index. */
  readonly documents: readonly string[];
  readonly rows: readonly Row[];
}

const local = "127.0.0.1";
const remote = "203.0.113.7";
const bob = { user: "bob" } as const;
const tls = { scheme: "https" } as const;

/** A sample contains only the first, because its proof takes a quarter of the time of the second. */
const servers: readonly MigratedStock[] = [
  {
    server: debian6,
    documents: ["share/apache2/icons/a.gif", "lib/cgi-bin/other", "share/doc/x"].map((path) => `usr/${path}`),
    rows: [
      ["/", local, "allowed"],
      ["/", remote, "allowed"],
      ["/.htaccess", local, "403"],
      ["/icons/a.gif", remote, "allowed"],
      ["/icons/.ht", remote, "403"],
      ["/cgi-bin/run", remote, "allowed"],
      ["/doc/x", "127.9.9.9", "allowed"],
      ["/doc/x", "::1", "allowed"],
      ["/doc/x", remote, "403"],
      ["/server-status", local, "allowed"],
      ["/server-status", "::1", "allowed"],
      ["/server-status", "127.0.0.2", "403"],
      ["/server-status", remote, "403"],
      ["/", remote, "allowed", tls],
      ["/.ht", local, "403", tls],
      ["/server-status", remote, "403", tls],
    ],
  },
  {
    server: rhel5,
    documents: [
      ...["html/staff/index.html", "icons/a.gif", "cgi-bin/other", "error/x.html", "usage/index.html"],
      ...["manual/new/a.gif"],
    ].map((path) => `var/www/${path}`),
    rows: [
      ["/", local, "allowed"],
      ["/", remote, "allowed"],
      ["/.htpasswd", local, "403"],
      ["/staff/", local, "allowed"],
      ["/staff/", remote, "401"],
      ["/staff/", remote, "allowed", bob],
      ["/staff/.htaccess", local, "401"],
      ["/staff/.htaccess", remote, "allowed", bob],
      ["/icons/a.gif", remote, "allowed"],
      ["/icons/.ht", remote, "403"],
      ["/cgi-bin/run", remote, "allowed"],
      ["/cgi-bin/.ht", remote, "403"],
      ["/error/x.html", remote, "allowed"],
      ["/error/.ht", remote, "403"],
      ["/server-status", local, "allowed"],
      ["/server-status", remote, "403"],
      ["/usage/", local, "allowed"],
      ["/usage/", "::1", "allowed"],
      ["/usage/", remote, "403"],
      ["/usage/.ht", local, "allowed"],
      ["/apps/x", remote, "allowed"],
      ["/manual/", remote, "allowed"],
      ["/manual/de/new/a.gif", remote, "allowed"],
      ["/manual/fr/.htaccess", remote, "403"],
      ["/manual/de/en/", remote, "allowed"],
      ["/old/x", remote, "allowed"],
      ["/", remote, "allowed", tls],
      ["/staff/", remote, "401", tls],
      ["/.ht", remote, "403", tls],
    ],
  },
];

describe.skipIf(!httpd)(
  liveTitle("a migrated stock 2.2 configuration returns the answers of 2.2 on the live 2.4 without mod_access_compat"),
  () => {
    test.each(sampleOf(servers, 2).map((stock) => [stock.server.name, stock] as const))(
      "%s",
      { timeout: 120_000 },
      async (_, stock) => {
        await whileInScratchFolder(async (root) => {
          await migrateAndSend(stock, root);
        });
      },
    );
  },
);

describe.skipIf(!httpd)(
  liveTitle("`migrate --write --fix-start` turns a stock 2.2 configuration into one that the installed 2.4 accepts"),
  () => {
    test.each(sampleOf(servers, 2).map((stock) => [stock.server.name, stock] as const))(
      "%s",
      { timeout: 120_000 },
      async (_, stock) => {
        await whileInScratchFolder(async (root) => {
          install(stock.server, root, await freePorts());
          prepare(stock, root);
          const entry = join(root, stock.server.entry);
          const isOfServer = (path: string) => !path.includes("/.httpd-lint/");
          const texts = () =>
            filesIn(join(root, "etc"))
              .filter(isOfServer)
              .map((path) => readFileSync(path, "latin1"));
          const originals = texts();
          const withoutFlag = runMigrate({ ...flags, entry, verifyWithHttpd: "" });
          expect(withoutFlag.exitCode, "without the flag it does not start").toBe(1);
          expect(withoutFlag.notes.join("\n")).toContain("authz_default_module` does not exist in 2.4");
          expect(texts()).toEqual(originals);
          enableModules(runMigrate({ ...flags, entry, fixStart: true }).notes, entry);
          const written = runMigrate({ ...flags, entry, fixStart: true, write: true, verifyWithHttpd: "" });
          expect([
            written.exitCode,
            written.notes.filter((note) => note.includes(" -t` accepts the new contents")),
          ]).toEqual([0, [expect.anything()]]);
          expect(texts().filter((text) => /^\s*(?:Order|SSLMutex|LockFile|RewriteLock)\s/im.test(text))).toEqual([]);
        });
      },
    );
  },
);

const flags: Omit<MigrateFlags, "entry"> = {
  // rhel5 has a `Satisfy any` that only variables preserve for files that another section denies.
  allowVariables: true,
  from: "2.2",
  reading: "server",
  format: "diff",
  write: false,
  fixStart: false,
  undo: false,
  exitZero: false,
  colour: false,
  hyperlinks: false,
  width: undefined,
};

/** Enables the modules of the `a2enmod` command in the notes. */
function enableModules(notes: readonly string[], entry: string): void {
  for (const name of notes.flatMap((note) => /`a2enmod ([^`]*)`/.exec(note)?.[1]?.split(" ") ?? []))
    writeFileSync(join(dirname(entry), "mods-enabled", `${name}.load`), loadModules([name]));
}

async function migrateAndSend(stock: MigratedStock, root: string): Promise<void> {
  const { server, rows } = stock;
  const [http, https] = await freePorts();
  install(server, root, [http, https]);
  prepare(stock, root);
  const entry = join(root, server.entry);
  writeFileSync(join(dirname(entry), "users"), "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
  const requests = rows.map(([path, clientIp, , more]): Request => {
    const port = more?.scheme === "https" ? https : http;
    return { method: "GET", path, clientIp, host: "x.test", port, ...more };
  });
  const expected = rows.map(([, , each]) => each);
  expect(describeAnswers(requests, decisionsOf22(entry, requests))).toEqual(describeAnswers(requests, expected));

  migrateToRequire(entry);
  const environment = server.envvars ? readEnvvars(readFileSync(join(root, server.envvars), "latin1")) : new Map();
  expect(upgrade(entry, environment).remaining).toEqual([]);
  expect(filesIn(join(root, "etc")).filter(loadsAccessCompat)).toEqual([]);

  changeFile(entry, (text) => `${text}\n${loadModules(["remoteip"])}${fromAnywhere}`);
  const answers: KnownDecisionClass[] = [];
  const result = await start(entry, http, { ...serverEnvironment, ...Object.fromEntries(environment) }, async () => {
    for (const request of requests) answers.push(decisionClassOf(await answerTo(request)));
  });
  expect(result).toEqual({ status: 200, output: "" });
  expect(describeAnswers(requests, answers)).toEqual(describeAnswers(requests, expected));
}

function prepare({ documents }: MigratedStock, root: string): void {
  for (const path of filesIn(join(root, "etc")))
    changeFile(path, (text) => text.replace(/\/usr\/(?=share\/|lib\/cgi-bin)/g, `${root}$&`));
  for (const path of documents) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "here\n");
  }
}

function changeFile(path: string, by: (text: string) => string): void {
  writeFileSync(path, by(readFileSync(path, "latin1")), "latin1");
}

function describeAnswers(requests: readonly Request[], answers: readonly DecisionClass[]): readonly string[] {
  return requests.map((request, index) => `${describeRequest(request)}: ${answers[index]}`);
}

/** Returns the decisions of 2.2 for the original lines. */
function decisionsOf22(entry: string, requests: readonly Request[]): readonly DecisionClass[] {
  const loaded = loadServer({ entry, release: "2.2", files: "disk" });
  if (!loaded.ok) throw new Error(loaded.error.notes.join("\n"));
  const { project, files } = loaded.value;
  return requests.map((request) => answer(project, request, { files }).class);
}

/** Writes the command's output to the files. */
function migrateToRequire(entry: string): void {
  const { output, notes } = runMigrate({ ...flags, entry, format: "json" });
  const { files }: { files: readonly EditedFile[] } = JSON.parse([...output].join(""));
  expect(files.length, notes.join("\n")).toBeGreaterThan(0);
  for (const file of files) writeFileSync(resolve(file.path), readEdited(file), "latin1");
}

function loadsAccessCompat(path: string): boolean {
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
