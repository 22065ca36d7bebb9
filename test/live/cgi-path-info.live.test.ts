import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

describe.skipIf(!httpd)(liveTitle("programs with path info"), () => {
  test.each([["cgi"], ["cgid"]])(
    "are rejected by mod_%s with AcceptPathInfo Off",
    async (module) => {
      const settings = ["Off", "On", "Default"];
      const lines = settings.flatMap((word, index) => [
        `<Directory DOCROOT/${index}>`,
        ...["Options ExecCGI", "SetHandler cgi-script", `AcceptPathInfo ${word}`, "</Directory>"],
      ]);
      const files = Object.fromEntries(settings.map((_, index) => [`${index}/p.cgi`, "x\n"]));
      const socket = module === "cgid" ? ["ScriptSock cgisock"] : [];
      await withRunningHttpd(
        ["authz_core", module],
        [...socket, ...lines],
        async (running) => {
          const simulatedServer = simulatedServerOn(running);
          // The daemon of mod_cgid does not run here, so no request may run a program.
          for (const index of module === "cgid" ? [0] : settings.keys())
            for (const method of ["GET", "POST", "OPTIONS"])
              for (const rest of [...(module === "cgid" ? [] : [""]), "/", "/more", "/more/x"]) {
                const path = `/${index}/p.cgi${rest}`;
                const before = running.errors().length;
                const { status } = await running.ask({ path, method });
                const log = errorsAfter(running, before).filter((line) => /^AH(02813|01266)/.test(line));
                const decided = simulatedServer.answer({ method, path, clientIp: "127.0.0.1" });
                // The program itself is not executable.
                const found = decided.status === 200 ? 500 : decided.status;
                const codes = decided.errorLog.filter((line) => /^AH(02813|01266)/.test(line));
                expect({ path, method, found, codes }).toEqual({ path, method, found: status, codes: log });
              }
        },
        files,
      );
    },
    60_000,
  );
});

describe.skipIf(!httpd)(liveTitle("link tests of RewriteCond"), () => {
  test("follow a link before a slash", async () => {
    const lines = [
      "RewriteEngine On",
      ...["l", "h", "L", "d", "f"].flatMap((test) => [
        `RewriteCond DOCROOT%{REQUEST_URI} -${test}`,
        `RewriteCond %{QUERY_STRING} ^${test}$`,
        "RewriteRule ^ - [F]",
      ]),
    ];
    await withRunningHttpd(
      ["authz_core", "rewrite"],
      ["Options FollowSymLinks", ...lines],
      async (running) => {
        symlinkSync("d", join(running.folder, "htdocs/to-d"));
        symlinkSync("x.txt", join(running.folder, "htdocs/to-x"));
        symlinkSync("none", join(running.folder, "htdocs/to-none"));
        const simulatedServer = simulatedServerOn(running);
        for (const name of ["d", "x.txt", "to-d", "to-x", "to-none", "to-d/y.txt", "none"])
          for (const end of ["", "/", "//"])
            for (const query of ["l", "h", "L", "d", "f"]) {
              const path = `/${name}${end}`;
              const { status } = await running.ask({ path: `${path}?${query}` });
              const decided = simulatedServer.answer({ method: "GET", path, query, clientIp: "127.0.0.1" }).status;
              expect({ path, query, status: decided === 403 }).toEqual({ path, query, status: status === 403 });
            }
      },
      { "d/y.txt": "x\n", "x.txt": "x\n" },
    );
  }, 60_000);
});
