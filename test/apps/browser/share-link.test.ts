import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeLink, encodeLink, MAX_LINK } from "../../../src/apps/browser/share-link.js";

const main = "/etc/httpd/httpd.conf";
const configurationOf = (text: string) => ({ main, files: { [main]: text } });
const packedLink = (text: string) => `#try=${deflateRawSync(text).toString("base64url")}`;

test.each(["", "Listen 80\n".repeat(3000), "# “ü” 🦊 \u0000 <script>\r\n", "__proto__"])(
  "a link restores the files: %j",
  async (text) => {
    const state = { configuration: configurationOf(text), version: "from 2.2" } as const;
    const link = await encodeLink(state);
    expect(link).toMatch(/^#try=[\w-]+$/);
    expect(await decodeLink(link ?? "")).toEqual(state);
  },
);

test("files that are too large have no link", async () => {
  const text = randomBytes(MAX_LINK).toString("base64");
  expect(await encodeLink({ configuration: configurationOf(text), version: "2.4" })).toBeUndefined();
});

test("links without compression are supported", async () => {
  const link = `#try=${encodeURIComponent(JSON.stringify(configurationOf("Listen 80")))}`;
  expect(await decodeLink(link)).toEqual({ configuration: configurationOf("Listen 80"), version: "2.4" });
});

test.each([
  ["another fragment", "#results"],
  ["no data", "#try="],
  ["text that is not encoded", "#try=%%%"],
  ["truncated data", packedLink(JSON.stringify(configurationOf("Listen 80\n".repeat(99)))).slice(0, 40)],
  ["text that is not JSON", packedLink("{")],
  ["JSON that is not an object", packedLink("null")],
  ["no files", packedLink('{"main":"/a","files":{}}')],
  ["files that are not text", packedLink('{"main":"/a","files":{"/a":1}}')],
  ["no main file", packedLink('{"files":{"/a":""}}')],
  ["more than a megabyte", packedLink(JSON.stringify(configurationOf(" ".repeat(2_000_000))))],
])("a link with %s is ignored", async (_, link) => {
  expect(await decodeLink(link)).toBeUndefined();
});

test("a file may have any name", async () => {
  const shared = await decodeLink(packedLink('{"main":"__proto__","files":{"__proto__":"Listen 80"}}'));
  expect(Object.entries(shared?.configuration.files ?? {})).toEqual([["__proto__", "Listen 80"]]);
});
