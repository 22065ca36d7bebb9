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

describe("LoadModule lines that are only for a start without a name", () => {
  const load22 = ["LoadModule authz_host_module a.so", "LoadModule authz_core_module a.so"];
  const rest = ["<Directory />", "php_admin_value a b", "</Directory>"];
  const listsModules = (lines: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const files = { [entry]: `${lines.join("\n")}\n`, ...more };
    return !load(files, { kind: "server" }).modules.has("headers_module");
  };

  test.each([
    ["in a section", ["<IfDefine !SYSCONFIG>", ...load22, "</IfDefine>", ...rest]],
    ["two sections deep", ["<IfDefine !A>", "<IfModule !x.c>", ...load22, "</IfModule>", "</IfDefine>"]],
  ])("are not all that the server has: %s", (_, lines) => {
    expect(listsModules(lines)).toBe(false);
  });

  test("are not all that the server has: in a file that the section includes", () => {
    const lines = ["<IfDefine !SYSCONFIG>", "Include /etc/httpd/load.conf", "</IfDefine>", ...rest];
    expect(listsModules(lines, { "/etc/httpd/load.conf": `${load22.join("\n")}\n` })).toBe(false);
  });

  test.each([
    ["besides others", [...load22, "<IfDefine !A>", "LoadModule dir_module a.so", "</IfDefine>"]],
    ["for a name that is defined", ["Define A", "<IfDefine A>", ...load22, "</IfDefine>"]],
    ["for a module", ["<IfModule !x.c>", ...load22, "</IfModule>"]],
  ])("twin: all modules are listed %s", (_, lines) => {
    expect(listsModules(lines)).toBe(true);
  });
});
