import { expect, test } from "vitest";
import { findStartupErrors } from "../../src/apps/server-failure.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { loadProject } from "../../src/startup/load-project.js";

const ENTRY = "/etc/httpd/httpd.conf";

function startupErrorsOf(text: string, files: Readonly<Record<string, string>> = {}): readonly string[] {
  const access = memoryAccess({ ...files, [ENTRY]: text });
  const loaded = loadProject(ENTRY, { kind: "server", release: "2.4", access });
  if (!loaded.ok) throw new Error("not read");
  return findStartupErrors(loaded.value).map(({ message }) => message);
}

test.each([
  ["Frobnicate on\n", "unknown directive `Frobnicate`"],
  ["Order a b c d\n", "`Order` is not allowed outside a section"],
  ["SSLMutex default\n", "`SSLMutex` was removed in 2.4"],
  ["<Files a>\n", expect.stringContaining("`<Files>`")],
  ["Listen\n", "`Listen` needs a port"],
  ["<Directory /a>\nRequire expr %{\n</Directory>\n", expect.stringMatching(/^invalid expression: /)],
  ["Use Macro\n", "undefined macro `Macro`"],
])("reports only why the server does not start: %j", (text, message) => {
  expect(startupErrorsOf(text)).toContainEqual(message);
});

test("keeps findings if the server starts", () => {
  expect(startupErrorsOf("Listen 80\n<Directory /a>\nOrder deny,allow\nRequire all denied\n</Directory>\n")).toEqual(
    [],
  );
  const root = '<Directory "/srv">\nAllowOverride All\n</Directory>\nDocumentRoot "/srv"\n';
  expect(startupErrorsOf(root, { "/srv/.htaccess": "Frobnicate on\n" })).toEqual([]);
});
