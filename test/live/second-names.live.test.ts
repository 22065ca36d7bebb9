import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authn_core", "authz_core", "authz_host", "alias", "dir", "rewrite"];
const lines = [
  ...['<Directory "DOCROOT">', "Options FollowSymLinks", "AllowOverride All", "Require all granted", "</Directory>"],
  ...['Alias "/second" "DOCROOT/real"', '<Directory "DOCROOT/strict">', "AllowOverride AuthConfig", "</Directory>"],
];

const files = {
  "real/x.txt": "x\n",
  "real/new.txt": "x\n",
  "real/.htaccess": "RewriteEngine On\nRewriteRule ^old\\.txt$ new.txt\n",
  "real/in/x.txt": "x\n",
  "real/in/.htaccess": "Require all denied\n",
  "options/x.txt": "x\n",
  "options/.htaccess": "Options Indexes\n",
  "strict/x.txt": "x\n",
};

/** Links, with their targets. The first sorts before the real directory. */
const links = { "a-link": "real", "real/loop": ".", "strict/options": "../options", "to-strict": "strict" };

const directories = [
  ...["real", "a-link", "second", "real/loop", "a-link/loop/loop", "second/loop", "real/in", "a-link/in", "second/in"],
  ...["a-link/loop/in", "options", "strict/options", "to-strict", "to-strict/options"],
];

test.skipIf(!httpd)(
  liveTitle("`.htaccess` files apply under each name of their directory"),
  async () => {
    const check: Parameters<typeof withRunningHttpd>[2] = async (running) => {
      for (const [path, target] of Object.entries(links)) symlinkSync(target, join(running.folder, "htdocs", path));
      const simulatedServer = simulatedServerOn(running);
      for (const directory of directories)
        for (const name of ["x.txt", "old.txt"]) {
          const path = `/${directory}/${name}`;
          const before = running.errors().length;
          const { status } = await running.ask({ path });
          const log = errorsAfter(running, before);
          const decision = simulatedServer.answer({ method: "GET", path, host: "127.0.0.1", clientIp: "127.0.0.1" });
          expect({ path, status: decision.status, log: decision.errorLog }).toEqual({ path, status, log });
        }
    };
    await withRunningHttpd(modules, lines, check, files);
  },
  30_000,
);
