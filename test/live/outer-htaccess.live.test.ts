import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "alias", "rewrite", "userdir"];
const all = ["<Directory />", "AllowOverride All", "Require all granted", "</Directory>"];
const host = (name: string, ...lines: readonly string[]) => [
  ...["<VirtualHost *>", `ServerName ${name}`, ...lines, "</VirtualHost>"],
];
const denied = "Require all denied\n";

/** Files in the DocumentRoot or around it, more lines, and a request with its status. */
const cases: readonly (readonly [files: Readonly<Record<string, string>>, lines: readonly string[], string, number])[] =
  [
    [{ "../.htaccess": denied }, [], "/x.txt", 403],
    [{ "../.htaccess": denied, ".htaccess": "Require all granted\n" }, [], "/x.txt", 200],
    [{ "../sibling/.htaccess": denied }, [], "/x.txt", 200],
    [{ "../in/r.txt": "r\n", "../in/.htaccess": denied }, ["Alias /r.txt DOCROOT/../in/r.txt"], "/r.txt", 403],
    [{ "../.htaccess": denied }, ["Alias /none DOCROOT/../none/at/all"], "/none/", 403],
    [{ ".a": denied, ".b": "Require all granted\n" }, ["AccessFileName .a", "AccessFileName .b"], "/x.txt", 200],
    [
      { ".htaccess": denied },
      ["<VirtualHost *>", "ServerName y.test", "AccessFileName .b", "</VirtualHost>"],
      "/x.txt",
      200,
    ],
    [{ ".htaccess": denied }, [...host("y.test"), ...host("z.test", "AccessFileName .b")], "/x.txt", 403],
    [{ "../u/ann/x.txt": "x\n", "../u/ann/.htaccess": denied }, ["UserDir DOCROOT/../u/*"], "/~ann/x.txt", 403],
    [{ "../u/ann/x.txt": "x\n", "../u/bob/.htaccess": denied }, ["UserDir DOCROOT/../u"], "/~ann/x.txt", 200],
  ];

describe.skipIf(!httpd)(liveTitle("`.htaccess` files outside every DocumentRoot"), () => {
  test.each(cases)("%j with %j: %s returns %i", async (files, lines, path, status) => {
    await withRunningHttpd(
      modules,
      [...all, ...lines],
      async (running) => {
        expect((await running.ask({ path })).status).toBe(status);
        expect(simulatedServerOn(running).answer({ method: "GET", path, clientIp: "127.0.0.1" }).status).toBe(status);
      },
      { "x.txt": "x\n", ...files },
    );
  });
});
