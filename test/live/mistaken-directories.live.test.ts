import { missingDocumentRoot } from "../../rules/missing-document-root/missing-document-root.js";
import { overriddenSection } from "../../rules/overridden-section/overridden-section.js";
import { requestAlwaysFails } from "../../rules/request-always-fails/request-always-fails.js";
import { shadowedLine } from "../../rules/shadowed-line/shadowed-line.js";
import { unknownFilter } from "../../rules/unknown-filter/unknown-filter.js";
import { onlyVariant, section } from "../support/rules.js";
import { type ExposureCase, testExposures } from "./exposure-cases.js";

const hiddenDirectory = onlyVariant(shadowedLine, "hidden-directory");

const granted = "Require all granted";
const denied = "Require all denied";
const inRoot = (...lines: readonly string[]) => section('Directory "@ROOT@/www"', ...lines);
const open = (path: string, ...lines: readonly string[]) => section(`Directory "@ROOT@/${path}"`, granted, ...lines);

/** An Alias hides a directory of the document root. */
const hidden = (line: string, good: string, file: string, request: string): ExposureCase => ({
  rule: hiddenDirectory,
  bad: line + open("shared"),
  good: good + open("shared"),
  files: [file, "shared/other.txt"],
  request,
  statuses: [404, 200],
});

/** The target of an Alias does not exist. */
const missing = (line: string, good: string, request: string): ExposureCase => ({
  rule: missingDocumentRoot,
  isInMemory: true,
  bad: line + open("shared"),
  good: good + open("shared"),
  files: ["shared/x.txt", "shared/a/x.txt"],
  request,
  statuses: [404, 200],
});

const closed = section('Directory "@ROOT@/www/private"', denied);
/** A section for files opens a closed directory. */
const opening = (bad: string, good: string, more: Partial<ExposureCase> = {}): ExposureCase => ({
  rule: overriddenSection,
  bad,
  good,
  files: ["www/private/x.txt"],
  request: "/private/x.txt",
  statuses: [200, 403],
  ...more,
});

/** A type that no loaded module handles: the file is sent as it is. */
const source = (bad: string, good: string, request: string, file: string): ExposureCase => ({
  rule: unknownFilter,
  bad,
  good,
  programs: [file],
  request,
  statuses: [200, 202],
});

/** The path of the document root lacks the slash at its start. */
const relative = (root: string): ExposureCase => ({
  rule: requestAlwaysFails,
  isInMemory: true,
  bad: `DocumentRoot "${root}"\n`,
  good: 'DocumentRoot "@ROOT@/www"\n',
  request: "/x.txt",
  statuses: [403, 200],
});

/** Nothing grants access to the directories of users. */
const homes = (userDir: string, section = userDir.replace(/\/$/, "")): ExposureCase => ({
  rule: requestAlwaysFails,
  bad: `UserDir ${userDir}\n`,
  good: `UserDir ${userDir}\n<Directory "${section}">\n${granted}\n</Directory>\n`,
  files: ["homes/ann/www/x.txt", "homes/ann/x.txt", "homes/ann/site/pub/x.txt"],
  request: "/~ann/x.txt",
  statuses: [403, 200],
});

const cgi = "Options ExecCGI";

