import { expect, test } from "vitest";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadText } from "../support/projects.js";

const head = ["authz_core", "alias"].map((name) => `LoadModule ${name}_module m.so`);

function statusFor(lines: readonly string[]) {
  const text = [...head, "DocumentRoot /srv", "<Directory />", "Require all granted", "</Directory>", ...lines];
  const project = loadText(text.join("\n"), { kind: "server" });
  const request = { method: "GET", path: "/a/x", clientIp: "192.0.2.1" };
  return answer(project, request, { files: createListedFiles(["/srv/a/x", "/other/x"]) }).status;
}

const alias = "Alias /a /other";
const redirect = "Redirect /a /elsewhere";

test.each([
  ["an Alias after it", [redirect, alias]],
  ["an Alias before it", [alias, redirect]],
])("Redirect applies before %s", (_order, lines) => {
  expect(statusFor(lines)).toBe(302);
});

test("Alias maps a path without a Redirect", () => {
  expect(statusFor([alias])).toBe(200);
});

const files = ["<Files x>", "Require all denied", "</Files>"];
const location = ["<Location /a>", "Require all granted", "</Location>"];

test.each([
  ["before", [...location, ...files]],
  ["after", [...files, ...location]],
])("a Location section replaces the access of a Files section, written %s it", (_place, lines) => {
  expect(statusFor(lines)).toBe(200);
});

test("a Files section alone applies", () => {
  expect(statusFor(files)).toBe(403);
});
