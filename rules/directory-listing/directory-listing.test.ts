import { expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onServer, section } from "../../test/support/rules.js";
import { directoryListing } from "./directory-listing.js";

const check = (text: string, ...files: readonly string[]) =>
  findingsOf([directoryListing], text, {
    files: Object.fromEntries(files.map((path) => [path, "x"])),
    modules: ["mod_authz_core", "mod_autoindex", "mod_dir"],
  });
const inRoot = (...lines: readonly string[]) => onServer(section('Directory "/srv"', ...lines));
const listed = inRoot("Options Indexes FollowSymLinks", "Require all granted");

test("reports directories without an index file", () => {
  expect(check(listed, "/srv/index.html", "/srv/a/x.txt", "/srv/b/x.txt")).toEqual([
    {
      rule: "directory-listing",
      severity: "warning",
      at: "3:1-3:31",
      text: "Options Indexes FollowSymLinks",
      message: "`Options Indexes FollowSymLinks` lists the contents of `/a/`",
      notes: [
        "the directory does not have an index file",
        "1 more directories are listed",
        "GET `/a/` from 203.0.113.9 returns 200, with the names of all files",
      ],
      help: ["set `Options -Indexes`, or add an index file"],
      related: [],
    },
  ]);
});

test.each([
  ["Options Indexes FollowSymLinks", "Options FollowSymLinks"],
  ["Options Indexes", "Options None"],
  ["Options +Indexes +MultiViews", "Options +MultiViews -Indexes"],
])("fixes %s", (before, after) => {
  const text = inRoot(before, "Require all granted");
  const modules = ["mod_authz_core", "mod_autoindex", "mod_dir"];
  const [finding] = lintText([directoryListing], text, { files: { "/srv/x.txt": "x" }, modules });
  expect(finding?.fix?.safety).toBe("unsafe");
  const fixed = applyEdits(text, finding?.fix?.edits ?? []);
  expect(fixed).toBe(inRoot(after, "Require all granted"));
  expect(check(fixed, "/srv/x.txt")).toEqual([]);
});

test("does not offer a fix for `Options All`", () => {
  const [finding] = lintText([directoryListing], inRoot("Options All", "Require all granted"), {
    files: { "/srv/x.txt": "x" },
    modules: ["mod_authz_core", "mod_autoindex", "mod_dir"],
  });
  expect(finding?.fix).toBeUndefined();
});

test.each([["Options +Indexes"], ["Options All"], ["Options Indexes\nIndexIgnore *.bak"]])("%s", (lines) => {
  expect(check(inRoot(lines, "Require all granted"), "/srv/x.txt")).toHaveLength(1);
});

test.each([
  ["an index file", listed, "/srv/index.html"],
  ["another index file", `${listed}DirectoryIndex x.txt\n`, "/srv/x.txt"],
  ["a directory without listings", inRoot("Options FollowSymLinks", "Require all granted"), "/srv/x.txt"],
  [
    "a directory that disables listings",
    `${listed}${section('Directory "/srv/a"', "Options -Indexes")}`,
    "/srv/a/x.txt",
  ],
  ["a denied directory", inRoot("Options Indexes", "Require all denied"), "/srv/x.txt"],
  ["a prepared listing", inRoot("Options Indexes", "IndexOptions FancyIndexing", "Require all granted"), "/srv/x.txt"],
  ["a fallback", `${listed}FallbackResource /index.php\n`, "/srv/index.php"],
  ["a directory of downloads", listed, "/srv/downloads/x.txt"],
  ["a server on the loopback address", `Listen 127.0.0.1:80\n${listed}`, "/srv/x.txt"],
])("does not report %s", (_, text, file) => {
  const files = file.startsWith("/srv/index.") ? [file] : ["/srv/index.html", file];
  expect(check(text, ...(file === "/srv/x.txt" ? [file] : files))).toEqual([]);
});

test("does not report a directory that exists only on another machine", () => {
  expect(check(listed)).toEqual([]);
});

test("does not report a server without mod_autoindex", () => {
  const given = { files: { "/srv/x.txt": "x" }, modules: ["mod_authz_core", "mod_dir"] };
  expect(findingsOf([directoryListing], listed, given)).toEqual([]);
});

test("reports the line with Indexes if another line follows it", () => {
  for (const more of ["Options +FollowSymLinks", "Options -ExecCGI"])
    expect(check(inRoot("Options Indexes", more, "Require all granted"), "/srv/x.txt")).toMatchObject([
      { text: "Options Indexes" },
    ]);
  expect(check(inRoot("Options Indexes", "Options -Indexes", "Require all granted"), "/srv/x.txt")).toEqual([]);
});
