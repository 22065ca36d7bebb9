import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Returns whether a condition is true for a request. */
function holds(condition: string): boolean {
  const text = `DocumentRoot /srv\n<Location />\nRequire expr "${condition}"\n</Location>\n`;
  const loaded = loadProject("/etc/httpd.conf", { kind: "server", access: memoryAccess({ "/etc/httpd.conf": text }) });
  if (!loaded.ok) throw new Error(loaded.error);
  const request = { method: "GET", path: "/x", clientIp: "192.0.2.1" };
  return answer(loaded.value, request, { files: createListedFiles(["/srv/x"]) }).class === "allowed";
}

const texts = [
  "abc",
  "a text that is longer than 64 bytes, so that the hash functions process more than one block",
  "grüße",
];

test.each(texts)("md5 and sha1 hash the bytes of %s", (text) => {
  for (const name of ["md5", "sha1"]) {
    const hash = createHash(name).update(text).digest("hex");
    expect(holds(`${name}('${text}') == '${hash}'`)).toBe(true);
    expect(holds(`${name}('${text}') == '${hash.replace(/.$/, "-")}'`)).toBe(false);
  }
});

test.each(texts)("base64 and unbase64 encode and decode the bytes of %s", (text) => {
  const base64 = Buffer.from(text).toString("base64");
  expect(holds(`base64('${text}') == '${base64}'`)).toBe(true);
  expect(holds(`unbase64('${base64}') == '${text}'`)).toBe(true);
});

// Results of 2.4.
test.each([
  ["escape", "a b", "a%20b"],
  ["escape", "a%20b", "a%2520b"],
  ["escape", "grü", "gr%c3%bc"],
  ["escape", "/a:b?c#d~!@$&()*+,;=[]", "/a:b%3fc%23d~!@$&()*+,;=%5b%5d"],
  ["escape", "^`|", "%5e%60%7c"],
  ["unescape", "a%20b%41", "a bA"],
  ["unescape", "a%2Fb%2f", "a%2Fb%2f"],
  ["unescape", "a+b", "a+b"],
  ["unescape", "a%", ""],
  ["unescape", "%zzb", ""],
  ["unescape", "%00x", ""],
])("%s of %s is %s", (name, text, value) => {
  expect(holds(`${name}('${text}') == '${value}'`)).toBe(true);
  expect(holds(`${name}('${text}') == '${value}.'`)).toBe(false);
});
