import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

const modules = [
  "authz_core",
  "rewrite",
  "proxy",
  "proxy_http",
  "proxy_balancer",
  "slotmem_shm",
  "lbmethod_byrequests",
];

describe.skipIf(!httpd)(liveTitle("targets that the server rejects"), () => {
  test("a balancer without a definition has no handler", async () => {
    const lines = [
      ...["RewriteEngine On", "RewriteRule ^/none/(.*) balancer://none/$1 [P]"],
      ...["<Location /none/denied>", "Require all denied", "</Location>"],
    ];
    await withRunningHttpd(modules, lines, async (running) => {
      const requests = [{ path: "/none/x" }, { path: "/none/" }, { path: "/none/denied" }];
      expect(await findDifferingAnswers(running, requests, { comparesLogs: true })).toEqual([]);
    });
  });

  test("a path below the DocumentRoot has a maximum length", async () => {
    await withRunningHttpd(["authz_core"], [], async (running) => {
      const most = 4093 - `${running.folder}/htdocs`.length;
      const requests = [-2, -1, 0, 1, 2, 3].map((more) => ({ path: "/abc".repeat(1100).slice(0, most + more) }));
      expect(await findDifferingAnswers(running, requests, { comparesLogs: true })).toEqual([]);
    });
  });
});
