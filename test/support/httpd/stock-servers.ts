import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "./certificate.js";
import { httpd, moduleFolder } from "./httpd.js";
import { statusOf } from "./live-requests.js";

/** A configuration from the time of 2.2, with its requirements on the machine. */
export interface StockServer {
  readonly name: string;
  readonly entry: string;
  /** Location of a link to the modules. */
  readonly modules?: string;
  readonly envvars?: string;
  readonly documentRoot: string;
  readonly folders: readonly string[];
  readonly certificate: string;
  readonly key: string;
}

export const rhel5: StockServer = {
  name: "rhel5",
  entry: "etc/httpd/conf/httpd.conf",
  modules: "etc/httpd/modules",
  documentRoot: "var/www/html",
  folders: ["etc/httpd/logs", "etc/httpd/run", "var/cache/mod_ssl", "var/cache/mod_proxy", "var/lib/dav"],
  certificate: "etc/pki/tls/certs/localhost.crt",
  key: "etc/pki/tls/private/localhost.key",
};

export const debian6: StockServer = {
  name: "debian6",
  entry: "etc/apache2/apache2.conf",
  envvars: "etc/apache2/envvars",
  documentRoot: "var/www",
  folders: ["var/run/apache2", "var/lock/apache2", "var/log/apache2", "var/cache/apache2/mod_disk_cache"],
  certificate: "etc/ssl/certs/ssl-cert-snakeoil.pem",
  key: "etc/ssl/private/ssl-cert-snakeoil.key",
};

/** User ID that the server may switch to: that of the test process, or nobody's. */
const user = process.getuid?.() === 0 ? 65534 : process.getuid?.();

/** Copies a fixture, adapted to the paths, ports and users of this machine. */
export function install(
  { name, modules, documentRoot, folders, certificate, key }: StockServer,
  root: string,
  ports: readonly number[],
): void {
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
  makeCertificate(join(root, key), join(root, certificate));
  chmodSync(root, 0o755);
}

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function firstStatusOf(port: number, server: ChildProcess): Promise<number | "ended"> {
  for (let tries = 0; tries < 200 && server.exitCode === null; tries++) {
    const status = await statusOf({ port, path: "/" }).catch(() => undefined);
    if (status !== undefined) return status;
    await sleep(50);
  }
  return "ended";
}

/**
 * Starts a server, requests `/` and stops it.
 *
 * @param sendRequests called while it responds
 */
export async function start(
  entry: string,
  port: number,
  env: NodeJS.ProcessEnv,
  sendRequests: () => Promise<void> = async () => undefined,
): Promise<{ readonly status: number | "ended"; readonly output: string }> {
  const words = ["-X", "-d", dirname(entry), "-f", entry];
  const server = spawn(httpd ?? "apache2", words, { env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  server.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString("latin1");
  });
  const ended = once(server, "close");
  try {
    const status = await firstStatusOf(port, server);
    if (status !== "ended") await sendRequests();
    return { status, output: status === 200 ? "" : output };
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}
