import { expect, test } from "vitest";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

test.each([
  ["SetEnvIf that repeats a variable", `SetEnvIf A "(.*)" A=${"$1".repeat(9)}\n`.repeat(9)],
  [
    "rules that repeat a variable",
    `RewriteEngine On\n${'RewriteRule ^ - "[E=a:x%{ENV:a}%{ENV:a}%{ENV:a}%{ENV:a}]"\n'.repeat(14)}`,
  ],
  ["a line of unclosed variables", `ErrorLog ${"${".repeat(200_000)}\n`],
])("explain finishes in time and without an internal error: %s", (_, lines) => {
  write({ "httpd.conf": `ServerRoot /\nListen 80\n${lines}` });
  const { status, stderr } = lint(["explain", "httpd.conf", "/", "--header", "A: xxxxxxxxxx", "--no-config"]);
  expect([0, 1, 5]).toContain(status);
  expect(stderr).not.toContain("internal");
});
