import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

const lines = [
  ...["Options None", '<Directory "DOCROOT/down">', "AllowOverride All", "</Directory>", "<Location /secret>"],
  ...["Require all denied", "</Location>", "RewriteEngine On", "RewriteRule ^/odd odd://o.test/ [P]"],
  ...["<Location /basic>", "AuthType Basic", "AuthName x", "Require valid-user", "</Location>"],
];
const paths = ["/a.txt", "/secret/x", "/down/x", "/odd", "/none/", "/a%zz", "/basic"];
const modules = ["authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "dir", "proxy", "rewrite"];

describe.skipIf(!httpd)(liveTitle("messages at each LogLevel"), () => {
  test.each<[what: string, level: readonly string[]]>([
    ["the default", []],
    ...["emerg", "ALERT", "crit", "error", "warn", "notice", "debug"].map((level): [string, readonly string[]] => [
      level,
      [`LogLevel ${level}`],
    ]),
    ["levels of modules", ["LogLevel crit rewrite:trace3 authz_core:error"]],
    ["several lines", ["LogLevel debug", "LogLevel alert"]],
    ["a virtual host", ["LogLevel debug", "<VirtualHost *:*>", "LogLevel crit", "</VirtualHost>"]],
    ["a section", ["<Location /secret>", "LogLevel crit", "</Location>"]],
  ])("%s", async (_, level) => {
    const files = { "a.txt": "a", "down/.htaccess": "Nonsense\n", "none/x": "" };
    await withRunningHttpd(
      modules,
      [...level, ...lines],
      async (running) => {
        const requests = paths.map((path) => (path === "/basic" ? { path, user: "bob" } : { path }));
        expect(await findDifferingAnswers(running, requests, { comparesLogs: true })).toEqual([]);
      },
      files,
    );
  });
});
