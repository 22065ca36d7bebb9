import { describe, expect, test } from "vitest";
import {
  findEmbeddedHttpd,
  hasHttpdTemplate,
  isLikelyHttpd,
  isOuterFile,
} from "../../../src/apps/cli/inputs/httpd-detection.js";
import { sharedFolder } from "../../support/programs/test-folder.js";

const { at, write } = sharedFolder();

function isDetected(path: string, text: string): boolean {
  // Parents of a repository are ignored.
  write({ ".git/HEAD": "", [path]: text });
  return isLikelyHttpd(at(path));
}

describe("httpd files are detected by their contents", () => {
  test.each([
    ["site.conf", "<VirtualHost *:80>\nServerName a.test\n</VirtualHost>\n"],
    ["a/b/laravel.conf", "Alias /x /y\nFooBar on\n"],
    ["shop.vhost", "ServerName a.test\n"],
    ["empty.conf", "# nothing yet\n"],
    ["perl.conf", "ServerName a.test\n<Perl>\nmy $x = 1;\nfor (1) {\n}\n</Perl>\n"],
    ["rules.conf", "RewriteEngine on\nRewriteRule ^a b \\\n  [R,L]\nHeader set X-Y a;\n"],
  ])("%s", (path, text) => {
    expect(isDetected(path, text)).toBe(true);
  });
});

describe("httpd files with a misspelled directive are detected by their directory", () => {
  test.each([
    ...["conf-available/security.conf", "sites-enabled/default", "mods-available/a.load", "etc/conf.d/a.conf"],
    ...["apache2/a.conf", "files/httpd/conf/a.conf", "vhosts.d/a.conf", "sites/a.vhost"],
  ])("%s", (path) => {
    expect(isDetected(path, "ServerTokns Prod\n")).toBe(true);
  });

  test.each(["files/security.conf", "apache-tomcat/a.conf", "nginx/a.conf"])("but not %s", (path) => {
    expect(isDetected(path, "ServerTokns Prod\n")).toBe(false);
  });
});

describe("files of other programs in shared directories are not detected", () => {
  const modprobe = "alias net-pf-10 off\noptions ipv6 disable=1\n";

  test.each([
    ["rsyslog/conf.d/a.conf", "$ModLoad imuxsock\n*.* @@log:514\n"],
    ["squid/conf.d/a.conf", "acl localnet src 10.0.0.0/8\nhttp_access allow localnet\n"],
    ["squid/conf.d/b.conf", "logformat x %ts\nacl a src all\nhttp_access allow a\nhttp_port 3128\n"],
    ["modprobe/conf.d/a.conf", modprobe],
    ["modprobe/a.conf", modprobe],
    ["modprobe/conf.d/b.conf", `${modprobe}blacklist pcspkr\ninstall usb /bin/true\n`],
    ["proftpd/conf.d/tls.conf", "DefaultRoot ~\n"],
    ["sites/y.conf", "foo bar\n"],
    ["vhosts.d/y.conf", "foo bar\n"],
    ["conf.d/long.conf", "Fooo a\nBarr b\nBazz c\nServerName x\nQuxx d\n"],
  ])("%s", (path, text) => {
    expect(isDetected(path, text)).toBe(false);
  });

  test.each([
    ["conf.d/a.conf", "order deny,allow\ndeny from all\n"],
    ["a.conf", "rewriteengine on\nrewriterule ^a b\n"],
    ["a.conf", "<virtualhost *:80>\nalias /x /y\n</virtualhost>\n"],
    ["conf.d/a.conf", "FooBar on\nServerTokns Prod\nBazQux on\n"],
    ["conf.d/httpd/a.conf", "FooBar on\n"],
    ["apache2/conf.d/a.conf", "alias /x /y\n"],
    ["conf-available/security.conf", "ServerTokns Prod\n"],
    ["mods-enabled/a.conf", "FooBar on\n"],
  ])("but not %s", (path, text) => {
    expect(isDetected(path, text)).toBe(true);
  });
});

