import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findServerFailure, findStartupErrors } from "../../src/apps/server-failure.js";
import { viewFromOutside } from "../../src/proof/audit/outside-view.js";
import { answerClassOf } from "../../src/server/model/answer-class.js";
import { httpd, liveTitle, loadModules, moduleFolder, runHttpdOn } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { load } from "../support/projects.js";

/** Access control as 2.2 writes it: the site is open, a folder is for an address that no client has, and one for nobody. */
const accessOf22 = [
  ...['<Directory "DOCROOT">', "Order allow,deny", "Allow from all", "</Directory>"],
  ...['<Directory "DOCROOT/staff">', "Order deny,allow", "Deny from all", "Allow from 192.0.2.1", "</Directory>"],
  ...['<Location "/closed">', "Order allow,deny", "Deny from all", "</Location>"],
];
const given = ["authz_host", "dir", "alias"];

const projectOf = (modules: readonly string[], lines: readonly string[], moreModules: readonly string[] = []) => {
  const text = ["Listen 80", "ServerName x.test", 'DocumentRoot "/srv/www"', ...lines].join("\n");
  const whole = `${loadModules(modules)}${text.replaceAll("DOCROOT", "/srv/www")}\n`;
  return load({ "/etc/httpd/httpd.conf": whole }, { release: "2.4", kind: "server", moreModules });
};

/** Returns the modules by short name that this server does not have built in, without the MPM. */
const loadable = (modules: readonly string[]) =>
  modules
    .map((identifier) => identifier.replace(/_module$/, ""))
    .filter((name) => !name.startsWith("mpm_") && existsSync(join(moduleFolder, `mod_${name}.so`)));

describe.skipIf(!httpd)(liveTitle("servers that answer no request"), () => {
  test("a server of 2.2 does not start; with the modules that it needs, it answers as the view shows", async () => {
    const project = projectOf(given, accessOf22);
    const startup = findStartupErrors(project);
    expect(startup.length).toBeGreaterThan(0);
    expect(
      runHttpdOn(["mpm_event", ...given], `${accessOf22.join("\n").replaceAll("DOCROOT", "/")}\n`).status,
    ).not.toBe(0);
    const { modules = [] } = findServerFailure(project, startup) ?? {};
    const completed = projectOf(given, accessOf22, modules);
    const scopes = viewFromOutside({ project: completed, semantics: "server" }).servers.flatMap((each) => each.scopes);
    const shown = scopes.map(({ effect, examples: [path = ""] }) => [effect, path]);
    expect(shown).toEqual([
      ["read", "/a"],
      ["protected", "/closed"],
      ["protected", "/staff"],
    ]);
    const files = { a: "x", "closed/a": "x", "staff/a": "x" };
    await withRunningHttpd(
      [...given, ...loadable(modules)],
      accessOf22,
      async ({ ask }) => {
        for (const [effect, path] of shown) {
          const { status } = await ask({ path: path ?? "" });
          expect([path, answerClassOf(status)]).toEqual([path, effect === "read" ? "allowed" : "denied"]);
        }
      },
      files,
    );
  }, 30_000);

  test("without mod_authz_core, the server starts and fails every request; with it, access is as the view shows", async () => {
    const project = projectOf(["dir", "alias"], []);
    expect(findStartupErrors(project)).toEqual([]);
    const { findings = [], modules = [] } = findServerFailure(project, []) ?? {};
    expect(findings.map(({ rule }) => rule)).toEqual(["modules-to-load"]);
    await withRunningHttpd(
      ["dir", "alias"],
      ["LogLevel crit"],
      async ({ ask }) => {
        for (const path of ["/", "/a", "/missing"]) expect([path, (await ask({ path })).status]).toEqual([path, 500]);
      },
      { a: "x" },
    );
    await withRunningHttpd(
      ["dir", "alias", ...loadable(modules)],
      ["LogLevel crit"],
      async ({ ask }) => {
        expect((await ask({ path: "/a" })).status).toBe(200);
      },
      { a: "x" },
    );
    const completed = projectOf(["dir", "alias"], [], modules);
    expect(findServerFailure(completed, findStartupErrors(completed))).toBeUndefined();
  }, 30_000);

  test("a host whose requests fail is an error on the server, too, and not protected", async () => {
    const modules = ["authz_core", "authz_host", "authz_user", "authn_core"];
    const lines = [
      ...["<VirtualHost *:*>", "ServerName open.test", "</VirtualHost>"],
      ...["<VirtualHost *:*>", "ServerName broken.test", "<Location />", "AuthType None", "Require valid-user"],
      ...["</Location>", "</VirtualHost>"],
    ];
    const view = viewFromOutside({ project: projectOf(modules, lines), semantics: "server" });
    const effects = new Map(
      view.servers.map(({ entryPoints: [first], scopes }) => [first?.host, scopes.map(({ effect }) => effect)]),
    );
    expect(effects.get("broken.test")).toEqual(["error"]);
    expect(effects.get("open.test")).toEqual(["read"]);
    await withRunningHttpd(
      modules,
      ["LogLevel crit", ...lines],
      async ({ ask }) => {
        expect((await ask({ path: "/a", headers: { Host: "broken.test" } })).status).toBe(500);
        expect((await ask({ path: "/a", headers: { Host: "open.test" } })).status).toBe(200);
      },
      { a: "x" },
    );
  }, 30_000);
});
