import { existsSync, readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { diskFiles } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { canNameClients, statusOf, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { scratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

/** Hosts files as systems have them, and unusual ones. */
const hostsFiles = {
  "one line": "127.0.0.1 localhost\n",
  Debian: "127.0.0.1\tlocalhost\n127.0.1.1\tbox.example box\n::1     localhost ip6-localhost ip6-loopback\n",
  "the IPv6 address with another name": "127.0.0.1 localhost\n::1 ip6-localhost ip6-loopback\n",
  "the long name first": "127.0.0.1 localhost.localdomain localhost\n::1 localhost6.localdomain6 localhost6\n",
  "the name of the machine first": "# a comment\n127.0.0.1 Box.example box localhost # own\n10.0.0.1 box.example\n",
  "the name of another address": "10.9.9.9 localhost\n127.0.0.1 localhost\n127.0.0.2 other.example\n",
  "two lines for the address": "127.0.0.1 box.example\n127.0.0.1 localhost\n::1 localhost\n",
} as const;

const sections: readonly (readonly string[])[] = [
  ["Require host localhost"],
  ["Require host LOCALHOST"],
  ["Require host .localdomain"],
  ["Require host localhost.localdomain"],
  ["Require host ip6-localhost localhost6.localdomain6"],
  ["Require host box.example"],
  ["Require host example"],
  ["<RequireAll>", "Require all granted", "Require not host localhost", "</RequireAll>"],
  ["Require forward-dns localhost"],
  ["Require forward-dns box.example"],
  ["Order deny,allow", "Deny from all", "Allow from localhost"],
  ["Order allow,deny", "Allow from all", "Deny from localhost"],
  ["Order allow,deny", "Allow from localdomain other.example"],
  ["Require local"],
];

const modules = "mpm_event authn_core authz_core authz_host access_compat alias".split(" ");
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

/** The clients: each connects to the address that it has. */
const clients = ["127.0.0.1", "127.0.0.2", ...(hasIpv6 ? ["::1"] : [])];

/** Compares a server that has a hosts file with the simulator. @param hosts undefined for the file of this machine */
async function compareWith(hosts: string | undefined): Promise<void> {
  const { path: folder, dispose } = scratchFolder();
  try {
    const port = await freePort();
    const listen = clients.map((each) => `Listen ${each.includes(":") ? `[${each}]` : each}:${port}`);
    const main = [
      ...[`${loadModules(modules)}ServerName x.test`, `ServerRoot "${folder}"`, `DocumentRoot "${folder}/htdocs"`],
      ...[...listen, "PidFile pid", "ErrorLog error.log", "Mutex posixsem"],
      ...sections.flatMap((own, index) => [`<Location /${index}>`, ...own, "</Location>"]),
      ...sections.map((_, index) => `Alias /${index} "${folder}/htdocs"`),
    ];
    writeFiles(folder, { "httpd.conf": `${main.join("\n")}\n`, "htdocs/x": "x\n", hosts: hosts ?? "" });
    const access = diskAccess();
    const loaded = loadProject(join(folder, "httpd.conf"), { access, kind: "server" });
    if (!loaded.ok) throw new Error(loaded.error);
    const hostsText = hosts ?? readFileSync("/etc/hosts", "latin1");
    const simulatedServer = new SimulatedServer(loaded.value, { ...diskFiles(access), hostsText: () => hostsText });
    const run = async () => {
      for (const [index, own] of sections.entries())
        for (const clientIp of clients) {
          const path = `/${index}/x`;
          const status = await statusOf({ host: clientIp, localAddress: clientIp, port, path });
          const decided = simulatedServer.answer({
            method: "GET",
            path,
            host: "x.test",
            clientIp,
            serverIp: clientIp,
            port,
          });
          // Names and addresses that the file does not have are those of the resolver.
          const [, name] = /^Require forward-dns (.*)/.exec(own[0] ?? "") ?? [];
          const wanted = name === undefined ? `${clientIp} ` : ` ${name}`;
          if (decided.status === undefined)
            expect(` ${hostsText.replace(/\s+/g, " ")}`).not.toContain(` ${wanted.trim()} `);
          else expect([own, clientIp, decided.status]).toEqual([own, clientIp, status]);
        }
      return true;
    };
    const target = { address: "127.0.0.1", port };
    expect(await whileServing(folder, target, run, hosts === undefined ? undefined : join(folder, "hosts"))).toBe(true);
  } finally {
    dispose();
  }
}

describe.skipIf(!httpd)(liveTitle("the name of a client on the machine of the server"), () => {
  test.skipIf(!canNameClients).each(Object.entries(hostsFiles))("hosts file: %s", async (_, hosts) => {
    await compareWith(hosts);
  });
  test.skipIf(!existsSync("/etc/hosts"))("the hosts file of this machine", async () => {
    await compareWith(undefined);
  });
});
