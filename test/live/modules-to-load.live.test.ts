import { describe, expect, test } from "vitest";
import { modulesToLoad } from "../../rules/modules-to-load/modules-to-load.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf } from "../support/rules.js";

const proxying = ["authz_core", "proxy", "proxy_http"];
const lines = [
  ...["<Proxy balancer://b>", "BalancerMember http://127.0.0.1:1", "</Proxy>"],
  "ProxyPass /app balancer://b",
];

describe.skipIf(!httpd)(liveTitle("a balancer and its modules"), () => {
  test.each([
    ["without mod_proxy_balancer, returns 500", proxying, 500],
    [
      "with the modules that the rule reports, forwards requests",
      [...proxying, "lbmethod_byrequests", "proxy_balancer", "slotmem_shm"],
      503,
    ],
  ] as const)("%s", async (_, modules, expected) => {
    await withRunningHttpd(modules, lines, async ({ ask, errors }) => {
      expect((await ask({ path: "/app/" })).status).toBe(expected);
      expect(errors().includes("AH01144")).toBe(expected === 500);
    });
    const text = `${loadModules(["mpm_event", "unixd", ...modules])}${lines.join("\n")}\n`;
    const notes = findingsOf([modulesToLoad], text, { from: "2.2" }).map((finding) => finding.notes?.[0]);
    expect(notes).toEqual(expected === 500 ? ["requests for a balancer return 500 (AH01144)"] : []);
  });
});
