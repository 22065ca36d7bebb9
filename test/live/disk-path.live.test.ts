import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { onlyVariant } from "../support/rules.js";

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");

/** Lines with a path of the disk, the path without the document root, and the statuses of `/x` with each of them. */
const cases: readonly (readonly [line: string, corrected: string, number, number])[] = [
  ["Redirect PATH https://b.test/", "/x", 200, 302],
  ["RedirectMatch ^PATH https://b.test/", "/x", 200, 302],
  ["Alias PATH DOCROOT/none", "/x", 200, 404],
  ["AliasMatch ^PATH DOCROOT/none", "/x", 200, 404],
  ["<LocationMatch ^PATH>\nRequire all denied\n</LocationMatch>", "/x", 200, 403],
  ["RewriteEngine on\nRewriteRule ^PATH - [G]", "/x", 200, 410],
  ["RewriteEngine on\nRewriteRule ^/x - [R=403]\nErrorDocument 403 PATH", "/page", 403, 403],
];

describe.skipIf(!httpd)(liveTitle("paths of the disk where httpd takes paths of URLs"), () => {
  test.each(cases)("%s", async (line, corrected, wrong, right) => {
    for (const [path, status] of [
      [`DOCROOT${corrected}`, wrong],
      [corrected, right],
    ] as const)
      await withRunningHttpd(
        ["alias", "authz_core", "rewrite"],
        line.replace("PATH", path).split("\n"),
        async (running) => {
          const answer = await running.ask({ path: "/x" });
          expect(answer.status).toBe(status);
          // The built-in page has another length than the one of the site.
          if (line.includes("ErrorDocument")) expect(answer.headers["content-length"] === "4").toBe(path === corrected);
          const loaded = loadProject(join(running.folder, "httpd.conf"), { kind: "server" });
          if (!loaded.ok) throw new Error(loaded.error);
          const { findings } = lintWithoutProofs(loaded.value, { rules: [pathPatterns] });
          expect(findings.length).toBe(path === corrected ? 0 : 1);
        },
        { x: "x", page: "page" },
      );
  });
});
