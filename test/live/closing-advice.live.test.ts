import { describe, expect, test } from "vitest";
import { openAllowList } from "../../rules/open-allow-list/open-allow-list.js";
import { unprotectedHandler } from "../../rules/unprotected-handler/unprotected-handler.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf, onServer, section } from "../support/rules.js";

const modules = ["authn_core", "authn_file", "auth_basic", "authz_core", "authz_host", "authz_user", "access_compat"];
const page = "SetHandler server-status";
const location = (...lines: readonly string[]) => section("Location /s", ...lines);
const later = (...lines: readonly string[]) => section("LocationMatch ^/s", ...lines);
const root = (...lines: readonly string[]) => section('Directory "DOCROOT"', ...lines);
/** Lines of mod_access_compat and of Require that allow one client only. */
const compat = ["Order deny,allow", "Deny from all", "Allow from 198.51.100.9"];
const client = "Require ip 198.51.100.9";

/** The configuration, the advice, and the configuration after it. */
const cases: readonly (readonly [before: string, advice: string, after: string])[] = [
  [
    location(page, "Require all granted", "Require method GET"),
    "replace `Require all granted` and `Require method GET` with",
    location(page, client),
  ],
  [
    location(page) + later("Require all granted"),
    "in a section that is merged after the one of `Require all granted`",
    location(page) + later("Require all granted") + location(client),
  ],
  [
    root("Allow from all", "Satisfy any") + location(page),
    "add `Order deny,allow`, `Deny from all` and `Allow from` with",
    root("Allow from all", "Satisfy any") + location(page, ...compat),
  ],
  [
    root("Order allow,deny", "Allow from all") + location(page, "Allow from 198.51.100.9"),
    "replace `Allow from 198.51.100.9` with `Order deny,allow`, `Deny from all` and `Allow from`",
    root("Order allow,deny", "Allow from all") + location(page, ...compat),
  ],
  [
    location(page, client) + later("Order allow,deny", "Allow from all", "Satisfy any"),
    "delete `Allow from all`",
    location(page, client) + later("Order allow,deny", "Satisfy any"),
  ],
  [
    root("Allow from all", "Satisfy any") + location(page, client),
    "add `Satisfy all` to this section",
    root("Allow from all", "Satisfy any") + location(page, client, "Satisfy all"),
  ],
  [
    root("Require all granted") + location(page, "AuthMerging Or", client),
    "delete `AuthMerging Or` from this section",
    root("Require all granted") + location(page, client),
  ],
  [
    root("Allow from 198.51.100.9") + section("Location /", "Require all granted"),
    "add `Order deny,allow` and `Deny from all`",
    root(...compat) + section("Location /", "Require all granted"),
  ],
  [
    root("Allow from 198.51.100.9", "Satisfy any"),
    "replace `Satisfy any` with `Order deny,allow` and `Deny from all`",
    root(...compat),
  ],
  [
    root("Allow from 198.51.100.9", "Require all granted"),
    "replace `Allow` and `Require` of this section with `Require ip 198.51.100.9`",
    root(client),
  ],
];

describe.skipIf(!httpd)(liveTitle("advice that closes open sections"), () => {
  test.each(cases)("%j", async (before, advice, after) => {
    const servers = [
      [before, [200, 200]],
      [after, [403, 200]],
    ] as const;
    for (const [text, statuses] of servers) {
      const lines = ["RemoteIPHeader X-Client", "TypesConfig /dev/null", ...text.trimEnd().split("\n")];
      await withRunningHttpd(
        [...modules, "status", "remoteip", "mime"],
        lines,
        async (running) => {
          const ask = async (address: string) =>
            (await running.ask({ path: "/s", headers: { Host: "x.test", "X-Client": address } })).status;
          expect([await ask("203.0.113.9"), await ask("198.51.100.9")]).toEqual(statuses);
        },
        { s: "s" },
      );
    }
    const found = findingsOf([unprotectedHandler, openAllowList], onServer(before.replaceAll("DOCROOT", "/srv")));
    const help = found.flatMap((finding) => finding.help ?? []);
    expect(help.some((each) => each.includes(advice))).toBe(true);
    const left = findingsOf([unprotectedHandler, openAllowList], onServer(after.replaceAll("DOCROOT", "/srv")));
    expect(left).toEqual([]);
  });
});
