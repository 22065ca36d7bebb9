import { describe, expect, test } from "vitest";
import { readConfigNice } from "../../../src/lint/runner/config-nice.js";

const script = (...switches: readonly string[]) =>
  `#! /bin/sh\n#\n# Created by configure\n\nCFLAGS="-O2 -g"; export CFLAGS\n"./configure" \\\n${switches.map((each) => `"${each}" \\\n`).join("")}"$@"\n`;

function changesFor(...switches: readonly string[]) {
  const build = readConfigNice(script(...switches));
  return build.ok
    ? build.value.changed.map(
        ({ written, word, advice }) => `${word === undefined ? written : `${word} in ${written}`}: ${advice}`,
      )
    : build.error;
}

describe("a recorded configure line", () => {
  test("has no changes if 2.4 accepts it", () => {
    const switches = [
      "--prefix=/usr/local/apache2",
      "--enable-mods-shared=all ssl",
      "--enable-cache",
      "--with-mpm=worker",
    ];
    expect(readConfigNice(script(...switches))).toEqual({ ok: true, value: { changed: [], switches: 4 } });
  });

  test.each([
    ["--enable-disk-cache", "the module is now called mod_cache_disk; use `--enable-cache-disk`"],
    ["--enable-mem-cache=shared", "mod_cache_socache and mod_cache_disk replace it, but cache differently; delete it"],
    ["--disable-authn-default", "2.4 denies every client that no module authenticated; delete it"],
    ["--enable-authn-alias", "is now in mod_authn_core; use `--enable-authn-core`"],
    ["--enable-auth_dbm", "2.2 split it up; use `--enable-authn-dbm` `--enable-authz-dbm`"],
    ["--with-sslc=/opt/sslc", "2.4 builds mod_ssl only with OpenSSL; use `--with-ssl`"],
    ["--with-mpm=beos", "2.4 does not run on BeOS; delete this switch"],
    ["--with-included-apr", "2.4 does not include APR"],
  ])("has advice for %s", (written, advice) => {
    const changes = changesFor("--prefix=/opt/httpd", written);
    expect(changes).toEqual([expect.stringContaining(advice)]);
    expect(changes[0]?.startsWith(`${written}: `)).toBe(true);
  });

  test("has advice for modules in a list", () => {
    expect(changesFor("--enable-mods-shared=rewrite disk_cache mem-cache ssl")).toEqual([
      expect.stringMatching(
        /^disk_cache in --enable-mods-shared=.*: mod_disk_cache was removed in 2\.4: .*; use `cache-disk`$/,
      ),
      expect.stringMatching(/^mem-cache in /),
    ]);
  });

  test("is read in single quotes, without quotes and on one line", () => {
    const build = readConfigNice(
      "cd src && true\n./configure '--enable-mods-shared=all mem_cache' --enable-disk-cache --with-x=a\\ b\n",
    );
    expect(build).toMatchObject({
      ok: true,
      value: { switches: 3, changed: [{}, { written: "--enable-disk-cache" }] },
    });
  });

  test("is required", () => {
    for (const text of ["", "# ./configure --enable-disk-cache\n", "make install\n"])
      expect(readConfigNice(text)).toEqual({ ok: false, error: "the file does not call `configure`" });
  });
});
