import { expect, test } from "vitest";
import { roleOfLine } from "../../../src/report/answers/line-roles.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { load } from "../../support/projects.js";

const files = createListedFiles(["/srv/www/index.html", "/srv/www/page.html"]);

test.each([
  ["a rule that returns 404", "RewriteRule ^page - [R=404,L]", "returns 404"],
  ["a rule that returns 410", "RewriteRule ^page - [G]", "returns 410"],
  ["a rule that denies", "RewriteRule ^page - [F]", "returns 403"],
  ["a rule whose file is missing", "RewriteRule ^page none.html [L]", "leads to another URL"],
  ["a rule whose file exists", "RewriteRule ^page /index.html [L]", "leads to another URL"],
  ["a rule that redirects", "RewriteRule ^page /other [R=302,L]", "redirects the request"],
  ["a redirect with another status", "RedirectMatch 404 ^/page", "returns 404"],
  ["a redirect", "Redirect /page.html /other", "redirects the request"],
])("%s", (_, line, role) => {
  const directory = ["<Directory /srv/www>", "Require all granted", "RewriteEngine On", line, "</Directory>"];
  const text = `DocumentRoot /srv/www\n${directory.join("\n")}\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release: "2.4" });
  const found = answer(project, { method: "GET", path: "/page.html", clientIp: "192.0.2.7" }, { files });
  const [span] = found.leadPlaces.length > 0 ? found.leadPlaces : found.places;
  expect(span && roleOfLine(span, found)).toBe(role);
});

test("the line that makes a directory a program, which cannot run", () => {
  const lines = ["ScriptAlias /cgi/ /srv/cgi/", "<Directory /srv/cgi>", "Require all granted", "</Directory>"];
  const project = load({ "/etc/httpd/httpd.conf": `${lines.join("\n")}\n` }, { kind: "server", release: "2.4" });
  const programs = createListedFiles(["/srv/cgi/run.cgi"]);
  const found = answer(project, { method: "GET", path: "/cgi/", clientIp: "192.0.2.7" }, { files: programs });
  expect(found.status).toBe(403);
  expect(found.decidedBy.map(({ span }) => roleOfLine(span, found))).toEqual(["maps the URL to this path"]);
});

test("a line that grants access, before a program that may not run", () => {
  const lines = [
    "DocumentRoot /srv",
    "<Directory /srv>",
    "Require all granted",
    "SetHandler cgi-script",
    "Options None",
  ];
  const text = `${lines.join("\n")}\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release: "2.4" });
  const files = createListedFiles(["/srv/run.cgi"]);
  const found = answer(project, { method: "GET", path: "/run.cgi", clientIp: "192.0.2.7" }, { files });
  expect(found.status).toBe(403);
  expect(found.decidedBy.map(({ span }) => roleOfLine(span, found))).toEqual(["grants access"]);
});

test.each([
  ["DELETE", 405, "does not allow this method"],
  ["PUT", 405, "does not allow this method"],
])("the line that does not allow the method %s", (method, status, role) => {
  const lines = ["<Directory /srv>", "Require all granted", "AllowMethods GET", "</Directory>"];
  const project = load({ "/etc/httpd/httpd.conf": `DocumentRoot /srv/www\n${lines.join("\n")}\n` }, { kind: "server" });
  const found = answer(project, { method, path: "/page.html", clientIp: "192.0.2.7" }, { files });
  expect(found.status).toBe(status);
  expect(found.decidedBy.map(({ span, key }) => [key, roleOfLine(span, found)])).toEqual([["allowmethods", role]]);
});
