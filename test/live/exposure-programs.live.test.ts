import { constantCondition } from "../../rules/constant-condition/constant-condition.js";
import { executableUpload } from "../../rules/executable-upload/executable-upload.js";
import { fcgiTakesAnyFile } from "../../rules/fcgi-takes-any-file/fcgi-takes-any-file.js";
import { handlerOnInnerExtension } from "../../rules/handler-on-inner-extension/handler-on-inner-extension.js";
import { scriptSourceServed } from "../../rules/script-source-served/script-source-served.js";
import { spoofableClientAddress } from "../../rules/spoofable-client-address/spoofable-client-address.js";
import { onlyVariant } from "../support/rules.js";
import { type ExposureCase, testExposures } from "./exposure-cases.js";

const expiredCondition = onlyVariant(constantCondition, "expired-condition");

const modules =
  "mpm_event authn_core authz_core authz_host alias cgi dir mime include proxy proxy_fcgi remoteip rewrite setenvif";

const inRoot = (...lines: readonly string[]) => `<Directory "@ROOT@/www">\n${lines.join("\n")}\n</Directory>`;
const forCgi = (pattern: string) => `<FilesMatch "${pattern}">\nSetHandler cgi-script\n</FilesMatch>`;
const php = 'SetHandler "proxy:fcgi://127.0.0.1:1"';
const office = "<Location />\nRequire ip 203.0.113.0/24\n</Location>";

const cases: readonly ExposureCase[] = [
  {
    rule: handlerOnInnerExtension,
    bad: inRoot("Options +ExecCGI", "AddHandler cgi-script .cgi"),
    good: inRoot("Options +ExecCGI", forCgi("\\.cgi$")),
    programs: ["www/a.cgi.jpg"],
    request: "/a.cgi.jpg",
    statuses: [202, 200],
  },
  {
    rule: handlerOnInnerExtension,
    bad: inRoot("Options +ExecCGI", "AddType application/x-httpd-cgi .cgi"),
    good: inRoot("Options +ExecCGI", forCgi("\\.cgi$")),
    programs: ["www/a.cgi.unknown"],
    request: "/a.cgi.unknown",
    statuses: [202, 200],
  },
  {
    rule: handlerOnInnerExtension,
    bad: inRoot("Options +ExecCGI", forCgi("\\.cgi")),
    good: inRoot("Options +ExecCGI", forCgi("\\.cgi$")),
    programs: ["www/a.cgi.jpg"],
    request: "/a.cgi.jpg",
    statuses: [202, 200],
  },
  {
    rule: scriptSourceServed,
    bad: `<IfModule mod_php5.c>\n<FilesMatch "\\.php$">\n${php}\n</FilesMatch>\n</IfModule>`,
    good: `<FilesMatch "\\.php$">\n${php}\n</FilesMatch>`,
    files: [["www/config.php", "<?php\n"]],
    request: "/config.php",
    statuses: [200, 503],
  },
  {
    rule: scriptSourceServed,
    bad: 'ScriptAlias "/cgi-bin/" "@ROOT@/www/scripts/"',
    good: 'ScriptAlias "/scripts/" "@ROOT@/www/scripts/"',
    programs: ["www/scripts/a.cgi"],
    request: "/scripts/a.cgi",
    statuses: [200, 202],
  },
  {
    rule: executableUpload,
    bad: inRoot("Options ExecCGI", forCgi("\\.cgi$")),
    good: `${inRoot("Options ExecCGI", forCgi("\\.cgi$"))}\n<Directory "@ROOT@/www/uploads">\nOptions None\n</Directory>`,
    programs: ["www/uploads/a.cgi.bin"],
    files: ["www/uploads/photo.jpg"],
    request: "/uploads/x.cgi",
    statuses: [404, 403],
  },
  {
    rule: fcgiTakesAnyFile,
    bad: 'ProxyPassMatch "^/(.*\\.php(/.*)?)$" "fcgi://127.0.0.1:1@ROOT@/www/$1"',
    good: `<FilesMatch "\\.php$">\n${php}\n</FilesMatch>`,
    files: ["www/photo.jpg"],
    request: "/photo.jpg/x.php",
    statuses: [503, 404],
  },
  {
    rule: spoofableClientAddress,
    bad: `RemoteIPHeader X-Forwarded-For\n${office}`,
    good: `RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 10.9.9.9\n${office}`,
    request: "/x.txt",
    header: "X-Forwarded-For: 203.0.113.7",
    statuses: [200, 403],
  },
  {
    rule: expiredCondition,
    bad: '<Location />\nRequire expr "%{TIME} -lt 20250101000000"\n</Location>',
    good: '<Location />\nRequire expr "%{TIME} -lt 29990101000000"\n</Location>',
    request: "/x.txt",
    statuses: [403, 200],
  },
];

testExposures("exposure of programs, on the live server", modules, cases);
