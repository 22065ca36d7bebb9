import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingProxyModule } from "../../rules/missing-proxy-module/missing-proxy-module.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = [
  ...["authz_core", "rewrite", "proxy", "proxy_http", "proxy_fcgi"],
  ...["slotmem_shm", "proxy_balancer", "lbmethod_byrequests"],
];

const handler = (word: string) => ["<Location /x>", `SetHandler "${word}"`, "</Location>"];
const rule = (target: string) => ["RewriteEngine On", `RewriteRule ^/x$ ${target} [P]`];
/** A host that takes what httpd sends to itself. */
const itself = ["RewriteEngine On", "RewriteRule ^/127\\.0\\.0\\.1 - [R=410]"];

/** Lines, and the response to `/x`, which is a file; a backend that does not respond has 502, 503 or 504. */
const cases: readonly (readonly [lines: readonly string[], status: number | "backend", isUsable: boolean])[] = [
  [handler("proxy:127.0.0.1:1"), 200, false],
  [handler("proxy:localhost:1"), 200, false],
  [handler("proxy:fcgi//127.0.0.1:1"), 200, false],
  [handler("proxy:htp://127.0.0.1:1"), 200, false],
  [handler("proxy:unix:/none.sock"), 200, false],
  [handler("proxy:/none.sock|fcgi://localhost"), 200, false],
  [handler("proxy:unix:/none.sock|htp://localhost"), 200, false],
  [handler("fcgi://127.0.0.1:1"), 200, false],
  [handler("unix:/none.sock|fcgi://localhost"), 200, false],
  [handler("proxy:fcgi:/none.sock"), 400, false],
  [handler("proxy:fcgi:127.0.0.1:1"), 400, false],
  [handler("proxy:http:/127.0.0.1:1"), 400, false],
  [handler("proxy:unix:/none.sock|fcgi//localhost"), 400, false],
  [handler("proxy:unix:/none.sock|fcgi:localhost"), 400, false],
  [handler("proxy:unix:/none.sock|localhost"), 400, false],
  [handler("proxy:unix:/none.sock|fcgi:"), "backend", true],
  [handler("proxy:fcgi:"), 400, false],
  [handler("proxy:fcgi://127.0.0.1:90000"), 400, false],
  [handler("proxy:fcgi://127.0.0.1:port"), 500, false],
  [handler("proxy:fcgi://127.0.0.1:1"), "backend", true],
  [handler("proxy:http://127.0.0.1:1"), "backend", true],
  [handler("proxy:unix:/none.sock|fcgi://localhost"), "backend", true],
  [handler("proxy:unix:/none.sock|fcgi:/localhost"), "backend", true],
  [handler("proxy:unix:/none.sock|fcgi://localhost:90000"), 400, false],
  [handler("none"), 200, true],
  [["ProxyPass /x htp://127.0.0.1:1"], 500, false],
  [["ProxyPass /x fgci://127.0.0.1:1"], 500, false],
  [["ProxyPass /x http://127.0.0.1:90000"], 400, false],
  [["ProxyPass /x http://127.0.0.1:1"], "backend", true],
  [["ProxyPass /x FCGI://127.0.0.1:1"], "backend", true],
  [["ProxyPass /x balancer://none"], 503, false],
  [["ProxyPass /x balancer://none", "BalancerMember balancer://none http://127.0.0.1:1"], "backend", true],
  [rule("http://127.0.0.1:port/x"), 500, false],
  [rule("http://127.0.0.1:90000/x"), 400, false],
  [[...itself, ...rule("127.0.0.1:1/x")], 410, false],
  [rule("http://127.0.0.1:1/x"), "backend", true],
  [rule("fcgi://127.0.0.1:1/x"), "backend", true],
];

describe.skipIf(!httpd)(liveTitle("backends that httpd cannot use"), () => {
  test.each(cases)("%j: %s", async (lines, status, isUsable) => {
    await withRunningHttpd(
      modules,
      [...lines],
      async (running) => {
        const answer = await running.ask({ path: "/x" });
        if (status === "backend") expect([500, 502, 503, 504]).toContain(answer.status);
        else expect(answer.status).toBe(status);
        const loaded = loadProject(join(running.folder, "httpd.conf"), { kind: "server" });
        if (!loaded.ok) throw new Error(loaded.error);
        const { findings } = lintWithoutProofs(loaded.value, { rules: [missingProxyModule] });
        expect(findings.length).toBe(isUsable ? 0 : 1);
      },
      { x: "x" },
    );
  });
});
