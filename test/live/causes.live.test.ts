import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "alias", "dir", "autoindex", "mime", "rewrite", "negotiation", "cgi"];

/** A request, the status of both the server and the simulator, and the causes that the simulator gives. */
type Caused = readonly [url: string, status: number, causes: readonly string[], host?: string];

async function expectCauses(
  lines: readonly string[],
  requests: readonly Caused[],
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withRunningHttpd(
    modules,
    ["TypesConfig /dev/null", "AddType text/plain .txt", ...lines],
    async (running) => {
      for (const [path, status, causes, host = "x.test"] of requests) {
        const live = await running.ask({ path, headers: { Host: host } });
        const answer = simulatedServerOn(running).answer({ method: "GET", path, host, clientIp: "127.0.0.1" });
        const shown = answer.causes.map(({ text }) => text.replaceAll(`${running.folder}/htdocs`, "DOCROOT"));
        expect([path, live.status, answer.status, shown]).toEqual([path, status, status, causes]);
      }
    },
    { "d/x.txt": "x\n", "d/p.cgi": "#!/bin/sh\n", "empty/sub/x.txt": "x\n", "index.html": "x\n", ...files },
  );
}

describe.skipIf(!httpd)(liveTitle("the causes of an error"), () => {
  test("name AllowEncodedSlashes, which a virtual host does not inherit", async () => {
    const byDefault = "`AllowEncodedSlashes` is `Off` by default, which rejects `%2f` in a path";
    await expectCauses(
      ["<VirtualHost *>\nServerName a.test\n</VirtualHost>"],
      [
        ["/d%2fx.txt", 404, [byDefault], "a.test"],
        ["/none%20x", 404, [], "a.test"],
      ],
    );
    await expectCauses(
      [
        "AllowEncodedSlashes NoDecode",
        "<VirtualHost *>\nServerName a.test\n</VirtualHost>",
        "<VirtualHost *>\nServerName b.test\nAllowEncodedSlashes Off\n</VirtualHost>",
        "<VirtualHost *>\nServerName c.test\nAllowEncodedSlashes On\n</VirtualHost>",
      ],
      [
        ["/d%2Fx.txt", 404, [byDefault, "this virtual host does not inherit `AllowEncodedSlashes NoDecode`"], "a.test"],
        ["/d%2fx.txt", 404, ["`AllowEncodedSlashes Off` rejects `%2f` in a path"], "b.test"],
        ["/d%2fx.txt", 200, [], "c.test"],
        ["/d/%00", 404, [], "a.test"],
      ],
    );
  }, 60_000);

  test("name the Options line that disables a program or a listing", async () => {
    await expectCauses(
      ["AddHandler cgi-script .cgi"],
      [
        ["/d/p.cgi", 403, ["no `Options` line sets `ExecCGI`, and it is off by default"]],
        ["/empty/", 403, ["no `Options` line sets `Indexes`, and it is off by default"]],
        ["/", 200, []],
      ],
    );
    await expectCauses(
      [
        "AddHandler cgi-script .cgi",
        "<Directory DOCROOT>\nOptions Indexes ExecCGI\n</Directory>",
        "<Directory DOCROOT/d>\nOptions FollowSymLinks\n</Directory>",
        "<Directory DOCROOT/empty>\nOptions -Indexes\n</Directory>",
        "<Location /empty/sub>\nOptions None\n</Location>",
      ],
      [
        [
          "/d/p.cgi",
          403,
          [
            "`Options FollowSymLinks` disables `ExecCGI`: its words have no `+` or `-`, so it replaces the inherited options",
          ],
        ],
        ["/empty/", 403, ["`Options -Indexes` disables `Indexes`"]],
        ["/empty/sub/", 403, ["`Options None` does not include `Indexes`"]],
      ],
    );
  }, 60_000);

  test("name the file before a surplus path, and AcceptPathInfo", async () => {
    const surplus = "`DOCROOT/d/x.txt` is a file, and `/more/x` follows it in the path";
    await expectCauses(
      ["<Location /d/x.txt/off>\nAcceptPathInfo Off\n</Location>"],
      [
        ["/d/x.txt/more/x", 404, [surplus, "by default, `AcceptPathInfo` allows such a path for programs only"]],
        [
          "/d/x.txt/off",
          404,
          ["`DOCROOT/d/x.txt` is a file, and `/off` follows it in the path", "`AcceptPathInfo Off` applies"],
        ],
        ["/d/y.txt/more", 404, []],
      ],
    );
    await expectCauses(["<Directory DOCROOT/d>\nAcceptPathInfo On\n</Directory>"], [["/d/x.txt/more/x", 200, []]]);
  }, 60_000);

  test("name MultiViews if it would find a file, and DirectorySlash", async () => {
    const found = "`x.txt` in this directory would match with `Options MultiViews`";
    await expectCauses(
      [
        "<Directory DOCROOT/empty>\nDirectorySlash Off\n</Directory>",
        "<Directory DOCROOT/empty/sub>\nOptions MultiViews\n</Directory>",
      ],
      [
        ["/d/x", 404, [found, "no `Options` line sets `MultiViews`, and it is off by default"]],
        ["/d/nothing", 404, []],
        ["/empty/sub/x", 200, ["`MultiViews` chooses `DOCROOT/empty/sub/x.txt` for `/empty/sub/x`"]],
        [
          "/empty",
          403,
          [
            "no `Options` line sets `Indexes`, and it is off by default",
            "`DirectorySlash Off` disables the redirect to `/empty/`; without the slash, httpd searches no index file",
          ],
        ],
      ],
    );
  }, 60_000);

  test("show the URLs of a loop, and its rounds", async () => {
    await expectCauses(
      [
        "LimitInternalRecursion 5",
        "<Directory DOCROOT/d>\nRewriteEngine On\nRewriteRule ^(.*)$ s/$1\n</Directory>",
        "<Directory DOCROOT/empty>\nRewriteEngine On\nRewriteRule ^a$ b\nRewriteRule ^b$ a\nRewriteRule ^c$ x.txt\n</Directory>",
      ],
      [
        [
          "/d/x",
          500,
          [
            "each round changes the URL again: `/d/x` → `/d/s/x` → `/d/s/s/x` → `/d/s/s/s/x` → …; httpd stops after 5 rounds",
          ],
        ],
        ["/empty/c", 404, []],
      ],
    );
  }, 60_000);

  test("name the line that AllowOverride does not allow", async () => {
    await expectCauses(
      [
        "<Directory DOCROOT/d>\nAllowOverride AuthConfig\n</Directory>",
        "<Directory DOCROOT/empty>\nAllowOverride None\n</Directory>",
        "<Directory DOCROOT/open>\nAllowOverride All\n</Directory>",
      ],
      [
        [
          "/d/x.txt",
          500,
          ["`DOCROOT/d/.htaccess`: `Options` is not allowed by AllowOverride (`AllowOverride AuthConfig` applies)"],
        ],
        ["/empty/sub/x.txt", 200, []],
        ["/open/x.txt", 200, []],
      ],
      {
        "d/.htaccess": "Options -Indexes\n",
        "empty/.htaccess": "Options -Indexes\n",
        "open/.htaccess": "Options -Indexes\n",
        "open/x.txt": "x\n",
      },
    );
  }, 60_000);
});
