import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "autoindex", "dir", "env", "rewrite", "setenvif"];
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "FOO"];

/** Ways to set the variable that suppresses the redirect for methods other than GET, and some without effect. */
const setters: readonly (readonly string[])[] = [
  [],
  ["SetEnvIf X-Client careful redirect-carefully"],
  ["SetEnvIf X-Client careful Redirect-Carefully=0"],
  ["SetEnvIf X-Client careful redirect-carefully", "SetEnvIf X-Client . !redirect-carefully"],
  ["SetEnv redirect-carefully 1"],
  ["SetEnv redirect-carefully 1", "UnsetEnv redirect-carefully"],
  ["SetEnvIf X-Client careful redirect-carefully", "UnsetEnv redirect-carefully"],
  ["RewriteEngine on", "RewriteRule ^ - [E=redirect-carefully:1]"],
  ["SetEnvIf X-Client careful redirect-carefully", "DirectorySlash Off"],
];

describe.skipIf(!httpd)(liveTitle("the path of a directory without its slash, with every method"), () => {
  test("has the decisions of the live server", async () => {
    const sections = setters.map((lines, index) => `<Directory DOCROOT/${index}>\n${lines.join("\n")}\n</Directory>`);
    const files = Object.fromEntries(setters.map((_, index) => [`${index}/d/x.txt`, "x\n"]));
    await withRunningHttpd(
      modules,
      ["Options None", ...sections],
      async (running) => {
        const simulatedServer = simulatedServerOn(running);
        for (const [index, lines] of setters.entries())
          for (const method of methods)
            for (const client of ["careful", "bold"]) {
              const [path, headers] = [`/${index}/d`, { "X-Client": client }];
              const { status } = await running.ask({ path, method, headers });
              const decided = simulatedServer.answer({ path, method, headers, clientIp: "127.0.0.1" }).status;
              expect({ lines, method, client, status: decided }).toEqual({ lines, method, client, status });
            }
      },
      files,
    );
  }, 60_000);
});
