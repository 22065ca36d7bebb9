import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { codeOf } from "./file-system.js";

/** The secret of a user on a machine. A journal that it does not sign was not written by this user here. */
export interface JournalKey {
  /** The file that holds it; undefined for one that is in no file. */
  readonly path: string | undefined;
  readonly secret: string;
  /** The machine and the user: both are signed as well, in case a home directory is shared or copied. */
  readonly owner: string;
}

/** The reason for a missing key, as a clause. */
export interface NoKey {
  readonly failed: string;
}

const folderName = "httpd-lint";
const fileName = "journal-key";

/** Finds the key of this user, and makes one if there is none. */
export function makeJournalKey(): JournalKey | NoKey {
  try {
    const folder = stateFolder();
    if (folder === undefined) return homeless;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return readKey(folder) ?? madeKey(folder);
  } catch (error) {
    return { failed: `the system reports ${codeOf(error) ?? String(error)} for the state directory` };
  }
}

/** Finds the key of this user. */
export function findJournalKey(): JournalKey | NoKey {
  try {
    const folder = stateFolder();
    if (folder === undefined) return homeless;
    const missing = { failed: `\`${join(folder, fileName)}\` does not exist` };
    return (lstatSync(folder, { throwIfNoEntry: false }) && readKey(folder)) ?? missing;
  } catch (error) {
    return { failed: `the system reports ${codeOf(error) ?? String(error)} for the state directory` };
  }
}

const homeless: NoKey = { failed: "this user has no home directory" };

/** Returns the signature of a text by a key. */
export function sign(text: string, { secret, owner }: JournalKey): string {
  return createHmac("sha256", secret).update(`${owner}\0${text}`).digest("hex");
}

/** Tests whether a signature is that of a text by a key. */
export function isSigned(text: string, signature: string, key: JournalKey): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(text, key))];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Returns `$XDG_STATE_HOME/httpd-lint`, or the folder that stands for it in the home directory. */
function stateFolder(): string | undefined {
  const { XDG_STATE_HOME: state } = process.env;
  if (state !== undefined && isAbsolute(state)) return join(state, folderName);
  const home = ownHome();
  return home && join(home, ".local/state", folderName);
}

/** `sudo` may leave HOME as it was: then root is not to put files of its own into the home directory of another user. */
function ownHome(): string | undefined {
  const isOwn = (path: string) => isAbsolute(path) && lstatSync(path, { throwIfNoEntry: false })?.uid === user();
  const named = homedir();
  if (isOwn(named)) return named;
  try {
    const { homedir: listed } = userInfo();
    return isOwn(listed) ? listed : undefined;
  } catch {
    return undefined;
  }
}

function user(): number {
  return process.geteuid?.() ?? 0;
}

function ownerText(): string {
  return `${machineName()}\0${user()}`;
}

/** The machine keeps its id when its name changes; a container may have none. */
function machineName(): string {
  try {
    const id = readFileSync("/etc/machine-id", "latin1").trim();
    if (/^[\da-f]{32}$/.test(id)) return id;
  } catch {
    // Its name has to do.
  }
  return hostname();
}

/** Reads the key in a folder; undefined if there is none. */
function readKey(folder: string): JournalKey | NoKey | undefined {
  const status = lstatSync(folder);
  if (!status.isDirectory() || !isPrivate(status, 0o022))
    return { failed: `\`${folder}\` is not a directory that only you can write to` };
  const path = join(folder, fileName);
  const wrong = { failed: `\`${path}\` is not a key that only you can read` };
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    return wrong;
  }
  try {
    const there = fstatSync(handle);
    if (!there.isFile() || !isPrivate(there, 0o077) || there.size !== KEY_LENGTH) return wrong;
    const secret = readFileSync(handle, "latin1");
    return /^[\da-f]+$/.test(secret) ? { path, secret, owner: ownerText() } : wrong;
  } finally {
    closeSync(handle);
  }
}

function isPrivate({ uid, mode }: Stats, forbidden: number): boolean {
  return uid === user() && (mode & forbidden) === 0;
}

/** In hexadecimal digits. */
const KEY_LENGTH = 64;

/** Makes a key. Of two runs that do so at once, both take the one that is there first. */
function madeKey(folder: string): JournalKey | NoKey {
  const path = join(folder, fileName);
  const part = `${path}.${process.pid}.tmp`;
  rmSync(part, { force: true });
  try {
    const handle = openSync(part, "wx", 0o600);
    try {
      writeFileSync(handle, randomBytes(KEY_LENGTH / 2).toString("hex"));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    linkSync(part, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readKey(folder) ?? { failed: `\`${path}\` cannot be read back` };
}
