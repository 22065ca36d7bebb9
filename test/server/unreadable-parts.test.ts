import { describe, expect, test } from "vitest";
import { type FileAccess, memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import type { LoadOptions } from "../../src/config/read-entry.js";
import { accessMap } from "../../src/proof/compare/access-map.js";
import { compare } from "../../src/proof/compare/compare.js";
import { formatComparisonVerdict } from "../../src/report/comparisons/comparison-report.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";

const denied = { message: "permission to read it is denied" };
const deep = `${"<IfModule !mod_nowhere.c>\n".repeat(300)}Require all denied\n${"</IfModule>\n".repeat(300)}`;

const documents = { "/srv/a/x.txt": "", "/srv/b/x.txt": "", "/srv/b/c/x.txt": "" };

/** Returns a server with one path that is not accessible. */
function server(files: Readonly<Record<string, string>>, closed?: string) {
  const memory = memoryAccess({ ...documents, ...files });
  return serverIn({
    ...memory,
    read: (path) => (path === closed ? { ok: false, error: denied } : memory.read(path)),
    list: (path) => (path === closed ? { ok: false, error: denied } : memory.list(path)),
  });
}

/** Returns a server in which nothing below a directory is accessible, not even to check for existence. */
function serverWithInaccessible(files: Readonly<Record<string, string>>, closed: string) {
  const memory = memoryAccess({ ...documents, ...files });
  const isInaccessible = (path: string) => path.startsWith(`${closed}/`);
  return serverIn({
    ...memory,
    read: (path) => (isInaccessible(path) ? { ok: false, error: denied } : memory.read(path)),
    list: (path) => (path === closed || isInaccessible(path) ? { ok: false, error: denied } : memory.list(path)),
    exists: (path) => !isInaccessible(path) && memory.exists(path),
    isDirectory: (path) => !isInaccessible(path) && memory.isDirectory(path),
  });
}

function serverIn(access: FileAccess, options: LoadOptions = {}) {
  const loaded = loadProject("/etc/httpd/httpd.conf", { kind: "server", ...options, access });
  if (!loaded.ok) throw new Error(loaded.error);
  const simulatedServer = new SimulatedServer(loaded.value, createFileTree({ by: "disk" }, loaded.value, access));
  const answer = (path: string) => {
    const { status, unknown } = simulatedServer.answer({ method: "GET", path, clientIp: "192.0.2.1" });
    return status ?? unknown[0];
  };
  return { project: loaded.value, answer };
}

const main = (override: string, more = "") =>
  `DocumentRoot "/srv"\n<Directory "/srv">\nAllowOverride ${override}\nRequire all granted\n</Directory>\n${more}`;

function doubtsOf(project: Project): readonly string[] {
  const side = { project, semantics: "server" } as const;
  const { unknown } = accessMap(side, side);
  const { verdict, unproved } = compare(side, side);
  return [verdict, ...new Set([...unknown, ...unproved].map(({ reason }) => reason))];
}

describe("results are unknown because of", () => {
  test("an unread file of Include, for all requests", () => {
    const files = { "/etc/httpd/httpd.conf": main("None", "Include /etc/httpd/a.conf\n"), "/etc/httpd/a.conf": "" };
    const { project, answer } = server(files, "/etc/httpd/a.conf");
    const why = "`/etc/httpd/a.conf` cannot be included: permission to read it is denied";
    expect(answer("/a/x.txt")).toBe(`lines that were not read (${why})`);
    expect(doubtsOf(project)).toEqual(["unknown", expect.stringContaining(why)]);
    expect(server(files).answer("/a/x.txt")).toBe(200);
  });

  test("an unread file on both sides of a comparison", () => {
    const sideOf = (more: string, closed?: string) => {
      const text = main("None", `${more}Include /etc/httpd/a.conf\n`);
      return {
        project: server({ "/etc/httpd/httpd.conf": text, "/etc/httpd/a.conf": "" }, closed).project,
        semantics: "server",
      } as const;
    };
    const denied = "<Location /a>\nRequire all denied\n</Location>\n";
    expect(compare(sideOf(""), sideOf(denied)).verdict).toBe("different");
    const found = compare(sideOf("", "/etc/httpd/a.conf"), sideOf(denied, "/etc/httpd/a.conf"));
    expect([found.verdict, found.differences.length, formatComparisonVerdict(found)]).toEqual([
      "unknown",
      1,
      expect.stringContaining("a part of the configuration was not read; the rest has 1 difference"),
    ]);
  });

  test.each([
    ["/srv/b/.htaccess", "`/srv/b/.htaccess` cannot be read: permission to read it is denied"],
    ["/srv/b", "the directory `/srv/b` cannot be listed: permission to read it is denied"],
  ])("an unreadable %s, for requests below it", (closed, why) => {
    const files = { "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess": "" };
    const { project, answer } = server(files, closed);
    const reason = `\`.htaccess\` files that were not read (${why})`;
    expect(["/b/x.txt", "/b/c/x.txt", "/b/x.txt", "/a/x.txt"].map(answer)).toEqual([reason, reason, reason, 200]);
    expect(doubtsOf(project)).toEqual(["unknown", expect.stringContaining(why)]);
  });

  test.each([
    ["", 200, "equivalent"],
    [
      '<Directory "/srv/b/c">\nAllowOverride All\n</Directory>\n',
      expect.stringMatching("`/srv/b` cannot be l"),
      "unknown",
    ],
  ])("an unlistable directory only if `.htaccess` files are read below it: %j", (more, expected, verdict) => {
    const { project, answer } = server({ "/etc/httpd/httpd.conf": main("None", more) }, "/srv/b");
    const answers = ["/b/x.txt", "/b/c/x.txt", "/b/c", "/a/x.txt"].map(answer);
    expect(answers).toEqual([200, expected, expected === 200 ? 301 : expected, 200]);
    expect(doubtsOf(project)[0]).toBe(verdict);
  });

  test("a directory called `.htaccess`, for which the server returns 403", () => {
    const { answer } = server({ "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess/x": "" });
    expect(answer("/b/x.txt")).toMatch(
      /^`\.htaccess` files that were not read \(`\/srv\/b\/\.htaccess` cannot be read/,
    );
    expect(answer("/a/x.txt")).toBe(200);
  });

  test("twin: no unreadable file if httpd does not read it", () => {
    const files = { "/etc/httpd/httpd.conf": main("None"), "/srv/b/.htaccess": "" };
    const { project, answer } = server(files, "/srv/b/.htaccess");
    expect(answer("/b/x.txt")).toBe(200);
    expect(doubtsOf(project)).toEqual(["equivalent"]);
  });

  test("sections that are nested too deeply", () => {
    const why = "sections are nested more than 256 levels deep";
    const ofMain = server({ "/etc/httpd/httpd.conf": main("None", deep) });
    expect(ofMain.answer("/a/x.txt")).toBe(`lines that were not read (${why})`);
    const files = { "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess": deep };
    const { project, answer } = server(files);
    const ofFile = `\`.htaccess\` files that were not read (${why})`;
    expect(["/b/x.txt", "/a/x.txt"].map(answer)).toEqual([ofFile, 200]);
    expect(doubtsOf(project)).toEqual(["unknown", expect.stringMatching(`^${why}`), ofFile]);
  });

  test("a conditional section with a pattern that only the server can match", () => {
    const ifVersion = (pattern: string) => `<IfVersion ~ ${pattern}>\nRequire all denied\n</IfVersion>\n`;
    const of = (pattern: string) =>
      server({ "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess": ifVersion(pattern) }).answer("/b/x.txt");
    expect(of("2.4|(?R)")).toMatch(
      /^`\.htaccess` files that were not read \(httpd-lint does not support the pattern `2\.4\|\(\?R\)`/,
    );
    expect([of("^2.4"), of("^2.2"), of("(?=2)2.4"), of("(?!2)")].map(String)).toEqual(["403", "200", "403", "403"]);
  });
});

describe("inaccessible files may exist", () => {
  const notListed = (path: string) => `the directory \`${path}\` cannot be listed: permission to read it is denied`;

  test("above a document root", () => {
    const files = { "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess": "Require all denied\n" };
    const below = { ...files, "/etc/httpd/httpd.conf": main("All").replaceAll('"/srv"', '"/srv/b"') };
    const { project, answer } = serverWithInaccessible(below, "/srv");
    const above = "`/srv/.htaccess` cannot be read: permission to read it is denied";
    expect(answer("/x.txt")).toBe(`\`.htaccess\` files that were not read (${above})`);
    const [verdict, ...reasons] = doubtsOf(project);
    expect([verdict, reasons.some((each) => each.includes(notListed("/srv/b")))]).toEqual(["unknown", true]);
    expect(server(below).answer("/x.txt")).toBe(403);
  });

  test.each(["closed/x.conf", "closed/*.conf", "closed/sub/*.conf", "clo*/x.conf"])(
    "for IncludeOptional %s",
    (path) => {
      const denying = "<Location />\nRequire all denied\n</Location>\n";
      const files = {
        "/etc/httpd/httpd.conf": main("None", `IncludeOptional /etc/httpd/${path}\n`),
        ...{ "/etc/httpd/closed/x.conf": denying, "/etc/httpd/closed/sub/x.conf": denying },
      };
      const { project, answer } = serverWithInaccessible(files, "/etc/httpd/closed");
      expect(answer("/a/x.txt")).toMatch(/^lines that were not read \(.*permission to read it is denied\)$/);
      expect(doubtsOf(project)[0]).toBe("unknown");
      expect(server(files).answer("/a/x.txt")).toBe(403);
    },
  );

  test("for the condition of IfFile", () => {
    const guarded = "<IfFile /etc/httpd/closed/x>\n<Location />\nRequire all denied\n</Location>\n</IfFile>\n";
    const files = { "/etc/httpd/httpd.conf": main("None", guarded), "/etc/httpd/closed/x": "" };
    const why = "it is unknown whether `/etc/httpd/closed/x` exists: permission to read it is denied";
    expect(serverWithInaccessible(files, "/etc/httpd/closed").answer("/a/x.txt")).toBe(
      `lines that were not read (${why})`,
    );
    expect(server(files).answer("/a/x.txt")).toBe(403);
  });
});

test.each(["Include conf.d/a.conf\n", "IncludeOptional conf.d/*.conf\n"])(
  "files below a ServerRoot that does not exist here are unknown: %j",
  (include) => {
    const { project, answer } = server({ "/etc/httpd/httpd.conf": `ServerRoot /opt/httpd\n${main("None", include)}` });
    expect(answer("/a/x.txt")).toMatch(
      /^lines that were not read \(`conf\.d\/.*` is below the ServerRoot, which is not/,
    );
    expect(doubtsOf(project)[0]).toBe("unknown");
    expect(server({ "/etc/httpd/httpd.conf": `ServerRoot /opt/httpd\n${main("None")}` }).answer("/a/x.txt")).toBe(200);
  },
);

test("files of a directory with two names apply under both, and proofs are limited to the first", () => {
  const files = { ...documents, "/etc/httpd/httpd.conf": main("All"), "/srv/b/c/.htaccess": "Require all denied\n" };
  const memory = memoryAccess({ ...files, "/srv/d/c/x.txt": "", "/srv/e/x.txt": "" });
  const sameAs = (path: string) =>
    memory
      .realPath(path)
      .replace(/^\/srv\/d(?=\/|$)/, "/srv/b")
      .replace("/srv/e", "/srv/a");
  const { project, answer } = serverIn({ ...memory, realPath: sameAs });
  const why = "`/srv/d` is the same directory as `/srv/b`, and is read under that name";
  expect(answer("/b/c/x.txt")).toBe(403);
  expect(answer("/d/c/x.txt")).toBe(403);
  expect(["/a/x.txt", "/e/x.txt"].map(answer)).toEqual([200, 200]);
  expect(doubtsOf(project)).toEqual(["unknown", expect.stringContaining(why)]);
});

test("resolves paths below the ServerRoot of the server", () => {
  const denied = '<Directory "/opt/httpd/docs">\nRequire all denied\n</Directory>\n';
  const text = `ServerRoot /opt/httpd\nDocumentRoot docs\n${denied}`;
  const access = memoryAccess({ "/etc/httpd/httpd.conf": text, "/etc/httpd/docs/x.txt": "" });
  const { answer } = serverIn(access, { serverRoot: "/etc/httpd" });
  expect(answer("/x.txt")).toBe(403);
  const open = memoryAccess({ "/etc/httpd/httpd.conf": text.replace(denied, ""), "/etc/httpd/docs/x.txt": "" });
  const serverInDocs = serverIn(open, { serverRoot: "/etc/httpd" });
  expect(["/x.txt", "/none.txt"].map(serverInDocs.answer)).toEqual([200, 404]);
});

test("a name of AccessFileName that is a broken link is skipped", () => {
  const names = main("All", "AccessFileName .first .htaccess\n");
  const memory = memoryAccess({
    ...documents,
    "/etc/httpd/httpd.conf": names,
    "/srv/b/.htaccess": "Require all denied\n",
  });
  const withLink: FileAccess["list"] = (path) => {
    const entries = memory.list(path);
    return path === "/srv/b" && entries.ok
      ? { ok: true, value: [{ name: ".first", kind: "link" }, ...entries.value] }
      : entries;
  };
  expect(serverIn({ ...memory, list: withLink }).answer("/b/x.txt")).toBe(403);
});
