import { describe, expect, test } from "vitest";
import type { Release } from "../../src/facts/release.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadText } from "../support/projects.js";

function responderOf(path: string, line: string, release: Release) {
  const text = `ServerName x.test\nDocumentRoot /srv\n${line}\n`;
  const project = loadText(text, { kind: "server", release });
  const server = new SimulatedServer(project, createListedFiles(["/srv/a", "/srv/a.txt", "/srv/a.x"]));
  const { answeredBy, unknown } = server.answer({ method: "GET", path, host: "x.test", clientIp: "192.0.2.7" });
  return [answeredBy, ...unknown];
}

describe("DefaultType of 2.2", () => {
  const line = "DefaultType application/x-httpd-php";

  test("names the handler of files without a type", () => {
    expect(responderOf("/a", line, "2.2")).toEqual(["program"]);
  });

  test("leaves open whether a file has a type if the types file is unknown", () => {
    const [, unknown] = responderOf("/a.x", `${line}\nAction application/x-httpd-php /php`, "2.2");
    expect(unknown).toBe("whether TypesConfig has a type for `.x`");
  });

  test("twin: does not concern files with a type, other types, and 2.4", () => {
    expect(responderOf("/a.txt", line, "2.2")).toEqual([undefined]);
    expect(responderOf("/a", "DefaultType text/plain", "2.2")).toEqual([undefined]);
    expect(responderOf("/a", line, "2.4")).toEqual([undefined]);
  });
});
