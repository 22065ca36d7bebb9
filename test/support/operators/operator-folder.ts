import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { dbmFiles } from "../httpd/served-folder.js";
import { writeFiles } from "../programs/scratch-folder.js";
import { headFor, type OperatorServer } from "./operator-server.js";

/** Where a server runs. */
export interface ServerPlace {
  readonly root: string;
  readonly ports: readonly [number, number];
  /** The port of a backend that returns 200. */
  readonly backend: number;
  /** A port without a listener. */
  readonly closed: number;
}

/** Returns the MD5 hash of a text in hexadecimal. */
export function hashMd5(text: string): string {
  return createHash("md5").update(text, "latin1").digest("hex");
}

const digestUsers = ["alice", "carol"].map((user) => `${user}:private:${hashMd5(`${user}:private:secret`)}\n`).join("");

/** Writes the configuration and the files of a server. @param kept names in the folder that stay */
export function writeServer(
  { lines, files, links }: OperatorServer,
  place: ServerPlace,
  kept: readonly string[] = [],
): void {
  const { root, ports } = place;
  const fill = (text: string) => fillNames(text, place);
  mkdirSync(join(root, "conf"), { recursive: true });
  for (const name of readdirSync(root)) if (!kept.includes(name)) rmSync(join(root, name), { recursive: true });
  const listening = ["127.0.0.1", "127.0.0.2", "[::1]"].flatMap((address) => ports.map((port) => `${address}:${port}`));
  const own = Object.entries(files).map(
    ([path, text]) => [resolve(root, fill(path)), fill(text), path.endsWith("/")] as const,
  );
  writeFiles(root, {
    "httpd.conf": `${[...headFor(listening), ...lines].map(fill).join("\n")}\n`,
    "conf/digest": digestUsers,
  });
  for (const [path, text, isFolder] of own)
    if (isFolder) mkdirSync(path, { recursive: true });
    else writeFiles("/", { [path]: text }, "latin1");
  for (const [path, text] of own) if (text.startsWith("#!")) chmodSync(path, 0o755);
  for (const [path, bytes] of dbmFiles()) writeFiles(root, { [path]: bytes.toString("latin1") }, "latin1");
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(fill(path)), { recursive: true });
    symlinkSync(fill(target), fill(path));
  }
}

function fillNames(text: string, { root, ports, backend, closed }: ServerPlace): string {
  const [first, second] = ports;
  const values = { ROOT: root, PORT1: first, PORT2: second, BACKEND: backend, CLOSED: closed };
  return Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(`@${name}@`, String(value)), text);
}
