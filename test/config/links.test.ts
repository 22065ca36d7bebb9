import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";

const folder = mkdtempSync(join(tmpdir(), "httpd-lint-links-"));
const root = join(folder, "root");

beforeAll(() => {
  const files = { "etc/real.conf": "inside", "etc/sub/a.conf": "a", "../outside.conf": "outside" };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  symlinkSync("/etc/real.conf", join(root, "etc/absolute.conf"));
  symlinkSync("../../etc/real.conf", join(root, "etc/sub/relative.conf"));
  symlinkSync("../../../../outside.conf", join(root, "etc/above.conf"));
  symlinkSync("/etc/sub", join(root, "folder"));
  symlinkSync("/circle", join(root, "circle"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["/etc/absolute.conf", "inside"],
  ["/etc/sub/relative.conf", "inside"],
  ["/folder/a.conf", "a"],
  ["/folder/../real.conf", "inside"],
  ["/../../etc/real.conf", "inside"],
])("resolves %s below a system root as after chroot", (path, text) => {
  expect(diskAccess({ sysroot: root }).read(path)).toMatchObject({ value: { text } });
  // A path that is already below the root stays there.
  expect(diskAccess({ sysroot: root }).read(root + path)).toMatchObject({ value: { text } });
});

test("does not follow links out of a system root, or circular links", () => {
  const access = diskAccess({ sysroot: root });
  expect(access.read("/etc/above.conf")).toMatchObject({ ok: false, error: { message: "it does not exist" } });
  expect(access.read("/circle")).toHaveProperty("ok", false);
});

test("does not follow a link that leads to itself below a system root, and to a file of this machine", () => {
  const host = join(folder, "host");
  const copy = join(root, folder);
  mkdirSync(host);
  writeFileSync(join(host, "a.conf"), "outside");
  mkdirSync(copy, { recursive: true });
  symlinkSync(host, join(copy, "host"));
  const access = diskAccess({ sysroot: root });
  for (const path of [join(host, "a.conf"), join(root, host, "a.conf")]) {
    expect(access.read(path)).toMatchObject({ ok: false, error: { message: "it does not exist" } });
    expect([access.exists(path), access.isDirectory(dirname(path)), access.list(dirname(path)).ok]).toEqual([
      ...[false, false, false],
    ]);
    expect(access.linkAt?.(path)).toBeUndefined();
  }
});

test("uses an overlay for all names of a file", () => {
  const overlay = new Map([[join(root, "etc/real.conf"), "typed"]]);
  const link = join(folder, "link.conf");
  symlinkSync(join(root, "etc/real.conf"), link);
  expect(diskAccess({ overlay }).read(link)).toMatchObject({ value: { text: "typed" } });
  expect(diskAccess({ overlay: new Map([[link, "typed"]]) }).read(join(root, "etc/real.conf"))).toMatchObject({
    value: {
      text: "typed",
    },
  });
  expect(diskAccess({ overlay }).read(join(folder, "outside.conf"))).toMatchObject({ value: { text: "outside" } });
});
