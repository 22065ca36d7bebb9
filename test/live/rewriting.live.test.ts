import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskAccess } from "../../src/project/disk.js";
import { loadProject } from "../../src/project/load.js";
import type { Request } from "../../src/scope/request.js";
import { Decider } from "../../src/simulate/decide.js";
import { diskFiles } from "../../src/simulate/file-trees.js";
import { httpd, liveTitle } from "../support/httpd.js";
import { htaccessCases, type RewritingCase, sectionCases, serverCases } from "../support/rewriting-cases.js";
import { type RunningHttpd, withRunningHttpd } from "../support/running-httpd.js";

const modules = [
  ...["authn_core", "authz_core", "authz_host", "access_compat", "setenvif", "env", "alias", "dir", "rewrite"],
  "headers",
];
const files = {
  "index.html": "x\n",
  "x.txt": "x\n",
  "a/index.html": "x\n",
  "a/x.txt": "x\n",
  "a/b/c.html": "x\n",
  "secret/index.html": "x\n",
  "secret/x.txt": "x\n",
};

function deciderOn({ folder }: RunningHttpd): Decider {
  const access = diskAccess();
  const loaded = loadProject(join(folder, "httpd.conf"), { access, kind: "server" });
  if ("failed" in loaded) throw new Error(loaded.failed);
  return new Decider(loaded.project, diskFiles(access));
}

interface Asked {
  readonly url: string;
  readonly host: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** What the server answers, with the numbers of what it writes into its error log; and what is said of it here. */
async function both(running: RunningHttpd, decider: Decider, { url, host, headers = {}, method = "GET" }: Asked) {
  const before = running.errors().length;
  const sent = await running.ask({ path: url, method, headers: { Host: host, ...headers } });
  const written = running.errors().slice(before).split("\n").filter(Boolean).map(fromCodeOn);
  const live = [sent.status, ...written].join(" ");
  const [path = "", query] = url.split(/\?(.*)/s);
  const request: Request = {
    ...{ method, path, host, headers, clientIp: "127.0.0.1" },
    ...(query === undefined ? {} : { query }),
  };
  const { status, unknown, errorLog } = decider.decide(request);
  return { live, here: [status, ...errorLog, ...unknown].join(" ") };
}

/** What the server answers otherwise than is said here. @param where the host of each case, and the folder it is in */
async function disagreements(
  running: RunningHttpd,
  cases: readonly RewritingCase[],
  where: (index: number) => { readonly host: string; readonly below: string },
): Promise<readonly unknown[]> {
  const decider = deciderOn(running);
  const wrong: unknown[] = [];
  for (const [index, { lines, asks }] of cases.entries()) {
    const { host, below } = where(index);
    for (const ask of asks) {
      const [url = "", method = "GET"] = ask.split(" ");
      const { live, here } = await both(running, decider, { url: below + url, method, host });
      if (live !== here) wrong.push({ index, lines, ask, live, here });
    }
  }
  return wrong;
}

/** A line of the error log without time, level, process and client. */
function fromCodeOn(line: string): string {
  return line.replace(/^(?:\[[^\]]*\] ){3}(?:\(\d+\)[^:]*: )?\[client [^\]]*\] /, "");
}

describe.skipIf(!httpd)(liveTitle("the running server rewrites as decided"), () => {
  test("rules of servers and in sections, a virtual host each", async () => {
    const cases = [...serverCases, ...sectionCases];
    const hosts = cases.flatMap(({ lines }, index) => [
      "<VirtualHost *>",
      `ServerName host${index}.test`,
      ...lines,
      "</VirtualHost>",
    ]);
    const lines = ['<Directory "DOCROOT/secret">', ...["Require all denied", "</Directory>"], ...hosts];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const where = (index: number) => ({ host: `host${index}.test`, below: "" });
        expect(await disagreements(running, cases, where)).toEqual([]);
      },
      files,
    );
  });

  test("rules in `.htaccess` files, a folder each", async () => {
    const folders = Object.fromEntries(
      htaccessCases.flatMap(({ lines }, index) => [
        [`h${index}/.htaccess`, `RewriteEngine On\n${lines.join("\n")}\n`],
        ...Object.entries(files).map(([path, text]) => [`h${index}/${path}`, text]),
      ]),
    );
    const lines = [
      ...['<Directory "DOCROOT">', "AllowOverride All", "</Directory>"],
      ...['<DirectoryMatch "/secret/">', "Require all denied", "</DirectoryMatch>"],
    ];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const where = (index: number) => ({ host: "x.test", below: `/h${index}` });
        expect(await disagreements(running, htaccessCases, where)).toEqual([]);
      },
      folders,
    );
  });
});
