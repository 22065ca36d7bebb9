import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { findHtaccessFiles } from "../../src/config/reader/htaccess-discovery.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { interpolateRoot } from "../../src/server/mapping/virtual-roots.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadText } from "../support/projects.js";

// The live server's paths (test/live/virtual-roots.live.test.ts).
test.each([
  ["/v/%0", "www.Example.test", "/v/www.example.test"],
  ["/v/%1/%2/%3", "www.example.test", "/v/www/example/test"],
  ["/v/%-1/%-2/%-9", "www.example.test", "/v/test/example/_"],
  ["/v/%2+/x", "www.example.test", "/v/example.test/x"],
  ["/v/%-2+/x", "www.example.test", "/v/www.example/x"],
  ["/v/%2.1/%2.2/%2.-1/%2", "www.example.test", "/v/e/x/e/example"],
  ["/v/%1.2+/%1.-2+/%1.9", "www.example.test", "/v/ww/ww/_"],
  ["/v/%0.1+.-0", "a.test", "/v/a.test.-0"],
  ["/v/%p/%%/%0.9+", "a.test", "/v/8080/%/_"],
  ["/v/%1.1", ".test", "/v/_"],
  ["/v/%-1", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.test", "/v/s.t.test"],
])("interpolates %s for %s as %s", (template, name, path) => {
  expect(interpolateRoot(template, name, 8080)).toBe(path);
});

const modules =
  "LoadModule vhost_alias_module m.so\nLoadModule authz_core_module m.so\nLoadModule authz_host_module m.so\n";
const denials = { "2.2": "Order allow,deny", "2.4": "Require all denied" };

function decide(lines: readonly string[], request: Partial<Request>, release: "2.2" | "2.4" = "2.4") {
  const project = loadText(
    `${modules}ServerName secret.test\n${lines.join("\n")}\n<Directory "/v/secret.test">\n${denials[release]}\n</Directory>\n`,
    {
      kind: "server",
      release,
    },
  );
  const files = createListedFiles(["/v/secret.test/x", "/v/a.test/x", "/c/a.test/x"]);
  return new SimulatedServer(project, files).answer({ method: "GET", path: "/x", clientIp: "192.0.2.7", ...request });
}

describe("a request is mapped to the root of its host", () => {
  test.each<[lines: readonly string[], request: Partial<Request>, status: number]>([
    [["VirtualDocumentRoot /v/%0"], { host: "a.test" }, 200],
    [["VirtualDocumentRoot /v/%0"], { host: "secret.test" }, 403],
    [["VirtualDocumentRoot /v/%0"], { host: "b.test" }, 404],
    [["VirtualDocumentRoot /v/%0"], {}, 403],
    [["VirtualDocumentRoot /v/%0/"], { host: "A.test:81" }, 200],
    [["VirtualDocumentRoot /v/%0", "UseCanonicalName On"], { host: "a.test" }, 403],
    [["VirtualDocumentRootIP /v/%0", "DocumentRoot /v/a.test"], { host: "a.test" }, 404],
    [["VirtualDocumentRootIP /v/%1", "VirtualDocumentRoot /v/%0"], { host: "a.test" }, 200],
    [["VirtualDocumentRoot none", "DocumentRoot /v/a.test"], { host: "secret.test" }, 200],
    [["VirtualDocumentRoot /v/%0", "VirtualScriptAlias /c/%0"], { host: "a.test", path: "/cgi-bin/x" }, 200],
    [["VirtualDocumentRoot /v/%0", "VirtualScriptAlias /c/%0"], { host: "b.test", path: "/cgi-bin/x" }, 404],
  ])("%j, %j: %i", (lines, request, status) => {
    expect(decide(lines, request)).toMatchObject({ status, unknown: [] });
    expect(decide(lines, request, "2.2")).toMatchObject({ status, unknown: [] });
  });

  test("except with UseCanonicalName DNS, where the name is unknown", () => {
    const { unknown } = decide(["VirtualDocumentRoot /v/%0", "UseCanonicalName DNS"], { host: "a.test" });
    expect(unknown).toEqual(["the target of `VirtualDocumentRoot /v/%0`"]);
  });

  test("and the trace has the lines that name the server", () => {
    const { trace } = decide(["VirtualDocumentRoot /v/%0"], {});
    const step = trace.find(({ effect }) => effect === "maps to `/v/secret.test/x`");
    expect(step?.lines.length).toBe(2);
  });
});

test("`.htaccess` files are searched in all directories that a name may select", () => {
  const files = ["/v/a/www/.htaccess", "/v/b/www/d/.htaccess", "/v/b/other/.htaccess", "/v/.htaccess", "/v/c"];
  const access = memoryAccess(Object.fromEntries(files.map((path) => [path, "x\n"])));
  const filesFoundBy = (line: string) =>
    findHtaccessFiles(loadText(`${line}\n`, { kind: "server" }).directives, (path) => path, access).files.map(
      ({ path }) => path,
    );
  expect(filesFoundBy("VirtualDocumentRoot /v/%0/www")).toEqual([
    "/v/.htaccess",
    "/v/a/www/.htaccess",
    "/v/b/www/d/.htaccess",
  ]);
  expect(filesFoundBy("VirtualDocumentRoot /v/b%1/www")).toEqual(["/v/.htaccess", "/v/b/www/d/.htaccess"]);
  expect(filesFoundBy("VirtualDocumentRoot /%0")).toEqual([]);
});
