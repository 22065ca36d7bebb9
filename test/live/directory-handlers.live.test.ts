import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["alias", "authz_core", "autoindex", "cgi", "dir", "mime", "rewrite", "status"];
const methods = ["GET", "POST", "PUT", "OPTIONS", "FOO"];

/** Lines of a directory that give the directory a handler, and some that do not. */
const settings: readonly (readonly string[])[] = [
  ["SetHandler foo"],
  ["SetHandler default-handler"],
  ["SetHandler server-status"],
  ["SetHandler cgi-script"],
  ["SetHandler none"],
  ["AddHandler foo .html"],
  ["ForceType text/x-foo"],
  ["RewriteEngine on", "RewriteRule ^$ - [H=foo]"],
  ["RewriteEngine on", "RewriteRule ^$ - [H=server-status]"],
  ["Options None", "SetHandler cgi-script"],
];

describe.skipIf(!httpd)(liveTitle("a directory with a handler, with and without DirectoryCheckHandler"), () => {
  test.each(["On", "Off"])(
    "has the answers of the live server: %s",
    async (word) => {
      const sections = settings.map(
        (lines, index) => `<Directory DOCROOT/${index}>\nOptions Indexes\n${lines.join("\n")}\n</Directory>`,
      );
      const names = settings.flatMap((_, index) => [`${index}/full/index.html`, `${index}/other/x.txt`]);
      await withRunningHttpd(
        modules,
        [
          "TypesConfig /dev/null",
          `DirectoryCheckHandler ${word}`,
          "ScriptAlias /programs/ DOCROOT/programs/",
          ...sections,
        ],
        async (running) => {
          const simulatedServer = simulatedServerOn(running);
          const paths = [
            "/programs/full/",
            "/programs/other/",
            ...settings.flatMap((_, at) => [`/${at}/full/`, `/${at}/other/`]),
          ];
          for (const path of paths)
            for (const method of methods) {
              const { status } = await running.ask({ path, method });
              const { status: decided, answeredBy } = simulatedServer.answer({ path, method, clientIp: "127.0.0.1" });
              // The file is not a program that can run.
              const isProgram = answeredBy === "program" && status === 500;
              expect({ path, method, status: decided }).toEqual({ path, method, status: isProgram ? 200 : status });
            }
        },
        Object.fromEntries([...names, "programs/full/index.html", "programs/other/x.txt"].map((name) => [name, "x\n"])),
      );
    },
    60_000,
  );
});
