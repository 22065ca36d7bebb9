import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { rewriteMapLines, rewriteMapText } from "../support/cases/rewrite-map-cases.js";
import { loadText } from "../support/projects.js";

const answers: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "rewrite-map-answers.json"), "utf8"),
);

test("keys have the values that the live server finds (test/live/rewrite-map.live.test.ts)", () => {
  const head = ["LoadModule rewrite_module m.so", "LoadModule authz_core_module m.so", "DocumentRoot /srv"];
  const lines = rewriteMapLines.map((line) => line.replace("MAPFILE", "/etc/map"));
  const project = loadText([...head, ...lines].join("\n"), { kind: "server" });
  const files = { ...createListedFiles(["/srv/x", "/etc/map"]), textOf: () => rewriteMapText };
  const statuses = Object.keys(answers).map((url) => {
    const [path = "", query] = url.split("?");
    const request = { method: "GET", path, clientIp: "127.0.0.1", ...(query === undefined ? {} : { query }) };
    return [url, answer(project, request, { files }).status];
  });
  expect(Object.fromEntries(statuses)).toEqual(answers);
});
