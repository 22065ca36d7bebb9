import { parseArguments } from "../../grammar/arguments.js";
import { normalizeLine } from "../../grammar/line-scanner.js";
import { parseFile } from "../../grammar/parser.js";
import type { FileAccess } from "../config/files/file-access.js";
import { fromReadable, sourceFile } from "../text/source.js";
import { checkPassword, digestHashOf } from "./access/password-hashes.js";
import type { FileTree, PasswordEntry, PasswordUser } from "./model/file-tree.js";

/** Returns lookups in password and group files; each file is read once. */
export function membersIn(access: FileAccess): Required<Pick<FileTree, "passwordEntryOf" | "usersOf" | "groupsOf">> {
  const files = new Map<string, readonly string[] | undefined>();
  const linesOf = (path: string) => {
    if (!files.has(path)) files.set(path, readLines(path, access));
    return files.get(path);
  };
  const groupFiles = new Map<string, readonly GroupLine[] | undefined>();
  const groupLinesOf = (path: string) => {
    if (!groupFiles.has(path)) groupFiles.set(path, linesOf(path)?.map(parseGroupLine));
    return groupFiles.get(path);
  };
  return {
    passwordEntryOf: (path, user, realm, password) => {
      const lines = linesOf(path);
      return lines && passwordEntryIn(lines, { user: fromReadable(user), realm, password });
    },
    usersOf: (path) => linesOf(path)?.flatMap(passwordUserIn),
    groupsOf: (path, user, source) => {
      // Database files are not read.
      const lines = source === "text" ? groupLinesOf(path) : undefined;
      const name = fromReadable(user);
      return lines && [...new Set(lines.flatMap(({ group, members }) => (members.has(name) ? [group] : [])))];
    },
  };
}

/** Returns the lines that count, joined and trimmed (`ap_cfg_getline`); undefined if the file cannot be read. */
function readLines(path: string, access: FileAccess): readonly string[] | undefined {
  const content = access.read(path);
  if (!content.ok) return undefined;
  const found: string[] = [];
  for (const line of parseFile(sourceFile(path, content.value.text)).lines) {
    if (line.kind === "blank" || line.kind === "comment") continue;
    found.push(normalizeLine(content.value.text, line).text);
  }
  return found;
}

interface GroupLine {
  readonly group: string;
  readonly members: ReadonlySet<string>;
}

/** Parses a line of a group file: members are words as in a directive (mod_authz_groupfile.c `groups_for_user`). */
function parseGroupLine(line: string): GroupLine {
  const [group, rest] = splitAtColon(line);
  return {
    group: group.replace(/[\t-\r ]+$/, ""),
    members: new Set(parseArguments(rest.replace(/^[\t-\r ]+/, "")).map(({ value }) => value)),
  };
}

/** Longer lines end the reading of a password file (`MAX_STRING_LEN`). */
const MAX_PASSWORD_LINE = 8191;

/**
 * Looks up a user in a password file: the first line with the name counts, with a realm the first with both
 * (mod_authn_file.c `check_password`, `get_realm_hash`).
 */
function passwordEntryIn(lines: readonly string[], { user, realm, password }: Login): PasswordEntry {
  for (const line of lines) {
    if (line.length > MAX_PASSWORD_LINE) break;
    const [name, rest] = splitAtColon(line);
    if (name !== user) continue;
    const [first, second] = splitAtColon(rest);
    if (realm === undefined) return passwordHash.test(first) ? entryFor(first, password) : "unusable";
    const [hash] = splitAtColon(second);
    if (first !== realm) continue;
    if (!digestHash.test(hash)) return "unusable";
    return password === undefined || digestHashOf(user, realm, fromReadable(password)) === hash ? "usable" : "unusable";
  }
  return "missing";
}

/** Returns the user of a line of a password file; none if it has no colon after a name. */
function passwordUserIn(line: string): readonly PasswordUser[] {
  const [name, rest] = splitAtColon(line);
  if (rest === "" || name === "") return [];
  const [first, second] = splitAtColon(rest);
  return [{ name, realm: digestHash.test(splitAtColon(second)[0]) ? first : undefined }];
}

/** A user who logs in. @property password what the user sends; undefined for the right one */
interface Login {
  readonly user: string;
  readonly realm: string | undefined;
  readonly password: string | undefined;
}

function entryFor(hash: string, password: string | undefined): PasswordEntry {
  if (password === undefined) return "usable";
  const checked = checkPassword(hash, fromReadable(password));
  return typeof checked === "object" ? checked : checked === "right" ? "usable" : "unusable";
}

/** Hashes that some password can match (`apr_password_validate`): SHA-1, those with `$`, and DES. */
const passwordHash = /^(?:\{SHA\}[A-Za-z0-9+/]{27}=|\$[^$]+\$.+|[./0-9A-Za-z]{13})$/s;

const digestHash = /^[0-9a-f]{32}$/;

/**
 * Returns an entry of a password file without the user and the password: a hash of the same kind, and the realm.
 *
 * @param rest the line after the name and its colon
 * @param mask the replacement of what follows the kind
 */
export function maskPasswordEntry(rest: string, mask: string): string {
  const [first, second] = splitAtColon(rest);
  if (digestHash.test(splitAtColon(second)[0])) return `${first}:${"0".repeat(32)}`;
  return passwordHash.test(first) ? `$x$${mask}` : mask;
}

/** Splits a line as `ap_getword` does: several colons in a row count as one. */
function splitAtColon(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon).replace(/^:+/, "")];
}
