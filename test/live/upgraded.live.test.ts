import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { readEnvvars } from "../../src/cli/envvars.js";
import { rangeOf } from "../../src/text/position.js";
import { freePorts } from "../support/asked-httpd.js";
import { httpd, liveTitle, moduleFolder } from "../support/httpd.js";
import { upgrade } from "../support/upgraded.js";

/** A configuration of the time of 2.2, and what its server must find on the machine. */
interface Fixture {
  readonly name: string;
  readonly entry: string;
  /** Where a link to the modules lies. */
  readonly modules?: string;
  readonly envvars?: string;
  readonly documentRoot: string;
  readonly folders: readonly string[];
  readonly certificate: string;
  readonly key: string;
  /** What was in the way, told by rules in the first pass. */
  readonly told: readonly string[];
}

const fixtures: readonly Fixture[] = [
  {
    name: "rhel5",
    entry: "etc/httpd/conf/httpd.conf",
    modules: "etc/httpd/modules",
    documentRoot: "var/www/html",
    folders: ["etc/httpd/logs", "etc/httpd/run", "var/cache/mod_ssl", "var/cache/mod_proxy", "var/lib/dav"],
    certificate: "etc/pki/tls/certs/localhost.crt",
    key: "etc/pki/tls/private/localhost.key",
    told: ["modules-to-load", "removed-directive", "removed-module", "refused-at-start", "built-in-module"],
  },
  {
    name: "debian6",
    entry: "etc/apache2/apache2.conf",
    envvars: "etc/apache2/envvars",
    documentRoot: "var/www",
    folders: ["var/run/apache2", "var/lock/apache2", "var/log/apache2", "var/cache/apache2/mod_disk_cache"],
    certificate: "etc/ssl/certs/ssl-cert-snakeoil.pem",
    key: "etc/ssl/private/ssl-cert-snakeoil.key",
    told: ["modules-to-load", "removed-directive", "removed-module"],
  },
];

/** The user that the server may give up its rights for, by number: the one that runs the test, or nobody. */
const user = process.getuid?.() === 0 ? 65534 : process.getuid?.();

/** Copies a fixture, with the paths, ports and users that this machine has for it. */
function install(
  { name, modules, documentRoot, folders, certificate, key }: Fixture,
  root: string,
  ports: readonly number[],
) {
  cpSync(join("test/fixtures/projects", name), root, { recursive: true });
  const [http, https] = ports;
  for (const path of filesIn(root)) {
    const text = readFileSync(path, "latin1")
      .replaceAll("/usr/lib/apache2/modules", moduleFolder)
      .replace(/(?<=[\s":|=])\/(?=(?:etc|var)\/)/g, `${root}/`)
      .replace(/^(\s*Listen )80$/gm, `$1127.0.0.1:${http}`)
      .replace(/^(\s*Listen )443$/gm, `$1127.0.0.1:${https}`)
      .replace(/^(\s*(?:NameVirtualHost|<VirtualHost) .*):80\b/gm, `$1:${http}`)
      .replace(/^(\s*<VirtualHost .*):443\b/gm, `$1:${https}`)
      .replace(/^User apache$/m, `User #${user}`)
      .replace(/^Group apache$/m, `Group #${user}`)
      .replace(/(APACHE_RUN_(?:USER|GROUP)=).*/g, `$1"#${user}"`);
    writeFileSync(path, text, "latin1");
  }
  for (const folder of [...folders, documentRoot, dirname(certificate), dirname(key)])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o777 });
  if (modules) symlinkSync(moduleFolder, join(root, modules));
  writeFileSync(join(root, documentRoot, "index.html"), "here\n");
  writeFileSync(join(root, "etc/mime.types"), "text/html html\n");
  spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=x.test"],
    ...["-keyout", join(root, key), "-out", join(root, certificate)],
  ]);
  chmodSync(root, 0o755);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function statusOf(port: number, server: ChildProcess): Promise<number | "ended"> {
  for (let tries = 0; tries < 200 && server.exitCode === null; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer) return answer.status;
    await sleep(50);
  }
  return "ended";
}

/** Starts a server, asks it for `/` and ends it. */
async function start(entry: string, port: number, env: NodeJS.ProcessEnv) {
  const words = ["-X", "-d", dirname(entry), "-f", entry];
  const server = spawn(httpd ?? "apache2", words, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  server.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString("latin1");
  });
  const ended = once(server, "close");
  try {
    const status = await statusOf(port, server);
    return { status, said: status === 200 ? "" : said };
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}

/** Takes the line out that loads a module, and gives what puts it back. */
function withoutModule(root: string, module: string): () => void {
  const line = new RegExp(`^LoadModule ${module} .*\\n`, "m");
  const path = filesIn(root).find((each) => line.test(readFileSync(each, "latin1")));
  if (path === undefined) throw new Error(`nothing loads ${module}`);
  const text = readFileSync(path, "latin1");
  writeFileSync(path, text.replace(line, ""), "latin1");
  return () => writeFileSync(path, text, "latin1");
}

describe.skipIf(!httpd)(
  liveTitle("what the fixes make of a 2.2 configuration starts on the live 2.4, and needs each module"),
  () => {
    test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))("%s", async (_, fixture) => {
      const root = mkdtempSync(join(tmpdir(), "httpd-lint-"));
      try {
        const [http, https] = await freePorts();
        install(fixture, root, [http, https]);
        const environment = fixture.envvars
          ? readEnvvars(readFileSync(join(root, fixture.envvars), "latin1"))
          : new Map();
        const entry = join(root, fixture.entry);
        const env = { ...process.env, ...Object.fromEntries(environment) };
        const before = spawnSync(httpd ?? "apache2", ["-t", "-d", dirname(entry), "-f", entry], { env });
        expect(before.status).toBe(1);
        const { told, supplied, left } = upgrade(entry, environment);
        expect(fixture.told.filter((rule) => !told.has(rule))).toEqual([]);
        const places = left.map(({ message, span }) => `${span.file.path}:${rangeOf(span).start.line}: ${message}`);
        expect(places).toEqual([]);
        expect(await start(entry, http, env)).toEqual({ status: 200, said: "" });
        for (const module of supplied) {
          const back = withoutModule(root, module);
          expect({ module, ...(await start(entry, http, env)) }).not.toMatchObject({ status: 200 });
          back();
        }
        expect(await start(entry, http, env)).toEqual({ status: 200, said: "" });
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    });
  },
);
