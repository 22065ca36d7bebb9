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
import type { Result } from "../../text/result.js";
import { errorCodeOf } from "./file-system.js";

/** The secret of a user on a machine. A journal without its signature was not written by this user on this machine. */
export interface JournalKey {
  /** The key file; undefined if the key is not in a file. */
  readonly path: string | undefined;
  readonly secret: string;
  /** The machine and the user: both are signed as well, in case a home directory is shared or copied. */
  readonly owner: string;
}

const folderName = "httpd-lint";
const fileName = "journal-key";

/** Returns the key of this user, and creates one if there is none; the error is a clause. */
export function ensureJournalKey(): Result<JournalKey, string> {
  try {
    const folder = findStateFolder();
    if (folder === undefined) return noHomeDirectory;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return readKey(folder) ?? createKey(folder);
  } catch (error) {
    return { ok: false, error: `the system reports ${errorCodeOf(error) ?? String(error)} for the state directory` };
  }
}

/** Finds the key of this user; the error is a clause. */
export function findJournalKey(): Result<JournalKey, string> {
  try {
    const folder = findStateFolder();
    if (folder === undefined) return noHomeDirectory;
    const missing: Result<never, string> = { ok: false, error: `\`${join(folder, fileName)}\` does not exist` };
    return (lstatSync(folder, { throwIfNoEntry: false }) && readKey(folder)) ?? missing;
  } catch (error) {
    return { ok: false, error: `the system reports ${errorCodeOf(error) ?? String(error)} for the state directory` };
  }
}

const noHomeDirectory: Result<never, string> = { ok: false, error: "this user has no home directory" };

/** Returns the signature of a text by a key. */
export function signText(text: string, { secret, owner }: JournalKey): string {
  return createHmac("sha256", secret).update(`${owner}\0${text}`).digest("hex");
}

/** Returns whether a signature is that of a text by a key. */
export function isValidSignature(text: string, signature: string, key: JournalKey): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(signText(text, key))];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Returns `$XDG_STATE_HOME/httpd-lint`, or the equivalent folder in the home directory. */
function findStateFolder(): string | undefined {
  const { XDG_STATE_HOME: state } = process.env;
  if (state !== undefined && isAbsolute(state)) return join(state, folderName);
  const home = findOwnHome();
  return home && join(home, ".local/state", folderName);
}

/** `sudo` may keep HOME: root must not create its own files in the home directory of another user. */
function findOwnHome(): string | undefined {
  const isOwn = (path: string) => isAbsolute(path) && lstatSync(path, { throwIfNoEntry: false })?.uid === currentUser();
  const named = homedir();
  if (isOwn(named)) return named;
  try {
    const { homedir: listed } = userInfo();
    return isOwn(listed) ? listed : undefined;
  } catch {
    return undefined;
  }
}

function currentUser(): number {
  return process.geteuid?.() ?? 0;
}

function describeOwner(): string {
  return `${readMachineId()}\0${currentUser()}`;
}

/** The machine ID survives a change of name; a container may not have one. */
function readMachineId(): string {
  try {
    const id = readFileSync("/etc/machine-id", "latin1").trim();
    if (/^[\da-f]{32}$/.test(id)) return id;
  } catch {
    // The host name is the fallback.
  }
  return hostname();
}

/** Reads the key in a folder; undefined if there is none. */
function readKey(folder: string): Result<JournalKey, string> | undefined {
  const status = lstatSync(folder);
  if (!status.isDirectory() || !isPrivate(status, 0o022))
    return { ok: false, error: `\`${folder}\` is not a directory that only you can write to` };
  const path = join(folder, fileName);
  const wrong: Result<never, string> = { ok: false, error: `\`${path}\` is not a key that only you can read` };
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    return wrong;
  }
  try {
    const there = fstatSync(handle);
    if (!there.isFile() || !isPrivate(there, 0o077) || there.size !== KEY_LENGTH) return wrong;
    const secret = readFileSync(handle, "latin1");
    return /^[\da-f]+$/.test(secret) ? { ok: true, value: { path, secret, owner: describeOwner() } } : wrong;
  } finally {
    closeSync(handle);
  }
}

/** Windows has no permission bits: only the user can access the profile that contains the folder. */
function isPrivate({ uid, mode }: Stats, forbidden: number): boolean {
  if (process.platform === "win32") return true;
  return uid === currentUser() && (mode & forbidden) === 0;
}

/** Length of the key in hexadecimal digits. */
const KEY_LENGTH = 64;

/** Creates a key. If two runs do so at once, both use the one that is created first. */
function createKey(folder: string): Result<JournalKey, string> {
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
    if (errorCodeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readKey(folder) ?? { ok: false, error: `\`${path}\` cannot be read back` };
}
