import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { diskAccess } from "../../../src/config/files/disk.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { diskFiles } from "../../../src/server/file-trees.js";
import type { FileTree } from "../../../src/server/model/file-tree.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { writeFiles } from "../programs/scratch-folder.js";
import { httpd, type InstalledHttpd, loadModules, moduleFolder, serverEnvironment, stopSignalFor } from "./httpd.js";
import { freePort } from "./ports.js";

export interface HttpRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address that the request comes from, of the loopback network. */
  readonly from?: string;
}

export interface RunningHttpd {
  /** Its ServerRoot; the main file in it is `httpd.conf`. */
  readonly folder: string;
  ask(request: HttpRequest): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }>;
  /** Returns the contents of its error log. */
  errors(): string;
  /** Returns the URL of a path. */
  url(path: string): string;
}

/** The lines with which a section asks for the only user of a running server: `bob`, with the password `secret`. */
export const bobAuthentication = ["AuthType Basic", "AuthName x", "AuthUserFile users"] as const;
export const asBob = { Authorization: `Basic ${btoa("bob:secret")}` } as const;

/**
 * Starts a server on a scratch folder, which is its ServerRoot and contains its DocumentRoot, and stops it afterwards.
 *
 * @param modules short names, without the MPM
 * @param lines lines with DOCROOT for the DocumentRoot
 * @param files files in the DocumentRoot `htdocs`, by path
 * @param environment of the server, in addition to this process's own
 * @param installed the server, if it is not that of the machine
 */
export async function withRunningHttpd(
  modules: readonly string[],
  lines: readonly string[],
  run: (server: RunningHttpd) => Promise<void>,
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
  installed: Pick<InstalledHttpd, "program" | "modules"> = { program: httpd ?? "apache2", modules: moduleFolder },
): Promise<void> {
  const folder = numberedFolder();
  const port = await freePort();
  const head = [
    `${loadModules(["mpm_event", ...modules], installed.modules)}ServerName x.test`,
    `ServerRoot "${folder}"`,
    `DocumentRoot "${folder}/htdocs"`,
    `Listen 127.0.0.1:${port}`,
    "PidFile pid",
    "ErrorLog error.log",
    "Mutex posixsem",
  ];
  try {
    mkdirSync(join(folder, "htdocs"));
    writeFiles(join(folder, "htdocs"), files);
    const given = lines.map((line) => line.replaceAll("DOCROOT", `${folder}/htdocs`));
    writeFiles(folder, {
      users: "bob:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n",
      "httpd.conf": `${[...head, ...given].join("\n")}\n`,
    });
    const env = { ...serverEnvironment, ...environment };
    const server = spawn(installed.program, ["-X", "-f", join(folder, "httpd.conf")], { stdio: "inherit", env });
    try {
      await waitUntilAnswering(port);
      await run({
        folder,
        ask: (request) => ask(port, request),
        errors: () => readFileSync(join(folder, "error.log"), "utf8"),
        url: (path) => `http://127.0.0.1:${port}${path}`,
      });
    } finally {
      server.kill(stopSignalFor(head.join("\n")));
      if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns a folder with a numeric name: rewrite rules match letters in whole file names, so any digits have the same
 * effect.
 */
function numberedFolder(): string {
  for (;;) {
    const path = join(tmpdir(), `httpd-lint-${randomInt(2 ** 47)}`);
    if (mkdirSync(path, { recursive: true }) !== undefined) return path;
  }
}

/**
 * Returns the lines that a server wrote to its error log after the given number of characters, without time, level,
 * process and client.
 */
export function errorsAfter({ errors }: RunningHttpd, length: number): string[] {
  const lines = errors().slice(length).split("\n").filter(Boolean);
  return lines.map((line) => line.replace(/^(?:\[[^\]]*\] ){3}(?:\(-?\d+\)[^:]*: )?(?:\[client [^\]]*\] )?/, ""));
}

/**
 * Creates a simulatedServer for a running server, with its configuration and files.
 *
 * @param known other facts about the files
 */
export function simulatedServerOn({ folder }: RunningHttpd, known: Partial<FileTree> = {}): SimulatedServer {
  const access = diskAccess();
  const loaded = loadProject(join(folder, "httpd.conf"), { access, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  return new SimulatedServer(loaded.value, { ...diskFiles(access), ...known });
}

function ask(port: number, sent: HttpRequest): ReturnType<RunningHttpd["ask"]> {
  const { path, method = "GET", headers = {}, body = "", from } = sent;
  const source = from === undefined ? {} : { localAddress: from };
  return new Promise((resolve, reject) => {
    const client = request({ host: "127.0.0.1", port, path, method, headers, ...source }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    })
      .on("connect", (response, socket) => {
        socket.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      })
      .on("error", (error: NodeJS.ErrnoException) => {
        // The server may close a connection after its response.
        if (client.reusedSocket && error.code === "ECONNRESET") ask(port, sent).then(resolve, reject);
        else reject(error);
      })
      .end(body);
  });
}

async function waitUntilAnswering(port: number): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const answers = await ask(port, { path: "/" }).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await sleep(5);
  }
  throw new Error("the server does not answer");
}
