import { describe, expect, test } from "vitest";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load } from "../support/projects.js";

/** Reports whether other log lines are possible for a request to a server with some lines. */
function mayDiffer(...lines: readonly string[]): boolean {
  const main = ["ServerName x.test", 'DocumentRoot "/srv"', ...lines, ""].join("\n");
  const project = load(
    { "/etc/httpd/httpd.conf": main },
    { kind: "server", modules: ["authz_core", "headers", "rewrite", "setenvif", "dir"] },
  );
  const request = { method: "GET", path: "/a.txt", clientIp: "192.0.2.7" };
  return answer(project, request, { files: createListedFiles(["/srv/a.txt"]) }).logsMayDiffer;
}

/** test/live/unordered-messages.live.test.ts shows the messages of a running server. */
describe("other log lines are possible with a test that makes a subrequest", () => {
  test.each([
    [`SetEnvIfExpr "-A '/no/'" closed`],
    ['SetEnvIfExpr "true || ! -U %{REQUEST_URI}" closed'],
    [`Header set X y "expr=-F '/srv/no'"`],
    ["RewriteCond /no !-U", "RewriteRule ^/x /y"],
    ["RewriteCond /srv/no -F", "RewriteRule ^/x /y"],
    ["RewriteCond %{LA-U:REMOTE_USER} ^a", "RewriteRule ^/x /y"],
    ["RewriteRule ^/x /y/%{LA-F:REMOTE_USER}"],
    [`RewriteCond expr "-A '/no'"`, "RewriteRule ^/x /y"],
  ])("%s", (...lines) => {
    expect(mayDiffer(...lines)).toBe(true);
  });
});

describe("no other log lines are possible without one", () => {
  test.each([
    [`SetEnvIfExpr "-d '/-A'" closed`],
    [`Header set X y "expr='-A /no' == %{REQUEST_URI}"`],
    ["RewriteCond /srv/no !-f", "RewriteRule ^/x /y"],
    ["RewriteCond -A -U?", "RewriteRule ^/x /y"],
    ["RewriteRule ^/x /-U"],
  ])("%s", (...lines) => {
    expect(mayDiffer(...lines)).toBe(false);
  });
});
