import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Assumption, Project, ReadConfig } from "../../src/config/model/project.js";
import { type ReadOptions, readConfig } from "../../src/config/read-config.js";
import { describeAssumptions } from "../../src/report/text/assumption-words.js";
import { installConfig, omitRefusedLines } from "../../src/startup/install-config.js";

function read(
  path: string,
  files: Readonly<Record<string, string>>,
  options: Omit<ReadOptions, "access"> = {},
): ReadConfig {
  const loaded = readConfig(path, { ...options, access: memoryAccess(files) });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

const codesOf = ({ assumptions }: Project): readonly Assumption["code"][] => assumptions.map(({ code }) => code);
const namesOf = ({ directives }: Pick<Project, "directives">) => directives.map(({ name }) => name);

const main = "/etc/httpd/httpd.conf";
const server = (text: string) => read(main, { [main]: text }, { kind: "server" });
const fragment = (text: string) => read("/etc/httpd/a.conf", { "/etc/httpd/a.conf": text }, { kind: "fragment" });

describe("folders that are not here", () => {
  const within = (folder: string, line: string) => `<Directory "${folder}">\n${line}\n</Directory>\n`;
  const host = (name: string, lines: string) => `<VirtualHost *:80>\nServerName ${name}\n${lines}</VirtualHost>\n`;
  const assumedOf = (
    text: string,
    files: Readonly<Record<string, string>> = {},
    release: ReadOptions["release"] = "2.4",
  ) =>
    installConfig(read(main, { [main]: text, ...files }, { kind: "server", release })).assumptions.flatMap((each) =>
      each.code === "absent-folders-without-htaccess" ? each.folders.map(({ path }) => path) : [],
    );
  const documents = "DocumentRoot /data/www\n";

  test("are assumed to have no `.htaccess` file that controls access, if AllowOverride lets one do so", () => {
    expect(assumedOf(documents + within("/data/www", "AllowOverride All"))).toEqual(["/data/www"]);
    expect(assumedOf(documents + within("/data", "AllowOverride Limit"))).toEqual(["/data/www"]);
    expect(assumedOf(documents + within("/data/www/app", "AllowOverride All"))).toEqual(["/data/www"]);
    expect(assumedOf(documents + within("/data/*/app", "AllowOverride All"))).toEqual(["/data/www"]);
    expect(assumedOf(documents, {}, "2.2")).toEqual(["/data/www"]);
    expect(assumedOf(`Alias /x /opt/x\n${within("/opt", "AllowOverride All")}`)).toEqual(["/opt/x"]);
  });

  test("twin: nothing is assumed if AllowOverride does not, or if they are here", () => {
    expect(assumedOf(documents)).toEqual([]);
    expect(assumedOf(documents + within("/data/www", "AllowOverride FileInfo"))).toEqual([]);
    expect(assumedOf(documents + within("/home/*/www", "AllowOverride All"))).toEqual([]);
    expect(assumedOf(documents + within("/", "AllowOverride None"), {}, "2.2")).toEqual([]);
    const files = { "/data/www/index.html": "" };
    expect(assumedOf(documents + within("/data", "AllowOverride All"), files)).toEqual([]);
    // The folder around it was searched.
    expect(assumedOf(`${documents}Alias /x /data/www/x\n${within("/data", "AllowOverride All")}`, files)).toEqual([]);
  });

  test("the sections of a virtual host count for its own folders only", () => {
    const all = within("/data", "AllowOverride All");
    const hosts = host("a", `DocumentRoot /data/a\n${all}`) + host("b", "DocumentRoot /data/b\n");
    expect(assumedOf(hosts + within("/data", "AllowOverride None"))).toEqual(["/data/a"]);
  });
});

describe("a whole server", () => {
  test("is the same object for all options that change nothing", () => {
    const config = server("Listen 80\n");
    const installed = installConfig(config);
    expect(installConfig(config, { part: "open" })).toBe(installed);
    expect(installConfig(config, { part: "closed", omitsMissingParts: true })).toBe(installed);
    expect(omitRefusedLines(installed)).toBe(installed);
    expect(installed).toMatchObject({ isPart: false, assumptions: [], read: config });
  });

  test("has the paths of the server if its files were read elsewhere", () => {
    const config = read(
      "/copy/httpd.conf",
      { "/copy/httpd.conf": 'ServerRoot "/etc/httpd"\nDocumentRoot htdocs\n', "/copy/htdocs/a/.htaccess": "" },
      { kind: "server", serverRoot: "/copy" },
    );
    const installed = installConfig(config);
    expect(installed.serverRoot).toBe("/etc/httpd");
    expect(installed.assumptions).toEqual([{ code: "relocated", from: "/copy", to: "/etc/httpd" }]);
    expect(installed.htaccess.map(({ directory }) => directory)).toEqual(["/etc/httpd/htdocs/a"]);
    expect(config.htaccess.map(({ directory }) => directory)).toEqual(["/copy/htdocs/a"]);
    expect(describeAssumptions(installed.assumptions)).toEqual([]);
  });

  test("keeps its paths if its files were read from its ServerRoot", () => {
    const config = read(main, { [main]: 'ServerRoot "/etc/httpd"\n' }, { kind: "server", serverRoot: "/etc/httpd" });
    expect(codesOf(installConfig(config))).toEqual([]);
  });

  test("names the modules that were supplied", () => {
    const config = read(main, { [main]: "Listen 80\n" }, { kind: "server", moreModules: ["authz_core_module"] });
    expect(describeAssumptions(installConfig(config).assumptions)).toEqual([
      "the missing module `authz_core_module` is loaded",
    ]);
  });

  test("is installed from what was read, not from an installed one", () => {
    const installed = installConfig(server("Listen 80\n"));
    // @ts-expect-error An installed configuration is not one as read.
    installConfig(installed);
    // @ts-expect-error One as read has no assumptions yet.
    const { assumptions } = installed.read;
    expect(assumptions).toBeUndefined();
  });
});

describe("a part of a server", () => {
  test("stays as it is for the rules", () => {
    const installed = installConfig(fragment("Require all denied\n"));
    expect(installed).toMatchObject({ kind: "fragment", isPart: true, assumptions: [] });
    expect(namesOf(installed)).toEqual(["Require"]);
  });

  test.each([
    ["Require all denied\n", ["DocumentRoot", "<Directory"], ["no-other-file", "included-in-directory"]],
    ["Alias /a /b\n", ["DocumentRoot", "Alias"], ["no-other-file"]],
    ["DocumentRoot /a\n", ["DocumentRoot"], ["no-other-file"]],
    ["<VirtualHost *>\n</VirtualHost>\n", ["DocumentRoot", "<VirtualHost"], ["no-other-file", "default-host"]],
  ])("is completed with what is assumed around it: %j", (text, names, codes) => {
    const installed = installConfig(fragment(text), { part: "open" });
    expect(namesOf(installed)).toEqual(names);
    expect(codesOf(installed)).toEqual(codes);
    expect(installed).toMatchObject({ kind: "server", isPart: true });
    expect(namesOf(installed.read)).toEqual(namesOf(fragment(text)));
  });

  test("is like a whole server if it is closed", () => {
    const config = fragment("Alias /a /b\n");
    const open = installConfig(config, { part: "open" });
    expect(installConfig(config, { part: "closed" })).toEqual({ ...open, isPart: false });
  });

  test("is below a document root if it is a `.htaccess` file", () => {
    const config = read("/srv/a/.htaccess", { "/srv/a/.htaccess": "Options None\n" });
    const installed = installConfig(config, { part: "open" });
    expect(namesOf(installed)).toEqual(["DocumentRoot", "<Directory"]);
    expect(installed.htaccess.map(({ directory }) => directory)).toEqual(["/srv/a"]);
    expect(installed.assumptions).toEqual([{ code: "no-other-file" }, { code: "document-root", directory: "/srv/a" }]);
  });
});

describe("missing parts", () => {
  const config = () => server("Include missing.conf\n<% if x %>\nListen 80\n");

  test("are problems unless they are omitted", () => {
    const installed = installConfig(config());
    expect(installed.problems.map(({ kind }) => kind).sort()).toEqual(["include", "template"]);
    expect(codesOf(installed)).toEqual([]);
  });

  test("are assumed to be empty if they are omitted", () => {
    const installed = installConfig(config(), { omitsMissingParts: true });
    expect(installed.problems).toEqual([]);
    expect(describeAssumptions(installed.assumptions, "/etc")).toEqual([
      "no missing file affects access: `Include missing.conf` (httpd/httpd.conf:1)",
      "no line inserted for a template tag affects access: `<% if x %>` (httpd/httpd.conf:2)",
    ]);
  });

  test.each([
    ["Include missing.conf\n", ["missing-files-empty"]],
    ["<% if x %>\n", ["template-tags-empty"]],
    ["Listen 80\n", []],
  ])("in %j, only the kinds that are missing are assumed", (text, codes) => {
    expect(codesOf(installConfig(server(text), { omitsMissingParts: true }))).toEqual(codes);
  });
});

describe("refused lines", () => {
  const text = "Listen 80\nListen x:y\nOrder allow,deny\nAlias /a /b\n";

  test("are found in a configuration, and not in a copy without them", () => {
    const installed = installConfig(server(text));
    const started = omitRefusedLines(installed);
    expect(installed.findRefusals(installed).startup.map(({ directive }) => directive.argumentText)).toEqual(["x:y"]);
    expect(started.findRefusals(started).startup).toEqual([]);
  });

  test("are omitted with an assumption that has them", () => {
    const installed = installConfig(server(text));
    const started = omitRefusedLines(installed);
    expect(namesOf(installed)).toEqual(["Listen", "Listen", "order", "Alias"]);
    expect(namesOf(started)).toEqual(["Listen", "Alias"]);
    const [assumption] = started.assumptions;
    expect(assumption).toEqual({
      code: "refused-lines-omitted",
      lines: new Set([installed.directives[1], installed.directives[2]]),
    });
    expect(describeAssumptions(started.assumptions)).toEqual([]);
  });
});
