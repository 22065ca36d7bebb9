import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { describe, expect, test } from "vitest";
import { formatCase } from "../../src/report/answers/answer-words.js";
import { shownCaseOf } from "../../src/report/answers/shown-case.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** Runs with the authority of a backend, which answers `/NUMBER…` with that status. */
async function withBackend(run: (authority: string) => Promise<void>): Promise<void> {
  const backend = createServer((request, response) => {
    response.statusCode = Number(/\d{3}/.exec(request.url ?? "")?.[0] ?? 200);
    response.end();
  });
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  const address = backend.address();
  try {
    await run(`127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  } finally {
    backend.closeAllConnections();
    backend.close();
  }
}

const modules = [...["authz_core", "alias", "mime", "rewrite", "proxy", "proxy_http", "cgi", "status"]];
const program = (head: string) => `#!/bin/sh\n${head}printf 'Content-Type: text/plain\\n\\nx'\n`;
const files = {
  "cgi/plain.cgi": program(""),
  "cgi/ok.cgi": program("echo Status: 200 OK\n"),
  "page.html": "p",
  x: "x",
};
const open = "Options ExecCGI FollowSymLinks\nAllowOverride None";
/** A section that denies access, with an error document. */
const denied = (path: string, document: string) => [
  ...[`<Location ${path}>`, "Require all denied", `ErrorDocument 403 ${document}`, "</Location>"],
];

async function expectAnswers(
  running: RunningHttpd,
  answers: readonly (readonly [path: string, live: number, ours: number | undefined])[],
): Promise<void> {
  const simulatedServer = simulatedServerOn(running);
  for (const [path, live, ours] of answers) {
    const { status } = await running.ask({ path, headers: { Host: "x.test" } });
    expect([path, status]).toEqual([path, live]);
    const decided = simulatedServer.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
    expect([path, decided.status]).toEqual([path, ours]);
    if (ours !== undefined) continue;
    const shown = shownCaseOf(decided);
    const title = shown === undefined ? "unknown" : formatCase(shown);
    const isProgram = path === "/no/plain" || path === "/no/ok";
    // The first line names the backend, whose status is not known; a program usually leaves the status.
    const expected =
      path === "/no/other" ? /^403 / : isProgram ? /^403 Forbidden$/ : /^proxied to http:\/\/127\.0\.0\.1:\d+\//;
    expect([path, title]).toEqual([path, expect.stringMatching(expected)]);
    expect([path, decided.unknown[0]]).toEqual([path, expect.stringMatching(/^whether the .* sets another status$/)]);
    // Access is denied all the same.
    if (path.startsWith("/no/")) expect([path, decided.class]).toEqual([path, "403"]);
  }
}

describe.skipIf(!httpd)(liveTitle("error documents whose status is not the server's"), () => {
  test("backends and programs set the status of an error document", async () => {
    await withBackend(async (backend) => {
      const lines = [
        ...["TypesConfig /dev/null", `<Directory "DOCROOT">\n${open}\n</Directory>`, "RewriteEngine on"],
        ...[
          `ProxyPass /app http://${backend}`,
          `RewriteRule ^/rule/(.*) http://${backend}/$1 [P]`,
          "ProxyPass /odd odd://x/",
        ],
        ...["ProxyPass /lost http://127.0.0.1:1/", 'ScriptAlias /cgi "DOCROOT/cgi"'],
        ...["<Location /status>", "SetHandler server-status", "</Location>"],
        ...["<Location /handled>", `SetHandler proxy:http://${backend}/204`, "</Location>"],
        ...denied("/no/app", "/app/200"),
        ...denied("/no/gone", "/app/410"),
        ...denied("/no/rule", "/rule/302"),
        ...denied("/no/lost", "/lost/"),
        ...denied("/no/plain", "/cgi/plain.cgi"),
        ...denied("/no/ok", "/cgi/ok.cgi"),
        ...denied("/no/handled", "/handled"),
        ...denied("/no/status", "/status"),
        ...denied("/no/odd", "/odd/"),
        ...denied("/no/page", "/page.html"),
        ...denied("/no/other", "/%{unescape:app/201}"),
        ...denied("/app/401", "/page.html"),
        ...["<Location /none>", "ErrorDocument 404 /app/200", "</Location>", "ErrorDocument 400 /app/202"],
      ];
      await withRunningHttpd(
        modules,
        lines,
        async (running) => {
          for (const name of ["plain", "ok"]) chmodSync(`${running.folder}/htdocs/cgi/${name}.cgi`, 0o755);
          await expectAnswers(running, [
            ...([
              ["/no/app", 200, undefined],
              ["/no/gone", 410, undefined],
              ["/no/rule", 302, undefined],
            ] as const),
            ...([
              ["/no/lost", 403, undefined],
              ["/no/plain", 403, undefined],
              ["/no/ok", 200, undefined],
            ] as const),
            ...([
              ["/no/handled", 204, undefined],
              ["/no/status", 403, 403],
              ["/no/odd", 403, 403],
            ] as const),
            ...([
              ["/no/page", 403, 403],
              ["/no/other", 201, undefined],
              ["/app/401", 403, 403],
            ] as const),
            ...([
              ["/none", 200, undefined],
              ["/%zz", 202, undefined],
              ["/x", 200, 200],
            ] as const),
          ]);
        },
        files,
      );
    });
  });
});

/** A FastCGI response with status 404: a record of the type STDOUT, and the end of the request. */
function fastCgiNotFound(): Buffer {
  const text = Buffer.from("Status: 404 Not Found\r\nContent-Type: text/plain\r\n\r\nFile not found.");
  const record = (type: number, body: Buffer) =>
    Buffer.concat([Buffer.from([1, type, 0, 1, body.length >> 8, body.length & 255, 0, 0]), body]);
  return Buffer.concat([record(6, text), record(6, Buffer.alloc(0)), record(3, Buffer.alloc(8))]);
}

describe.skipIf(!httpd)(liveTitle("error documents that a backend replaces"), () => {
  test.each([
    ["without ProxyErrorOverride", [], ["0", undefined, "3"]],
    ["with it", ["ProxyErrorOverride On"], ["3", "3", "3"]],
  ])("%s", async (_, lines, lengths) => {
    const program = createSocketServer((socket) =>
      socket.on("error", () => {}).once("data", () => socket.end(fastCgiNotFound())),
    );
    program.listen(0, "127.0.0.1");
    await once(program, "listening");
    const address = program.address();
    const port = typeof address === "object" ? address?.port : 0;
    try {
      await withBackend(async (backend) => {
        const all = [
          ...[`ErrorDocument 404 own`, `ProxyPass /app http://${backend}`, ...lines],
          ...['<FilesMatch "\\.php$">', `SetHandler "proxy:fcgi://127.0.0.1:${port}"`, "</FilesMatch>"],
        ];
        await withRunningHttpd(
          ["authz_core", "alias", "proxy", "proxy_http", "proxy_fcgi"],
          all,
          async (running) => {
            const found = [];
            for (const path of ["/app/404", "/missing.php", "/missing.txt"]) {
              const { status, headers } = await running.ask({ path });
              expect([path, status]).toEqual([path, 404]);
              found.push(headers["content-length"]);
            }
            expect(found).toEqual(lengths);
          },
          { x: "x" },
        );
      });
    } finally {
      program.close();
    }
  });
});
