import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "../../src/server/model/request.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { sendAsClient } from "../support/httpd/client-request.js";

/**
 * Judges findings of exposure on whole servers: starts each in its own folder, with the files that the rules
 * assume, and sends the requests of the findings. Lines that 2.4 rejects are deleted first, for httpd and the linter.
 *
 *     unshare -m -n npx tsx test/live/judge-exposure.ts SCRATCH LIST
 *
 * SCRATCH is an empty folder. LIST has a line for each server: its folder and main file, separated by `|`. The output is
 * a JSON line for each finding. Needs Linux and root: the server runs in a changed root with its own addresses.
 */
const [scratch = "", list = ""] = process.argv.slice(2);

interface JudgedFinding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly notes: readonly string[];
  readonly start: { readonly line: number };
  readonly witness?: Request;
}

const clientIps = ["203.0.113.9", "192.0.2.1", "127.0.0.1"];

function run(command: string, ...args: readonly string[]) {
  return spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Copies a server to where its absolute paths lead below a root; returns the path of its main file there. */
function placeServer(folder: string, entry: string, root: string): string {
  const text = readFileSync(join(folder, entry), "latin1");
  const serverRoot = /^\s*ServerRoot\s+"?([^"\s]+)/im.exec(text)?.[1];
  const own = entry.endsWith("conf/httpd.conf") ? dirname(dirname(entry)) : dirname(entry);
  const at = serverRoot?.startsWith("/") ? serverRoot : entry.includes("apache2") ? "/etc/apache2" : "/etc/httpd";
  const [, above] = /^(.*?\/?)etc\/(?:apache2|httpd)\//.exec(entry) ?? [];
  cpSync(
    above === undefined ? join(folder, own) : join(folder, above, "etc"),
    join(root, above === undefined ? at : "etc"),
    {
      recursive: true,
      dereference: false,
    },
  );
  return join(
    root,
    above === undefined ? at + entry.slice(own.length === 1 ? 0 : own.length) : entry.slice(above.length),
  );
}

/** Creates the directories and links that httpd needs to run. */
function prepareRoot(root: string): void {
  for (const name of ["usr/lib", "usr/sbin", "usr/bin", "usr/lib64", "dev", "tmp", "run", "var/run"])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ["usr/lib", "usr/sbin", "usr/bin", "usr/lib64", "dev"])
    run("mount", "--bind", `/${name}`, join(root, name));
  for (const name of ["lib", "lib64", "bin", "sbin"])
    if (!existsSync(join(root, name))) symlinkSync(`usr/${name}`, join(root, name));
  for (const name of ["passwd", "group", "hosts", "nsswitch.conf", "mime.types"])
    if (!existsSync(join(root, "etc", name)) && existsSync(`/etc/${name}`))
      cpSync(`/etc/${name}`, join(root, "etc", name));
}

const modules = "/usr/lib/apache2/modules";
const basic = ["mpm_event", "slotmem_shm", "socache_shmcb", "authz_core", "authz_host", "authn_core", "access_compat"];

