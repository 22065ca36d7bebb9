import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findUnmetNeeds } from "../../src/facts/module-needs.js";
import { mayRefuseArguments } from "../../src/startup/directives/accepted-arguments.js";
import { acceptedAndRefusedArguments } from "../support/cases/accepted-arguments.js";
import { httpd, liveTitle, loadModules, moduleFolder, runHttpdOn } from "../support/httpd/httpd.js";
import { loadText } from "../support/projects.js";

const usual = ["mpm_event", "authz_core", "socache_shmcb", "ssl"];

function isRefused(modules: readonly string[], text: string): boolean {
  return runHttpdOn(modules, `ServerName x.test\nErrorLog /dev/null\n${text}\n`).status !== 0;
}

/** Reports whether a proof leaves a line open. */
function isOpen(modules: readonly string[], text: string): boolean {
  const project = loadText(`${loadModules(modules)}${text}\n`, { kind: "server" });
  const all = project.directives.flatMap((line) => [line, ...(line.children ?? [])]);
  return all.some((line) => mayRefuseArguments(line, project));
}

const certificate = "/etc/ssl/certs/ca-certificates.crt";

describe.skipIf(!httpd)(liveTitle("arguments that the server accepts or refuses"), () => {
  test.each(acceptedAndRefusedArguments)("with mod_%s: `%s`, and not `%s`", (added, accepted, refused) => {
    const modules = [...usual, ...added.split(" ")];
    const isInstalled = (name: string) => existsSync(join(moduleFolder, `mod_${name}.so`));
    if (!added.split(" ").every(isInstalled) || (/DEFAULT/.test(accepted) && !existsSync(certificate))) return;
    const [good, bad] = [accepted, refused].map((line) => line.replace("DEFAULT", certificate));
    expect([good, isRefused(modules, good ?? ""), isOpen(modules, good ?? "")]).toEqual([good, false, false]);
    expect([bad, isRefused(modules, bad ?? ""), isOpen(modules, bad ?? "")]).toEqual([bad, true, true]);
  });

  test.each([
    [
      ["proxy", "proxy_http"],
      ["proxy_http", "proxy"],
    ],
    [["cache", "cache_disk"], ["cache_disk"]],
    [
      ["dav", "dav_fs"],
      ["dav_fs", "dav"],
    ],
    [
      ["session", "session_cookie"],
      ["session_cookie", "session"],
    ],
  ])("modules that need others: %j, and not %j", (accepted, refused) => {
    const unmet = (names: readonly string[]) =>
      findUnmetNeeds(
        names.map((name) => `${name}_module`),
        () => false,
      ).length > 0;
    expect([isRefused([...usual, ...accepted], ""), unmet(accepted)]).toEqual([false, false]);
    expect([isRefused([...usual, ...refused], ""), unmet(refused)]).toEqual([true, true]);
  });
});
