import { describe, expect, test } from "vitest";
import { viewFromOutside } from "../../../src/proof/audit/outside-view.js";
import { parseSensitivePaths, sensitivePaths } from "../../../src/proof/audit/sensitive-paths.js";
import { probeSensitivePaths, type SensitiveProbe } from "../../../src/proof/audit/sensitive-probes.js";
import { createListedFiles, type FileTree } from "../../../src/server/model/file-tree.js";
import { loadText } from "../../support/projects.js";

const modules = ["alias", "dir", "authz_core", "authz_host", "mime", "rewrite", "status", "proxy", "proxy_http", "php"];
const granted = 'DocumentRoot "/srv/www"\n<Directory "/srv/www">\nRequire all granted\n</Directory>\n';

function probe(text: string, paths: readonly string[], files: FileTree): readonly SensitiveProbe[] {
  const project = loadText(`${granted}${text}`, { release: "2.4", kind: "server", modules });
  const { servers } = viewFromOutside({ project, semantics: "server" });
  const wanted = paths.map((path) => sensitivePaths.find((each) => each.path === path) ?? { path, isPage: true });
  return probeSensitivePaths(project, files, servers, wanted);
}

const outcomesOf = (probes: readonly SensitiveProbe[]) => probes.map(({ path, outcome }) => `${path} ${outcome}`);

describe("the outcome of a sensitive path", () => {
  test("is exposed, denied or absent for a file", () => {
    const files = createListedFiles(["/srv/www/.env", "/srv/www/.htpasswd"]);
    const deny = '<Files ".ht*">\nRequire all denied\n</Files>\n';
    expect(outcomesOf(probe(deny, ["/.env", "/.htpasswd", "/.git/config"], files))).toEqual([
      "/.env exposed",
      "/.htpasswd denied",
      "/.git/config absent",
    ]);
  });

  test("is another page if a rule rewrites to it", () => {
    const files = createListedFiles(["/srv/www/index.html"]);
    const rule =
      '<Directory "/srv/www">\nRewriteEngine On\nRewriteRule !^index\\.html$ /index.html [L]\n</Directory>\n';
    expect(outcomesOf(probe(rule, ["/.env", "/secret"], files))).toEqual(["/.env other", "/secret other"]);
  });

  test("is exposed for a program only if its output is sensitive", () => {
    const files = createListedFiles(["/srv/www/wp-config.php", "/srv/www/phpinfo.php"]);
    const handlers =
      'AddHandler application/x-httpd-php .php\n<Location "/server-status">\nSetHandler server-status\n</Location>\n';
    expect(outcomesOf(probe(handlers, ["/wp-config.php", "/phpinfo.php", "/server-status"], files))).toEqual([
      "/wp-config.php program",
      "/phpinfo.php exposed",
      "/server-status exposed",
    ]);
  });

  test("is unknown for a backend and for an unknown file", () => {
    const files: FileTree = { kindOf: (path) => ("/srv/www".startsWith(path) ? "directory" : "unknown") };
    const [backend, file] = probe('ProxyPass "/old/" "http://10.0.0.7/"\n', ["/old/", "/.env"], files);
    expect(backend).toMatchObject({ outcome: "backend", status: 200 });
    expect(file).toMatchObject({ outcome: "unknown", status: undefined });
    expect(file?.unknown).toContain("whether `/srv/www/.env` exists");
  });

  test("is listed once for hosts with the same result", () => {
    const host = (name: string) =>
      `<VirtualHost *:80>\nServerName ${name}.test\nDocumentRoot "/srv/www/${name}"\n</VirtualHost>\n`;
    const files = createListedFiles(["/srv/www/a/.env", "/srv/www/b/x", "/srv/www/c/.env"]);
    const probes = probe(["a", "b", "c"].map(host).join(""), ["/.env"], files);
    expect(probes.map(({ outcome, hosts }) => [outcome, hosts])).toEqual([
      ["exposed", ["a.test", "c.test"]],
      ["absent", ["b.test"]],
    ]);
  });
});

describe("similar hosts", () => {
  const host = (name: string) =>
    `<VirtualHost *:80>\nServerName ${name}.test\nDocumentRoot "/sites/${name}"\n<Directory "/sites/${name}">\nRequire all granted\n</Directory>\n</VirtualHost>\n`;
  const hosts = ["h1", "h2", "h3", "h4"].map(host).join("");
  const outcomesOfHosts = (files: FileTree) =>
    probe(hosts, ["/.env", "/backup/"], files).map(({ path, outcome, hosts: names }) => [path, outcome, ...names]);

  test("share one result", () => {
    const files = createListedFiles(["h1", "h2", "h3", "h4"].flatMap((name) => [`/sites/${name}/.env`]));
    expect(outcomesOfHosts(files)).toEqual([
      ["/.env", "exposed", "h1.test", "h2.test", "h3.test", "h4.test"],
      ["/backup/", "absent", "h1.test", "h2.test", "h3.test", "h4.test"],
    ]);
  });

  test("have separate results if their files differ", () => {
    const files = createListedFiles(["/sites/h1/.env", "/sites/h2/x", "/sites/h3/.env/x", "/sites/h4/.env"]);
    expect(outcomesOfHosts(files)).toEqual([
      ["/.env", "exposed", "h1.test", "h4.test"],
      ["/.env", "absent", "h2.test"],
      ["/.env", "other", "h3.test"],
      ["/backup/", "absent", "h1.test", "h2.test", "h3.test", "h4.test"],
    ]);
  });
});

describe("a list of paths", () => {
  test("has one path per line without duplicates, and comments", () => {
    expect(parseSensitivePaths("# mine\n/a\r\nb/c\n\n/a\n")).toEqual({
      paths: [
        { path: "/a", isPage: true },
        { path: "/b/c", isPage: true },
      ],
    });
  });

  test.each(["/a b", "/a?b", "/a#b", "/a\u0007", "/%zz"])("cannot contain %j", (path) => {
    expect(parseSensitivePaths(`/first\n${path}\n`)).toEqual({ line: 2, text: path });
  });

  test("that is built in has valid paths without duplicates", () => {
    const paths = sensitivePaths.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(parseSensitivePaths(paths.join("\n"))).toMatchObject({ paths: paths.map((path) => ({ path })) });
  });
});
