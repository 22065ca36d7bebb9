import { describe, expect, test } from "vitest";
import { accessMap } from "../../src/compare/access-map.js";
import { compare } from "../../src/compare/compare.js";
import { type FileAccess, memoryAccess } from "../../src/project/files.js";
import { loadProject } from "../../src/project/load.js";
import type { Project } from "../../src/project/project.js";
import { Decider } from "../../src/simulate/decide.js";
import { diskFiles } from "../../src/simulate/file-trees.js";

const denied = { failed: "permission to read it is denied" };
const deep = `${"<IfModule !mod_nowhere.c>\n".repeat(300)}Require all denied\n${"</IfModule>\n".repeat(300)}`;

/** A server of which one path may not be looked at by whoever runs this. */
function server(files: Readonly<Record<string, string>>, closed?: string) {
  const memory = memoryAccess({ "/srv/a/x.txt": "", "/srv/b/x.txt": "", "/srv/b/c/x.txt": "", ...files });
  const access: FileAccess = {
    ...memory,
    read: (path) => (path === closed ? denied : memory.read(path)),
    list: (path) => (path === closed ? denied : memory.list(path)),
  };
  const loaded = loadProject("/etc/httpd/httpd.conf", { kind: "server", access });
  if ("failed" in loaded) throw new Error(loaded.failed);
  const decider = new Decider(loaded.project, diskFiles(access));
  const answer = (path: string) => {
    const { status, unknown } = decider.decide({ method: "GET", path, clientIp: "192.0.2.1" });
    return status ?? unknown[0];
  };
  return { project: loaded.project, answer };
}

const main = (override: string, more = "") =>
  `DocumentRoot "/srv"\n<Directory "/srv">\nAllowOverride ${override}\nRequire all granted\n</Directory>\n${more}`;

function doubtsOf(project: Project): readonly string[] {
  const side = { project, reading: "server" } as const;
  const { unknown } = accessMap(side, side);
  const { verdict, unproved } = compare(side, side);
  return [verdict, ...new Set([...unknown, ...unproved].map(({ reason }) => reason))];
}

describe("what was not read may say anything", () => {
  test("a file that Include names: of any request", () => {
    const files = { "/etc/httpd/httpd.conf": main("None", "Include /etc/httpd/a.conf\n"), "/etc/httpd/a.conf": "" };
    const { project, answer } = server(files, "/etc/httpd/a.conf");
    const why = "`/etc/httpd/a.conf` cannot be included: permission to read it is denied";
    expect(answer("/a/x.txt")).toBe(`what was not read, since ${why}`);
    expect(doubtsOf(project)).toEqual(["unknown", expect.stringContaining(why)]);
    expect(server(files).answer("/a/x.txt")).toBe(200);
  });

  test.each([
    ["/srv/b/.htaccess", "`/srv/b/.htaccess` cannot be read: permission to read it is denied"],
    ["/srv/b", "the directory `/srv/b` cannot be listed: permission to read it is denied"],
  ])("%s: of requests that come by it", (closed, why) => {
    const files = { "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess": "" };
    const { project, answer } = server(files, closed);
    const reason = `what \`.htaccess\` files say, since ${why}`;
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
  ])("a closed directory in which no such file counts, and further in: %j", (more, answered, verdict) => {
    const { project, answer } = server({ "/etc/httpd/httpd.conf": main("None", more) }, "/srv/b");
    const asked = ["/b/x.txt", "/b/c/x.txt", "/b/c", "/a/x.txt"].map(answer);
    expect(asked).toEqual([200, answered, answered === 200 ? 301 : answered, 200]);
    expect(doubtsOf(project)[0]).toBe(verdict);
  });

  test("a folder for a `.htaccess` file: the server answers 403 below it", () => {
    const { answer } = server({ "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess/x": "" });
    expect(answer("/b/x.txt")).toMatch(/^what `\.htaccess` files say, since `\/srv\/b\/\.htaccess` cannot be read/);
    expect(answer("/a/x.txt")).toBe(200);
  });

  test("twin: where nothing looks for such files their being closed says nothing", () => {
    const files = { "/etc/httpd/httpd.conf": main("None"), "/srv/b/.htaccess": "" };
    const { project, answer } = server(files, "/srv/b/.htaccess");
    expect(answer("/b/x.txt")).toBe(200);
    expect(doubtsOf(project)).toEqual(["equivalent"]);
  });

  test("sections deeper than are followed", () => {
    const why = "sections are nested more than 256 deep here, deeper than httpd-lint reads";
    const ofMain = server({ "/etc/httpd/httpd.conf": main("None", deep) });
    expect(ofMain.answer("/a/x.txt")).toBe(`what was not read, since ${why}`);
    const files = { "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess": deep };
    const { project, answer } = server(files);
    const ofFile = `what \`.htaccess\` files say, since ${why}`;
    expect(["/b/x.txt", "/a/x.txt"].map(answer)).toEqual([ofFile, 200]);
    expect(doubtsOf(project)).toEqual(["unknown", expect.stringMatching(`^${why}`), ofFile]);
  });

  test("a guard by a pattern that only the server can match", () => {
    const guard = (pattern: string) => `<IfVersion ~ ${pattern}>\nRequire all denied\n</IfVersion>\n`;
    const of = (pattern: string) =>
      server({ "/etc/httpd/httpd.conf": main("All"), "/srv/b/.htaccess": guard(pattern) }).answer("/b/x.txt");
    expect(of("(?=2)2.4")).toMatch(/^what `\.htaccess` files say, since `\(\?=2\)2\.4` looks around or back/);
    expect([of("^2.4"), of("^2.2")]).toEqual([403, 200]);
  });
});
