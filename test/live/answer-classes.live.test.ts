import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { accessMap } from "../../src/proof/compare/access-map.js";
import { compare } from "../../src/proof/compare/compare.js";
import { accessChangeOf, answerClassOf } from "../../src/server/model/answer-class.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { load } from "../support/projects.js";

const modules = ["authz_core", "authz_host", "alias", "rewrite", "dir", "allowmethods", "setenvif", "env"];

const location = (path: string, ...lines: readonly string[]) =>
  [`<Location "${path}">`, ...lines, "</Location>"].join("\n");

/** The lines of one host each: each answers `/x` and the paths below it, or some methods, in another way. */
const hosts: Readonly<Record<string, string>> = {
  open: "",
  denied: location("/x", "Require all denied"),
  gone: "RedirectMatch gone ^/x(/|$)",
  absent: "RedirectMatch 404 ^/x(/|$)",
  bad: "RewriteEngine On\nRewriteRule ^/x(/|$) - [R=400]",
  busy: "RedirectMatch 503 ^/x(/|$)",
  moved: "RedirectMatch ^/x(/|$) http://www.example.com/",
  rewritten: "RewriteEngine On\nRewriteRule ^/x(/|$) https://www.example.com/ [R=308,L]",
  inside: location("/x", "RedirectMatch 404 ."),
  posted: location("/x", "AllowMethods POST"),
  reading: location("/x", "<LimitExcept GET POST>", "Require all denied", "</LimitExcept>"),
};

/** The pairs of hosts that answer in the same class. */
const sameClasses = new Set(["absent gone", "absent inside", "gone inside", "moved rewritten"]);

function sideOf(lines: string) {
  const text = `Listen 80\nDocumentRoot "/srv/www"\n${lines}\n`;
  const options = { release: "2.4", kind: "server", modules } as const;
  return { project: load({ "/etc/httpd/httpd.conf": text }, options), semantics: "server" } as const;
}

describe.skipIf(!httpd)(liveTitle("classes of answers"), () => {
  test("each difference has the statuses of the server, and the change that they mean", async () => {
    const lines = Object.entries(hosts).flatMap(([name, text]) => [
      ...["<VirtualHost *:*>", `ServerName ${name}.test`, text, "</VirtualHost>"],
    ]);
    const names = Object.keys(hosts);
    let compared = 0;
    const changes = new Set<string>();
    await withRunningHttpd(modules, ["LogLevel crit", ...lines], async ({ ask, folder }) => {
      for (const before of names)
        for (const after of names) {
          if (before === after) continue;
          const { verdict, differences } = compare(sideOf(hosts[before] ?? ""), sideOf(hosts[after] ?? ""));
          const where = `${before} to ${after}`;
          const isSame = sameClasses.has([before, after].sort().join(" "));
          expect([where, verdict]).toEqual([where, isSame ? "equivalent" : "different"]);
          for (const { request, files, change, ...sides } of differences) {
            for (const [path, kind] of files) create(path.replace("/srv/www", `${folder}/htdocs`), kind);
            const { method, path, headers = {} } = request;
            const statusAt = async (name: string) =>
              (await ask({ method, path, headers: { ...headers, Host: `${name}.test` } })).status;
            const statuses = [await statusAt(before), await statusAt(after)] as const;
            expect([where, method, path, ...statuses]).toEqual([
              ...[where, method, path, sides.before.status, sides.after.status],
            ]);
            expect([where, change]).toEqual([
              where,
              accessChangeOf(answerClassOf(statuses[0]), answerClassOf(statuses[1])),
            ]);
            changes.add(change);
            compared++;
          }
        }
    });
    expect(compared).toBeGreaterThan(100);
    expect([...changes].sort()).toEqual(["gain", "loss", "neither"]);
  }, 120_000);

  test("the map names the answers of the server to those that are not allowed", async () => {
    const lines = Object.entries(hosts).flatMap(([name, text]) => [
      ...["<VirtualHost *:*>", `ServerName ${name}.test`, text, "</VirtualHost>"],
    ]);
    await withRunningHttpd(
      modules,
      ["LogLevel crit", ...lines],
      async ({ ask }) => {
        for (const [name, text] of Object.entries(hosts)) {
          const scopes = accessMap(sideOf(text)).servers.flatMap((server) => server.scopes);
          const scope = ["/x", "/a"]
            .map((path) => scopes.find(({ examples, methods }) => examples.includes(path) && isForGet(methods)))
            .find((found) => found !== undefined);
          const [who] = scope?.who ?? [];
          const { status } = await ask({ path: "/x", headers: { Host: `${name}.test` } });
          const answer = answerClassOf(status);
          const shown = answer === "redirected" ? "redirect" : String(status);
          expect([name, who?.others]).toEqual([name, answer === "allowed" ? [] : [shown]]);
        }
      },
      { x: "content" },
    );
  }, 60_000);
});

function isForGet(methods: readonly string[]): boolean {
  return methods.length === 0 || methods.includes("GET");
}

/** Makes the object at a path the one that a difference needs. */
function create(path: string, kind: string): void {
  rmSync(path, { recursive: true, force: true });
  if (kind === "missing") return;
  if (kind === "directory") mkdirSync(path, { recursive: true });
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "content");
  }
}
