import { describe, expect, test } from "vitest";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { load, loadText } from "../support/projects.js";

/** Returns why the result for `/~bob/x.txt` is unknown. */
function unknownOf(...lines: readonly string[]): readonly string[] {
  const text = ["LoadModule userdir_module m.so", "ServerName x.test", ...lines].join("\n");
  const files = createListedFiles(["/home/bob/x.txt"]);
  return new SimulatedServer(loadText(text, { kind: "server" }), files).answer({
    method: "GET",
    path: "/~bob/x.txt",
    clientIp: "192.0.2.7",
  }).unknown;
}

test.each([
  [["UserDir public_html"], "`UserDir public_html`"],
  // Recorded from 2.4: a URL redirects only if it has a `*` for the user; else it is a path in the home directory.
  [["UserDir http://other.test/"], "`UserDir http://other.test/`"],
  [["UserDir /nowhere public_html /home"], "`UserDir public_html`"],
])("%j depends on the home directories of users", (lines, line) => {
  expect(unknownOf(...lines).join()).toContain(`which ${line} uses`);
});

test.each([
  [["UserDir /home public_html"]],
  [["UserDir http://other.test/*"]],
  [["UserDir public_html", "UserDir disabled bob"]],
  [["UserDir public_html", "UserDir disabled"]],
  [[]],
])("twin: %j does not depend on the home directories of users", (lines) => {
  expect(unknownOf(...lines)).toEqual([]);
});

// The live server's answers (test/live/user-directories.live.test.ts).
describe("UserDir lines of the main server", () => {
  const files = createListedFiles(["/home/bob/x.txt", "/home/al/x.txt", "/home/a./x.txt"]);
  const statusOf = (main: readonly string[], host: readonly string[], user: string, release: "2.2" | "2.4" = "2.4") => {
    const text = [
      "LoadModule userdir_module m.so",
      "LoadModule authz_core_module m.so",
      "ServerName x.test",
      ...main,
      "<VirtualHost *>",
      ...host,
      "</VirtualHost>",
    ];
    const project = loadText(text.join("\n"), { kind: "server", release });
    return new SimulatedServer(project, files).answer({ method: "GET", path: `/~${user}/x.txt`, clientIp: "192.0.2.7" })
      .status;
  };

  test.each<[main: readonly string[], host: readonly string[], user: string, status: number]>([
    [["UserDir /home", "UserDir disabled bob"], [], "bob", 404],
    [["UserDir /home", "UserDir disabled Bob"], [], "bob", 404],
    [["UserDir /home", "UserDir disabled bob"], ["UserDir enabled"], "bob", 200],
    [["UserDir /home", "UserDir disabled bob"], ["UserDir /home"], "bob", 200],
    [["UserDir /home", "UserDir disabled", "UserDir enabled al"], [], "al", 200],
    [["UserDir /home", "UserDir disabled", "UserDir enabled al"], [], "bob", 404],
    [["UserDir /home", "UserDir disabled", "UserDir enabled al"], ["UserDir disabled bob"], "al", 404],
  ])("%j with a virtual host with %j, for %s: %i", (main, host, user, status) => {
    expect(statusOf(main, host, user)).toBe(status);
  });

  test("do not apply to a user name with a dot as its second and last character on 2.2", () => {
    expect(statusOf(["UserDir /home"], [], "a.")).toBe(200);
    expect(statusOf(["UserDir /home"], [], "a.", "2.2")).toBe(404);
  });
});

test("a rule in a `.htaccess` file of a user maps a relative path without RewriteBase only on 2.4", () => {
  const lines = ["UserDir /home", "<Directory /home>", "AllowOverride All", "Options FollowSymLinks", "</Directory>"];
  const text = [
    "LoadModule userdir_module m.so",
    "LoadModule authz_core_module m.so",
    "LoadModule rewrite_module m.so",
    "ServerName x.test",
    ...lines,
  ].join("\n");
  const htaccess = "RewriteEngine On\nRewriteRule ^old$ new.html\n";
  const statusIn = (release: "2.2" | "2.4") => {
    const project = load(
      { "/etc/httpd/httpd.conf": text, "/home/al/.htaccess": htaccess },
      { kind: "server", release },
    );
    const files = createListedFiles(["/home/al/new.html"]);
    return new SimulatedServer(project, files).answer({ method: "GET", path: "/~al/old", clientIp: "192.0.2.7" })
      .status;
  };
  expect([statusIn("2.4"), statusIn("2.2")]).toEqual([200, 404]);
});

// The helps lead to 200 in 2.4.71.
describe("explains why `/~name` is not the directory of the user", () => {
  const files = createListedFiles(["/home/bob/x.txt", "/home/al/x.txt"]);
  const causesOf = (user: string, ...lines: readonly string[]) => {
    const text = [
      "LoadModule userdir_module m.so",
      "LoadModule alias_module m.so",
      "LoadModule authz_core_module m.so",
      "ServerName x.test",
      "DocumentRoot /www",
      ...lines,
    ].join("\n");
    const request = { method: "GET", path: `/~${user}/x.txt`, host: "x.test", clientIp: "192.0.2.7" };
    const { causes } = new SimulatedServer(loadText(text, { kind: "server" }), files).answer(request);
    return causes.flatMap(({ text: cause, help = [] }) => [cause, ...help]);
  };
  const off = "`UserDir disabled` turns off the directories of all users";

  test.each<[user: string, lines: readonly string[], causes: readonly string[]]>([
    [
      "bob",
      ["UserDir /home", "UserDir disabled", "UserDir enabled al"],
      [`${off}, except those in \`UserDir enabled al\``, "use `UserDir enabled al bob`"],
    ],
    [
      "bob",
      ["UserDir /home", "UserDir disabled"],
      [off, "add `UserDir enabled bob` to the main server, or delete this line"],
    ],
    [
      "bob",
      ["UserDir /home", "UserDir disabled bob"],
      ["`UserDir disabled bob` turns off the directory of `bob`", "delete this line"],
    ],
    [
      "Bob",
      ["UserDir /home", "UserDir disabled root bob al"],
      ["`UserDir disabled root bob al` turns off the directory of `Bob`", "use `UserDir disabled root al`"],
    ],
    ["root", ["UserDir /home", "UserDir disabled root"], ["`UserDir disabled root` turns off the directory of `root`"]],
    // The names of the main server do not count in a virtual host with a line of its own.
    [
      "al",
      [
        "UserDir disabled",
        "UserDir enabled al",
        "<VirtualHost *:80>",
        "ServerName x.test",
        "UserDir /home",
        "</VirtualHost>",
      ],
      [off, "add `UserDir enabled al` to `<VirtualHost *:80>`, or delete this line"],
    ],
    ["bob", ["UserDir /home", "UserDir disabled al"], []],
    ["bob", ["UserDir /home", "UserDir disabled", "UserDir enabled bob"], []],
    ["eve", ["UserDir /home"], []],
    ["bob", ["UserDir disabled"], []],
    ["root", ["UserDir /home", "UserDir disabled", "UserDir enabled bob"], []],
    ["bob", ["UserDir /home", "UserDir disabled", "UserDir enabled"], []],
    ["bob", ["UserDir /home", "UserDir disabled", "Alias /~bob /nowhere"], []],
  ])("%s with %j", (user, lines, causes) => {
    expect(causesOf(user, ...lines)).toEqual(causes);
  });
});