/** Returns the effective configuration as one file, with the modules of this machine. */
function flattenServer(main: string, root: string): string {
  const dump = run("node", "dist/httpd-lint.js", "resolve", "--sysroot", root, main).stdout;
  const texts = run("grep", "-rhiE", "^\\s*LoadModule", dirname(main), join(root, "etc")).stdout;
  const named = [...texts.matchAll(/LoadModule\s+(\w+)_module/gi)].map(([, name = ""]) =>
    name.toLowerCase().replace(/^cgi$/, "cgid"),
  );
  const loaded = [...new Set([...basic, ...named.filter((name) => !name.startsWith("mpm"))])]
    .filter((name) => existsSync(`${modules}/mod_${name}.so`) && !["perl", "security2", "jk"].includes(name))
    .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so\n`);
  const serverRoot = /^ServerRoot .*$/im.exec(dump)?.[0] ?? `ServerRoot "${dirname(main).slice(root.length)}"`;
  const lines = dump.split("\n").filter((line) => !/^\s*#/.test(line));
  const kept = lines.filter(
    (line) =>
      !/^\s*(?:ServerRoot|User|Group|PidFile|Mutex|LockFile|ScriptSock|LoadModule|LoadFile|Include\w*|SSLPassPhraseDialog|SSLSessionCache|SSLStapling\w*)\s/i.test(
        line,
      ),
  );
  const logs = kept.map((line) => (/^\s*(?:CustomLog|TransferLog|ErrorLog)\s+"?\|/i.test(line) ? "" : line));
  return `${serverRoot}\n${loaded.join("")}User nobody\nGroup nogroup\nPidFile /run/judge.pid\n<IfModule cgid_module>\nScriptSock /run/cgid\n</IfModule>\n${logs.join("\n")}\n`;
}

const samples: Readonly<Record<string, string>> = {
  "index.html": "<p>",
  "assets/app.js": "x",
  ".git/config": "[core]\n",
  ".git/HEAD": "ref: x\n",
  ".env": "A=b\n",
  ".htpasswd": "a:b\n",
  "dump.sql": "x",
  "index.php.bak": "<?php",
  "config.php": "<?php $password;",
  "uploads/photo.jpg": "x",
  "private/.htaccess": "Require all denied\n",
  "private/x.txt": "x",
};

/** Writes a file on the server, whose folders may be links to missing ones. */
function writeInside(root: string, path: string, text: string, mode = 0o644): void {
  const script = 'mkdir -p "$(readlink -m "$(dirname "$1")")" && readlink -m "$1"';
  const file = join(root, run("chroot", root, "/bin/sh", "-c", script, "sh", path).stdout.trim());
  if (file === root || existsSync(file)) return;
  writeFileSync(file, text);
  chmodSync(file, mode);
}

/** Writes the directories, logs, certificates and programs that a configuration names, if they do not exist. */
function writeNamedFiles(text: string, root: string): void {
  const serverRoot = /^ServerRoot "?([^"\s]+)/im.exec(text)?.[1] ?? "/";
  const place = (path: string) => (path.startsWith("/") ? path : join(serverRoot, path));
  const each = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, path = ""]) => place(path)).filter((path) => !/[*?$%]/.test(path));
  for (const path of each(/^\s*DocumentRoot\s+"?([^"\n]+?)"?\s*$/gim))
    for (const [name, content] of Object.entries(samples)) writeInside(root, join(path, name), content);
  for (const path of each(/^\s*Alias\s+\S+\s+"?([^"\n]+?)"?\s*$/gim))
    if (/\.\w{2,5}$/.test(basename(path))) writeInside(root, path, "x");
    else writeInside(root, join(path, "index.html"), "<p>");
  for (const path of each(/^\s*<Directory\s+"?([^"\n>]+?)"?>/gim))
    if (path !== "/") writeInside(root, join(path, "index.html"), "<p>");
  for (const path of each(/^\s*ScriptAlias\s+\S+\s+"?([^"\n]+?)"?\s*$/gim))
    writeInside(root, join(path, "x.cgi"), '#!/bin/sh\nprintf "Content-Type: text/plain\\n\\nx"\n', 0o755);
  for (const path of each(/^\s*(?:CustomLog|TransferLog|ErrorLog)\s+"?([^"\s|]+)/gim))
    if (!/^syslog/.test(basename(path))) writeInside(root, path, "");
  for (const path of [
    ...each(/^\s*(?:TypesConfig|MIMEMagicFile)\s+"?([^"\s]+)/gim),
    place("conf/mime.types"),
    place("mime.types"),
  ])
    writeInside(root, path, path.endsWith("mime.types") ? readFileSync("/etc/mime.types", "utf8") : "");
  for (const path of each(/^\s*Auth(?:User|Group)File\s+"?([^"\s]+)/gim)) writeInside(root, path, "a:b\n");
  const pair = readFileSync(join(scratch, "pair.pem"), "utf8");
  for (const path of each(/^\s*SSL(?:Certificate(?:Key|Chain)?|CACertificate|CARevocation)File\s+"?([^"\s]+)/gim))
    if (!/revoc/i.test(path)) writeInside(root, path, pair);
}

/** Deletes the lines that httpd rejects; returns the reason if it still does not start. */
function deleteRejectedLines(root: string): string | undefined {
  const file = join(root, "flat.conf");
  for (let round = 0; round < 300; round++) {
    const { status, stderr } = run("chroot", root, "/usr/sbin/apache2", "-t", "-f", "/flat.conf");
    if (status === 0) return undefined;
    const line = Number(/on line (\d+) of \/flat\.conf/.exec(stderr)?.[1] ?? 0);
    if (line === 0) return stderr.slice(-300);
    const lines = readFileSync(file, "latin1").split("\n");
    const section = /^\s*<(\w+)/.exec(lines[line - 1] ?? "")?.[1];
    let end = line;
    if (section) while (end < lines.length && !new RegExp(`^\\s*</${section}>`, "i").test(lines[end - 1] ?? "")) end++;
    lines.fill("", line - 1, end);
    writeFileSync(file, lines.join("\n"), "latin1");
  }
  return "too many rejected lines";
}

/** Adds the addresses of the server to this machine. */
function addAddresses(text: string): void {
  for (const [address] of text.matchAll(/\b\d{1,3}(?:\.\d{1,3}){3}(?=:\d+|>|\s|$)/g))
    run("ip", "addr", "add", `${address}/32`, "dev", "lo");
}

/** Starts the server. @returns its output if it ends */
async function startServer(root: string): Promise<ChildProcess | string> {
  const log = join(root, "start.log");
  const output = openSync(log, "w");
  const server = spawn(
    "chroot",
    [root, "/usr/sbin/apache2", "-DFOREGROUND", "-E", "/start-errors", "-f", "/flat.conf"],
    {
      stdio: ["ignore", output, output],
    },
  );
  const isRunning = () => existsSync(join(root, "run/judge.pid"));
  for (let wait = 0; wait < 50 && server.exitCode === null && !isRunning(); wait++) await sleep(100);
  await sleep(300);
  if (server.exitCode === null) return server;
  const logs = run("find", root, "-xdev", "-name", "*error*", "-size", "+0", "-newer", join(root, "flat.conf")).stdout;
  return run("tail", "-qn", "2", log, ...logs.split("\n").filter((name) => name !== "")).stdout;
}

/** Writes the file that a client uploads, or whose existence is assumed. */
function writeAssumedFile({ rule, message, notes }: JudgedFinding, root: string): void {
  const [, file] = /if `([^`]+)` is uploaded|assumes that `([^`]+)` exists/.exec(notes.join())?.filter(Boolean) ?? [];
  if (file) writeInside(root, file, "x", 0o755);
  const [, folder] = rule === "executable-upload" ? (/upload directory `([^`]+)`/.exec(message) ?? []) : [];
  if (folder === undefined) return;
  writeInside(root, join(folder, "x.shtml"), "x");
  // If the classes of these lines are not allowed, the server returns 500.
  if (/AllowOverride/.test(message))
    writeInside(root, join(folder, ".htaccess"), "Options +ExecCGI\nSetHandler default-handler\n");
}

/** Returns whether the status is the one that the finding names, or that of a stopped backend. */
function isConfirmed({ notes, message }: JudgedFinding, status: number): boolean {
  const expected = /returns (\d{3})/.exec(notes.toReversed().find((note) => /returns \d{3}/.test(note)) ?? "")?.[1];
  const isOfBackend = /backend|program|from that host|handler|passes/.test(notes.join() + message);
  return expected === undefined
    ? status === 200
    : String(status) === expected || (isOfBackend && [500, 502, 503].includes(status));
}

async function judgeServer(folder: string, entry: string, root: string): Promise<void> {
  const name = `${basename(folder)} ${entry}`;
  const report = (result: object) => {
    process.stdout.write(`${JSON.stringify({ server: name, ...result })}\n`);
  };
  const main = placeServer(folder, entry, root);
  prepareRoot(root);
  let text = flattenServer(main, root);
  if (!/^\s*Listen\s/im.test(text)) text += "Listen 80\n";
  writeFileSync(join(root, "flat.conf"), text, "latin1");
  for (const name of ["logs", "conf"])
    writeInside(root, join(/^ServerRoot "?([^"\s]+)/im.exec(text)?.[1] ?? "/", name, "x"), "");
  writeNamedFiles(text, root);
  addAddresses(text);
  const failure = deleteRejectedLines(root);
  if (failure !== undefined) return report({ failed: failure });
  const checked = run(
    "node",
    "dist/httpd-lint.js",
    "check",
    "--sysroot",
    root,
    join(root, "flat.conf"),
    "--select",
    "exposure",
    "--format",
    "json",
  );
  const findings: readonly JudgedFinding[] = JSON.parse(checked.stdout).findings;
  const server = findings.length === 0 ? undefined : await startServer(root);
  if (typeof server === "string") return report({ failed: server });
  for (const finding of findings) writeAssumedFile(finding, root);
  for (const finding of findings) {
    const { rule, severity, message, notes, witness, start } = finding;
    const status = witness ? await sendAsClient(witness).catch(() => undefined) : undefined;
    report({
      rule,
      severity,
      message,
      notes,
      line: start.line,
      status,
      confirmed: status !== undefined && isConfirmed(finding, status),
    });
  }
  if (server === undefined) return report({ findings: 0 });
  const ended = once(server, "exit");
  server.kill();
  await ended;
}

run("ip", "link", "set", "lo", "up");
for (const address of clientIps) run("ip", "addr", "add", `${address}/32`, "dev", "lo");
mkdirSync(scratch, { recursive: true });
makeCertificate(join(scratch, "key.pem"), join(scratch, "certificate.pem"));
writeFileSync(
  join(scratch, "pair.pem"),
  ["key.pem", "certificate.pem"].map((name) => readFileSync(join(scratch, name), "utf8")).join(""),
);
for (const [index, line] of readFileSync(list, "utf8").split("\n").entries()) {
  const [folder = "", entry = ""] = line.split("|").map((word) => word.trim());
  if (entry === "" || !statSync(folder, { throwIfNoEntry: false })) continue;
  try {
    await judgeServer(folder, entry, join(scratch, `s${index}`));
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ server: `${folder} ${entry}`, failed: String(error) })}\n`);
  }
}