const cases: readonly ExposureCase[] = [
  hidden('Alias /icons/ "@ROOT@/shared/"\n', 'Alias /pictures/ "@ROOT@/shared/"\n', "www/icons/a.png", "/icons/a.png"),
  hidden('Alias /icons "@ROOT@/shared"\n', 'Alias /icon "@ROOT@/shared"\n', "www/icons/a.png", "/icons/a.png"),
  hidden('Alias /a/b/ "@ROOT@/shared/"\n', 'Alias /a/c/ "@ROOT@/shared/"\n', "www/a/b/a.png", "/a/b/a.png"),
  hidden(
    'Alias /icons/ "@ROOT@/shared/"\n',
    'Alias /icons/ "@ROOT@/www/icons/"\n',
    "www/icons/d/a.png",
    "/icons/d/a.png",
  ),
  hidden(
    'ScriptAlias /cgi/ "@ROOT@/shared/"\n',
    'ScriptAlias /bin/ "@ROOT@/shared/"\n',
    "www/cgi/form.txt",
    "/cgi/form.txt",
  ),
  hidden(
    'Alias /icons/ "@ROOT@/shared/"\nAlias /x/ "@ROOT@/shared/"\n',
    'Alias /icons/a.png "@ROOT@/www/icons/a.png"\nAlias /icons/ "@ROOT@/shared/"\n',
    "www/icons/a.png",
    "/icons/a.png",
  ),
  missing('Alias /s "@ROOT@/shared/none"\n', 'Alias /s "@ROOT@/shared"\n', "/s/x.txt"),
  missing('Alias /s/ "@ROOT@/shared/none/"\n', 'Alias /s/ "@ROOT@/shared/"\n', "/s/x.txt"),
  missing('Alias /s.txt "@ROOT@/shared/s.txt"\n', 'Alias /s.txt "@ROOT@/shared/x.txt"\n', "/s.txt"),
  missing('Alias "/a/s" "@ROOT@/shared/b"\n', 'Alias "/a/s" "@ROOT@/shared/a"\n', "/a/s/x.txt"),
  missing('Alias /x.txt "@ROOT@/shared/a/y.txt"\n', 'Alias /x.txt "@ROOT@/shared/a/x.txt"\n', "/x.txt"),
  missing(
    `<IfModule mod_alias.c>\nAlias /s "@ROOT@/shared/c"\n</IfModule>\n`,
    `<IfModule mod_alias.c>\nAlias /s "@ROOT@/shared/a"\n</IfModule>\n`,
    "/s/x.txt",
  ),
  ...[
    section('FilesMatch "\\.(txt|css)$"', granted),
    section("Files *.txt", granted),
    section('Files ~ "\\.txt$"', granted),
    section("Files x.txt", granted),
    section("Files x.*", granted),
  ].map((files) => opening(closed + files, closed + section('Directory "@ROOT@/www/images"', files.trim()))),
  opening(
    inRoot("AllowOverride All", granted) + section('FilesMatch "^x"', granted),
    inRoot("AllowOverride All", granted) +
      section('Directory "@ROOT@/www/a"', section('FilesMatch "^x"', granted).trim()),
    {
      files: [
        ["www/private/.htaccess", denied],
        ["www/private/x.txt", "x"],
      ],
    },
  ),
  source(
    section("Files api", "ForceType application/x-httpd-php"),
    `ScriptAlias /run/ "@ROOT@/run/"\n${open("run")}${section("Files api", "SetHandler cgi-script")}${inRoot(granted, cgi)}`,
    "/api",
    "www/api",
  ),
  source(
    "AddType application/x-httpd-php .phx\n",
    `AddHandler cgi-script .phx\n${inRoot(granted, cgi)}`,
    "/a.phx",
    "www/a.phx",
  ),
  source(
    section('FilesMatch "\\.phx$"', "ForceType application/x-httpd-php"),
    section('FilesMatch "\\.phx$"', "SetHandler cgi-script") + inRoot(granted, cgi),
    "/a.phx",
    "www/a.phx",
  ),
  source(
    "AddHandler application/x-httpd-php .phx\n",
    `AddHandler cgi-script .phx\n${inRoot(granted, cgi)}`,
    "/a.phx",
    "www/a.phx",
  ),
  source(
    section('FilesMatch "\\.phx$"', "SetHandler application/x-httpd-php"),
    section('FilesMatch "\\.phx$"', "SetHandler cgi-script") + inRoot(granted, cgi),
    "/a.phx",
    "www/a.phx",
  ),
  source(
    section("Location /api", "ForceType application/x-httpd-php"),
    section("Location /api", "SetHandler cgi-script") + inRoot(granted, cgi),
    "/api",
    "www/api",
  ),
  ...["var/www/shop", "srv/shop/", "opt/shop", "home/ann/www", "usr/share/shop", "mnt/data"].map(relative),
  homes("@ROOT@/homes/*/www"),
  homes("@ROOT@/homes/*/www/"),
  homes("@ROOT@/homes/*/site/pub"),
  homes("@ROOT@/homes/*/www", "@ROOT@/homes/*/ww*"),
  homes("@ROOT@/homes/*/www", "@ROOT@/homes/*"),
  homes("@ROOT@/homes/*/www", "@ROOT@/homes"),
];

testExposures(
  "directories of everyday mistakes, on the live server",
  "access_compat alias authz_core authz_host cgid mime mpm_event userdir",
  cases,
);
