import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { localAccessByIpv4 } from "../../rules/local-access-by-ipv4/local-access-by-ipv4.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { statusOf, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { scratchFolder, writeFiles } from "../support/programs/scratch-folder.js";
import { findingsOf } from "../support/rules.js";

const sections: readonly (readonly string[])[] = [
  ["Order deny,allow", "Deny from all", "Allow from 127.0.0.1"],
  ["Order allow,deny", "Allow from 127"],
  ["Require ip 127.0.0.1"],
  ["Order deny,allow", "Deny from all", "Allow from 127.0.0.1 ::1"],
  ["Order deny,allow", "Allow from 127.0.0.1"],
  ["Order allow,deny", "Deny from all", "Allow from 127.0.0.1"],
  ["Require ip 127.0.0.1 ::1"],
  ["Require ip 127.0.0.1", "Require local"],
  ["Require local"],
];

const modules = "mpm_event authn_core authz_core authz_host access_compat alias".split(" ");
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

describe.skipIf(!httpd || !hasIpv6)(liveTitle("access of the machine itself by its two addresses"), () => {
  test("a server that listens on both denies ::1 where the rule reports it", async () => {
    const { path: folder, dispose } = scratchFolder();
    try {
      const port = await freePort();
      const head = [
        `${loadModules(modules)}ServerName x.test`,
        `ServerRoot "${folder}"`,
        `DocumentRoot "${folder}/htdocs"`,
      ];
      const parts = [`Listen 127.0.0.1:${port}`, `Listen [::1]:${port}`, "PidFile pid", "ErrorLog error.log"];
      const sectionOf = (own: readonly string[], index: number) => [
        ...[`Alias /${index} "${folder}/htdocs"`, `<Location /${index}>`, ...own, "</Location>"],
      ];
      const textOf = (lines: readonly string[]) => `${[...head, ...parts, "Mutex posixsem", ...lines].join("\n")}\n`;
      writeFiles(folder, { "httpd.conf": textOf(sections.flatMap(sectionOf)), "htdocs/x": "x\n" });
      const run = async () => {
        for (const [index, own] of sections.entries()) {
          const ask = (host: string) => statusOf({ host, localAddress: host, port, path: `/${index}/x` });
          const statuses = [await ask("127.0.0.1"), await ask("::1")];
          const found = findingsOf([localAccessByIpv4], textOf(sectionOf(own, index)));
          expect([own, found.length]).toEqual([own, statuses.join() === "200,403" ? 1 : 0]);
        }
        return true;
      };
      expect(await whileServing(folder, { address: "127.0.0.1", port }, run)).toBe(true);
    } finally {
      dispose();
    }
  });
});
