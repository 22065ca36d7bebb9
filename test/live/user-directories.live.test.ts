import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "userdir", "alias", "dir", "rewrite"];

/** The lines of the main server. */
const mains: readonly (readonly string[])[] = [
  [],
  ["UserDir DOCROOT/home", "UserDir disabled bob"],
  ["UserDir DOCROOT/home/*/www", "UserDir disabled", "UserDir enabled al"],
  ["UserDir DOCROOT/home/*/www DOCROOT/other", "UserDir disabled Bob"],
];

/** The lines of virtual hosts. */
const hosts: readonly (readonly string[])[] = [
  [],
  ["UserDir DOCROOT/home"],
  ["UserDir DOCROOT/other"],
  ["UserDir disabled"],
  ["UserDir enabled"],
  ["UserDir enabled bob"],
  ["UserDir disabled al"],
  ["UserDir DOCROOT/none DOCROOT/home DOCROOT/other"],
  ["UserDir http://other.test/*/x"],
];

const rules = (...more: readonly string[]) => ["RewriteEngine On", ...more, ""].join("\n");
const files = {
  "home/al/x.txt": "x\n",
  "home/al/new.html": "x\n",
  "home/al/.htaccess": rules("RewriteRule ^old$ new.html", "RewriteRule ^plain$ /new.html", "RewriteRule ^lost$ lost2"),
  "home/al/www/x.txt": "x\n",
  "home/bob/x.txt": "x\n",
  "home/bob/www/x.txt": "x\n",
  "home/a./x.txt": "x\n",
  "home/.../x.txt": "x\n",
  "other/al/y.txt": "x\n",
  "other/al/.htaccess": rules("RewriteBase /", "RewriteRule ^old$ x.txt"),
  "other/bob/y.txt": "x\n",
  "other/Bob/y.txt": "x\n",
  "x.txt": "x\n",
};

const users = ["al", "bob", "Bob", "AL", "nobody", "a.", "a..", "..."];
const rests = ["", "/", "/x.txt", "/y.txt", "/old", "/plain", "/lost"];

describe.skipIf(!httpd)(liveTitle("paths of user directories"), () => {
  test.each(mains.map((lines) => [lines]))(
    "with %j",
    async (main) => {
      const virtual = hosts.flatMap((lines, index) => [
        "<VirtualHost *>",
        ...[`ServerName h${index}.test`, ...lines],
        "</VirtualHost>",
      ]);
      const allowed = ["<Directory DOCROOT>", "AllowOverride All", "Options FollowSymLinks", "</Directory>"];
      await withRunningHttpd(
        modules,
        [...main, ...allowed, ...virtual],
        async (running) => {
          const simulatedServer = simulatedServerOn(running);
          const differences: unknown[] = [];
          for (const index of hosts.keys())
            for (const user of users)
              for (const rest of rests) {
                const [path, host] = [`/~${user}${rest}`, `h${index}.test`];
                const before = running.errors().length;
                const { status } = await running.ask({ path, headers: { Host: host } });
                const log = errorsAfter(running, before);
                const { status: decided, unknown } = simulatedServer.answer({
                  method: "GET",
                  path,
                  host,
                  clientIp: "127.0.0.1",
                });
                if (decided !== status) differences.push({ lines: hosts[index], path, status, decided, unknown, log });
              }
          expect(differences).toEqual([]);
        },
        files,
      );
    },
    60_000,
  );
});
