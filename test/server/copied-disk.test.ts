import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { explainAnswer } from "../../src/report/answers/answer-words.js";
import { answer } from "../../src/server/answer.js";
import { createDefaultFiles } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Answers a request to a server below a system root. @param files the other files of the copy, with their texts */
function answerOnCopy(
  lines: readonly string[],
  url: string,
  files: Readonly<Record<string, string>>,
  { isCopy = true, links = {} }: { readonly isCopy?: boolean; readonly links?: Readonly<Record<string, string>> } = {},
) {
  const { host, pathname } = new URL(url, "http://a.test");
  const entry = "/etc/httpd/conf/httpd.conf";
  const base = [
    "ServerRoot /etc/httpd",
    "ServerName main.test",
    "<Directory />",
    "Require all granted",
    "</Directory>",
  ];
  const text = `${[...base, ...lines].join("\n")}\n`;
  const access = { ...memoryAccess({ [entry]: text, ...files }, links), isCopy, isExecutable: () => true };
  const loaded = loadProject(entry, { access, kind: "server", htaccess: true });
  if (!loaded.ok) throw new Error(loaded.error);
  const request = { method: "GET", path: pathname, host, clientIp: "192.0.2.7" };
  return answer(loaded.value, request, { files: createDefaultFiles(loaded.value, access) });
}

const hostAt = (root: string) => ["<VirtualHost *:80>", "ServerName a.test", `DocumentRoot ${root}`, "</VirtualHost>"];
const site = { "/var/www/site/index.html": "" };

describe("a directory that a copied disk lacks beside others", () => {
  const statusOf = (lines: readonly string[], path: string, files: Readonly<Record<string, string>> = site) =>
    answerOnCopy(lines, path, files).status;

  test.each([
    ["a document root", hostAt("/var/www/sites"), "/"],
    ["a document root in another case", hostAt("/var/www/Site"), "/index.html"],
    ["the target of an Alias", [...hostAt("/var/www/site"), "Alias /pics /var/www/pcitures"], "/pics/a.png"],
    ["the target of a ScriptAlias", [...hostAt("/var/www/site"), "ScriptAlias /c /var/www/cgi"], "/c/a"],
    ["a root without its directory", ["DocumentRoot /var/www/site", ...hostAt("/var/www/shop/public")], "/"],
    ["a directory of the URL", hostAt("/var/www/site"), "/images/a.png"],
  ])("%s is missing", (_, lines, path) => {
    expect(statusOf(lines, path)).toBe(404);
  });

  test.each([
    ["without the parent directory", hostAt("/srv/www/site"), site],
    ["with only the configuration", hostAt("/srv/www"), {}],
    ["without another root beside it", hostAt("/var/www/shop/public"), site],
    ["with the configuration in the parent", hostAt("/etc/httpd/htdocs"), { "/etc/httpd/users": "" }],
  ])("it is unknown %s", (_, lines, files) => {
    const users = ["<Directory /etc/httpd/private>", "AuthUserFile /etc/httpd/users", "</Directory>"];
    expect(statusOf([...lines, ...users], "/x.html", files)).not.toBe(404);
  });

  test("it is unknown on the disk of another machine", () => {
    expect(answerOnCopy(hostAt("/var/www/sites"), "/x.html", site, { isCopy: false }).status).not.toBe(404);
    expect(answerOnCopy(hostAt("/var/www/sites"), "/x.html", site).status).toBe(404);
  });
});