test("a main file is detected by its name, unless it has the syntax of another program", () => {
  expect(isDetected("site/httpd.conf", "Optoins None\n")).toBe(true);
  expect(isDetected("site/httpd.conf", "server {\n}\n")).toBe(false);
});

test.each(["public/.htaccess", "htaccess.txt", ".htaccess.dist", "sample.htaccess"])(
  "%s is detected by its name",
  (path) => {
    expect(isDetected(path, "Nonsense\n")).toBe(true);
  },
);

describe("files of other programs are not detected, even in directories of httpd", () => {
  test.each([
    ["php-fpm", "; pool\n[www]\nuser = www-data\ngroup = www-data\nlisten = 127.0.0.1:9000\n"],
    ["supervisor", "[program:web]\ncommand=/usr/sbin/apache2ctl\nuser=root\n"],
    ["my.cnf", "[mysqld]\nuser = mysql\nskip-networking\n"],
    ["nginx", "server {\n    listen 80;\n    location / {\n        deny all;\n    }\n}\n"],
    ["nginx with an include", "include mime.types;\nuser www;\n"],
    ["lighttpd", 'server.document-root = "/srv"\n$HTTP["host"] == "a" {\n}\n'],
    ["YAML", "listen:\n  - 80\nuser: www\n"],
    ["XML", '<?xml version="1.0"?>\n<fontconfig>\n<alias>\n</alias>\n</fontconfig>\n'],
    ["fluentd", "<source>\n@type tail\nformat x\ntag y\nread_from_head z\n</source>\n"],
    ["Spark", "spark.master local\nspark.app.name x\n"],
    ["ld.so", "include /etc/ld.so.conf.d/*.conf\n/usr/lib/x\n"],
  ])("%s", (_, text) => {
    expect(isDetected("a.conf", text)).toBe(false);
    expect(isDetected("conf.d/a.conf", text)).toBe(false);
  });

  test("a text document", () => {
    expect(
      isDetected("sites-available/README", "This directory is for sites.\nOrder of files does not matter.\n"),
    ).toBe(false);
    expect(isDetected("conf.d/notes.txt", "Alias names are listed here.\n")).toBe(false);
  });
});

describe("templates", () => {
  const host = "<VirtualHost *:80>\nServerName {{ name }}\n{% if tls %}\nSSLEngine on\n{% endif %}\n</VirtualHost>\n";

  test.each([
    ["site.conf.j2", host],
    [
      "site.conf.erb",
      "<VirtualHost *:80>\n<% if @tls -%>\nSSLEngine on\n<% end -%>\nServerName <%= @name %>\n</VirtualHost>\n",
    ],
    ["site.epp", "<%- | String $name,\n  String $port | -%>\nListen <%= $port %>\nServerName <%= $name %>\n"],
    ["site.tpl", host],
  ])("%s", (path, text) => {
    write({ [path]: text });
    expect(hasHttpdTemplate(at(path))).toBe(true);
  });

  test.each([
    ["page.html.erb", "<div>\n<%= yield %>\n<p>Options</p>\n</div>\n"],
    ["nginx.conf.j2", "server {\n  listen {{ port }};\n}\n"],
    ["motd.j2", "Welcome to {{ host }}\n"],
    ["sshd.j2", "session required a.so\nsession optional b.so\naccount required c.so\n"],
  ])("but not %s", (path, text) => {
    write({ [path]: text });
    expect(hasHttpdTemplate(at(path))).toBe(false);
  });

  test("does not find a template in a file with many unclosed tags", () => {
    write({ "many.j2": "{{".repeat(32_768), "more.erb": "<%=".repeat(21_000) });
    expect(["many.j2", "more.erb"].some((path) => hasHttpdTemplate(at(path)))).toBe(false);
  });
});

