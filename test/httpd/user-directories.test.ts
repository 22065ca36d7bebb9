import { expect, test } from "vitest";
import { createListedFiles } from "../../src/httpd/model/file-tree.js";
import { Decider } from "../../src/simulate/decide.js";
import { loadText } from "../support/projects.js";

/** Returns why the answer for `/~bob/x.txt` is unknown. */
function unknownOf(...lines: readonly string[]): readonly string[] {
  const text = ["LoadModule userdir_module m.so", "ServerName x.test", ...lines].join("\n");
  const files = createListedFiles(["/home/bob/x.txt"]);
  return new Decider(loadText(text, { kind: "server" }), files).decide({
    method: "GET",
    path: "/~bob/x.txt",
    clientIp: "192.0.2.7",
  }).unknown;
}

test.each([
  [["UserDir public_html"], "`UserDir public_html`"],
  // Recorded from 2.4: a URL redirects only if a star represents the user; else it is a path in the home folder.
  [["UserDir http://other.test/"], "`UserDir http://other.test/`"],
  [["UserDir /nowhere public_html /home"], "`UserDir public_html`"],
])("%j hangs on where home folders are", (lines, line) => {
  expect(unknownOf(...lines).join()).toContain(`which ${line} uses`);
});

test.each([
  [["UserDir /home public_html"]],
  [["UserDir http://other.test/*"]],
  [["UserDir public_html", "UserDir disabled bob"]],
  [["UserDir public_html", "UserDir disabled"]],
  [[]],
])("%j does not", (lines) => {
  expect(unknownOf(...lines)).toEqual([]);
});
