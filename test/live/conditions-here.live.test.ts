import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { constantCondition } from "../../rules/constant-condition/constant-condition.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { onlyVariant } from "../support/rules.js";

const constantResult = onlyVariant(constantCondition, "constant-condition");

const modules = ["authz_core", "rewrite", "socache_shmcb", "ssl"];

/** Conditions of a rule for `/x` in the second of two virtual hosts, `b.test`, and whether a request can meet them. */
const cases: readonly (readonly [conditions: readonly string[], holds: boolean])[] = [
  [["%{HTTPS} on"], false],
  [["%{HTTPS} off"], true],
  [["%{HTTP_HOST} ^a\\.test$"], false],
  [["%{HTTP_HOST} ^c\\.test$"], false],
  [["%{HTTP_HOST} ^www\\.b\\.test$"], true],
  [["%{HTTP_HOST} ^b\\.test(:\\d+)?$"], true],
  [["DOCROOT%{REQUEST_URI} -f", "DOCROOT%{REQUEST_URI} -d"], false],
  [["DOCROOT%{REQUEST_URI} -f [OR]", "DOCROOT%{REQUEST_URI} -d"], true],
  [["%{REQUEST_URI} ^/y"], false],
  [["%{REQUEST_URI} !^/x"], false],
  [["%{REQUEST_URI} ^/x$"], true],
];

describe.skipIf(!httpd)(liveTitle("conditions that never hold where they are"), () => {
  test.each(cases)("%j: %s", async (conditions, holds) => {
    const rules = [
      "RewriteEngine on",
      ...conditions.map((each) => `RewriteCond ${each}`),
      "RewriteRule ^/x$ - [R=410]",
    ];
    const lines = [
      "<VirtualHost *:*>",
      "ServerName a.test",
      "</VirtualHost>",
      "<VirtualHost *:*>",
      "ServerName b.test",
      "ServerAlias www.b.test",
      ...rules,
      "</VirtualHost>",
    ];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const statuses: number[] = [];
        for (const Host of ["a.test", "b.test", "www.b.test", "c.test"])
          for (const path of ["/x", "/y"]) statuses.push((await running.ask({ path, headers: { Host } })).status);
        expect(statuses.includes(410)).toBe(holds);
        const loaded = loadProject(join(running.folder, "httpd.conf"), { kind: "server" });
        if (!loaded.ok) throw new Error(loaded.error);
        const { findings } = lintWithoutProofs(loaded.value, { rules: [constantResult] });
        expect(findings.length).toBe(holds ? 0 : 1);
      },
      { x: "x", y: "y" },
    );
  });
});
