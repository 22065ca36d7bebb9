import { symlinkSync } from "node:fs";
import { parse } from "jsonc-parser";
import { beforeEach, describe, expect, test } from "vitest";
import { expectFailure, findings } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, textOf, write } = lintedFolder();

/** The image's own file, without its comments. */
const main = `ServerRoot "/usr/local/apache2"
ServerName image.example
Listen 80
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule authn_core_module modules/mod_authn_core.so
LoadModule mime_module modules/mod_mime.so
LoadModule log_config_module modules/mod_log_config.so
LoadModule unixd_module modules/mod_unixd.so
LoadModule dir_module modules/mod_dir.so
LoadModule alias_module modules/mod_alias.so
User www-data
Group www-data
<Directory />
    AllowOverride none
    Require all denied
</Directory>
DocumentRoot "/usr/local/apache2/htdocs"
<Directory "/usr/local/apache2/htdocs">
    AllowOverride All
    Require all granted
</Directory>
ErrorLog /proc/self/fd/2
CustomLog /proc/self/fd/1 "%h"
ScriptAlias /cgi-bin/ "/usr/local/apache2/cgi-bin/"
TypesConfig conf/mime.types
Include conf/extra/vhosts.conf
Include conf/extra/site-*.conf
<Directory "/usr/local/apache2/cgi-bin">
    Require all granted
</Directory>
`;
const project = {
  "docker/httpd.conf": main,
  "docker/extra/vhosts.conf":
    '<VirtualHost *:80>\n  ServerName a.example\n  DocumentRoot "/usr/local/apache2/htdocs"\n</VirtualHost>\n',
  "docker/extra/site-a.conf": "Optoins None\n",
  "public/.htaccess": "DirectoryIndex index.html\nRequire all denid\n",
  "public/open/.htaccess": "Require all granted\n",
};
const dockerfile = `FROM httpd:2.4
COPY docker/httpd.conf /usr/local/apache2/conf/httpd.conf
COPY docker/extra/ /usr/local/apache2/conf/extra/
COPY --chown=www-data public/ /usr/local/apache2/htdocs/
COPY start.sh /usr/local/bin/
`;
const maps = [
  ...["--map", "docker/extra=/usr/local/apache2/conf/extra", "--map", "public=/usr/local/apache2/htdocs"],
  ...["--map", "docker/httpd.conf=/usr/local/apache2/conf/httpd.conf"],
];
const expected = [
  "docker/extra/site-a.conf:1:1: error unknown-directive",
  "public/.htaccess:2:13: error refused-at-start",
];

beforeEach(() => write(project));