describe("a name that nearly fits a missing one", () => {
  const causes = (lines: readonly string[], url: string, files: readonly string[]) =>
    answerOnCopy(lines, url, Object.fromEntries(files.map((each) => [each, ""]))).causes.flatMap(
      ({ text, help = [] }) => [text, ...help.map((each) => `help: ${each}`)],
    );
  const inSite = ["/var/www/site/index.html", "/var/www/site/images/logo.png", "/var/www/site/About.html"];
  const onSite = hostAt("/var/www/site");
  const virtual = (root: string) => [
    "<VirtualHost *:80>",
    "ServerAlias *",
    `VirtualDocumentRoot ${root}`,
    "</VirtualHost>",
  ];
  const inHosts = ["/srv/www/red.test/index.html", "/srv/www/blue.test/index.html"];

  test.each([
    [
      "a file in another case",
      [...onSite, "LoadModule speling_module modules/mod_speling.so"],
      "/images/Logo.PNG",
      inSite,
      [
        "`/var/www/site/images/logo.png` exists; names are case-sensitive on Linux",
        "help: use `/images/logo.png` in links, or rename `logo.png` to `Logo.PNG`",
        'help: to redirect such URLs, add `CheckSpelling On` and `CheckCaseOnly On` to `<Directory "/var/www/site/images">`',
      ],
    ],
    [
      "a directory in another case",
      onSite,
      "/Images/logo.png",
      inSite,
      [
        "`/var/www/site/images` exists; names are case-sensitive on Linux",
        "help: use `/images/logo.png` in links, or rename `images` to `Images`",
      ],
    ],
    [
      "a typing error",
      onSite,
      "/abuot.html",
      ["/var/www/site/about.html"],
      [
        "`/var/www/site/about.html` exists, a similar name",
        "help: use `/about.html` in links, or rename `about.html` to `abuot.html`",
      ],
    ],
    [
      "a document root in another case",
      hostAt("/var/www/Site"),
      "/",
      inSite,
      ["`/var/www/site` exists; names are case-sensitive on Linux", "help: use `DocumentRoot /var/www/site`"],
    ],
    [
      "a document root with another usual name",
      hostAt('"/var/www/site/public_html"'),
      "/",
      [...inSite, "/var/www/site/public/index.html"],
      ["`/var/www/site/public` exists", 'help: use `DocumentRoot "/var/www/site/public"`'],
    ],
    [
      "the target of an Alias",
      [...onSite, "Alias /pics /var/www/site/iamges"],
      "/pics/logo.png",
      inSite,
      ["`/var/www/site/images` exists, a similar name", "help: use `Alias /pics /var/www/site/images`"],
    ],
    [
      "another part of the host",
      virtual("/srv/www/%1"),
      "http://www.blue.test/",
      inHosts,
      [
        "`%1` of `VirtualDocumentRoot /srv/www/%1` leads to `/srv/www/www`; `/srv/www/blue.test` exists",
        "help: use `VirtualDocumentRoot /srv/www/%2+`",
      ],
    ],
    [
      "the host without www.",
      virtual("/srv/www/%0"),
      "http://www.blue.test/",
      inHosts,
      [
        "`%0` of `VirtualDocumentRoot /srv/www/%0` leads to `/srv/www/www.blue.test`; `/srv/www/blue.test` exists",
        "help: use `VirtualDocumentRoot /srv/www/%-2.%-1`",
      ],
    ],
  ])("%s", (_, lines, url, files, expected) => {
    expect(causes(lines, url, files)).toEqual(expected);
  });

  test.each([
    ["a name with another number", onSite, "/page-2.html", ["/var/www/site/page-1.html"]],
    ["a short name", onSite, "/ab", ["/var/www/site/a"]],
    ["two similar names", onSite, "/pages", ["/var/www/site/page", "/var/www/site/pagess"]],
    ["two names that differ in case", onSite, "/A.html", ["/var/www/site/a.html", "/var/www/site/a.HTML"]],
    ["a directory without the file", onSite, "/Images/other.png", inSite],
    ["another host", virtual("/srv/www/%0"), "http://www.green.test/", inHosts],
    ["another name", onSite, "/contact.html", inSite],
  ])("not %s", (_, lines, url, files) => {
    expect(causes(lines, url, files)).toEqual([]);
  });

  test("not for a request that finds its file", () => {
    expect(causes(onSite, "/images/logo.png", [...inSite, "/var/www/site/Images/x"])).toEqual([]);
  });
});

/** Returns the status, and the causes of an answer. */
function explainOnCopy(...parameters: Parameters<typeof answerOnCopy>): readonly unknown[] {
  const { status, causes } = answerOnCopy(...parameters);
  return [status, ...causes.flatMap(({ text, help = [] }) => [text, ...help.map((each) => `help: ${each}`)])];
}

describe("the first line of a program", () => {
  const lines = [...hostAt("/var/www/site"), "ScriptAlias /cgi-bin/ /var/www/cgi/"];
  const programs = { "/bin/sh": "", "/usr/bin/perl": "", "/usr/bin/env": "", "/usr/local/bin/php": "" };
  const run = (text: string, name = "a.cgi") =>
    explainOnCopy(lines, `/cgi-bin/${name}`, { ...site, ...programs, [`/var/www/cgi/${name}`]: text });

  test.each([
    [
      "a carriage return",
      "#!/bin/sh\r\necho\r\n",
      [
        "the first line of `/var/www/cgi/a.cgi` ends with a carriage return, as on Windows, so the kernel looks for `/bin/sh\\r`",
        "help: run `sed -i 's/\\r$//' /var/www/cgi/a.cgi`",
      ],
    ],
    [
      "a carriage return after the argument of env",
      "#!/usr/bin/env perl\r\n",
      [
        "the first line of `/var/www/cgi/a.cgi` ends with a carriage return, as on Windows, so `env` looks for `perl\\r`",
        "help: run `sed -i 's/\\r$//' /var/www/cgi/a.cgi`",
      ],
    ],
    [
      "an interpreter that does not exist",
      "#!/usr/local/bin/perl5\n",
      [
        "the first line of `/var/www/cgi/a.cgi` names `/usr/local/bin/perl5`, which does not exist",
        "help: use `#!/usr/bin/perl`",
      ],
    ],
    [
      "an empty line before it",
      "\n#!/bin/sh\n",
      [
        "`#!` does not start `/var/www/cgi/a.cgi`: spaces or empty lines are before it",
        "help: delete what is before `#!`",
      ],
    ],
    [
      "a byte order mark",
      "\ufeff#!/bin/sh\n",
      [
        "`#!` does not start `/var/www/cgi/a.cgi`: a byte order mark is before it",
        "help: save the file without a byte order mark",
      ],
    ],
  ])("fails with %s", (_, text, expected) => {
    expect(run(text)).toEqual([500, ...expected]);
  });

  test.each([
    ["an interpreter that exists", "#!/bin/sh\n"],
    ["a space before the interpreter", "#! /usr/bin/perl -w\n"],
    ["a carriage return after an option", "#!/usr/bin/perl -w\r\n"],
    ["an interpreter in a directory that is not copied", "#!/opt/bin/python3\n"],
    ["carriage returns in other lines only", "#!/bin/sh\necho\r\n"],
    ["no first line of a script", "\x7fELF"],
  ])("runs with %s", (_, text) => {
    expect(run(text)[0]).toBe(200);
  });

  test.each([
    ["#!/usr/bin/env sh\r\n", "access is granted, but the program did not run"],
    ["#!/bin/sh\r\n", "access is granted, but the program cannot be executed"],
  ])("is the reason for an error after access is granted: %j", (text, expected) => {
    const files = { ...site, ...programs, "/var/www/cgi/a.cgi": text };
    expect(explainAnswer(answerOnCopy(lines, "/cgi-bin/a.cgi", files))).toBe(expected);
  });

  test("may be wrong for a program that sends its own headers", () => {
    expect(run("#!/bin/sh\r\n", "nph-a.cgi")[0]).toBe(200);
  });
});

