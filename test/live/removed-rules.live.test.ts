import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle, moduleFolder } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";

const rule = 'SecRule ARGS "@rx a" "id:981050,phase:1,deny,status:403"';
const remove = "SecRuleRemoveById 981050";
const host = (...lines: readonly string[]) => ["<VirtualHost *>", 'DocumentRoot "DOCROOT"', ...lines, "</VirtualHost>"];

/** Lines of a server with mod_security, and the status of a request that the rule denies. */
const cases: readonly (readonly [lines: readonly string[], status: number])[] = [
  [[remove, rule], 403],
  [[rule, remove], 200],
  [["SecRuleRemoveById 981000-981099", rule], 403],
  [[rule, "SecRuleRemoveById 981000-981099"], 200],
  [host(remove, rule), 403],
  [host(rule, remove), 200],
  [[rule, ...host(remove)], 200],
  [[...host(remove), rule], 200],
];

const isInstalled = existsSync(`${moduleFolder}/mod_security2.so`);

describe.skipIf(!httpd || !isInstalled)(liveTitle("SecRuleRemoveById and the order of lines"), () => {
  test.each(cases)("%j: %i", async (lines, status) => {
    await withRunningHttpd(
      ["authz_core", "unique_id", "security2"],
      ["SecRuleEngine On", ...lines],
      async (running) => {
        expect((await running.ask({ path: "/x.txt?x=a" })).status).toBe(status);
      },
      { "x.txt": "x" },
    );
  });
});
