import { expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onServer, section, wholeServer } from "../../test/support/rules.js";
import { handlerOnInnerExtension } from "./handler-on-inner-extension.js";

const onRoot = (...lines: readonly string[]) => onServer(section('Directory "/srv"', "Require all granted", ...lines));
const check = (text: string) => findingsOf([handlerOnInnerExtension], text);
const cgi = (pattern: string) => section(`FilesMatch ${pattern}`, "SetHandler cgi-script").trimEnd();

test("reports an extension in the middle of a name", () => {
  expect(check(onRoot("Options ExecCGI", "AddHandler cgi-script .cgi"))).toEqual([
    {
      rule: "handler-on-inner-extension",
      severity: "warning",
      at: "5:1-5:27",
      text: "AddHandler cgi-script .cgi",
      message: "`AddHandler cgi-script .cgi` also runs files such as `a.cgi.jpg`",
      notes: [
        "httpd compares each extension of a file name",
        "GET `/a.cgi.jpg` from 203.0.113.9 returns 200, the output of the program",
      ],
      help: ['use `<FilesMatch "\\.cgi$">` with `SetHandler cgi-script`'],
      related: [],
    },
  ]);
});

test.each([
  ["a pattern without an end", onRoot("Options ExecCGI", cgi('"\\.cgi"')), "x.cgi.jpg", "use the pattern `\\.cgi$`"],
  [
    "alternatives",
    onRoot("Options ExecCGI", cgi('"\\.cgi|\\.pl"')),
    "x.cgi.jpg",
    "use the pattern `(?:\\.cgi|\\.pl)$`",
  ],
  [
    "a media type",
    onRoot("AddType application/x-httpd-php .php .phtml"),
    "a.php.unknown",
    'use `<FilesMatch "\\.(?:php|phtml)$">` with `SetHandler application/x-httpd-php`',
  ],
  [
    "PHP",
    onServer("AddHandler php5-script .php\n", section('Directory "/srv"', "Require all granted")),
    "a.php.jpg",
    'use `<FilesMatch "\\.php$">` with `SetHandler php5-script`',
  ],
  [
    "PHP-FPM",
    onRoot(section('FilesMatch "\\.php"', 'SetHandler "proxy:unix:/run/php.sock|fcgi://localhost"').trimEnd()),
    "x.php.jpg",
    "use the pattern `\\.php$`",
  ],
])("reports %s", (_, text, name, help) => {
  expect(check(text).map((each) => [each.message.replace(/.*such as /, ""), ...(each.help ?? [])])).toEqual([
    [`\`${name}\``, help],
  ]);
});

test.each([
  ["a pattern with an end", onRoot("Options ExecCGI", cgi('"\\.cgi$"'))],
  ["a wildcard", onRoot("Options ExecCGI", '<Files "*.cgi">', "SetHandler cgi-script", "</Files>")],
  ["a directory without ExecCGI", onRoot("AddHandler cgi-script .cgi")],
  [
    "a handler that another line overrides",
    onRoot("AddHandler send-as-is .php", "AddType application/x-httpd-php .php"),
  ],
  ["FastCGI without ExecCGI", onRoot("AddHandler fcgid-script .fcgi")],
  ["a handler that shows the source", onRoot("AddType application/x-httpd-php-source .phps")],
  ["another handler", onRoot("AddHandler type-map var", "AddHandler send-as-is asis", "AddType text/html .shtml")],
  ["a directory of programs", onRoot("Options ExecCGI", "SetHandler cgi-script", "AddHandler cgi-script .cgi")],
  [
    "denied access",
    onServer(section('Directory "/srv"', "Options ExecCGI", "AddHandler cgi-script .cgi", "Require all denied")),
  ],
  [
    "denied names",
    onRoot(
      "Options ExecCGI",
      "AddHandler cgi-script .cgi",
      section('FilesMatch "\\.cgi\\."', "Require all denied").trimEnd(),
    ),
  ],
  [
    "a server on the loopback address",
    `Listen 127.0.0.1:80\n${onRoot("Options ExecCGI", "AddHandler cgi-script .cgi")}`,
  ],
])("does not report %s", (_, text) => {
  expect(check(text)).toEqual([]);
});

test.each([
  ["fcgid_module mod_fcgid.so", 0],
  ["php5_module libphp5.so", 1],
])("checks the handler of PHP with %s", (module, count) => {
  const lines = [
    "LoadModule mime_module mod_mime.so",
    `LoadModule ${module}`,
    "AddHandler php5-script .php",
    "Listen 80",
  ];
  const granted = section('Directory "/srv"', "Require all granted");
  expect(check(wholeServer(...lines, onServer(granted)))).toHaveLength(count);
});

test.each([
  ["AddHandler cgi-script .cgi .pl", '<FilesMatch "\\.(?:cgi|pl)$">\n    SetHandler cgi-script\n</FilesMatch>'],
  [cgi('"\\.cgi"'), cgi('"\\.cgi$"')],
  [cgi("\\.cgi"), cgi('"\\.cgi$"')],
])("fixes %s", (before, after) => {
  const text = onRoot("Options ExecCGI", before);
  const [finding] = lintText([handlerOnInnerExtension], text);
  expect(finding?.fix?.safety).toBe("unsafe");
  const fixed = applyEdits(text, finding?.fix?.edits ?? []);
  expect(fixed).toBe(onRoot("Options ExecCGI", after));
  expect(check(fixed)).toEqual([]);
});