describe("a pool of PHP-FPM that listens elsewhere", () => {
  const withHandler = (handler: string) => [
    ...["authz_core", "mime", "proxy", "proxy_fcgi", "mpm_event"].map((name) => `LoadModule ${name}_module m.so`),
    ...hostAt("/var/www/site"),
    `<FilesMatch "\\.php$">\nSetHandler "${handler}"\n</FilesMatch>`,
  ];
  const ask = (
    handler: string,
    pools: Readonly<Record<string, string>>,
    links: Readonly<Record<string, string>> = {},
  ) => explainOnCopy(withHandler(handler), "/a.php", { ...site, "/var/www/site/a.php": "", ...pools }, { links });
  const pool = (listen: string) => `[www]\nuser = www-data\nlisten = ${listen}\n`;
  const debian = "/etc/php/8.2/fpm/pool.d/www.conf";

  const remi = "/etc/opt/remi/php82/php-fpm.d/www.conf";
  const handlerOf = (socket: string) => `proxy:unix:${socket}|fcgi://localhost`;

  test.each([
    ["/run/php/php8.1-fpm.sock", "/run/php/php8.2-fpm.sock", debian],
    ["/var/run/php/a.sock", "/run/php/b.sock", debian],
    ["/run/php-fpm/w.sock", "/run/php-fpm/www.sock", "/etc/php-fpm.d/www.conf"],
  ])("may be meant by %s, %s", (socket, listen, file) => {
    expect(ask(handlerOf(socket), { [file]: pool(listen) })).toEqual([
      200,
      `\`${file}\` has \`listen = ${listen}\`; if no other pool listens at \`${socket}\`, httpd responds 503`,
      `help: for this pool, use \`SetHandler "${handlerOf(listen)}"\``,
    ]);
  });

  const near = pool("/run/php/b.sock");

  test.each<[what: string, handler: string, files: Record<string, string>, links?: Record<string, string>]>([
    ["one that listens there", handlerOf("/run/php/a.sock"), { [debian]: pool("/run/php/a.sock") }],
    ["a link of the folder", handlerOf("/var/run/a.sock"), { [debian]: pool("/run/a.sock") }],
    ["a socket that exists", handlerOf("/run/php/a.sock"), { [debian]: near, "/run/php/a.sock": "" }],
    ["a socket of /var/run", handlerOf("/run/php/a.sock"), { [debian]: near, "/var/run/php/a.sock": "" }],
    ["a link", handlerOf("/run/php/a.sock"), { [debian]: near }, { "/run/php/a.sock": "/run/php/b.sock" }],
    ["Debian's link", handlerOf("/run/php/php-fpm.sock"), { [debian]: near }],
    ["a socket in another folder", handlerOf("/var/opt/remi/php82/run/php-fpm/www.sock"), { [debian]: near }],
    ["a pool in another folder", handlerOf("/run/remi/a.sock"), { [debian]: near, [remi]: pool("/run/remi/a.sock") }],
    ["a port", "proxy:fcgi://localhost:9000", { [debian]: pool("127.0.0.1:9001") }],
    ["another host", "proxy:fcgi://php:9000", { [debian]: near }],
    ["no pool", handlerOf("/run/php/a.sock"), {}],
    ["a pool with a variable", handlerOf("/run/php/a.sock"), { [debian]: `${near}listen = $address\n` }],
    ["a commented line", handlerOf("/run/php/a.sock"), { [debian]: ";listen = /run/php/b.sock\n" }],
  ])("is not named for %s", (_, handler, files, links) => {
    expect(ask(handler, files, links)).toEqual([200]);
  });
});
