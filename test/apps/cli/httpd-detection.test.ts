import { describe, expect, test } from "vitest";
import { hasHttpdTemplate, isLikelyHttpd } from "../../../src/apps/cli/inputs/httpd-detection.js";
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
  const configMap = (text: string) =>
    `apiVersion: v1\nkind: ConfigMap\ndata:\n  site.conf: |\n    ${text.replaceAll("\n", "\n    ")}`;

  test.each([
    ["site.conf.j2", host],
    [
      "site.conf.erb",
      "<VirtualHost *:80>\n<% if @tls -%>\nSSLEngine on\n<% end -%>\nServerName <%= @name %>\n</VirtualHost>\n",
    ],
    ["site.epp", "<%- | String $name,\n  String $port | -%>\nListen <%= $port %>\nServerName <%= $name %>\n"],
    ["site.tpl", host],
    ["map.yaml", configMap(host)],
    ["map.yml", `---\nkind: "ConfigMap"\ndata:\n  a: b\n  httpd.conf: |-\n    Listen 80\n    ServerName x\n`],
  ])("%s", (path, text) => {
    write({ [path]: text });
    expect(hasHttpdTemplate(at(path))).toBe(true);
  });

  test.each([
    ["page.html.erb", "<div>\n<%= yield %>\n<p>Options</p>\n</div>\n"],
    ["nginx.conf.j2", "server {\n  listen {{ port }};\n}\n"],
    ["motd.j2", "Welcome to {{ host }}\n"],
    ["map.yaml", configMap("server {\n  listen 80;\n}\n")],
    ["deployment.yaml", "kind: Deployment\nspec:\n  command: |\n    Listen 80\n    ServerName x\n"],
  ])("but not %s", (path, text) => {
    write({ [path]: text });
    expect(hasHttpdTemplate(at(path))).toBe(false);
  });

  test("does not find a template in a file with many unclosed tags", () => {
    write({ "many.j2": "{{".repeat(32_768), "more.erb": "<%=".repeat(21_000) });
    expect(["many.j2", "more.erb"].some((path) => hasHttpdTemplate(at(path)))).toBe(false);
  });
});