describe("--map", () => {
  test("reads the files of an image from the repository", () => {
    const result = lint(["docker/httpd.conf", ...maps]);
    expect(findings(result)).toEqual(expected);
    expect(result.stdout).toContain("5 files");
    expect(result.stderr).toBe("");
  });

  test("uses the paths of the repository in every format and command", () => {
    const json = lint(["docker/httpd.conf", ...maps, "--format", "json"]).stdout;
    expect(json).toContain('"path":"docker/extra/site-a.conf"');
    const sarif = lint(["docker/httpd.conf", ...maps, "--format", "sarif"]).stdout;
    expect(sarif).toContain('"uri":"docker/extra/site-a.conf"');
    write({ "docker/extra/site-a.conf": "Timeout 30\n", "public/.htaccess": "Require all denied\n" });
    const explained = lint(["explain", "docker/httpd.conf", "/a", ...maps]);
    expect(explained).toMatchObject({ status: 0, stdout: expect.stringMatching(/^403 /) });
    expect(explained.stdout).toContain("public/.htaccess:1:1");
    expect(lint(["explain", "docker/httpd.conf", "/open/a", "--files", "assume", ...maps]).stdout).toMatch(
      /^200 from /,
    );
    expect(lint(["resolve", "docker/httpd.conf", ...maps]).stdout).toContain("Timeout 30");
    expect(lint(["compare", "docker/httpd.conf", "docker/httpd.conf", ...maps]).status).toBe(0);
    expect(lint(["map", "docker/httpd.conf", ...maps]).stdout).toContain("public/.htaccess:1:1");
  });

  test("checks one file, and fixes it there", () => {
    write({ ".httpd-lint.json": { entry: "docker/httpd.conf" } });
    expect(findings(lint(["public/.htaccess", ...maps]))).toEqual(expected.slice(1));
    write({ "docker/extra/site-a.conf": "Timeout 30\nNameVirtualHost *:80\n" });
    lint(["docker/extra/site-a.conf", "--fix", ...maps]);
    expect(textOf("docker/extra/site-a.conf")).toBe("Timeout 30\n");
  });

  test("can be combined with --confine, which applies to the paths on this machine", () => {
    expect(findings(lint(["docker/httpd.conf", ...maps, "--confine", "."]))).toEqual(expected);
    const result = lint(["docker/httpd.conf", ...maps, "--confine", "docker"]);
    expect(findings(result)).toContain(expected[0]);
    expect(findings(result)).not.toContain(expected[1]);
    write({ "outside/secret.conf": "Optoins None\n" });
    symlinkSync(at("outside/secret.conf"), at("docker/extra/site-b.conf"));
    expect(lint(["docker/httpd.conf", ...maps, "--confine", "docker"]).stdout).toMatch(
      /info\[[\w-]+\]: .*site-b\.conf` cannot be included: it is outside/,
    );
  });

  test("takes precedence over --sysroot", () => {
    write({
      "image/usr/local/apache2/conf/extra/vhosts.conf": "Optoins None\n",
      "image/usr/local/apache2/conf/extra/site-stock.conf": "Optoins None\n",
    });
    expect(findings(lint(["docker/httpd.conf", ...maps, "--sysroot", "image"]))).toEqual([
      ...expected.slice(0, 1),
      "image/usr/local/apache2/conf/extra/site-stock.conf:1:1: error unknown-directive",
      ...expected.slice(1),
    ]);
  });

  test.each([
    ["docker/extra", /^httpd-lint: invalid value for --map: `docker\/extra` is not HOST=SERVER\n$/],
    ["=/srv", /^httpd-lint: invalid value for --map: `=\/srv` is not HOST=SERVER\n$/],
    ["docker=conf", /^httpd-lint: invalid value for --map: `conf` is not an absolute path of the server\n$/],
    ["nowhere=/srv", /^httpd-lint: `nowhere` of --map does not exist\n$/],
  ])("rejects %s", (value, message) => {
    expectFailure(lint(["check", "docker/httpd.conf", "--map", value]), 2, message);
  });

  test("is rejected with --verify-with-httpd, because the installed server cannot use it", () => {
    const result = lint(["migrate", "docker/httpd.conf", "--verify-with-httpd", ...maps]);
    expectFailure(result, 2, /which cannot use --map/);
  });
});

describe("files that are only in the image", () => {
  test("are not reported as missing, and make dependent answers unknown", () => {
    write({
      "docker/httpd.conf": `${main}Include conf/extra/httpd-default.conf\nInclude conf/extra/none-*.conf\nInclude /etc/none/*.conf\n`,
      "docker/extra/site-a.conf": "Timeout 30\n",
      "public/.htaccess": "Require all denied\n",
    });
    const result = lint(["docker/httpd.conf", ...maps]);
    expect(findings(result)).toEqual([
      "docker/httpd.conf:32:1: info refused-at-start",
      "docker/httpd.conf:33:1: info refused-at-start",
      "docker/httpd.conf:34:1: info refused-at-start",
    ]);
    expect(result.stdout).toContain("it is not mapped, and the server may have it");
    expect(lint(["explain", "docker/httpd.conf", "/", ...maps]).status).toBe(5);
  });

  test("are information with --sysroot, because a copy may lack files", () => {
    write({ "image/a": "", "docker/httpd.conf": `${main}Include conf/extra/httpd-default.conf\n` });
    expect(findings(lint(["docker/httpd.conf", ...maps, "--sysroot", "image"]))).toContain(
      "docker/httpd.conf:32:1: info refused-at-start",
    );
  });
});

describe("`map` in the configuration file", () => {
  const map = {
    extra: "/usr/local/apache2/conf/extra",
    "../public": "/usr/local/apache2/htdocs",
  };

  test("is relative to the file, for one server and for a list of servers", () => {
    write({ "docker/.httpd-lint.json": { entry: "httpd.conf", map } });
    expect(findings(lint(["docker"]))).toEqual(expected);
    write({ "docker/.httpd-lint.json": { servers: [{ entry: "httpd.conf", map }] } });
    expect(findings(lint(["docker"]))).toEqual(expected);
  });

  test("is combined with --map, which takes precedence", () => {
    write({
      ".httpd-lint.json": { entry: "docker/httpd.conf", map: { "docker/extra": "/usr/local/apache2/conf/extra" } },
      "other/site-a.conf": "Optoins None\n",
    });
    const result = lint(["--map", "other=/usr/local/apache2/conf/extra"]);
    // No map covers the documents here, so they are checked on their own.
    expect(findings(result)).toEqual(["other/site-a.conf:1:1: error unknown-directive", expected[1]]);
  });

  test("is rejected if a path does not exist or is relative", () => {
    write({ ".httpd-lint.json": { entry: "docker/httpd.conf", map: { nowhere: "/srv" } } });
    expectFailure(lint([]), 2, /nowhere` of `map` in `.*\.httpd-lint\.json` does not exist\n$/);
    write({ ".httpd-lint.json": { entry: "docker/httpd.conf", map: { docker: "srv" } } });
    expectFailure(lint([]), 2, /invalid value `"srv"` for `docker`: expected an absolute path on the server\n$/);
  });
});

describe("init with a Dockerfile", () => {
  const writtenSettings = (): unknown => parse(textOf(".httpd-lint.json"), [], { allowTrailingComma: true });

  test("writes maps of the files that it copies, and prints them", () => {
    write({ Dockerfile: dockerfile, "start.sh": "exec httpd\n" });
    const result = lint(["init"]);
    expect(result).toMatchObject({ status: 0, stderr: "" });
    expect(result.stdout).toContain(`found the server docker/httpd.conf
  Dockerfile copies it to /usr/local/apache2/conf/httpd.conf
  /usr/local/apache2/conf/extra is read from docker/extra
  /usr/local/apache2/htdocs is read from public
  it reads 5 files, `);
    expect(writtenSettings()).toEqual({
      entry: "docker/httpd.conf",
      map: {
        "docker/httpd.conf": "/usr/local/apache2/conf/httpd.conf",
        "docker/extra": "/usr/local/apache2/conf/extra",
        public: "/usr/local/apache2/htdocs",
      },
    });
    expect(findings(lint([]))).toEqual(expected);
    expect(findings(lint(["public/.htaccess"]))).toEqual(expected.slice(1));
  });

  test("finds the main file by its path in the image, and uses the ServerRoot of the image", () => {
    write({
      "docker/httpd.conf": "",
      "my-httpd.conf": main.replace(/^ServerRoot.*\n/, "").replace(/^Include.*site.*\n/m, ""),
      "build/web.Dockerfile": `FROM httpd:2.4 AS web
COPY ./my-httpd.conf conf/httpd.conf
COPY docker/extra/v*.conf conf/extra
COPY --from=node /app htdocs/
`,
    });
    const result = lint(["init"]);
    expect(result.stdout).toContain(`found the server my-httpd.conf
  build/web.Dockerfile copies it to /usr/local/apache2/conf/httpd.conf
  /usr/local/apache2/conf/extra/vhosts.conf is read from docker/extra/vhosts.conf
  /usr/local/apache2/htdocs is copied from another stage or image and is not read
  it has no ServerRoot line; relative paths start in /usr/local/apache2, as in the image
`);
    expect(writtenSettings()).toMatchObject({
      servers: [
        { entry: "docker/httpd.conf" },
        {
          entry: "my-httpd.conf",
          serverRoot: "/usr/local/apache2",
          map: { "docker/extra/vhosts.conf": "/usr/local/apache2/conf/extra/vhosts.conf" },
        },
      ],
    });
    expect(lint(["my-httpd.conf"]).status).toBe(0);
  });

  test("uses the Dockerfile that copies the main file", () => {
    write({
      "docker/Dockerfile": "FROM node\nCOPY app /app\n",
      "docker/Dockerfile.web": dockerfile.replaceAll("docker/", ""),
      "docker/public/.htaccess": "Require all denid\n",
    });
    expect(lint(["init"]).stdout).toContain("docker/Dockerfile.web copies it to /usr/local/apache2/conf/httpd.conf\n");
    expect(writtenSettings()).toMatchObject({ map: { "docker/public": "/usr/local/apache2/htdocs" } });
  });

  test("ignores a Dockerfile that does not copy the main file, and infers the map from the layout", () => {
    write({ Dockerfile: "FROM httpd:2.4\nCOPY public/ /usr/local/apache2/htdocs/\nCOPY missing.conf /etc/\n" });
    const { stdout } = lint(["init"]);
    expect(stdout).not.toContain("Dockerfile");
    expect(stdout).toContain("  /usr/local/apache2/conf is read from docker\n");
    expect(writtenSettings()).toMatchObject({ map: { docker: "/usr/local/apache2/conf" } });
  });
});
