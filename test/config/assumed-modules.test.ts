import { describe, expect, test } from "vitest";
import { load } from "../support/projects.js";

const entry = "/etc/httpd/httpd.conf";
const options = { kind: "fragment" as const };

/** Returns the names of the directives of a file that is read on its own. */
function namesIn(lines: readonly string[], more: object = {}): readonly string[] {
  const { directives } = load({ [entry]: `${lines.join("\n")}\n` }, { ...options, ...more });
  return directives.map(({ name }) => name);
}

function modulesOf(lines: readonly string[], more: object = {}) {
  return load({ [entry]: `${lines.join("\n")}\n` }, { ...options, ...more }).modules;
}

describe("of a file whose server lists its modules elsewhere, httpd-lint assumes those", () => {
  test.each([
    ["of its directives", ["ExpiresActive On"], "expires_module"],
    ["of a section", ['<Proxy "*">', "</Proxy>"], "proxy_module"],
    [
      "of a line in a section that does not apply",
      ["<IfDefine X>", "ExpiresActive On", "</IfDefine>"],
      "expires_module",
    ],
    ["that a section is for", ["<IfModule mod_deflate.c>", "</IfModule>"], "deflate_module"],
    ["that a section names by its identifier", ["<IfModule brotli_module>", "</IfModule>"], "brotli_module"],
    [
      "of third parties, with directives that are known",
      ["<IfModule mod_security2.c>", "</IfModule>"],
      "security2_module",
    ],
    ["of a directive that a section is for", ["<IfDirective Substitute>", "</IfDirective>"], "substitute_module"],
    ["of an option", ["<Directory />", "Options Indexes MultiViews", "</Directory>"], "negotiation_module"],
    ["of an option with a sign", ["<Directory />", "Options +MultiViews", "</Directory>"], "negotiation_module"],
    ["of a section that a section is for", ["<IfSection Proxy>", "</IfSection>"], "proxy_module"],
  ])("%s", (_, lines, module) => {
    expect(modulesOf(lines).has(module)).toBe(true);
    expect(modulesOf(["ServerName a"]).has(module)).toBe(false);
  });

  test("but not that of an option that a line removes", () => {
    const lines = ["<Directory />", "Options -MultiViews", "</Directory>"];
    expect(modulesOf(lines).has("negotiation_module")).toBe(false);
  });

  test("and reads the sections that are for them", () => {
    expect(namesIn(["<IfModule mod_expires.c>", "ExpiresActiv On", "</IfModule>"])).toEqual(["ExpiresActiv"]);
    expect(
      namesIn([
        "<IfModule mod_expires.c>",
        "ServerName a",
        "</IfModule>",
        "<IfModule !mod_expires.c>",
        "Listen 80",
        "</IfModule>",
      ]),
    ).toEqual(["ServerName"]);
  });
});

describe("it does not assume", () => {
  test.each([
    [
      "a module that only a negated section names",
      ["<IfModule !mod_deflate.c>", "Listen 80", "</IfModule>"],
      "deflate_module",
    ],
    ["a module of another system", ["<IfModule mod_isapi.c>", "</IfModule>"], "isapi_module"],
    ["an MPM", ["<IfModule mpm_prefork_module>", "MinSpareServers 5", "</IfModule>"], "mpm_prefork_module"],
    ["an unknown module", ["<IfModule mod_foo.c>", "</IfModule>"], "foo_module"],
  ])("%s", (_, lines, module) => {
    expect(modulesOf(lines).has(module)).toBe(false);
  });

  test("a module before the line that loads it", () => {
    const lines = [
      "<IfModule mod_deflate.c>",
      "Listen 80",
      "</IfModule>",
      "LoadModule deflate_module modules/mod_deflate.so",
    ];
    expect(namesIn(lines)).toEqual([]);
  });

  test("a module that the user removed", () => {
    const lines = ["<IfModule mod_deflate.c>", "Listen 80", "</IfModule>"];
    expect(namesIn(lines)).toEqual(["Listen"]);
    expect(namesIn(lines, { withoutModules: ["mod_deflate"] })).toEqual([]);
  });

  test("any module if the modules are given", () => {
    expect(modulesOf(["ExpiresActive On"], { modules: ["mod_authz_core"] }).has("expires_module")).toBe(false);
  });

  test("any module if the server lists them", () => {
    const text =
      "LoadModule authz_core_module modules/mod_authz_core.so\n<IfModule mod_deflate.c>\nListen 80\n</IfModule>\n";
    const { modules } = load({ "/etc/httpd/httpd.conf": text }, { kind: "server" });
    expect(modules.has("deflate_module")).toBe(false);
  });
});

test("the modules of `.htaccess` files are assumed, too", () => {
  const files = {
    "/etc/httpd/httpd.conf": 'DocumentRoot "/srv"\n',
    "/srv/.htaccess": "<IfModule mod_expires.c>\nExpiresActive On\n</IfModule>\n",
  };
  const { htaccess, modules } = load(files, { kind: "server" });
  expect(htaccess.map(({ directives }) => directives.map(({ name }) => name))).toEqual([["ExpiresActive"]]);
  expect(modules.has("expires_module")).toBe(true);
});

describe("a server of 2.2 with LoadModule lines has the MPM that 2.2 builds by default", () => {
  const lines = [
    ...["LoadModule authz_host_module modules/mod_authz_host.so", "<IfModule prefork.c>", "ServerName a"],
    ...["</IfModule>", "<IfModule worker.c>", "ServerName b", "</IfModule>"],
  ];
  const valuesIn = (more: object) =>
    load({ [entry]: `${lines.join("\n")}\n` }, { kind: "server", ...more }).directives.flatMap((line) =>
      line.key === "servername" ? [line.argumentText] : [],
    );

  test("so that one of the sections for prefork and worker applies", () => {
    expect(valuesIn({ release: "2.2" })).toEqual(["a"]);
  });

  test("which 2.4 loads by a line", () => {
    expect(valuesIn({ release: "2.4" })).toEqual([]);
  });
});
