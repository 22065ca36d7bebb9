import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle, loadModules, runHttpd } from "../support/httpd/httpd.js";
import { statusOf } from "../support/httpd/live-requests.js";
import { freePorts, portOf } from "../support/httpd/ports.js";
import { type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { inScratchFolder, whileInScratchFolder } from "../support/programs/scratch-folder.js";

/** Returns the findings of one rule in a main file on the disk, as the underlined texts. */
function findingsIn(entry: string, rule: string): readonly string[] {
  const loaded = loadProject(entry, { kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const rules = defaultRules.filter(({ id }) => id === rule);
  const { findings } = lintWithoutProofs(loaded.value, { rules });
  return findings.map(({ span: { file, start, end } }) => file.text.slice(start, end));
}

/** Writes a main file below `conf`. FOLDER is its ServerRoot, which contains a directory `www/existing`. */
function writeMain(folder: string, modules: readonly string[], lines: readonly string[]): string {
  mkdirSync(join(folder, "conf"), { recursive: true });
  mkdirSync(join(folder, "www/existing"), { recursive: true });
  const entry = join(folder, "conf/httpd.conf");
  const head = `${loadModules(["mpm_event", "authz_core", ...modules])}ServerRoot "${folder}"\nErrorLog error.log\nPidFile pid\n`;
  writeFileSync(entry, `${head}${lines.join("\n")}\n`.replaceAll("FOLDER", folder));
  return entry;
}

interface WarningCase {
  readonly rule: string;
  readonly modules?: readonly string[];
  /** Lines that httpd warns about or rejects, and similar lines that it accepts. */
  readonly bad: readonly string[];
  readonly good: readonly string[];
  /** The message of httpd about the bad lines. */
  readonly printed: string;
  readonly isRejected?: true;
}

const named = ["ServerName x.test", "Listen 127.0.0.1:1"];
const overrideList = (names: string) => ["<Directory /srv>", `AllowOverrideList ${names}`, "</Directory>"];
const hostWith = (...lines: readonly string[]) => ["<VirtualHost *:1>", ...lines, "</VirtualHost>"];

const warnings: readonly WarningCase[] = [
  {
    rule: "missing-document-root",
    bad: [...named, "DocumentRoot FOLDER/www/missing"],
    good: [...named, "DocumentRoot FOLDER/www/existing"],
    printed: "is not a directory, or is not readable",
    isRejected: true,
  },
  {
    rule: "missing-document-root",
    bad: [...named, ...hostWith("DocumentRoot FOLDER/www/missing")],
    good: [...named, ...hostWith("DocumentRoot FOLDER/www/existing")],
    printed: "AH00112",
  },
  {
    rule: "refused-at-start",
    bad: [...named, "User root"],
    good: [...named, "User www-data"],
    printed: "Apache has not been designed to serve pages while",
    isRejected: true,
  },
  {
    rule: "shadowed-line",
    modules: ["alias"],
    bad: [...named, "Alias /a /srv/a", "Alias /a/b /srv/b"],
    good: [...named, "Alias /a/b /srv/b", "Alias /a /srv/a"],
    printed: "AH00671",
  },
  {
    rule: "shadowed-line",
    modules: ["alias"],
    bad: [...named, "AliasMatch ^/a/ /srv/a", "ScriptAlias /a/b /srv/b"],
    good: [...named, "AliasMatch ^/a$ /srv/a", "ScriptAlias /a/b /srv/b"],
    printed: "AH00671",
  },
  {
    rule: "missing-server-name",
    bad: ["Listen 127.0.0.1:1", ...hostWith("ServerName a.test")],
    good: ["ServerName x.test", "Listen 127.0.0.1:1", ...hostWith("ServerName a.test")],
    printed: "AH00558",
  },
  {
    rule: "warned-at-start",
    bad: [...named, "ErrorDocument 401 http://x.test/"],
    good: [...named, "ErrorDocument 401 /login.html"],
    printed: "AH00113",
  },
  {
    rule: "warned-at-start",
    bad: [...named, ...overrideList("Redirekt")],
    good: [...named, ...overrideList("Require")],
    printed: "AH00116",
  },
  {
    rule: "warned-at-start",
    bad: [...named, ...overrideList("Require Listen")],
    good: [...named, ...overrideList("Require AllowOverride")],
    printed: "AH02304",
  },
  {
    rule: "warned-at-start",
    modules: ["alias"],
    bad: [...named, ...loadModules(["alias"]).trim().split("\n")],
    good: [...named, ...loadModules(["env"]).trim().split("\n")],
    printed: "AH01574",
  },
  ...(["AH00119 3", "AH00120 10 3"] as const).map((row) => ({
    rule: "warned-at-start",
    bad: [...named, `LimitInternalRecursion ${row.slice(8)}`],
    good: [...named, "LimitInternalRecursion 4 4"],
    printed: row.slice(0, 7),
  })),
  {
    rule: "warned-at-start",
    modules: ["proxy", "proxy_http"],
    bad: [...named, "ProxyPass /a http://b.test/", "ProxyPass /c http://B.test/c timeout=5"],
    good: [...named, "ProxyPass /c http://b.test/c timeout=5", "ProxyPass /a http://b.test/"],
    printed: "AH01146",
  },
  ...(
    [
      ["AH00511", ["MaxRequestWorkers 10"]],
      ["AH00513", ["MaxRequestWorkers 110"]],
      ["AH00515", ["MaxRequestWorkers 1000"]],
      ["AH00515", ["ServerLimit 4"]],
      ["AH00507", ["ThreadsPerChild 200", "MaxRequestWorkers 640"]],
    ] as const
  ).map(([printed, lines]) => ({
    rule: "warned-at-start",
    bad: [...named, ...lines],
    good: [...named, "ServerLimit 40", "ThreadsPerChild 25", "MaxRequestWorkers 1000"],
    printed,
  })),
];

describe.skipIf(!httpd)(liveTitle("messages of the server in a configuration test"), () => {
  test.each(warnings.map((each) => [each.rule, each.printed, each] as const))("%s: %s", (rule, printed, each) => {
    const { modules = [], bad, good, isRejected = false } = each;
    const observe = (lines: readonly string[]) =>
      inScratchFolder((folder) => {
        const entry = writeMain(folder, modules, lines);
        const { status, stderr } = runHttpd(entry);
        return { accepts: status === 0, warns: stderr.includes(printed), reports: findingsIn(entry, rule).length };
      });
    expect(observe(bad)).toEqual({ accepts: !isRejected, warns: true, reports: 1 });
    expect(observe(good)).toEqual({ accepts: true, warns: false, reports: 0 });
  });
});

/** Starts a server that is expected to stop at once. @returns whether it does, and its messages */
function start(entry: string, folder: string): { readonly fails: boolean; readonly messages: string } {
  const { status, stderr } = spawnSync(httpd ?? "apache2", ["-X", "-f", entry], {
    encoding: "latin1",
    timeout: 20_000,
  });
  const log = readFileSync(join(folder, "error.log"), { encoding: "latin1", flag: "a+" });
  return { fails: status !== null && status !== 0, messages: stderr + log };
}

/** Starts a server and stops it. @returns whether it answered on a port of `127.0.0.1` or `::1` */
async function canRun(entry: string, port: number): Promise<boolean> {
  const server = spawn(httpd ?? "apache2", ["-X", "-f", entry], { stdio: "ignore" });
  const ended = once(server, "exit");
  const answers = (host: string) =>
    statusOf({ host, port }).then(
      () => true,
      () => false,
    );
  let isUp = false;
  while (!isUp && server.exitCode === null) {
    await sleep(10);
    isUp = (await answers("127.0.0.1")) || (await answers("::1"));
  }
  server.kill("SIGKILL");
  await ended;
  return isUp;
}

describe.skipIf(!httpd)(liveTitle("a start that fails after a successful configuration test"), () => {
  const tls = ["SSLEngine on", "SSLCertificateFile FOLDER/x.pem", "SSLCertificateKeyFile FOLDER/x.key"];
  const shared = ["ServerName x.test", "Mutex posixsem"];

  test.each([
    ["AH00072", [], ["Listen PORT", "Listen 127.0.0.1:PORT"], ["Listen [::]:PORT", "Listen 0.0.0.0:PORT"]],
    ["AH00072", [], ["Listen PORT", "Listen [::1]:PORT"], ["Listen [::1]:PORT", "Listen PORT"]],
    ["AH00072", [], ["Listen *:PORT", "Listen [::1]:PORT"], ["Listen [::1]:PORT", "Listen *:PORT"]],
    ["AH00072", [], ["Listen 127.0.0.1:PORT", "Listen *:PORT"], ["Listen 127.0.0.1:PORT", "Listen 127.0.0.2:PORT"]],
    ["AH00072", [], ["Listen 0.0.0.0:PORT", "Listen 127.0.0.1:PORT"], ["Listen 0.0.0.0:PORT"]],
    ["AH02572", ["ssl"], ["Listen 127.0.0.1:PORT", "SSLEngine on"], ["Listen 127.0.0.1:PORT", ...tls]],
    [
      "AH01958",
      ["ssl", "socache_shmcb"],
      ["Listen 127.0.0.1:PORT", ...tls, "SSLUseStapling on"],
      ["Listen 127.0.0.1:PORT", ...tls, "SSLUseStapling on", "SSLStaplingCache shmcb:FOLDER/stapling(65536)"],
    ],
  ] as const)("%s %j %j", { timeout: 60_000 }, async (number, modules, bad, good) => {
    const [port] = await freePorts();
    await whileInScratchFolder(async (folder) => {
      if (number !== "AH00072") makeCertificate(join(folder, "x.key"), join(folder, "x.pem"));
      const write = (lines: readonly string[]) =>
        writeMain(
          folder,
          modules,
          [...shared, ...lines].map((line) => line.replaceAll("PORT", `${port}`)),
        );
      const rejected = write(bad);
      expect(runHttpd(rejected).status).toBe(0);
      const { fails, messages } = start(rejected, folder);
      expect({ fails, isReported: messages.includes(number) }).toEqual({ fails: true, isReported: true });
      expect(findingsIn(rejected, "fails-after-configtest")).toHaveLength(1);
      const accepted = write(good);
      expect(await canRun(accepted, port)).toBe(true);
      expect(findingsIn(accepted, "fails-after-configtest")).toEqual([]);
    });
  });
});

describe.skipIf(!httpd)(liveTitle("lines that the server accepts silently"), () => {
  const findingsOn = ({ folder }: RunningHttpd, rule: string) => findingsIn(join(folder, "httpd.conf"), rule);
  const statusOf = async ({ ask }: RunningHttpd, path: string, host = "x.test") =>
    (await ask({ path, headers: { Host: host } })).status;
  const hostWithStatus = (address: string, name: string, status: number) => [
    `<VirtualHost ${address}>`,
    ...name.split(" ").map((each, index) => `${index === 0 ? "ServerName" : "ServerAlias"} ${each}`),
    `Redirect ${status} /`,
    "</VirtualHost>",
  ];

  test.each([
    ["a Redirect", ["Redirect 410 /a", "Redirect 404 /a/b"], ["Redirect 404 /a/b", "Redirect 410 /a"]],
    ["an Alias", ["Redirect 410 /a", "Alias /a/b DOCROOT/index.html"], ["Alias /a/b DOCROOT/index.html"]],
  ])("shadowed-line: %s", async (_, bad, good) => {
    const files = { "index.html": "" };
    const observe = async (lines: readonly string[]) => {
      const seen: (number | readonly string[])[] = [];
      const run = async (server: RunningHttpd) => {
        seen.push(
          await statusOf(server, "/a/b"),
          findingsOn(server, "shadowed-line").map(() => "reported"),
        );
      };
      await withRunningHttpd(["authz_core", "alias"], lines, run, files);
      return seen;
    };
    expect(await observe(bad)).toEqual([410, ["reported"]]);
    expect(await observe(good)).toEqual([good.length === 2 ? 404 : 200, []]);
  });

  test.each([
    ["the same name", [...hostWithStatus("*", "a.test", 410), ...hostWithStatus("*", "a.test", 404)], 410],
    ["a wildcard", [...hostWithStatus("*", "b.test *.test", 410), ...hostWithStatus("*", "a.test", 404)], 410],
    [
      "a wildcard afterwards",
      [...hostWithStatus("*", "a.test", 404), ...hostWithStatus("*", "b.test *.test", 410)],
      404,
    ],
    [
      "a port without a Listen line",
      [...hostWithStatus("*", "a.test", 410), ...hostWithStatus("*:1", "a.test", 404)],
      410,
    ],
  ])("unexpected-virtual-host: %s", async (title, lines, status) => {
    await withRunningHttpd(["authz_core", "alias"], lines, async (server) => {
      expect(await statusOf(server, "/", "a.test")).toBe(status);
      expect(findingsOn(server, "unexpected-virtual-host")).toHaveLength(/afterwards/.test(title) ? 0 : 1);
    });
  });

  test("unexpected-virtual-host: the main server handles requests with the name of the host", async () => {
    const lines = hostWithStatus("*:1", "a.test", 410);
    await withRunningHttpd(
      ["authz_core", "alias"],
      lines,
      async (server) => {
        expect(await statusOf(server, "/index.html", "a.test")).toBe(200);
        expect(findingsOn(server, "unexpected-virtual-host")).toEqual(["<VirtualHost *:1>"]);
      },
      { "index.html": "" },
    );
    await withRunningHttpd(["authz_core", "alias"], hostWithStatus("*", "a.test", 410), async (server) => {
      expect(await statusOf(server, "/", "a.test")).toBe(410);
      expect(findingsOn(server, "unexpected-virtual-host")).toEqual([]);
    });
  });

  test("inactive-rewrite-rule: rules of the main server and of the parent directory", async () => {
    const observe = async (lines: readonly string[], files: Readonly<Record<string, string>>) => {
      const seen: number[] = [];
      const run = async (server: RunningHttpd) => {
        seen.push(await statusOf(server, "/b/x.sql"), findingsOn(server, "inactive-rewrite-rule").length);
      };
      await withRunningHttpd(["authz_core", "rewrite"], lines, run, { "b/x.sql": "", ...files });
      return seen;
    };
    const rules = ["RewriteEngine On", "RewriteRule \\.sql$ - [F]"];
    const host = (...lines: readonly string[]) => [
      "<VirtualHost *>",
      "DocumentRoot DOCROOT",
      ...lines,
      "</VirtualHost>",
    ];
    expect(await observe([...rules, ...host()], {})).toEqual([200, 1]);
    expect(await observe(host(...rules), {})).toEqual([403, 0]);
    const below = { ".htaccess": rules.join("\n"), "b/.htaccess": "RewriteEngine On\n" };
    const open = ['<Directory "DOCROOT">', "AllowOverride All", "</Directory>"];
    expect(await observe(open, below)).toEqual([200, 1]);
    expect(await observe(open, { ...below, "b/.htaccess": "RewriteEngine On\nRewriteOptions Inherit\n" })).toEqual([
      403, 0,
    ]);
  });

  const balancer = ["<Proxy balancer://b>", "BalancerMember BACKEND", "</Proxy>", "ProxyPass /a balancer://b/"];
  const balancing = ["proxy_balancer", "slotmem_shm", "lbmethod_byrequests"];
  test.each([
    ["ProxyPass", [], ["ProxyPass /a BACKEND/"], "/a", 500],
    ["RewriteRule", ["rewrite"], ["RewriteEngine on", "RewriteRule ^/a BACKEND/ [P]"], "/a", 500],
    ["BalancerMember", balancing, balancer, "/a", 503],
    ["SetHandler", [], ['<Files "a.html">', 'SetHandler "proxy:BACKEND"', "</Files>"], "/a.html", 200],
  ] as const)("missing-proxy-module: %s", async (_, modules, lines, path, without) => {
    const backend = createServer((_request, response) => response.writeHead(418).end());
    const url = `http://127.0.0.1:${await portOf(backend)}`;
    const observe = async (more: readonly string[]) => {
      const seen: number[] = [];
      await withRunningHttpd(
        ["authz_core", "proxy", ...modules, ...more],
        lines.map((line) => line.replace("BACKEND", url)),
        async (server) => {
          seen.push(await statusOf(server, path), findingsOn(server, "missing-proxy-module").length);
        },
        { "a.html": "" },
      );
      return seen;
    };
    try {
      expect(await observe([])).toEqual([without, 1]);
      expect(await observe(["proxy_http"])).toEqual([418, 0]);
    } finally {
      backend.close();
    }
  });
});
