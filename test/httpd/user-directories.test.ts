import { expect, test } from "vitest";
import { createListedFiles } from "../../src/httpd/model/file-tree.js";
import { Decider } from "../../src/simulate/decide.js";
import { loadText } from "../support/projects.js";

/** Why the answer for `/~bob/x.txt` is not known. */
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
  // As 2.4 answered: a URL leads away where a star stands for the user, and is a place in the home folder elsewhere.
  [["UserDir http://other.test/"], "`UserDir http://other.test/`"],
  [["UserDir /nowhere public_html /home"], "`UserDir public_html`"],
])("%j hangs on where home folders are", (lines, line) => {
  expect(unknownOf(...lines).join()).toContain(`below which ${line} leads`);
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
