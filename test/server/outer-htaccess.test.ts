import { describe, expect, test } from "vitest";
import { type FileAccess, memoryAccess } from "../../src/config/files/file-access.js";
import type { Release } from "../../src/facts/release.js";
import { compare } from "../../src/proof/compare/compare.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";

const denied = "Require all denied\n";
const documents = { "/srv/www/x.txt": "", "/srv/other/x.txt": "" };
const all = ["<Directory />", "AllowOverride All", "</Directory>"];
const main = ["DocumentRoot /srv/www"];

interface ServerOptions {
  readonly release?: Release;
  /** Changes to the file system in memory. */
  readonly access?: (memory: FileAccess) => Partial<FileAccess>;
}

function server(
  lines: readonly string[],
  files: Readonly<Record<string, string>>,
  { release = "2.4", access }: ServerOptions = {},
) {
  const memory = memoryAccess({ ...documents, ...files, "/etc/httpd/httpd.conf": `${lines.join("\n")}\n` });
  const disk = { ...memory, ...access?.(memory) };
  const loaded = loadProject("/etc/httpd/httpd.conf", {
    ...{ kind: "server", release, access: disk, moreModules: ["userdir_module"] },
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const simulatedServer = new SimulatedServer(loaded.value, createFileTree({ by: "disk" }, loaded.value, disk));
  const answer = (path: string, host = "main.test") => {
    const { status, unknown } = simulatedServer.answer({ method: "GET", path, host, clientIp: "192.0.2.1" });
    return status ?? unknown[0];
  };
  return { project: loaded.value, answer };
}

describe("`.htaccess` files above the documents", () => {
  test.each([["/.htaccess"], ["/srv/.htaccess"], ["/srv/www/.htaccess"]])("apply: %s", (path) => {
    expect(server([...main, ...all], { [path]: denied }).answer("/x.txt")).toBe(403);
  });

  test.each([["/srv/other/.htaccess"], ["/etc/.htaccess"], ["/srv/www/y/.htaccess"]])(
    "do not apply elsewhere: %s",
    (path) => {
      const { project, answer } = server([...main, ...all], { [path]: denied });
      expect(answer("/x.txt")).toBe(200);
      expect(project.htaccess).toHaveLength(path.includes("www") ? 1 : 0);
    },
  );

  test("are allowed by default on 2.2, and rejected on 2.4", () => {
    const files = { "/srv/.htaccess": "Order allow,deny\n" };
    const none = ["<Directory />", "AllowOverride None", "</Directory>"];
    const answers = ([main, [...main, ...none]] as const).map((lines) =>
      (["2.2", "2.4"] as const).map((release) => server(lines, files, { release }).answer("/x.txt")),
    );
    expect(answers).toEqual([
      [403, 500],
      [200, 200],
    ]);
  });

  test("have the first existing name of AccessFileName in each directory", () => {
    const files = { "/srv/.b": denied, "/srv/.c": "Require all granted\n", "/.htaccess": denied };
    const named = (names: string) => server([...main, ...all, `AccessFileName ${names}`], files);
    expect([".a .b .c", ".a .c .b"].map((names) => named(names).answer("/x.txt"))).toEqual([403, 200]);
    expect(named(".a .b").project.htaccess.map(({ directory }) => directory)).toEqual(["/srv"]);
  });

  test("apply above the target of an Alias and above missing documents", () => {
    const files = { "/data/shared/robots.txt": "", "/data/shared/.htaccess": denied };
    const alias = 'Alias "/robots.txt" "/data/shared/robots.txt"';
    expect(server([...main, ...all, alias], files).answer("/robots.txt")).toBe(403);
    for (const documents of ["/data/www", "/data/www/in", "/data/www/in/it"])
      expect(server([`DocumentRoot ${documents}`, ...all], { "/data/.htaccess": denied }).answer("/")).toBe(403);
  });

  test("have the names of the last AccessFileName line of each server", () => {
    const files = { "/srv/www/.htaccess": denied, "/srv/www/.a": "Require all granted\n", "/srv/www/.b": denied };
    const host = (name: string, ...lines: string[]) => [
      "<VirtualHost *>",
      `ServerName ${name}`,
      ...lines,
      "</VirtualHost>",
    ];
    const hosts = [...host("own.test", "AccessFileName .b", "AccessFileName .none .a"), ...host("main.test")];
    const [first, second] = [[], ["AccessFileName .b"]].map((lines) =>
      server([...main, ...all, ...lines, ...hosts], files),
    );
    expect(["own.test", "main.test"].map((name) => first?.answer("/x.txt", name))).toEqual([200, 403]);
    expect(["own.test", "main.test"].map((name) => second?.answer("/x.txt", name))).toEqual([200, 403]);
    expect(first?.project.htaccess.map(({ tree }) => tree.source.path)).toEqual(["/srv/www/.htaccess", "/srv/www/.a"]);
    expect(second?.project.htaccess.map(({ tree }) => tree.source.path)).toEqual(["/srv/www/.b", "/srv/www/.a"]);
  });

  test("are merged from the top, and their directories are not listed", () => {
    const files = { "/srv/www/.htaccess": "Require all granted\n", "/srv/.htaccess": denied, "/.htaccess": denied };
    const listed: string[] = [];
    const access = (memory: FileAccess) => ({
      list: (path: string) => {
        listed.push(path);
        return memory.list(path);
      },
    });
    const { project, answer } = server([...main, ...all], files, { access });
    expect(answer("/x.txt")).toBe(200);
    expect(project.htaccess.map(({ directory }) => directory)).toEqual(["/", "/srv", "/srv/www"]);
    expect(listed).not.toContain("/srv");
  });

  test("make the result unknown if inaccessible, unless --confine excludes them", () => {
    const failing = (failure: object) => (memory: FileAccess) => ({
      exists: (path: string) => path !== "/srv/.htaccess" && memory.exists(path),
      list: (path: string) =>
        path === "/srv/.htaccess"
          ? { ok: false as const, error: { message: "permission is denied", ...failure } }
          : memory.list(path),
      read: (path: string) =>
        path === "/srv/.htaccess"
          ? { ok: false as const, error: { message: "permission is denied" } }
          : memory.read(path),
    });
    const answer = (failure: object) => server([...main, ...all], {}, { access: failing(failure) }).answer("/x.txt");
    expect(answer({})).toMatch(/^`\.htaccess` files that were not read \(`\/srv\/\.htaccess` cannot be read/);
    expect(answer({ isConfined: true })).toBe(200);
  });

  test("make two configurations different", () => {
    const [withFile, withoutFile] = [{ "/srv/.htaccess": denied }, {}].map(
      (files) => server([...main, ...all], files).project,
    );
    if (withFile === undefined || withoutFile === undefined) throw new Error("no projects");
    const { verdict, differences } = compare(
      { project: withoutFile, semantics: "server" },
      { project: withFile, semantics: "server" },
    );
    expect([verdict, differences.map(({ after }) => after.class)]).toEqual(["different", ["403"]]);
  });
});

describe("`.htaccess` files of users' directories", () => {
  const granting = ["<Directory /srv>", "AllowOverride All", "Require all granted", "</Directory>"];
  const users = { "/srv/users/ann/x.txt": "", "/srv/users/ann/www/x.txt": "", "/srv/users/readme": "" };
  test.each([
    ["/srv/users", "/srv/users/ann/.htaccess"],
    ["/srv/users/*/www", "/srv/users/ann/www/.htaccess"],
    ["/srv/users/*", "/srv/users/ann/.htaccess"],
    ["/srv/use*/ann", "/srv/users/.htaccess"],
  ])("apply below UserDir %s", (place, path) => {
    const url = place.startsWith("/srv/use*") ? "/~rs/x.txt" : "/~ann/x.txt";
    const files = { ...users, [path]: denied };
    const { answer } = server([...main, ...granting, `UserDir ${place}`], files);
    expect(answer(url)).toBe(403);
    expect(server([...main, ...granting, `UserDir ${place}`], users).answer(url)).toBe(200);
  });
});

describe("`.htaccess` files in a top-level directory that a rule maps to", () => {
  const rule = ["RewriteEngine on", 'RewriteRule "^/old/(.*)" "/data/$1"'];
  const files = { "/data/.htaccess": denied, "/data/x.txt": "" };

  test("are read in the directory itself, and unknown below it", () => {
    const why = "`.htaccess` files that were not read (`RewriteRule` may map anywhere in `/data`";
    const further = { "/data/in/x.txt": "", "/data/x.txt": "" };
    expect(server([...main, ...all, ...rule], { ...files, ...further }).answer("/old/x.txt")).toBe(403);
    const { answer } = server([...main, ...all, ...rule], further);
    const urls = ["/old/x.txt", "/x.txt", "/old/in/x.txt", "/old/in"];
    const unknown = expect.stringContaining(why);
    expect(urls.map((path) => answer(path))).toEqual([200, 200, unknown, unknown]);
    const none = [...main, ...rule, "<Directory />", "AllowOverride None", "</Directory>"];
    expect(server(none, further).answer("/old/in/x.txt")).toBe(200);
  });

  test("apply to documents in it", () => {
    const { answer } = server([...main, ...all, "RewriteEngine on", 'RewriteRule "^/old/(.*)" "/srv/$1"'], {
      ...{ "/srv/www/.htaccess": denied, "/srv/www/in/x.txt": "", "/srv/else/x.txt": "" },
    });
    expect([answer("/x.txt"), answer("/old/www/in/x.txt")]).toEqual([403, 403]);
    expect(answer("/old/else/x.txt")).toMatch(/^`\.htaccess` files that were not read/);
  });

  test("are unknown if unreadable above documents", () => {
    const shut = "/srv/www/.htaccess";
    const access = (memory: FileAccess) => ({
      read: (path: string) =>
        path === shut ? { ok: false as const, error: { message: "permission is denied" } } : memory.read(path),
    });
    const lines = [...main, ...all, "RewriteEngine on", 'RewriteRule "^/old/(.*)" "/srv/$1"'];
    const { answer } = server(lines, { [shut]: denied }, { access });
    expect(answer("/x.txt")).toMatch(
      /^`\.htaccess` files that were not read \(`\/srv\/www\/\.htaccess` cannot be read/,
    );
  });

  test("are unknown if a pattern may map anywhere", () => {
    const homes = [...main, ...all, 'AliasMatch "^/u/([^/]+)/(.*)" "/data/$1/www/$2"'];
    const { answer } = server(homes, { "/data/ann/www/x.txt": "", "/data/ann/www/.htaccess": denied });
    expect(answer("/u/ann/x.txt")).toMatch(
      /^`\.htaccess` files that were not read \(`AliasMatch` may map anywhere in `\/data`/,
    );
    expect(answer("/x.txt")).toBe(200);
  });

  test("are read below the directory if a pattern appends only the rest of the path", () => {
    const manual = [...main, ...all, 'AliasMatch "^/manual(?:/(?:de|en))?(/.*)?$" "/srv/docs/manual$1"'];
    const { project, answer } = server(manual, {
      ...{ "/srv/docs/manual/in/.htaccess": denied, "/srv/docs/manual/in/x.txt": "", "/srv/docs/manual/x.txt": "" },
      "/srv/docs/other/x.txt": "",
    });
    expect(["/manual/de/in/x.txt", "/manual/x.txt"].map((path) => answer(path))).toEqual([403, 200]);
    expect(project.problems).toEqual([]);
  });

  test.each(["^/manual(.*)$", "^/manual(/.*)?(/.*)?$", "^/manual(/.*)+$"])(
    "twin: are unknown if %s appends more than that",
    (pattern) => {
      const manual = [...main, ...all, `AliasMatch "${pattern}" "/srv/docs/manual$1"`];
      const { project } = server(manual, { "/srv/docs/manual/x.txt": "" });
      expect(project.problems.map(({ problem }) => problem)).toEqual([
        "`AliasMatch` may map anywhere in `/srv/docs`, which is not searched for `.htaccess` files",
      ]);
    },
  );

  test("are read if another directive also maps there", () => {
    const { project, answer } = server([...main, ...all, ...rule, "Alias /data /data"], files);
    expect([answer("/old/x.txt"), project.problems]).toEqual([403, []]);
  });

  test("are not read for a URL path, and apply to a target further below", () => {
    expect(server([...main, ...all, ...rule], {}).answer("/old/x.txt")).toBe(404);
    const further = ["RewriteEngine on", 'RewriteRule "^/old/(.*)" "/data/in/$1"'];
    expect(
      server([...main, ...all, ...further], { "/data/in/x.txt": "", "/data/.htaccess": denied }).answer("/old/x.txt"),
    ).toBe(403);
  });
});
