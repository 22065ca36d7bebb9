import { describe, expect, test } from "vitest";
import { entryKindOf } from "../../src/config/entry.js";

describe("detects a main file with any name by", () => {
  test.each([
    ["a ServerRoot", 'ServerRoot "/etc/httpd"\n'],
    ["a ServerRoot in a condition", "<IfDefine PROD>\nServerRoot /etc/httpd\n</IfDefine>\n"],
    ["Listen and DocumentRoot", "listen 80\n<IfModule unixd_module>\nUser www\n</IfModule>\nDocumentRoot /srv\n"],
    [
      "Listen and DocumentRoot after a section",
      "<Directory />\nRequire all denied\n</Directory>\nListen 80\nDocumentRoot /srv\n",
    ],
    ["an MPM and a Listen", "LoadModule mpm_event_module modules/mod_mpm_event.so\nListen 80\n"],
    ["an MPM and an Include", "LoadModule mpm_event_module modules/mod_mpm_event.so\nInclude x.conf\n"],
    ["an Include of sites and a User", "User www\nIncludeOptional sites-enabled/*.conf\n"],
    ["an Include of the files in extra", "Listen 80\nInclude conf/extra/httpd-vhosts.conf\n"],
    ["CRLF", "Listen 80\r\nDocumentRoot /srv\r\n"],
    ["a continued line", "Listen \\\n 80\nDocumentRoot /srv\n"],
  ])("%s", (_, text) => {
    expect(entryKindOf("/srv/web.conf", text)).toBe("server");
  });
});

describe("twin: detects a fragment with", () => {
  test.each([
    ["nothing", ""],
    ["Debian's ports.conf", "Listen 80\n<IfModule ssl_module>\n\tListen 443\n</IfModule>\n"],
    [
      "Red Hat's 00-mpm.conf",
      "#LoadModule mpm_worker_module x\nLoadModule mpm_event_module modules/mod_mpm_event.so\n",
    ],
    [
      "Debian's mpm_prefork.load",
      "# Conflicts: mpm_event\nLoadModule mpm_prefork_module /usr/lib/mod_mpm_prefork.so\n",
    ],
    ["a virtual host", "Listen 8080\n<VirtualHost *:8080>\nDocumentRoot /srv\n</VirtualHost>\n"],
    ["an Include of other hosts", "IncludeOptional sites-enabled/*.conf\n"],
    ["a DocumentRoot", "DocumentRoot /srv\n"],
    ["comments", "# ServerRoot /etc/httpd\n#Listen 80\n# DocumentRoot /srv\n"],
    ["a continued comment", "# see \\\nServerRoot /etc/httpd\nAlias /x /y\n"],
    ["a directive whose name begins with ServerRoot", "ServerRootX /etc\n"],
    ["a module other than an MPM", "LoadModule mime_module modules/mod_mime.so\nInclude x.conf\n"],
  ])("%s", (_, text) => {
    expect(entryKindOf("/srv/web.conf", text)).toBe("fragment");
  });
});

test.each([
  ["/etc/httpd/conf/httpd.conf", "server"],
  ["/etc/apache2/apache2.conf", "server"],
  ["/srv/.htaccess", "htaccess"],
  ["/srv/htaccess.txt", "htaccess"],
  ["/srv/.htaccess.dist", "htaccess"],
  ["/srv/sample.htaccess", "htaccess"],
  ["/srv/site_htaccess", "htaccess"],
  ["/srv/htaccess.conf", "fragment"],
  ["/srv/site.conf", "fragment"],
])("detects that %s is a %s by its name", (path, kind) => {
  expect(entryKindOf(path, "")).toBe(kind);
});
