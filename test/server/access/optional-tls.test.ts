import { expect, test } from "vitest";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { load } from "../../support/projects.js";

// Live 2.4.71: plain HTTP returns 403 with AH02219.
test.each([
  ["2.2", 426],
  ["2.4", 403],
] as const)("SSLRequireSSL with an optional SSLEngine rejects plain HTTP: %s returns %i", (release, status) => {
  const text = `DocumentRoot "/srv"\nSSLEngine optional\n<Directory "/srv">\nSSLRequireSSL\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server", modules: ["ssl"] });
  expect(
    answer(project, { method: "GET", path: "/a", clientIp: "192.0.2.7" }, { files: createListedFiles(["/srv/a"]) })
      .status,
  ).toBe(status);
});
