import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";

/** The result of a comparison; the name of the scheme if it is not known. */
export type PasswordCheck = "right" | "wrong" | { readonly unknownScheme: string };

/**
 * Compares a password with a stored hash (APR `apr_password_validate`, and `crypt` of glibc for what is not of APR's own).
 *
 * @param hash the field of a password file: `{SHA}…`, `$apr1$…`, or one for `crypt`
 * @param password as a binary string
 */
export function checkPassword(hash: string, password: string): PasswordCheck {
  const toResult = (computed: string) => (computed === hash ? "right" : "wrong");
  if (hash.startsWith("{SHA}")) return toResult(`{SHA}${toBase64(sha1(bytesOf(password)))}`);
  const [, scheme = ""] = /^\$([^$]*)\$/.exec(hash) ?? [];
  if (scheme === "apr1" || scheme === "1") return toResult(cryptByMd5(password, hash, `$${scheme}$`));
  const shaCrypt = Object.hasOwn(shaCrypts, scheme) ? shaCrypts[scheme] : undefined;
  if (shaCrypt) {
    const computed = cryptBySha(password, hash, shaCrypt);
    return computed === undefined ? { unknownScheme: `$${scheme}$` } : toResult(computed);
  }
  return { unknownScheme: scheme === "" ? "DES" : /^2[abxy]?$/.test(scheme) ? "bcrypt" : `$${scheme}$` };
}

/** Returns the hash that Digest stores (mod_auth_digest.c `get_hash`). */
export function digestHashOf(user: string, realm: string, password: string): string {
  return [...md5(bytesOf(`${user}:${realm}:${password}`))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Returns the first bytes of a text that repeats a digest. */
function repeatTo(digest: Uint8Array, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => digest[index % digest.length] ?? 0);
}

const letters = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Writes bytes in groups of three, each as up to four letters, the low bits first. */
function encodeGroups(bytes: Uint8Array, groups: readonly (readonly number[])[]): string {
  const encode = (group: readonly number[]) => {
    const value = group.reduce((sum, index) => sum * 256 + (bytes[index] ?? 0), 0);
    return Array.from({ length: group.length + 1 }, (_, at) => letters.charAt((value >> (6 * at)) & 63)).join("");
  };
  return groups.map(encode).join("");
}

/** APR `apr_md5_encode`, and `crypt` of glibc with the magic `$1$`. */
function cryptByMd5(text: string, stored: string, magic: string): string {
  const saltText = (stored.slice(magic.length).split("$")[0] ?? "").slice(0, 8);
  const [password, salt] = [bytesOf(text), bytesOf(saltText)];
  const mixed = md5(concatBytes(password, salt, password));
  const bits: number[] = [];
  for (let left = password.length; left > 0; left >>= 1) bits.push(left & 1 ? 0 : (password[0] ?? 0));
  const start = [password, bytesOf(magic), salt, repeatTo(mixed, password.length), Uint8Array.from(bits)];
  let digest = md5(concatBytes(...start));
  for (let round = 0; round < 1000; round++) {
    const isOdd = (round & 1) === 1;
    digest = md5(
      concatBytes(
        isOdd ? password : digest,
        ...(round % 3 ? [salt] : []),
        ...(round % 7 ? [password] : []),
        isOdd ? digest : password,
      ),
    );
  }
  const groups = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]];
  return `${magic}${saltText}$${encodeGroups(digest, groups)}`;
}

/** A scheme of `crypt`, with the order of the bytes in its result. */
interface ShaCrypt {
  readonly magic: string;
  readonly hash: (bytes: Uint8Array) => Uint8Array;
  readonly groups: readonly (readonly number[])[];
}

/** Returns groups of three bytes: their indexes rotate. */
function rotatingGroups(first: readonly [number, number, number], count: number, turn: "left" | "right") {
  const groups: (readonly number[])[] = [];
  let [a, b, c] = first;
  for (let at = 0; at < count; at++) {
    groups.push([a, b, c]);
    [a, b, c] = turn === "left" ? [b + 1, c + 1, a + 1] : [c + 1, a + 1, b + 1];
  }
  return groups;
}

const shaCrypts: Readonly<Record<string, ShaCrypt>> = {
  "5": { magic: "$5$", hash: sha256, groups: [...rotatingGroups([0, 10, 20], 10, "right"), [31, 30]] },
  "6": { magic: "$6$", hash: sha512, groups: [...rotatingGroups([0, 21, 42], 21, "left"), [63]] },
};

/** Hashes with more rounds are not computed. */
const MAX_CRYPT_ROUNDS = 200_000;

/** `crypt` of glibc with the magic `$5$` or `$6$`; undefined if it takes too many rounds. */
function cryptBySha(text: string, stored: string, { magic, hash, groups }: ShaCrypt): string | undefined {
  const parts = stored.slice(magic.length).split("$");
  const [, given] = /^rounds=(\d+)$/.exec(parts[0] ?? "") ?? [];
  const saltText = (given === undefined ? parts[0] : parts[1])?.slice(0, 16) ?? "";
  const count = Math.min(Math.max(Number(given ?? 5000), 1000), 999_999_999);
  if (count > MAX_CRYPT_ROUNDS) return undefined;
  const [password, salt] = [bytesOf(text), bytesOf(saltText)];
  const mixed = hash(concatBytes(password, salt, password));
  const bits: Uint8Array[] = [];
  for (let left = password.length; left > 0; left >>= 1) bits.push(left & 1 ? mixed : password);
  let digest = hash(concatBytes(password, salt, repeatTo(mixed, password.length), ...bits));
  const ofPassword = hash(concatBytes(...Array.from({ length: password.length }, () => password)));
  const ofSalt = hash(concatBytes(...Array.from({ length: 16 + (digest[0] ?? 0) }, () => salt)));
  const [long, short] = [repeatTo(ofPassword, password.length), repeatTo(ofSalt, salt.length)];
  for (let round = 0; round < count; round++) {
    const isOdd = (round & 1) === 1;
    digest = hash(
      concatBytes(
        isOdd ? long : digest,
        ...(round % 3 ? [short] : []),
        ...(round % 7 ? [long] : []),
        isOdd ? digest : long,
      ),
    );
  }
  const rounds = given === undefined ? "" : `rounds=${count}$`;
  return `${magic}${rounds}${saltText}$${encodeGroups(digest, groups)}`;
}
