import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle, loadModules, runHttpd } from "../support/httpd/httpd.js";
import { freePort } from "../support/httpd/ports.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";

const rules = defaultRules.filter(({ id }) => id === "refused-at-start" || id === "fails-after-configtest");

/** Modules of a server, what it prints when it reads its configuration or starts, and the rule that reports it. */
type Case = readonly [modules: string, rule: string, printed: string];

const FUNCTIONS = "undefined symbol";
const cases: readonly Case[] = [
  ...["proxy_http", "proxy_fcgi", "proxy_hcheck", "proxy_balancer slotmem_shm", "dav_fs", "cache_disk"].map(
    (modules): Case => [modules, "refused-at-start", FUNCTIONS],
  ),
  ...["session_cookie", "proxy_http proxy", "dav_fs dav", "session_cookie session", "cache_socache cache"].map(
    (modules): Case => [modules, "refused-at-start", FUNCTIONS],
  ),
  ["auth_form", "fails-after-configtest", "AH02617"],
  ["session auth_form", "fails-after-configtest", "AH02618"],
  ["authnz_ldap", "fails-after-configtest", "AH01749"],
  ["heartmonitor", "fails-after-configtest", "AH02284"],
  ["lbmethod_byrequests", "fails-after-configtest", "AH10152"],
  ["proxy proxy_balancer", "fails-after-configtest", "AH01177"],
];

/** Servers that start: each has all that the modules need, some in another order. */
const twins = [
  ...["proxy proxy_http", "proxy proxy_hcheck", "proxy proxy_balancer slotmem_shm", "slotmem_shm proxy proxy_balancer"],
  ...[
    "dav dav_fs",
    "cache cache_disk",
    "session session_cookie",
    "auth_form session request",
    "request session auth_form",
  ],
  ...[
    "authnz_ldap ldap",
    "heartmonitor slotmem_shm",
    "lbmethod_byrequests proxy",
    "lbmethod_heartbeat",
    "socache_shmcb",
  ],
];

/** Starts a server with some modules, and stops it. @returns the findings, by rule, and what the server printed */
async function observe(modules: string) {
  const port = await freePort();
  return inScratchFolder((folder) => {
    const entry = join(folder, "httpd.conf");
    const lines = ["ServerName x.test", `ServerRoot "${folder}"`, `Listen 127.0.0.1:${port}`, "ErrorLog error.log"];
    const more = ["PidFile pid", "Mutex posixsem", "DefaultRuntimeDir .", ""];
    const loading = loadModules(["mpm_event", "authz_core", ...modules.split(" ")]);
    writeFileSync(entry, loading + [...lines, ...more].join("\n"));
    const loaded = loadProject(entry, { kind: "server" });
    if (!loaded.ok) throw new Error(loaded.error);
    const found = [...new Set(lintWithoutProofs(loaded.value, { rules }).findings.map(({ rule }) => rule))];
    const tested = runHttpd(entry);
    // A server that starts runs until it is stopped.
    const started = spawnSync(httpd ?? "apache2", ["-X", "-f", entry], { encoding: "latin1", timeout: 1_500 });
    const log = readFileSync(join(folder, "error.log"), { encoding: "latin1", flag: "a+" });
    return {
      found,
      isRead: tested.status === 0,
      runs: started.status === null || started.status === 0,
      printed: tested.stderr + started.stderr + log,
    };
  });
}

describe.skipIf(!httpd)(liveTitle("modules that need another one"), () => {
  test.each(cases)("%s: %s, %s", { timeout: 60_000 }, async (modules, rule, printed) => {
    const observed = await observe(modules);
    expect(observed).toMatchObject({ found: [rule], isRead: rule === "fails-after-configtest", runs: false });
    expect(observed.printed).toContain(printed);
  });

  test.each(twins)("twin: %s", { timeout: 60_000 }, async (modules) => {
    expect(await observe(modules)).toMatchObject({ found: [], isRead: true, runs: true });
  });
});
