import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoadLine, ownModules, scratchConfiguration } from "../../../scripts/draw-directives.js";
import type { ContextKind, DirectiveFacts } from "../../../src/facts/directives.js";
import { complaintsAbout } from "../../support/httpd/httpd.js";
import { freePort } from "../../support/httpd/ports.js";
import { whileInScratchFolder } from "../../support/programs/scratch-folder.js";
import { plausibleUse } from "../../support/random/plausible-arguments.js";

/** A test of one directive in one context of a live server. */
export interface Trial {
  readonly directive: DirectiveFacts;
  readonly context: ContextKind;
}

export interface Answer extends Trial {
  /** The server's message if it rejects the directive in this context, but not messages about other problems. */
  readonly refusal: string | undefined;
}

/** The contexts that `-t` reads; a `.htaccess` file is read at request time. */
const surroundings: Readonly<Record<Exclude<ContextKind, "htaccess">, readonly [before: string, after: string]>> = {
  server: ["", ""],
  virtualhost: ["<VirtualHost *:80>", "</VirtualHost>"],
  directory: ['<Directory "/">', "</Directory>"],
  location: ['<Location "/x">', "</Location>"],
  files: ['<Files "x">', "</Files>"],
  limit: ['<Directory "/">\n<Limit GET>', "</Limit>\n</Directory>"],
  proxy: ['<Proxy "http://x.test/">', "</Proxy>"],
  if: ['<If "true">', "</If>"],
};

export const contextKinds: readonly ContextKind[] = [
  "server",
  "virtualhost",
  "directory",
  "location",
  "files",
  "limit",
  "proxy",
  "if",
  "htaccess",
];

const refusals = [
  / not allowed here/,
  / not allowed in <\S+ context/,
  / cannot occur within /,
  / is only valid inside a /,
  / only valid in per-directory config files/,
  / only used in <VirtualHost>/,
];

function refusalIn(message: string): string | undefined {
  return message.split("\n").find((line) => refusals.some((pattern) => pattern.test(line)));
}

/** Tests each directive in its context, and returns the messages of the server. */
export async function tryContexts(server: string, trials: readonly Trial[]): Promise<Answer[]> {
  return whileInScratchFolder(async (folder) => {
    // Requests are handled by an unprivileged user, who must be able to read the contents.
    chmodSync(folder, 0o755);
    const modules = ownModules(server, "event");
    const inFiles = trials.filter((trial) => trial.context === "htaccess");
    const inConfiguration = trials.filter((trial) => trial.context !== "htaccess");
    const read = await tryInConfiguration(server, modules, folder, inConfiguration);
    return [...read, ...(await tryInHtaccess(server, modules, folder, inFiles))];
  });
}

async function tryInConfiguration(
  server: string,
  modules: readonly LoadLine[],
  folder: string,
  trials: readonly Trial[],
): Promise<Answer[]> {
  const head = scratchConfiguration(folder, modules);
  const [first = ""] = await complaintsAbout([head], folder, server);
  if (!first.includes("Syntax OK")) throw new Error(`the server rejects an empty configuration: ${first}`);
  const configurations = trials.map(({ directive, context }) => {
    const [before, after] = context === "htaccess" ? ["", ""] : surroundings[context];
    return [head, before, plausibleUse(directive), after, ""].join("\n");
  });
  const complaints = await complaintsAbout(configurations, folder, server);
  return trials.map((trial, index) => ({ ...trial, refusal: refusalIn(complaints[index] ?? "") }));
}

/** Creates a directory with a `.htaccess` file for each directive. The server reads the files at request time. */
async function tryInHtaccess(
  server: string,
  modules: readonly LoadLine[],
  folder: string,
  trials: readonly Trial[],
): Promise<Answer[]> {
  if (trials.length === 0) return [];
  const root = join(folder, "htdocs");
  for (const [index, { directive }] of trials.entries()) {
    mkdirSync(join(root, `${index}`), { recursive: true });
    writeFileSync(join(root, `${index}`, ".htaccess"), `${plausibleUse(directive)}\n`);
  }
  const port = await freePort();
  const log = join(folder, "error.log");
  const lines = [
    scratchConfiguration(folder, modules),
    `Listen 127.0.0.1:${port}`,
    `PidFile "${join(folder, "pid")}"`,
    `ErrorLog "${log}"`,
    ...(process.getuid?.() === 0 ? ["User #65534", "Group #65534"] : []),
    "<IfModule mod_mime.c>\nTypesConfig /dev/null\n</IfModule>",
    `<IfModule mod_cgid.c>\nScriptSock "${join(folder, "cgi")}"\n</IfModule>`,
    `DocumentRoot "${root}"`,
    '<Directory "/">\nAllowOverride All\nRequire all granted\n</Directory>',
    "",
  ];
  const file = join(folder, "serving.conf");
  writeFileSync(file, lines.join("\n"));
  // Single-process mode (-X) would not stop the helper processes of modules.
  const running = spawn(server, ["-DFOREGROUND", "-f", file], { stdio: "ignore" });
  const ended = new Promise((resolve) => running.once("exit", resolve));
  try {
    await reach(`http://127.0.0.1:${port}/`);
    for (const index of trials.keys()) await request(`http://127.0.0.1:${port}/${index}/`);
  } finally {
    running.kill();
    await ended;
  }
  const messages = readFileSync(log, "utf8").split("\n");
  return trials.map(({ directive, context }, index) => {
    const ownMessages = messages.filter((line) => line.includes(`${join(root, `${index}`, ".htaccess")}:`));
    return { directive, context, refusal: refusalIn(ownMessages.join("\n")) };
  });
}

/** Waits until the server responds. */
async function reach(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await request(url)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no response from ${url}`);
}

/** Returns whether there is any response. There is none if a directive crashes the server's process. */
function request(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.arrayBuffer().then(() => true),
    () => false,
  );
}
