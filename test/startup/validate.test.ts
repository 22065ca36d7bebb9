import { expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import { walkProject } from "../../src/config/queries/walker.js";
import { loadProject } from "../../src/startup/load-project.js";
import { findRefusals, RefusalFinder, type RefusalReport } from "../../src/startup/validate.js";
import { load } from "../support/projects.js";

function projectOf(text: string, files: Readonly<Record<string, string>> = {}): Project {
  const loaded = loadProject("/httpd.conf", { access: memoryAccess({ ...files, "/httpd.conf": text }) });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

const refusalsOf = (text: string, files?: Readonly<Record<string, string>>): RefusalReport =>
  findRefusals(projectOf(text, files));

test("errors have the order of the server: inner lines before their container, and negative containers last", () => {
  const text = [
    "<Directory /a>",
    "<RequireAll>",
    "Require not ip 10",
    "</RequireAll>",
    "</Directory>",
    "<Directory /b>",
    "<RequireNone>",
    "Require Bogus",
    "Order nope",
    "</RequireNone>",
    "Order nope",
    "</Directory>",
    "",
  ].join("\n");
  expect(refusalsOf(text).startup.map(({ code, server, directive }) => [code, server, directive.name])).toEqual([
    ["unknown-authorization-provider", "Unknown Authz provider: Bogus", "Require"],
    ["require-none-without-effect", "<RequireNone> directive has no effect in <RequireAny> directive", "<RequireNone"],
    ["unknown-order", "unknown order", "order"],
    ["only-negations", "<RequireAll> directive contains only negative authorization directives", "<RequireAll"],
  ]);
});

test("errors in `.htaccess` files are separate, and consider the aliases and methods of the main file", () => {
  const main = [
    'DocumentRoot "/www"',
    "RegisterHttpMethod PURGE",
    "<AuthzProviderAlias ip office 10.1>",
    "</AuthzProviderAlias>",
    "",
  ].join("\n");
  const htaccess =
    "Require office\n<Limit PURGE>\nRequire method PURGE\n</Limit>\n<Limit BAN>\nRequire all nobody\n</Limit>\n";
  const refusals = refusalsOf(`${main}\n`, { "/www/.htaccess": htaccess });
  expect(refusals.startup).toEqual([]);
  expect(refusals.htaccess.map(({ server }) => server)).toEqual([
    "Could not register method 'BAN' for <Limit from .htaccess configuration",
    "Argument for 'Require all' must be 'granted' or 'denied'",
  ]);
});

test("a RequireAll of negative rules is accepted next to a positive one", () => {
  const lines = [
    "<RequireAll>",
    "Require all granted",
    "<RequireAll>",
    "Require not ip 10",
    "</RequireAll>",
    "</RequireAll>",
  ];
  expect(refusalsOf(`<Directory /a>\n${lines.join("\n")}\n</Directory>\n`).startup).toEqual([]);
});

test("a RequireAll that contains only RequireNone is rejected as negative", () => {
  const lines = ["<RequireAll>", "<RequireNone>", "Require ip 10", "</RequireNone>", "</RequireAll>"];
  expect(refusalsOf(`<Directory /a>\n${lines.join("\n")}\n</Directory>\n`).startup).toMatchObject([
    { code: "only-negations", logNumber: "AH01624" },
  ]);
});

test("a surplus argument of ProxyPass is a parameter, or a path in a section", () => {
  const codesOf = (text: string) => refusalsOf(text).startup.map(({ code }) => code);
  expect(codesOf("ProxyPass /a http://b/ x:80\n")).toEqual(["invalid-proxy-parameter"]);
  expect(codesOf("<Location /a>\nProxyPass http://b/ x:80\n</Location>\n")).toEqual(["invalid-proxy-parameter"]);
  expect(codesOf("<Location /a>\nProxyPass /a http://b/\n</Location>\n")).toEqual(["proxy-path-in-section"]);
  expect(codesOf("<Location /a>\nProxyPass http://b/ retry=0\n</Location>\n")).toEqual([]);
});

test.each(["<Limit GET>", "<LimitExcept GET>"])(
  "%s does not check the arguments of a line it does not allow",
  (opening) => {
    const within = (line: string) =>
      refusalsOf(`<Directory /a>\n${opening}\n${line}\n</${/\w+/.exec(opening)?.[0]}>\n</Directory>\n`).startup;
    // httpd -t: "MultiviewsMatch cannot occur within <Limit> or <LimitExcept> section", which misplaced.ts reports.
    expect(within("MultiviewsMatch Bogus")).toEqual([]);
    expect(within("Options Bogus").map((each) => each.directive.name)).toEqual(["Options"]);
    expect(refusalsOf("<Directory /a>\nMultiviewsMatch Bogus\n</Directory>\n").startup).toHaveLength(1);
    const inHtaccess = (lines: string) =>
      refusalsOf("DocumentRoot /www\n", { "/www/.htaccess": lines }).htaccess.length;
    expect(inHtaccess(`${opening}\nMultiviewsMatch Bogus\n</${/\w+/.exec(opening)?.[0]}>\n`)).toBe(0);
    expect(inHtaccess(`${opening}\nOptions Bogus\n</${/\w+/.exec(opening)?.[0]}>\n`)).toBe(1);
    expect(inHtaccess("MultiviewsMatch Bogus\n")).toBe(1);
    expect(inHtaccess("<Files a>\nMultiviewsMatch Bogus\n</Files>\n")).toBe(1);
    expect(inHtaccess("Listen Bogus\n")).toBe(0);
  },
);

test("the arguments of a line are not checked in a section of an unknown module, nor outside the section that it needs", () => {
  const namesOf = (text: string) => refusalsOf(text).startup.map(({ directive }) => directive.name);
  expect(namesOf("<Other x>\n<Directory /a>\nOptions Bogus\n</Directory>\n</Other>\n")).toEqual([]);
  expect(namesOf("<Directory /a>\nOptions Bogus\n</Directory>\n")).toEqual(["Options"]);
  expect(namesOf("MDCertificateFile a b\n")).toEqual([]);
  expect(namesOf("<MDomainSet x.test>\nMDCertificateFile a b\n</MDomainSet>\n")).toEqual(["MDCertificateFile"]);
});

test("Require lines belong to the container around a section that httpd knows", () => {
  const errorsIn = (opening: string, closing: string) =>
    refusalsOf(`<Directory /a>\n${opening}\nRequire not ip 10\n${closing}\n</Directory>\n`).startup.length;
  expect(errorsIn("<Limit GET>", "</Limit>")).toBe(1);
  expect(errorsIn("<Other x>", "</Other>")).toBe(0);
});

test("a RequireAll of negative rules is reported once, and the containers around it are not", () => {
  const lines = [
    "<RequireAll>",
    "<RequireNone>",
    "<RequireAll>",
    "Require not ip 10",
    "</RequireAll>",
    "</RequireNone>",
  ];
  const { startup } = refusalsOf(`<Directory /a>\n${lines.join("\n")}\n</RequireAll>\n</Directory>\n`);
  expect(startup.map(({ code, directive }) => [code, directive.span.start])).toEqual([["only-negations", 42]]);
});

test("an unknown module may provide any authentication", () => {
  const whole = ["mpm_event", "authz_core", "auth_basic", "authn_file"].map(
    (name) => `LoadModule ${name}_module mod_${name}.so\n`,
  );
  const codesWith = (more: string) =>
    refusalsOf(`${whole.join("")}${more}<Directory /a>\nAuthBasicProvider fil\n</Directory>\n`).startup.map(
      ({ code }) => code,
    );
  expect(codesWith("")).toEqual(["unknown-authentication-provider"]);
  expect(codesWith("LoadModule own_module mod_own.so\n")).toEqual([]);
});

test("a container without rules is rejected, unless its content may be too deeply nested to be read", () => {
  const deep = `${"<IfModule mod_alias.c>\n".repeat(600)}${"</IfModule>\n".repeat(600)}`;
  const container = (content: string) => `<Directory /a>\n<RequireAll>\n${content}</RequireAll>\n</Directory>\n`;
  const codesOf = (text: string, files = {}) => refusalsOf(text, files).startup.map(({ code }) => code);
  expect(codesOf(container(""))).toEqual(["empty-require-container"]);
  expect(codesOf(container(deep))).toEqual([]);
  expect(codesOf(`${deep}${container("")}`)).toEqual(["empty-require-container"]);
  // A file of its own does not continue the container, wherever it is too deep.
  expect(codesOf(`Include deep.conf\n${container("")}`, { "/deep.conf": `# ${"x".repeat(200)}\n${deep}` })).toEqual([
    "empty-require-container",
  ]);
});

test("each of several virtual hosts that are alike is reported, in a walk that counts no findings, too", () => {
  const host = (name: string) =>
    `<VirtualHost *:80>\nServerName ${name}.test\n<Directory /a>\n<RequireAny>\nRequire not ip 10\n</RequireAny>\n</Directory>\n</VirtualHost>\n`;
  const text = [..."abcdefgh"].map(host).join("");
  expect(refusalsOf(text).startup).toHaveLength(8);
  const project = projectOf(text);
  const finder = new RefusalFinder(project, () => {});
  walkProject(project, [finder.visitor], () => 0);
  expect(finder.refusals.startup).toHaveLength(8);
});

test("a provider of a later version is refused after `not`, too", () => {
  const text = "<Directory /a>\nRequire not forward-dns a.test\n</Directory>\n";
  const codesIn = (release: "2.4.6" | "2.4.62") => {
    const loaded = loadProject("/httpd.conf", { release, access: memoryAccess({ "/httpd.conf": text }) });
    return loaded.ok ? findRefusals(loaded.value).startup.map(({ code }) => code) : loaded.error;
  };
  expect(codesIn("2.4.6")).toContain("word-of-later-version");
  expect(codesIn("2.4.62")).not.toContain("word-of-later-version");
});

test("parameters of health checks are accepted unless the module is known to be missing", () => {
  const codesOf = (parameter: string, more = "") => {
    const loaded = ["mpm_event", "unixd", "authz_core", "proxy"].map(
      (name) => `LoadModule ${name}_module m/mod_${name}.so\n`,
    );
    const text = `${loaded.join("")}${more}ProxyPass /a http://h/ ${parameter}\n`;
    const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release: "2.4" });
    return findRefusals(project).startup.map(({ code }) => code);
  };
  expect(codesOf("hcinterval=5")).toEqual(["unknown-proxy-parameter"]);
  expect(codesOf("hcinterval=5", "IncludeOptional ${NOWHERE}/*.load\n")).toEqual([]);
  expect(codesOf("foo=1", "IncludeOptional ${NOWHERE}/*.load\n")).toEqual(["unknown-proxy-parameter"]);
});