describe("texts in other files", () => {
  const script = (target: string, ...lines: readonly string[]) => `cat > ${target} <<EOF\n${lines.join("\n")}\nEOF\n`;
  const block = (key: string, ...lines: readonly string[]) => `data:\n  ${key}: |\n    ${lines.join("\n    ")}\n`;

  test.each([
    ["a.sh", script("/etc/apache2/sites-available/a.conf", "ServerNam x"), "/2/etc/apache2/sites-available/a.conf"],
    ["b.sh", script("/etc/httpd/conf.d/b.conf", "ServerName x"), "/2/etc/httpd/conf.d/b.conf"],
    ["c.sh", `set -e\n\n${script("../x/.htaccess", "Anything")}`, "/4/x/.htaccess"],
    ["d.sh", script("$CONF", "Listen 80", "ServerName x"), "/2/$CONF"],
    ["Dockerfile", "RUN <<X\n<Files x>\nRequire all denied\n</Files>\nX\n", "/2/text"],
    ["a.yaml", block("httpd.conf", "Listen 80", "ServerName x"), "/3/httpd.conf"],
    ["b.yaml", block("vhost", "<VirtualHost *>", "{{ x }}", "</VirtualHost>"), "/3/vhost"],
    ["c.yaml", block(".htaccess", "RewriteEngin on"), "/3/.htaccess"],
    [
      "e.sh",
      `cat <<EOF | kubectl apply -f -\n${block("httpd.conf", "ServerName x", "Listen $PORT")}EOF\n`,
      "/4/httpd.conf",
    ],
    ["helpers.tpl", `{{- define "x" -}}\n${block("httpd.conf", "Listen 80", "ServerName x")}`, "/4/httpd.conf"],
    ["d.yaml", block("start.sh", "cat > x.conf <<EOF", "Listen 80", "ServerName x", "EOF"), "/4/x.conf"],
  ])("%s", (path, text, found) => {
    write({ [path]: text });
    expect(findEmbeddedHttpd(at(path))).toEqual([at(path) + found]);
  });

  test.each([
    ["nginx.yaml", block("default.conf", "server {", "  listen 80;", "}")],
    ["prose.yaml", block("comment", "Use these hosts for the cache", "Define any number of hosts")],
    ["tinyproxy.yaml", block("raw", "Allow 127.0.0.1", "Allow {{ item }}")],
    [
      "sentences.yaml",
      block(
        "text",
        "Timeout for how long the proxy waits (for HTTP/1.1).",
        "Timeout will not trigger between two requests.",
        "If not given, there is none, though a",
        "stream_idle_timeout default applies.",
      ),
    ],
    ["word.yaml", block("text", "Listen 80", "Other words", "More words")],
    ["lower.yaml", block("text", "options x", "alias y", "require z")],
    ["usage.sh", script("/dev/stderr", "Usage: a", "Options: b")],
    ["php.sh", script("/etc/php/conf.d/x.ini", "memory_limit = 1", "[opcache]")],
    ["passwords.yaml", block(".htaccess", "alice:$apr1$3zSE0Abt$IuETi4l5yO87", "bob:{SHA}W6ph5Mm5Pz8")],
    ["empty.sh", script("/var/www/.htaccess", "")],
    ["readme.sh", script("README.md", "<Files x>", "</Files>")],
  ])("but not %s", (path, text) => {
    write({ [path]: text });
    expect(findEmbeddedHttpd(at(path))).toEqual([]);
  });

  test("are in files with a name or a first line of their format", () => {
    write({
      "a.yaml": "",
      run: "#!/usr/bin/env bash\n",
      "user-data": "#cloud-config\n",
      "a.conf": "#!/bin/sh\n",
      b: "Listen 80\n",
    });
    expect(["a.yaml", "run", "user-data", "a.conf", "b"].map((name) => isOuterFile(at(name)))).toEqual([
      ...[true, true, true, false, false],
    ]);
  });
});
