import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { executableUpload } from "./executable-upload.js";

const root = (...lines: readonly string[]) => section('Directory "/srv"', "Require all granted", ...lines);
const php = section('FilesMatch "\\.php$"', 'SetHandler "proxy:fcgi://127.0.0.1:9000"');
const check = (texts: readonly string[], file = "/srv/uploads/photo.jpg") =>
  findingsOf([executableUpload], onServer(...texts), { files: { [file]: "x" } });

test("reports PHP in an upload directory", () => {
  expect(check([root(), php])).toEqual([
    {
      rule: "executable-upload",
      severity: "warning",
      at: "1:1-1:20",
      text: 'DocumentRoot "/srv"',
      message: "programs run in the upload directory `/srv/uploads/`",
      notes: [
        "GET `/uploads/x.php` from 203.0.113.9 returns 200, the output of the program, if `/srv/uploads/x.php` is uploaded",
      ],
      help: [
        'add a `<Directory>` section with `Options None`, `AllowOverride None`, and `Require all denied` for programs in `<FilesMatch "\\.(?:php|cgi|pl)$">`',
      ],
      related: [],
    },
  ]);
});

test.each([
  [
    "CGI programs",
    root("Options ExecCGI", "AddHandler cgi-script .cgi"),
    "warning",
    "programs run in the upload directory `/srv/uploads/`",
  ],
  [
    "server-side includes",
    root("Options Includes", "AddOutputFilter INCLUDES .shtml"),
    "warning",
    "files in the upload directory `/srv/uploads/` can run commands",
  ],
  [
    "`.htaccess` files",
    root("AllowOverride All"),
    "info",
    "`AllowOverride All` applies to the upload directory `/srv/uploads/`",
  ],
])("reports %s", (_, lines, severity, message) => {
  expect(check([lines]).map((each) => [each.severity, each.message])).toEqual([[severity, message]]);
});

test.each([
  ["a directory with another name", [root(), php], "/srv/images/photo.jpg"],
  ["a directory for programs", [root("Options ExecCGI", "AddHandler cgi-script .cgi")], "/srv/cgi-bin/a.cgi"],
  ["a directory without a handler", [root("AllowOverride None")], undefined],
  ["includes that cannot run commands", [root("Options IncludesNOEXEC", "AddOutputFilter INCLUDES .shtml")], undefined],
  ["overrides that cannot run programs", [root("AllowOverride AuthConfig Limit")], undefined],
  [
    "denied programs",
    [root(), php, section('Directory "/srv/uploads"', section('FilesMatch "\\.php$"', "Require all denied").trimEnd())],
    undefined,
  ],
  ["an application", [root(), php], "/srv/files/index.php"],
  ["a backend for all paths", [root(), 'ProxyPass "/" "http://127.0.0.1:8080/"\n'], undefined],
  [
    "virtual hosts with other document roots",
    [
      "Listen 8443\n",
      section("VirtualHost _default_:8443", "ServerName a.test", 'DocumentRoot "/srv/uploads/a"'),
      root(),
      php,
    ],
    "/srv/uploads/a/photo.jpg",
  ],
  ["a server on the loopback address", ["Listen 127.0.0.1:80\n", root(), php], undefined],
])("does not report %s", (_, texts, file) => {
  expect(check(texts, file)).toEqual([]);
});
