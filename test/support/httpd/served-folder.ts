import { spawnSync } from "node:child_process";
import { lookup, lookupService } from "node:dns/promises";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { FileOwner } from "../../../src/server/model/file-tree.js";
import { inScratchFolder, writeFiles } from "../programs/scratch-folder.js";
import { clients, dbmGroupLines, groupFile, users } from "../random/random-requests.js";
import { onDisk } from "../random/random-server.js";

/** Both a program and a page: when run, it responds. */
const page = "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\n'\n";

/** Prepares the folder for the server: the common files, and a configuration's own. */
export function prepareFolder(root: string, files: Readonly<Record<string, string>>): void {
  rmSync(root, { recursive: true, force: true });
  writeFiles(root, Object.fromEntries(onDisk.map((path) => [path, page])));
  for (const path of onDisk) chmodSync(join(root, path), 0o755);
  writeFiles(root, {
    "conf/users": users.map((user) => `${user}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join(""),
    "conf/groups": groupFile,
  });
  for (const [path, bytes] of dbmFiles()) writeFileSync(join(root, path), bytes);
  writeFiles(root, files, "latin1");
}

let dbm: readonly (readonly [path: string, bytes: Buffer])[] | undefined;

/** Returns the group file in the format of mod_authz_dbm; created once by the server's own tool. */
export function dbmFiles(): readonly (readonly [path: string, bytes: Buffer])[] {
  if (dbm) return dbm;
  dbm = inScratchFolder((folder) => {
    writeFileSync(join(folder, "lines"), dbmGroupLines);
    spawnSync("httxt2dbm", ["-i", join(folder, "lines"), "-o", join(folder, "dbm")]);
    return readdirSync(folder)
      .filter((name) => name.startsWith("dbm"))
      .map((name) => [`conf/${name}`, readFileSync(join(folder, name))] as const);
  });
  return dbm;
}

/** Returns the owner of all these files. */
export function ownOwner(): FileOwner {
  owner ??= {
    user: userInfo().username,
    group: spawnSync("id", ["-gn"], { encoding: "utf8" }).stdout.trim(),
  };
  return owner;
}

let owner: FileOwner | undefined;

/**
 * Returns the names that the server resolves for client addresses, including only those confirmed by a forward lookup.
 */
export async function clientNames(): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const address of clients) {
    const name = await lookUpName(address);
    if (name === undefined) continue;
    const back = await lookup(name, { all: true }).catch(() => []);
    if (back.some((each) => each.address === address)) names.set(address, name);
  }
  return names;
}

/** Returns an address for documentation (RFC 5737) that has no name on this machine. */
export async function findUnnamedAddress(): Promise<string> {
  for (let last = 7; last < 250; last++) {
    const address = `192.0.2.${last}`;
    if ((await lookUpName(address)) === undefined) return address;
  }
  throw new Error("every address of 192.0.2.0/24 has a name here");
}

/** Returns the name of an address on this machine; undefined if it has none. */
async function lookUpName(address: string): Promise<string | undefined> {
  const name = await lookupService(address, 80).then(
    ({ hostname }) => hostname,
    () => address,
  );
  return name === address ? undefined : name;
}
