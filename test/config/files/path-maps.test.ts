import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskAccess } from "../../../src/config/files/disk.js";
import { type PathMap, readPathMap } from "../../../src/config/files/path-maps.js";
import { type ScratchFolder, scratchFolder } from "../../support/programs/scratch-folder.js";

let folder: ScratchFolder;
const at = (path: string) => join(folder.path, path);

beforeAll(() => {
  folder = scratchFolder();
  const files = {
    "docker/httpd.conf": "main",
    "extra/a.conf": "a",
    "extra/sub/b.conf": "b",
    "production/a.conf": "production a",
    "production/c.conf": "c",
    "public/.htaccess": "htaccess",
    "outside.conf": "outside",
    "image/usr/local/apache2/conf/httpd.conf": "stock main",
    "image/usr/local/apache2/conf/mime.types": "types",
    "image/usr/local/apache2/conf/extra/stock.conf": "stock",
    "image/usr/local/apache2/conf/extra/a.conf": "stock a",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  symlinkSync("../outside.conf", at("extra/link.conf"));
  symlinkSync("/usr/local/apache2/conf", at("image/conf"));
  symlinkSync("/usr/local/apache2/conf/mime.types", at("image/usr/local/apache2/conf/extra/types"));
});
afterAll(() => folder.dispose());

/** Returns maps from server paths to paths in the folder. */
function mapsOf(written: Readonly<Record<string, string>>): PathMap[] {
  return Object.entries(written).map(([host, server]) => ({ host: at(host), server }));
}

const conf = "/opt/web/conf";
const typical = {
  "docker/httpd.conf": `${conf}/httpd.conf`,
  extra: `${conf}/extra/`,
  public: "/opt/web/htdocs",
};
const accessBy = (maps: Readonly<Record<string, string>>, others: { sysroot?: string; confine?: string } = {}) =>
  diskAccess({ maps: mapsOf(maps), ...others });
const namesIn = (path: string, access = accessBy(typical)) => {
  const entries = access.list(path);
  return entries.ok ? entries.value.map(({ name, kind }) => `${name} ${kind}`) : entries.error.message;
};

describe("a mapped server path", () => {
  test.each([
    [`${conf}/httpd.conf`, "docker/httpd.conf"],
    [`${conf}/extra/a.conf`, "extra/a.conf"],
    [`${conf}/extra//sub/./b.conf`, "extra/sub/b.conf"],
    [`${conf}/../conf/extra/sub/../a.conf`, "extra/a.conf"],
    ["/opt/web/htdocs/.htaccess", "public/.htaccess"],
  ])("%s is read from %s", (server, host) => {
    const access = accessBy(typical);
    expect(access.read(server)).toMatchObject({ value: { realPath: at(host) } });
    expect(access.exists(server)).toBe(true);
    expect(access.realPath(server)).toBe(at(host));
  });

  test("can also be read by its path on this machine", () => {
    const sysroot = at("image");
    for (const others of [{}, { sysroot }])
      expect(accessBy(typical, others).read(at("docker/httpd.conf"))).toMatchObject({ value: { text: "main" } });
    // The target directory of the map is itself below the server path.
    expect(accessBy({ extra: folder.path }).read(at("extra/a.conf"))).toMatchObject({ value: { text: "a" } });
  });

  test.each([`${conf}/extra/none.conf`, `${conf}/extras/a.conf`, "/opt/web/html", `${conf}/httpd.conf/x`])(
    "twin: %s does not exist",
    (server) => {
      const access = accessBy(typical);
      expect(access.exists(server)).toBe(false);
      expect(access.read(server)).toHaveProperty("ok", false);
    },
  );

  test("may be a link, which is followed", () => {
    const access = accessBy(typical);
    expect(access.read(`${conf}/extra/link.conf`)).toMatchObject({
      value: { text: "outside", realPath: at("outside.conf") },
    });
    expect(access.linkAt?.(`${conf}/extra/link.conf`)).toEqual({ hasSameOwner: true });
    for (const path of [`${conf}/extra/a.conf`, `${conf}/extra`, conf]) expect(access.linkAt?.(path)).toBeUndefined();
  });

  test("may have an overlay", () => {
    const overlay = new Map([[at("extra/a.conf"), "typed"]]);
    expect(diskAccess({ maps: mapsOf(typical), overlay }).read(`${conf}/extra/a.conf`)).toMatchObject({
      value: {
        text: "typed",
      },
    });
  });

  test("is confined by its path on this machine", () => {
    const confined = accessBy(typical, { confine: at("extra") });
    expect(confined.read(`${conf}/extra/a.conf`)).toMatchObject({ value: { text: "a" } });
    expect(confined.read(`${conf}/extra/link.conf`)).toMatchObject({ error: { isConfined: true } });
    expect(confined.read(`${conf}/httpd.conf`)).toMatchObject({ error: { isConfined: true } });
    expect(confined.list("/opt/web/htdocs")).toMatchObject({ error: { isConfined: true } });
    expect(namesIn(conf, confined)).toEqual(["extra directory", "httpd.conf file"]);
  });
});

describe("a directory that contains mapped paths", () => {
  test.each([
    [`${conf}/extra`, ["a.conf file", "link.conf link", "sub directory"]],
    [conf, ["extra directory", "httpd.conf file"]],
    ["/opt/web/", ["conf directory", "htdocs directory"]],
  ])("lists the mapped paths: %s", (path, expected) => {
    expect(namesIn(path)).toEqual(expected);
    expect(accessBy(typical).isDirectory(path)).toBe(true);
    expect(accessBy(typical).exists(path)).toBe(true);
  });

  test("is not read as a file", () => {
    expect(accessBy(typical).read(conf)).toMatchObject({ ok: false, error: { message: "it is a directory" } });
  });

  test("twin: does not exist without mapped paths", () => {
    expect(accessBy(typical).isDirectory("/opt/webs")).toBe(false);
    expect(namesIn("/opt/webs")).toBe("it does not exist");
    expect(diskAccess().isPartial).toBe(false);
  });
});

test("a file that is mapped to a directory keeps its name in it", () => {
  const access = accessBy({ "docker/httpd.conf": `${conf}/` });
  expect(access.read(`${conf}/httpd.conf`)).toMatchObject({ value: { text: "main" } });
  expect(accessBy({ "docker/httpd.conf": conf }).read(conf)).toMatchObject({ value: { text: "main" } });
});

describe("maps of one path", () => {
  const layered = { extra: `${conf}/extra`, production: `${conf}/extra` };

  test("use the last one with the file, and list the files of all", () => {
    const access = accessBy(layered);
    expect(access.read(`${conf}/extra/a.conf`)).toMatchObject({ value: { text: "production a" } });
    expect(access.read(`${conf}/extra/sub/b.conf`)).toMatchObject({ value: { text: "b" } });
    expect(namesIn(`${conf}/extra`, access)).toEqual(["a.conf file", "c.conf file", "link.conf link", "sub directory"]);
  });

  test("prefer the longest server path, in any order of the maps", () => {
    const either = [
      { extra: conf, production: `${conf}/sub` },
      { production: `${conf}/sub`, extra: conf },
    ];
    for (const maps of either) {
      const access = accessBy(maps);
      expect(access.read(`${conf}/sub/a.conf`)).toMatchObject({ value: { text: "production a" } });
      expect(access.read(`${conf}/sub/b.conf`)).toMatchObject({ value: { text: "b" } });
      expect(namesIn(`${conf}/sub`, access)).toEqual(["a.conf file", "b.conf file", "c.conf file"]);
    }
  });
});

describe("an unmapped path", () => {
  const accessWith = (server: string) => accessBy({ "docker/httpd.conf": server });

  test("is not read from this machine if it is next to a mapped one", () => {
    const access = accessWith(at("image/usr/local/apache2/conf/httpd.conf"));
    const conf = at("image/usr/local/apache2/conf");
    expect(access.read(`${conf}/httpd.conf`)).toMatchObject({ value: { text: "main" } });
    expect(access.exists(`${conf}/mime.types`)).toBe(false);
    expect(access.read(`${conf}/extra/a.conf`)).toMatchObject({ error: { isAbsent: true } });
    expect(access.list(`${conf}/extra`)).toMatchObject({ error: { isAbsent: true } });
    expect(access.isDirectory(`${conf}/extra`)).toBe(false);
    expect(access.linkAt?.(`${conf}/extra/types`)).toBeUndefined();
    expect(access.realPath(`${conf}/mime.types`)).toBe(`${conf}/mime.types`);
    expect(namesIn(conf, access)).toEqual(["httpd.conf file"]);
  });

  test("twin: is read if it is not next to a mapped path", () => {
    expect(accessWith("/opt/web/httpd.conf").exists(at("outside.conf"))).toBe(true);
    expect(accessWith(at("httpd.conf")).read(at("docker/httpd.conf"))).toMatchObject({ value: { text: "main" } });
    expect(accessBy({ "outside.conf": at("httpd.conf") }).exists(at("extra/a.conf"))).toBe(true);
    expect(accessWith("/httpd.conf").exists(at("outside.conf"))).toBe(true);
  });
});

describe("maps over a system root", () => {
  const root = "/usr/local/apache2/conf";
  const maps = { "docker/httpd.conf": `${root}/httpd.conf`, extra: `${root}/extra` };
  const access = () => accessBy(maps, { sysroot: at("image") });

  test("take precedence, and the root has the rest", () => {
    expect(access().read(`${root}/httpd.conf`)).toMatchObject({ value: { text: "main" } });
    expect(access().read(`${root}/extra/a.conf`)).toMatchObject({ value: { text: "a" } });
    expect(access().read(`${root}/extra/stock.conf`)).toMatchObject({ value: { text: "stock" } });
    expect(access().read(`${root}/mime.types`)).toMatchObject({ value: { text: "types" } });
    expect(namesIn(`${root}/extra`, access())).toEqual([
      "a.conf file",
      "link.conf link",
      "stock.conf file",
      "sub directory",
      "types link",
    ]);
    expect(access().isPartial).toBe(false);
    expect(accessBy(maps).isPartial).toBe(true);
  });

  test("are used for links of the root", () => {
    expect(access().read("/conf/extra/a.conf")).toMatchObject({ value: { text: "a" } });
    expect(access().read(`${root}/extra/types`)).toMatchObject({ value: { text: "types" } });
  });

  test("are not used for a path of this machine below the root", () => {
    expect(access().read(at("image/usr/local/apache2/conf/extra/a.conf"))).toMatchObject({
      value: { text: "stock a" },
    });
  });
});

describe("the argument of a map", () => {
  test("has the form HOST=SERVER", () => {
    expect(readPathMap("docker/extra=/usr/local/conf=x")).toEqual({
      ok: true,
      value: { host: "docker/extra", server: "/usr/local/conf=x" },
    });
  });

  test.each([
    ["extra", "`extra` is not HOST=SERVER"],
    ["=/srv", "`=/srv` is not HOST=SERVER"],
    ["extra=", "`extra=` is not HOST=SERVER"],
    ["extra=conf/extra", "`conf/extra` is not an absolute path of the server"],
  ])("is rejected: %j", (written, error) => {
    expect(readPathMap(written)).toEqual({ ok: false, error });
  });
});
