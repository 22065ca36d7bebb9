import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { askRaw, portOfRunning } from "./raw-request.js";

const files = Object.fromEntries(
  ["one", "two", "three", "main"].flatMap((root) =>
    ["x.txt", "d/y.txt", "p/x.txt", "index.html"].map((name) => [`${root}/${name}`, "x\n"] as const),
  ),
);

const host = (name: string, ...lines: readonly string[]) => [
  "<VirtualHost *>",
  `ServerName ${name}.test`,
  ...lines,
  "</VirtualHost>",
];

const servers: readonly (readonly string[])[] = [
  [
    ...host("one", "DocumentRoot DOCROOT/one"),
    ...host("two", "DocumentRoot DOCROOT/two", "ServerPath /p", "<Location /p/d>", "Require all denied", "</Location>"),
    ...host("three", "DocumentRoot DOCROOT/three", "ServerPath /q/", "Alias /q/al DOCROOT/one"),
    ...host("four", "ServerPath /p/d", "ServerPath /r", "RewriteEngine On", "RewriteRule ^/r/rw$ /r/x.txt [PT]"),
  ],
  ["DocumentRoot DOCROOT/main", "ServerPath /p"],
  [
    "DocumentRoot DOCROOT/main",
    "ServerPath /p",
    ...host("one", "DocumentRoot DOCROOT/one"),
    ...host("two", "ServerPath /q/"),
  ],
  [
    ...host("one", "DocumentRoot DOCROOT/one", "ServerPath /"),
    ...host("two", "DocumentRoot DOCROOT/two", "ServerPath /p"),
  ],
];

const paths = [
  ...[
    "/",
    "/x.txt",
    "/p",
    "/p/",
    "/p/x.txt",
    "/px.txt",
    "/p/p/x.txt",
    "//p/x.txt",
    "/p//x.txt",
    "/%70/x.txt",
    "/P/x.txt",
  ],
  ...[
    "/p/../x.txt",
    "/d/../p/x.txt",
    "/p/d/y.txt",
    "/p/d",
    "/q",
    "/q/",
    "/q/x.txt",
    "/q/al/x.txt",
    "/q//x.txt",
    "/r/x.txt",
    "/r/rw",
  ],
];

describe.skipIf(!httpd)(liveTitle("ServerPath"), () => {
  test.each(servers.map((lines) => [lines]))(
    "with %j",
    async (lines) => {
      const modules = ["authz_core", "alias", "dir", "rewrite"];
      await withRunningHttpd(
        modules,
        lines,
        async (running) => {
          const simulatedServer = simulatedServerOn(running);
          const differences: unknown[] = [];
          for (const name of [undefined, "", "one.test", "two.test", "three.test", "four.test", "other.test"])
            for (const path of paths) {
              const sent = name === undefined ? [`GET ${path} HTTP/1.0`] : [`GET ${path} HTTP/1.1`, `Host: ${name}`];
              const before = running.errors().length;
              const status = await askRaw(running, sent);
              const log = errorsAfter(running, before);
              const decided = simulatedServer.answer({
                ...{ method: "GET", path, clientIp: "127.0.0.1", port: portOfRunning(running) },
                ...(name === undefined ? {} : { host: name }),
              });
              if (decided.status !== status)
                differences.push({ name, path, status, decided: decided.status, unknown: decided.unknown, log });
            }
          expect(differences).toEqual([]);
        },
        files,
      );
    },
    60_000,
  );
});
