import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { listModules } from "../../src/facts/modules.js";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { applyEdits } from "../../src/text/edits.js";
import {
  findingsOf,
  type Given,
  inDirectory,
  lintText,
  section,
  textOf,
  wholeServer,
} from "../../test/support/rules.js";
import { implicitRequireAny } from "../implicit-require-any/implicit-require-any.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { neverMatchingName } from "../never-matching-name/never-matching-name.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { removedModule } from "../removed-module/removed-module.js";
import { refusedAtStart } from "./refused-at-start.js";

const check = (text: string, given?: Given) =>
  findingsOf([refusedAtStart], text, given).map(({ at, text: underlined, notes = [] }) => [
    at,
    underlined,
    /^httpd reports: (.*)$/.exec(notes.at(-1) ?? "")?.[1],
  ]);

describe("the message of httpd", () => {
  test.each([
    ["Require Valid-User", "2:9-2:19", "Valid-User", "Unknown Authz provider: Valid-User"],
    ["Require bogus x", "2:9-2:14", "bogus", "Unknown Authz provider: bogus"],
    ["Require", "2:1-2:8", "Require", "Unknown Authz provider: "],
    ["Require all allowed", "2:13-2:20", "allowed", "Argument for 'Require all' must be 'granted' or 'denied'"],
    ["Require ip 10.1 example.org", "2:17-2:28", "example.org", "ip address 'example.org' appears to be invalid"],
    [
      "Require ip 127/8",
      "2:12-2:17",
      "127/8",
      "ip address '127/8' appears to be invalid: The specified IP address is invalid.",
    ],
    ["Require ip", "2:1-2:11", "Require ip", "'require ip' requires an argument"],
    ["Require method get", "2:16-2:19", "get", "Invalid Method 'get'"],
    ["Require not ip 10", "2:9-2:12", "not", "negative Require directive has no effect in <RequireAny> directive"],
    [
      "Order deny, allow",
      "2:1-2:18",
      "Order deny, allow",
      "order takes one argument, 'allow,deny', 'deny,allow', or 'mutual-failure'",
    ],
    ["Order denny,allow", "2:7-2:18", "denny,allow", "unknown order"],
    ["Allow 10.1 all", "2:7-2:11", "10.1", "allow and deny must be followed by 'from'"],
    [
      "Deny from",
      "2:1-2:10",
      "Deny from",
      "deny requires at least two arguments, 'from' followed by hostnames or IP-address wildcards",
    ],
    ["Deny from 10.1.2.3.4", "2:11-2:21", "10.1.2.3.4", "The specified IP address is invalid."],
    ["Deny from 10.1.2.3/33", "2:11-2:22", "10.1.2.3/33", "The specified network mask is invalid."],
    ["Allow from 10.1 # x y", "2:17-2:22", "# x y", "No comments are allowed here"],
    ["Satisfy both", "2:9-2:13", "both", "Satisfy either 'any' or 'all'."],
    [
      "Options Indexes +MultiViews",
      "2:1-2:28",
      "Options Indexes +MultiViews",
      "Either all Options must start with + or -, or no Option may.",
    ],
    [
      "AuthUserFile users standard",
      "2:1-2:28",
      "AuthUserFile users standard",
      "AuthUserFile takes one argument, text file containing user IDs and passwords",
    ],
    ["AuthMerging xor", "2:13-2:16", "xor", "AuthMerging must be one of: Off | And | Or"],
    [
      "<RequireAll>\n</RequireAll>",
      "2:1-2:13",
      "<RequireAll>",
      "<RequireAll> directive contains no authorization directives",
    ],
    [
      "<RequireAny x>\nRequire local\n</RequireAny>",
      "2:1-2:15",
      "<RequireAny x>",
      "<RequireAny> directive doesn't take additional arguments",
    ],
    [
      "<RequireNone>\nRequire local\n</RequireNone>",
      "2:1-2:14",
      "<RequireNone>",
      "<RequireNone> directive has no effect in <RequireAny> directive",
    ],
    [
      "<RequireAll>\nRequire not local\n</RequireAll>",
      "2:1-2:13",
      "<RequireAll>",
      "<RequireAll> directive contains only negative authorization directives",
    ],
    ["<Limit TRACE>\n</Limit>", "2:8-2:13", "TRACE", "TRACE cannot be controlled by <Limit>, see TraceEnable"],
  ])("is reported for %s", (line, at, underlined, words) => {
    expect(check(inDirectory(line))).toEqual([[at, underlined, words]]);
  });

  test("is reported for flags and Listen at server level", () => {
    expect(check("KeepAlive 5\nListen 80\nListen *:80\n").map((each) => [each[0], each[2]])).toEqual([
      ["1:11-1:12", "KeepAlive must be On or Off"],
      ["3:1-3:12", "Cannot define multiple Listeners on the same IP:port"],
    ]);
  });

  test.each(["root", "#0", "#x"])("is reported for User %s at server level", (user) => {
    expect(check(`User ${user}\n`)).toEqual([
      [expect.any(String), user, expect.stringMatching(/^Error:\tApache has not been designed to serve pages/)],
    ]);
  });

  test.each(["www-data", "#33", "rooted"])("is not reported for User %s", (user) => {
    expect(check(`User ${user}\n`)).toEqual([]);
  });

  test("is the only finding for a rejected word", () => {
    const lines = inDirectory("Allow from 10.0.0.0/8, 192.168.0.0/16");
    expect(findingsOf([refusedAtStart, neverMatchingName], lines).map(({ rule }) => rule)).toEqual([
      "refused-at-start",
    ]);
  });

  test.each([
    ["Require granted", "use `Require all granted`"],
    ["Require Denied", "use `Require all denied`"],
    ['Require "all granted"', "delete the quotes"],
    ["Require env=local", "use `Require env` with the variable's name"],
    ["Require valid_user", "did you mean `valid-user`?"],
    ["Require bogus", "correct the name, or load the module that provides it"],
    ["Require ip 10.1.*", "use `Require ip 10.1`"],
    ["Require ip 10.0.0.1-10.0.0.9", "use networks such as `192.0.2.0/28`"],
    ["Require ip *.example.org", "use `Require host` for names"],
    ["Require ip 10.0.0.0/8;", "use spaces instead of semicolons"],
    ["Allow from 10.0.0.0/8, 192.168.0.0/16", "use spaces instead of commas"],
  ])("comes with help for %s", (line, remedy) => {
    const [finding] = findingsOf([refusedAtStart], inDirectory(line));
    expect(finding?.notes).toContain("httpd will not start");
    expect(finding?.help).toEqual([remedy]);
  });

  test("is reported for a provider whose module is not loaded", () => {
    const modules = ["authz_core_module", "authz_host_module"];
    expect(check(inDirectory("Require valid-user"), { modules })).toEqual([
      ["2:9-2:19", "valid-user", "Unknown Authz provider: valid-user"],
    ]);
    expect(check(inDirectory("Require ip 10"), { modules })).toEqual([]);
  });

  test("is reported once for each module that is not loaded", () => {
    const modules = ["authz_core_module", "auth_basic_module"];
    const text = inDirectory("Require valid-user", "Require user x", "AuthBasicProvider file");
    const findings = findingsOf([refusedAtStart], `${text}${text}`, { modules });
    const load = (module: string) => [`load \`${module}\``];
    expect(findings.map(({ at, message, help }) => [at, message, help])).toEqual([
      [
        "2:9-2:19",
        "`Require valid-user` needs `authz_user_module`, which is not loaded; 3 more lines need it",
        load("authz_user_module"),
      ],
      [
        "4:19-4:23",
        "`file` needs `authn_file_module`, which is not loaded; 1 more line needs it",
        load("authn_file_module"),
      ],
    ]);
    expect(findings[0]?.related).toEqual([3, 7, 8].map((n) => `httpd.conf:${n}:9: also needs the module`));
  });
});

const modules = listModules("2.4").map(({ identifier }) => identifier);

/** Returns the underlined text and httpd's message, with every module loaded. */
const checkAll = (text: string, given?: Given) =>
  check(text, { modules, ...given }).map(([, underlined, words]) => [underlined, words]);

describe("keywords and numbers", () => {
  test.each([
    ["HostnameLookups maybe", "maybe", "parameter must be 'on', 'off', or 'double'"],
    ["TraceEnable No", "No", "TraceEnable must be one of 'on', 'off', or 'extended'"],
    ["ServerSignature full", "full", "ServerSignature: use one of: off | on | email"],
    ["LimitRequestBody 10M", "10M", "LimitRequestBody requires a non-negative integer."],
    ["LimitRequestFields -1", "-1", 'LimitRequestFields "-1" must be a non-negative integer (0 = no limit)'],
    ["DeflateCompressionLevel 10", "10", "Compression Level must be between 1 and 9"],
    ["SSLVerifyClient 0", "0", "SSLVerifyClient: Invalid argument '0'"],
    ["SSLOptions +StdEnvVars +CompatEnvVars", "+CompatEnvVars", "SSLOptions: Illegal option 'CompatEnvVars'"],
    ["IndexOrderDefault Ascending Colour", "Colour", "Second keyword must be 'Name', 'Date', 'Size', or 'Description'"],
  ])("reports %s", (line, underlined, words) => {
    expect(checkAll(`${line}\n`)).toEqual([[underlined, words]]);
  });

  test.each([
    ["HostnameLookups DOUBLE"],
    ["TraceEnable off"],
    ["LimitRequestBody +10"],
    ["LimitRequestFields abc"],
    ["SendBufferSize 0"],
    ["SSLOptions +stdenvvars -ExportCertData"],
    ["Timeout soon"],
    ["AddDefaultCharset whatever"],
    ["MultiviewsMatch Any"],
  ])("does not report %s", (line) => {
    expect(checkAll(`${line}\n`)).toEqual([]);
  });

  test("lists the allowed values, and suggests the nearest one", () => {
    const [finding] = findingsOf([refusedAtStart], "AllowEncodedSlashes NoDecod\n");
    expect(finding).toMatchObject({
      message: "invalid value `NoDecod` for `AllowEncodedSlashes`",
      notes: [
        "httpd will not start",
        "allowed values: `On`, `Off` or `NoDecode`",
        "httpd reports: AllowEncodedSlashes must be On, Off, or NoDecode",
      ],
      help: ["use `NoDecode`"],
    });
  });
});

describe("the number of arguments", () => {
  const message = (line: string) => findingsOf([refusedAtStart], `${line}\n`)[0]?.message;

  test.each([
    ["NameVirtualHost", "`NameVirtualHost` needs 1 argument"],
    ["SetEnv", "`SetEnv` needs 1 or 2 arguments"],
    ["AddType text/html", "`AddType` takes at least 2 arguments, but 1 was given"],
    ["ErrorDocument 404 not found", "`ErrorDocument` takes 2 arguments, but 3 were given"],
    ["RewriteEngine", "`RewriteEngine` needs `On` or `Off`"],
  ])("reports %s", (line, expected) => {
    expect(message(line)).toMatch(expected);
  });
});

describe("keywords that exclude each other", () => {
  const exclusive = "Handlers is incompatible with Any and NegotiatedOnly";
  const registered = (name: string) =>
    `The alias provider ${name} has already be registered previously as either a base provider or an alias provider.`;

  test.each([
    ["MultiviewsMatch Any Handlers\n", "1:21-1:29", exclusive],
    ["MultiviewsMatch Any\nMultiviewsMatch Handlers\n", "2:17-2:25", exclusive],
    [
      "ForceLanguagePriority None\n<IfModule mod_env.c>\nForceLanguagePriority Prefer\n</IfModule>\n",
      ...["3:23-3:29", "Cannot combine ForceLanguagePriority options None and Prefer"],
    ],
    [
      "HttpProtocolOptions Strict unsafe\n",
      "1:28-1:34",
      "HttpProtocolOptions 'Strict' and 'Unsafe' are mutually exclusive",
    ],
    [
      "<AuthnProviderAlias file x>\n</AuthnProviderAlias>\n<AuthnProviderAlias file x>\n</AuthnProviderAlias>\n",
      ...["3:26-3:27", registered("x")],
    ],
    ["<AuthnProviderAlias dbm file>\n</AuthnProviderAlias>\n", "1:25-1:29", registered("file")],
    [
      "<AuthnProviderAlias file File>\n</AuthnProviderAlias>\n",
      ...["1:26-1:30", "The alias provider name must be different from the base provider name."],
    ],
  ])("reports %j", (text, at, server) => {
    expect(check(text).map(([place, , reply]) => [place, reply])).toEqual([[at, server]]);
  });

  test.each([
    ["MultiviewsMatch Handlers Filters\n"],
    ["MultiviewsMatch Any\n<Directory /a>\nMultiviewsMatch Handlers\n</Directory>\n"],
    ["<Files a>\nForceLanguagePriority None\n</Files>\n<Files a>\nForceLanguagePriority Prefer\n</Files>\n"],
    ["HttpProtocolOptions Strict\n<VirtualHost *>\nHttpProtocolOptions Unsafe\n</VirtualHost>\n"],
    ["<AuthnProviderAlias file x>\n</AuthnProviderAlias>\n<AuthnProviderAlias file X>\n</AuthnProviderAlias>\n"],
  ])("does not report %j", (text) => {
    expect(check(text)).toEqual([]);
  });

  test("reports the keyword that excludes another one", () => {
    const [finding] = findingsOf([refusedAtStart], "MultiviewsMatch Any\nMultiviewsMatch Handlers\n");
    expect(finding).toMatchObject({
      message: "`Handlers` cannot be combined with `Any`",
      notes: ["httpd will not start", "the arguments of the earlier line still apply", `httpd reports: ${exclusive}`],
      help: ["delete one of them"],
    });
  });
});

describe("lists of keywords", () => {
  test.each([
    ["AllowOverride FileInfo, Limit", "FileInfo,", "Illegal override option FileInfo,"],
    ["AllowOverride Options=Indexes,Foo", "Options=Indexes,Foo", "Illegal option Foo"],
    ["AllowOverride Nonfatal", "Nonfatal", "=Override, =Unknown or =All expected after Nonfatal"],
    [
      "Options Indexes FollowSymLinks +MultiViews",
      "+MultiViews",
      "Either all Options must start with + or -, or no Option may.",
    ],
    ["FileETag +None", "+None", "FileETag keyword 'None' cannot be used with '+' or '-'"],
    ["IndexOptions NameWidth=3", "NameWidth=3", "NameWidth value must be greater than 5"],
    ["AllowMethods GET post", "post", "AllowMethods: Invalid Method 'post'"],
    ["AuthBasicProvider File", "File", "Unknown Authn provider: File"],
    ["AuthBasicProvider fille", "fille", "Unknown Authn provider: fille"],
  ])("reports %s", (line, underlined, words) => {
    expect(checkAll(inDirectory(line))).toEqual([[underlined, words]]);
  });

  test.each([
    ["AllowOverride None fileinfo Limit=x Options=Indexes,MultiViews Nonfatal=All"],
    ["AllowOverrideList Redirect Nope"],
    ["IndexOptions FancyIndexing None +VersionSort NameWidth=* -IconWidth"],
    ["FileETag MTime -Size"],
    ["AllowMethods reset"],
    ["AuthBasicProvider file external"],
  ])("does not report %s", (line) => {
    expect(checkAll(inDirectory(line))).toEqual([]);
  });

  test("accepts SSLv2 in SSLProtocol only if it is removed", () => {
    expect(checkAll("SSLProtocol all -SSLv2 -SSLv3\n")).toEqual([]);
    expect(checkAll("SSLProtocol +SSLv2\n")).toEqual([["+SSLv2", "SSLProtocol: SSLv2 is no longer supported"]]);
  });

  test("reports a type of SSLSessionCache that 2.4 lacks, or whose module is not loaded", () => {
    expect(checkAll("SSLSessionCache shm:/run/cache\n")).toEqual([
      ["shm:/run/cache", "SSLSessionCache: 'shm' session cache not supported"],
    ]);
    const few = ["ssl_module", "socache_shmcb_module"];
    expect(checkAll("SSLSessionCache dbm:/run/cache\n", { modules: few })).toHaveLength(1);
    expect(checkAll("SSLSessionCache dbm:/run/cache\n")).toEqual([]);
    expect(checkAll("SSLSessionCache shmcb:/run/cache(512000)\n", { modules: few })).toEqual([]);
  });

  test("reports unknown levels and modules of LogLevel", () => {
    const few = ["alias_module"];
    expect(checkAll("LogLevel warning\n")).toHaveLength(1);
    expect(checkAll("LogLevel info alias:warn mod_alias.c:error core:debug\n", { modules: few })).toEqual([]);
    expect(checkAll("LogLevel info ssl:warn\n", { modules: few })).toEqual([["ssl:warn", "Cannot find module ssl"]]);
    expect(checkAll("LogLevel info mine:warn\n", { modules: [...few, "nobody_knows_module"] })).toEqual([]);
    // If the loaded modules are unknown, any may be loaded.
    expect(check("LogLevel info mine:warn\n")).toEqual([]);
  });
});

describe("addresses and names", () => {
  test.each([
    ["Listen abc", "abc", "Port must be specified"],
    ["Listen 65536", "65536", "Invalid address or port"],
    ["<VirtualHost 80>\n</VirtualHost>", "80", "Missing address for VirtualHost"],
    ["<VirtualHost *:80 *:0>\n</VirtualHost>", "*:0", "The address or port is invalid"],
    [
      "ServerName *.example.org",
      "*.example.org",
      'Invalid ServerName "*.example.org" use ServerAlias to set multiple server names.',
    ],
    [
      "ServerName example.org:http",
      "example.org:http",
      'The port number "example.org:http" is outside the appropriate range (i.e., 1..65535).',
    ],
  ])("reports %s", (line, underlined, words) => {
    expect(checkAll(`${line}\n`)).toEqual([[underlined, words]]);
  });

  test.each([
    ["Listen [00000:0::2]:8080 https"],
    ["<VirtualHost *:* _default_:443 [::1]>\n</VirtualHost>"],
    ["ServerName https://example.org:443"],
  ])("does not report %s", (line) => {
    expect(checkAll(`${line}\n`)).toEqual([]);
  });

  test("reports a second Listen line with the first one", () => {
    const [finding, ...more] = findingsOf([refusedAtStart], "Listen 80\nListen 127.0.0.1:80\nListen *:80\n");
    expect(finding).toMatchObject({ at: "3:1-3:12", related: ["httpd.conf:1:1: first Listen line for this address"] });
    expect(more).toEqual([]);
  });
});

describe("sections", () => {
  test.each([
    ["<Directory /a /b>\n</Directory>", "/b", "Multiple <Directory> arguments not (yet) supported."],
    ['<Directory ~ "a" b c>\n</Directory>', "b c", "Multiple <Directory> arguments not (yet) supported."],
    ['<FilesMatch ~ "a">\n</FilesMatch>', "~", "Multiple <FilesMatch> arguments not (yet) supported."],
    ['<If "true" x>\n</If>', "x", "Multiple <If> arguments not supported."],
    ["<VirtualHost>\n</VirtualHost>", "<VirtualHost>", "<VirtualHost> directive requires additional arguments"],
    ["<Else x>\n</Else>", "<Else x>", "<Else> does not take an argument"],
  ])("reports %s", (text, underlined, words) => {
    expect(checkAll(`${text}\n`)).toEqual([[underlined, words]]);
  });

  test.each([
    ['<Directory "/a b">\n</Directory>'],
    ['<Directory ~ "a">\n</Directory>'],
    ['<DirectoryMatch ~ "a">\n</DirectoryMatch>'],
    ["<Directory a/b> # comment\n</Directory>"],
    ["<Else>\n</Else>"],
  ])("does not report %s", (text) => {
    expect(checkAll(`${text}\n`)).toEqual([]);
  });
});

describe("regular expressions", () => {
  test.each([
    ['<FilesMatch "a(b">\n</FilesMatch>', "(", "Regex could not be compiled"],
    ['<Location ~ "*.php">\n</Location>', "*", "Regex could not be compiled"],
    ["AliasMatch ^/a) /b", ")", "Regular expression could not be compiled."],
    ["RedirectMatch 301 [a /b", "[", "Regular expression could not be compiled."],
    ["RewriteRule !a( b", "(", "RewriteRule: cannot compile regular expression 'a('"],
    ["RewriteCond %{HTTP_HOST} !^[z-a]", "z-a", "RewriteCond: cannot compile regular expression '^[z-a]'"],
    ["SetEnvIf User-Agent a{2,1} x", "{2,1}", "SetEnvIf regex could not be compiled."],
    ["BrowserMatch *MSIE* x", "*", "BrowserMatch regex could not be compiled."],
    ['Header edit X "a(" b', "(", "Header edit regex could not be compiled"],
    [
      '<If "%{REQUEST_URI} =~ m#^/a(#">\n</If>',
      "(",
      "Cannot parse condition clause: Failed to compile regular expression",
    ],
    ['SetEnvIf a "^\\\\\\\\[" b', '"^\\\\\\\\["', "SetEnvIf regex could not be compiled."],
  ])("reports %s", (text, underlined, words) => {
    expect(checkAll(`${text}\n`)).toEqual([[underlined, words]]);
  });

  test.each([
    ['<FilesMatch "\\.(php|inc)$">\n</FilesMatch>'],
    ["<Files a(b>\n</Files>"],
    ["RewriteRule ^(.*)$ a( [L]"],
    ["RewriteCond %{X} =a("],
    ["RewriteCond %{X} -ge5("],
    ["RewriteCond expr a("],
    ['SetEnvIf a "b\\\\" c'],
    ["<If \"'a(' == 'b('\">\n</If>"],
  ])("does not report %s", (text) => {
    expect(checkAll(`${text}\n`)).toEqual([]);
  });

  test("reports the cause and the help", () => {
    const [finding] = findingsOf([refusedAtStart], "RewriteRule ^(.*\\.php$ /x\n");
    expect(finding).toMatchObject({
      message: "invalid regular expression `^(.*\\.php$`",
      notes: [
        "httpd will not start",
        "`(` is never closed",
        "httpd reports: RewriteRule: cannot compile regular expression '^(.*\\.php$'",
      ],
      help: ["close it, or use `\\(` for the character"],
    });
  });
});

describe("lines that modules parse themselves", () => {
  test.each([
    ["RewriteRule ^a$", "RewriteRule ^a$", "RewriteRule: bad argument line '^a$'"],
    ["RewriteRule ^a b [L, R=301]", "[L,", "RewriteRule: bad flag delimiters"],
    ["RewriteRule ^a b [L,R=999]", "R=999", "RewriteRule: invalid HTTP response code '999' for flag 'R'"],
    ['RewriteRule ^a b "[L, Foo]"', "Foo", "RewriteRule: unknown flag 'Foo'"],
    ["RewriteCond %{X} a [L]", "L", "RewriteCond: unknown flag 'L'"],
    ["Redirect permanent /a example.org", "example.org", "Redirect to non-URL"],
    ["Redirect found /a http://x", "found", "Redirect: invalid first argument (of three)"],
    ["Redirect gone /a http://x", "http://x", "Redirect URL not valid for this status"],
    ["Redirect 301 /a", "Redirect 301 /a", "URL to redirect to is missing"],
    ["SetEnvIf a b", "SetEnvIf a b", "Missing envariable expression for SetEnvIf"],
    ["Header set X", "Header set X", "Header requires three arguments"],
    ['Header set X "50% off"', '"50% off"', "Unrecognized header format % "],
    ["Header set X y z", "z", "Unknown parameter: z"],
    ["ErrorDocument 4040 x", "4040", "Unsupported HTTP response code 4040"],
    [
      'ExpiresDefault "access plus 1 fortnight"',
      '"access plus 1 fortnight"',
      "'ExpiresDefault access plus 1 fortnight': bad expires code, unrecognised <type>'fortnight'",
    ],
    ["Port 80", "Port 80", "Port was replaced with Listen in Apache 2.0"],
    ['Error "set SITE first"', 'Error "set SITE first"', "set SITE first"],
    ["ProxyPass /a", "ProxyPass /a", "ProxyPass|ProxyPassMatch needs a path when not defined in a location"],
    ["Alias /a", "Alias /a", "Alias must have two arguments when used globally"],
    ["CustomLog a b c", "c", "error in condition clause"],
    ["Substitute s/a/b/x", "s/a/b/x", "Bad Substitute flag, only s///[infq] are supported"],
  ])("reports %s", (line, underlined, words) => {
    expect(checkAll(`${line}\n`)).toEqual([[underlined, words]]);
  });

  test.each([
    ['RewriteRule "^a b$" "c d" "[L, R=301, E=x:a b]" # comment'],
    ["RewriteRule ^a$ - [dummy]"],
    ["Redirect 404 /a"],
    ["Redirect 301 /a /b"],
    ["RedirectMatch 410 ^/a"],
    ['Header always set X "%{A}e 100%%" env=!y'],
    ["Header set X expr=%{REQUEST_URI}"],
    ["Header unset X early"],
    ["ErrorDocument 404x text"],
    ["ExpiresDefault A3600"],
    ["ProxyPass /a http://x retry=0 nocanon"],
    ['CustomLog a "%{X}i %>s %!200b" env=!y'],
    ["Substitute s|a(|b|n"],
  ])("does not report %s", (line) => {
    expect(checkAll(`${line}\n`)).toEqual([]);
  });

  test("takes the path from a section", () => {
    const inLocation = (line: string) => `<Location /a>\n${line}\n</Location>\n`;
    expect(checkAll(inLocation("Redirect permanent http://x"))).toEqual([]);
    expect(checkAll(inLocation("Alias /b"))).toEqual([]);
    expect(checkAll(inLocation("ProxyPass http://x"))).toEqual([]);
    expect(checkAll(inLocation("Alias /a /b"))).toHaveLength(1);
    expect(checkAll(inLocation("ProxyPass /a http://x"))).toHaveLength(1);
    expect(checkAll("Redirect permanent http://x\n")).toHaveLength(1);
    // The context of a fragment's top level is unknown.
    expect(checkAll("Redirect permanent http://x\n", { kind: "fragment" })).toEqual([]);
    expect(checkAll("Alias /b\n", { kind: "fragment" })).toEqual([]);
  });
});

describe("a comment after a directive", () => {
  test.each([
    ["ServerTokens Prod # quiet"],
    ["RewriteRule ^a b # moved"],
    ['Header set X "y" # comment'],
    ["Redirect /a http://x # moved"],
    ["SSLProtocol all -SSLv2 # old"],
    ["<Directory /a # x>\n</Directory>"],
    ["<Directory /a>\nOptions -Indexes # no lists\n</Directory>"],
    ["<Directory /a>\nOptions -Indexes #none\n</Directory>"],
    ["<Directory /a>\nRequire all granted # everybody\n</Directory>"],
    ["<Directory /a>\nRequire all denied #nobody\n</Directory>"],
  ])("is underlined in %s, with specific help", (line) => {
    const [finding] = findingsOf([refusedAtStart], `${line}\n`, { modules });
    expect(finding?.text).toMatch(/^#/);
    expect(finding).toMatchObject({
      message: "a comment cannot follow a directive on the same line",
      help: ["move the comment to a line of its own"],
    });
  });

  test.each(["RewriteCond %{HTTP_HOST} a [NC]# host", "RewriteRule ^a b [L]#moved"])(
    "is reported after the flags of %s",
    (line) => {
      expect(findingsOf([refusedAtStart], `${line}\n`, { modules })).toMatchObject([
        {
          message: "a comment cannot follow a directive on the same line",
          help: ["move the comment to a line of its own"],
        },
      ]);
    },
  );

  test.each([
    ["# httpd-lint-ignore directory-listing lists", "# httpd-lint-ignore-next-line directory-listing lists"],
    ["#httpd-lint-ignore: directory-listing", "#httpd-lint-ignore-next-line: directory-listing"],
    ["# httpd-lint-ignore-line directory-listing", "# httpd-lint-ignore-next-line directory-listing"],
    ["# httpd-lint-ignore-next-line directory-listing", "# httpd-lint-ignore-next-line directory-listing"],
  ])("that shall suppress findings belongs on the line before: %s", (comment, moved) => {
    const text = `<Directory /a>\n  Options Indexes ${comment}\n</Directory>\n`;
    const [finding] = lintText([refusedAtStart], text, { modules });
    expect(finding?.help).toEqual([`use \`${moved}\` on the line before`]);
    const fixed = applyEdits(text, finding?.fix?.edits ?? []);
    expect(fixed).toBe(`<Directory /a>\n  ${moved}\n  Options Indexes\n</Directory>\n`);
    expect(lintText([refusedAtStart], fixed, { modules })).toEqual([]);
  });

  test("is not reported in a part of the line that httpd does not read", () => {
    expect(checkAll("RewriteEngine on # comment\nRewriteRule ^a b [L] # comment\nErrorDocument 404 '# x'\n")).toEqual(
      [],
    );
  });
});

test("reports a header with its value in one argument", () => {
  const helpFor = (line: string) => findingsOf([refusedAtStart], `${line}\n`, { modules }).flatMap(({ help }) => help);
  const separation = "separate the name and the value with a space, and quote only the value";
  expect(helpFor('Header set "Cache-Control: max-age=60"')).toEqual([separation]);
  expect(helpFor('Header alwats set X-A "*"')).toEqual(["use `always`"]);
  expect(helpFor("Header onsucces unset X-A")).toEqual(["use `onsuccess`"]);
  expect(helpFor("Header always sett X-A 1")).toEqual(["use `set`"]);
  expect(helpFor("Header sett X-A 1")).toEqual(["use `set`"]);
  expect(helpFor("Header set Cache-Control:")).toEqual(["add the value"]);
});

test("does not report variables without a value, or placeholders of templates", () => {
  expect(
    checkAll("Listen ${PORT}\nServerName @HOST@:@PORT@\nKeepAlive %keepalive%\nLimitRequestBody {{ limit }}\n"),
  ).toEqual([]);
  expect(checkAll("RewriteRule ^a ${map:$1} [Foo]\n")).toHaveLength(1);
});

test("reports that requests return 500 in a `.htaccess` file", () => {
  const [finding] = findingsOf([refusedAtStart], "RewriteRule a( b\n", { kind: "htaccess" });
  expect(finding?.notes).toContain("requests below this directory return 500");
});

describe("a list of negated rules", () => {
  const files = { "/etc/httpd/blocked.conf": "Require not ip 203.0.113.9\nRequire not ip 203.0.113.10\n" };
  const list = (...lines: readonly string[]) =>
    findingsOf([refusedAtStart], section("Location /", ...lines), { files });

  test("is reported once, at the Include that adds it outside of RequireAll", () => {
    expect(list("Include blocked.conf")).toMatchObject([
      {
        text: "Include blocked.conf",
        message: "`Include` adds negated rules outside of `<RequireAll>`",
        related: ["blocked.conf:1:9: httpd rejects this line"],
        help: ["put this `Include` in `<RequireAll>` with a Require that grants access, such as `Require all granted`"],
      },
    ]);
  });

  test("is accepted in RequireAll", () => {
    expect(list("<RequireAll>", "Require all granted", "Include blocked.conf", "</RequireAll>")).toEqual([]);
  });

  test("is reported at its lines if the file has the container", () => {
    const own = { "/etc/httpd/any.conf": section("RequireAny", "Require not ip 203.0.113.9") };
    const found = findingsOf([refusedAtStart], section("Location /", "Include any.conf"), { files: own });
    expect(found.map(({ message }) => message)).toEqual(["`Require not` has no effect in `<RequireAny>`"]);
  });
});

describe("does not report", () => {
  test.each([
    ["Require valid-user"],
    ["Require ALL-granted\n".replace("ALL-", "all ")],
    ["Require all GRANTED"],
    ["Require ip 10.1 10.2. 2001:db8::/32 10.0.0.0/255.0.255.0"],
    ["Require method GET HEAD"],
    ["Require host # x"],
    ["Require env"],
    ["<RequireAll>\nRequire all granted\nRequire not ip 10\n</RequireAll>"],
    ["<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 10\n</RequireNone>\n</RequireAll>"],
    ["Order Deny,Allow"],
    ['Order "deny,allow"'],
    ["Allow FROM 010.1.2.3 env=# none a,b *"],
    ["Deny from 127.0.0.0/8"],
    ["Satisfy ANY"],
    ["Options None Indexes".replace(" Indexes", "")],
    ["Options All -Indexes"],
    ["<Limit FOO>\nRequire method FOO\n</Limit>"],
  ])("%s", (line) => {
    expect(check(inDirectory(line))).toEqual([]);
  });

  test("lines in a conditional section that does not apply", () => {
    expect(check(inDirectory("<IfModule mod_nope.c>\nRequire Bogus\n</IfModule>"))).toEqual([]);
  });

  test("a provider alias, except before its definition", () => {
    const alias = "<AuthzProviderAlias ip office 10.1>\n</AuthzProviderAlias>\n";
    expect(check(alias + inDirectory("Require office"))).toEqual([]);
    expect(check(inDirectory("Require office") + alias)).toHaveLength(1);
    expect(check(alias + inDirectory("Require Office"))).toHaveLength(1);
  });

  test("negation at the top level of a fragment, which may be in a container", () => {
    expect(check("Require not ip 10.1\n", { kind: "fragment" })).toEqual([]);
    expect(check("Require not ip 10.1/33\n", { kind: "fragment" })).toHaveLength(1);
  });

  test("providers that an unknown module may define", () => {
    const modules = ["authz_core_module", "nobody_knows_module"];
    expect(check(inDirectory("Require bogus"), { modules })).toEqual([]);
    expect(check(inDirectory("Require VALID-USER"), { modules })).toHaveLength(1);
  });

  test("syntax that only 2.4 rejects if the release is 2.2", () => {
    const given = { release: "2.2" } as const;
    expect(
      check(inDirectory("Require bogus", "Require", "Allow from 10.1 # x", "Options Indexes +MultiViews"), given),
    ).toEqual([]);
    expect(check(inDirectory("Order nope", "Deny from 127/8"), given)).toHaveLength(2);
  });

  test("misplaced directives", () => {
    expect(check("Require Bogus\nOrder nope\n")).toEqual([]);
  });
});

describe("a rejected line", () => {
  const rules = [implicitRequireAny, mixedAccessControl, oldAccessControl, refusedAtStart];
  const listRules = (...lines: readonly string[]) =>
    findingsOf(rules, inDirectory(...lines)).map((each) => `${each.at.split(":")[0]} ${each.rule}`);

  test.each([
    ["Order deny, allow", "Deny from all"],
    ["Satisfy both", "Deny from all"],
    ["Order denny,allow", "Require all granted"],
    ["Require ip 10.1/33", "Require valid-user"],
    ["Require method get", "Require valid-user"],
  ])("is reported once: %s, %s", (...lines) => {
    expect(listRules(...lines)).toEqual(["2 refused-at-start"]);
  });

  test("does not hide findings for other lines", () => {
    expect(listRules("Deny from all", "Satisfy both")).toEqual(["2 old-access-control", "3 refused-at-start"]);
    expect(listRules("Require all granted", "Order denny,allow")).toEqual(["3 refused-at-start"]);
    expect(listRules("Require ip 10", "Require Valid-User", "Require valid-user")).toEqual([
      "2 implicit-require-any",
      "3 refused-at-start",
    ]);
  });
});

test("reports a missing file and an undefined macro", () => {
  const findings = findingsOf([refusedAtStart], 'Include "/nope/x.conf"\nUse nope\n');
  expect(findings.map(({ at, severity }) => [at, severity])).toEqual([
    ["1:1-1:23", "error"],
    ["2:1-2:9", "error"],
  ]);
});

test("fixes a wildcard without a match, which 2.2 accepts", () => {
  const fixed = (text: string) =>
    applyFixes(lintText([refusedAtStart], text, { files: { "/etc/httpd/a/b": "" } }), () => true).texts.get(
      "/etc/httpd/httpd.conf",
    );
  expect(fixed("  include a/*.conf\n")).toBe("  IncludeOptional a/*.conf\n");
  expect(fixed("Include a/x.conf\n")).toBeUndefined();
});

test.each([
  ["/backup/etc/apache2/apache2.conf", "Include ports.conf", "info"],
  ["/backup/etc/apache2/apache2.conf", "Include mods-enabled/*.load", "info"],
  ["/backup/httpd/conf/httpd.conf", "Include conf.modules.d/*.conf", "info"],
  ["/etc/apache2/apache2.conf", "Include ports.conf", "error"],
  ["/backup/etc/apache2/apache2.conf", "Include port.conf", "error"],
  ["/backup/etc/apache2/apache2.conf", "Include /etc/phpmyadmin/apache.conf", "info"],
  ["/backup/etc/apache2/apache2.conf", "Include /backup/etc/apache2/port.conf", "error"],
  ["/etc/apache2/apache2.conf", "Include /etc/phpmyadmin/apache.conf", "error"],
  ["/backup/etc/apache2/httpd.conf", "Include /private/etc/apache2/extra/httpd-mpm.conf", "info"],
  ["/backup/conf/httpd.conf", 'Include "C:/wamp/conf/vhosts.conf"', "info"],
  ["/private/etc/apache2/httpd.conf", "Include /private/etc/apache2/extra/httpd-mpm.conf", "error"],
  ["/copy/conf/httpd.conf", "Include conf/extra/vhosts.conf", "info"],
  ["/copy/httpd.conf", "Include conf/extra/vhosts.conf", "info"],
  ["/copy/conf/httpd.conf", "ServerRoot /copy\nInclude conf/extra/vhosts.conf", "error"],
  ["/etc/httpd/conf/httpd.conf", "Include conf/extra/vhosts.conf", "error"],
  ["/backup/etc/apache2/apache2.conf", "LoadModule php5_module /modules/libphp5.so", "info"],
  ["/etc/apache2/apache2.conf", "LoadModule php5_module /modules/libphp5.so", "error"],
  ["/backup/etc/apache2/apache2.conf", "LoadModule dir_module /modules/mod_dirr.so", "error"],
])("reports in %s that the file of `%s` is missing: %s", (entry, line, severity) => {
  const access = memoryAccess({ [entry]: `ServerName a\n${line}\n`, "/modules/mod_dir.so": "" });
  const loaded = loadProject(entry, { release: "2.4", kind: "server", access });
  if (!loaded.ok) throw new Error(loaded.error);
  const { findings } = lintWithoutProofs(loaded.value, { rules: [refusedAtStart] });
  expect(findings.map((finding) => finding.severity)).toEqual([severity]);
});

test.each([
  ["/copy/conf/httpd.conf", "Include conf/extra/a.conf", "/copy/conf/extra/a.conf"],
  ["/copy/conf/httpd.conf", "Include extra/*.conf", "/copy/conf/extra/a.conf"],
  ["/copy/conf/httpd.conf", "Include ../conf.d/*.conf", "/copy/conf.d/a.conf"],
  ["/copy/conf/httpd.conf", "Include conf.d/*.conf", "/copy/conf.d/a.conf"],
  ["/copy/httpd.conf", "Include conf/extra/a.conf", "/copy/conf/extra/a.conf"],
])("finds in %s, which has no ServerRoot line, the file of `%s`", (entry, line, included) => {
  const access = memoryAccess({ [entry]: `${line}\n`, [included]: "ServerTokens Prod\n" });
  const loaded = loadProject(entry, { release: "2.4", kind: "server", access });
  if (!loaded.ok) throw new Error(loaded.error);
  expect(lintWithoutProofs(loaded.value, { rules: [refusedAtStart] }).findings).toEqual([]);
  expect(loaded.value.files.has(included)).toBe(true);
});

test("reports the missing files of a copy once, but each missing file of a server", () => {
  const lintServer = (entry: string, text: string) => {
    const loaded = loadProject(entry, { release: "2.4", kind: "server", access: memoryAccess({ [entry]: text }) });
    if (!loaded.ok) throw new Error(loaded.error);
    return lintWithoutProofs(loaded.value, { rules: [refusedAtStart] }).findings;
  };
  const text = "Include ports.conf\nInclude local.conf\nInclude sites-enabled/*.conf\n";
  const [finding, ...others] = lintServer("/backup/etc/apache2/apache2.conf", text);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    severity: "info",
    message: "`/backup/etc/apache2/ports.conf` cannot be included: it does not exist; 2 more fail",
    related: [{ message: "also includes missing files" }, { message: "also includes missing files" }],
  });
  expect(lintServer("/etc/apache2/apache2.conf", text).map(({ severity }) => severity)).toEqual([
    "error",
    "error",
    "error",
  ]);
  const [windows] = lintServer("/backup/conf/httpd.conf", 'Include "C:\\apache\\a.conf"\n');
  expect(windows?.message).toBe('the files of `Include "C:\\apache\\a.conf"` are not on this machine');
  // A main file below the ServerRoot that it names is not a copy.
  const own = 'ServerRoot "/home/me/apache"\nInclude /etc/phpmyadmin/apache.conf\n';
  expect(lintServer("/home/me/apache/conf/httpd.conf", own).map(({ severity }) => severity)).toEqual(["error"]);
});

test("reports a symbolic link to a missing file, but not to an existing one", () => {
  const lintServer = (links: Record<string, string>) => {
    const entry = "/etc/apache2/apache2.conf";
    const access = memoryAccess({ [entry]: "Include conf.d/*.conf\n", "/etc/a.conf": "" }, links);
    const loaded = loadProject(entry, { release: "2.4", kind: "server", serverRoot: "/etc/apache2", access });
    if (!loaded.ok) throw new Error(loaded.error);
    return lintWithoutProofs(loaded.value, { rules: [refusedAtStart] }).findings;
  };
  expect(lintServer({ "/etc/apache2/conf.d/a.conf": "/nope" })).toMatchObject([
    {
      severity: "error",
      message: "`/etc/apache2/conf.d/a.conf` cannot be included: it is a symbolic link to a missing file",
      help: ["correct the link, or use IncludeOptional"],
    },
  ]);
  expect(lintServer({ "/etc/apache2/conf.d/a.conf": "/etc/a.conf" })).toEqual([]);
});

describe("a fragment, which may be for another machine", () => {
  const inFragment = (text: string, files: Given["files"] = {}) =>
    findingsOf([refusedAtStart], text, { kind: "fragment", files });

  test.each([
    ["Include /etc/httpd/nope.conf", "`/etc/httpd/nope.conf` cannot be included: it does not exist"],
    ['Include "/etc/httpd/*.nope"', "the wildcard `*.nope` matches nothing in `/etc/httpd`"],
    ["Include /etc/nope/*.conf", "the directory `/etc/nope` cannot be listed: it does not exist"],
  ])("has an info for %s", (line, reason) => {
    expect(inFragment(`${line}\n`)).toMatchObject([
      {
        at: `1:1-1:${line.length + 1}`,
        severity: "info",
        message: reason,
        notes: [
          "the files may exist on the server; their directives were not checked",
          "httpd will not start on a server without it",
        ],
        help: [
          "pass `--sysroot` with a copy of the server's files",
          ...(reason.startsWith("the wildcard") ? ["if there may be no such file, use `IncludeOptional`"] : []),
        ],
      },
    ]);
  });

  test("has an error for files that include each other", () => {
    const files = { "/etc/httpd/a.conf": "Include /etc/httpd/a.conf\n" };
    expect(inFragment("Include /etc/httpd/a.conf\n", files)).toMatchObject([{ severity: "error" }]);
  });

  test("has an info for a relative path with an unknown base, but not for IncludeOptional", () => {
    expect(inFragment("Include x.conf\nInclude y.conf\n")).toMatchObject([
      {
        at: "1:1-1:15",
        severity: "info",
        message: "the files of `Include x.conf` were not found",
        notes: ["a relative path starts at the ServerRoot, which is not known", "their directives were not checked"],
      },
    ]);
    expect(inFragment("Include @CONF@/x.conf\n")).toEqual([]);
    expect(inFragment("IncludeOptional /nope/x.conf\n")).toEqual([]);
    expect(inFragment("Include /etc/httpd/a.conf\n", { "/etc/httpd/a.conf": "Listen 80\n" })).toEqual([]);
  });
});

test("reports that a `.htaccess` file returns 500, except for a RequireAll that only restricts", () => {
  const given = { kind: "htaccess" } as const;
  expect(findingsOf([refusedAtStart], "Require valid-usr\n", given)[0]?.notes).toContain(
    "requests below this directory return 500",
  );
  const [finding] = findingsOf([refusedAtStart], "<RequireAll>\nRequire not ip 10\n</RequireAll>\n", given);
  expect(finding?.severity).toBe("warning");
  expect(check("<Limit get>\nRequire local\n</Limit>\n", given)[0]?.[2]).toBe(
    "Could not register method 'get' for <Limit from .htaccess configuration",
  );
});

test("treats the values of a Buildout template as unknown", () => {
  const value = (name: string) => `$${`{${name}}`}`;
  const address = `${value("hosts:name")}:${value("ports:apache")}`;
  expect(findingsOf([refusedAtStart], `Listen ${address}\nServerName ${address}\n`)).toEqual([]);
  expect(findingsOf([refusedAtStart], `RewriteRule ^ ${value("map:key")} [nope]\n`)).toHaveLength(1);
});

test("does not report files below a relative ServerRoot that does not exist", () => {
  for (const root of ["server", `$${"{buildout:directory}"}/server`]) {
    const text = `ServerRoot ${root}\nInclude a.conf\n`;
    expect(findingsOf([refusedAtStart], text)).toEqual([]);
  }
});

test("reports a missing ServerRoot and its missing files as those of another machine", () => {
  const text = "ServerRoot /nope\nInclude a.conf\nInclude /b.conf\nOrder x\n";
  const findings = findingsOf([refusedAtStart], text).map(({ severity, ...parts }) => [
    parts.at,
    severity,
    textOf(parts),
  ]);
  expect(findings).toEqual([
    [
      "1:1-1:17",
      "info",
      "ServerRoot `/nope` is not a directory on this machine | note: files below it were not checked | note: httpd will not start on a server without it | help: correct the path, or pass the directory with its files as `--server-root`",
    ],
    ["3:1-3:16", "info", expect.stringMatching(/^`\/b.conf` cannot be included: it does not exist \|/)],
  ]);
});

describe("logs, locks, times, addresses of proxies, maps, and balancers", () => {
  test.each([
    ['LogFormat "%h %Z" x', '"%h %Z"', "Unrecognized LogFormat directive %Z"],
    ['CustomLog /dev/null "%h %^XX"', '"%h %^XX"', "Unrecognized LogFormat directive %^"],
    [
      "FancyIndexing on",
      "FancyIndexing on",
      "The FancyIndexing directive is no longer supported. Use IndexOptions FancyIndexing.",
    ],
    ["Mutex foo", "foo", "Invalid Mutex argument foo"],
    ["Mutex default SSL-cache", "SSL-cache", "Mutex type SSL-cache is not valid"],
    ["Mutex none", "Mutex none", "None is not allowed for mutex type default"],
    [
      "RequestReadTimeout header=20-40",
      "header=20-40",
      "RequestReadTimeout: header=20-40: Must set MinRate option if using timeout range",
    ],
    ["RequestReadTimeout head=20", "head=20", "RequestReadTimeout: head=20: Unknown RequestReadTimeout parameter"],
    ["RequestReadTimeout header=20s", "header=20s", "RequestReadTimeout: header=20s: Cannot parse 's'"],
    [
      "RemoteIPTrustedProxy 10.0.0.1 # front",
      "# front",
      "RemoteIP: Error parsing IP # (Name or service not known error) for RemoteIPTrustedProxy",
    ],
    [
      "RemoteIPInternalProxy 10.0.0.1/33",
      "10.0.0.1/33",
      "RemoteIP: Error parsing IP 10.0.0.1/33 (The specified network mask is invalid. error) for RemoteIPInternalProxy",
    ],
    ["RewriteMap lc int:tolowr", "int:tolowr", "RewriteMap: internal map not found:tolowr"],
    ["CharsetOptions DebugLevel=3", "DebugLevel=3", "Invalid CharsetOptions option: DebugLevel=3"],
    ["BalancerMember http://a", "BalancerMember http://a", "BalancerMember must define remote proxy server"],
    [
      "<Location /a>\nBalancerMember http://a\n</Location>",
      "BalancerMember http://a",
      "BalancerMember Bad syntax for a balancer name (/a)",
    ],
  ])("reports %s", (line, underlined, words) => {
    expect(checkAll(`${line}\n`)).toEqual([[underlined, words]]);
  });

  test.each([
    'LogFormat "%h %l %u %t \\"%r\\" %>s %b %{Referer}i %^ti %^FB %I %O %{SSL_PROTOCOL}x %%Z" x',
    "Mutex file:/run/lock ssl-cache OmitPID",
    "RequestReadTimeout header=20-40,MinRate=500 body=20,minrate=500",
    "RemoteIPTrustedProxy 10.0.0.0/8 ::1 proxy.example.org",
    "RewriteMap lc int:tolower",
    "RewriteMap hosts txt:/etc/hosts.map",
    "CharsetOptions noimplicitadd",
    "BalancerMember balancer://x http://a",
    "<Proxy balancer://x>\nBalancerMember http://a route=1\n</Proxy>",
  ])("does not report %s", (line) => {
    expect(checkAll(`${line}\n`)).toEqual([]);
  });

  test("does not report names of third-party modules, or of other fragments", () => {
    const given = { modules: [...modules, "company_module"] };
    expect(checkAll('LogFormat "%Z" x\nMutex default company\n', given)).toEqual([]);
    expect(check('LogFormat "%Z" x\n', { kind: "fragment" })).toEqual([]);
    expect(check("BalancerMember http://a\n", { kind: "fragment" })).toEqual([]);
  });

  test("reports a format letter and a map type of a module that is not loaded", () => {
    const few = { modules: ["mod_rewrite"] };
    expect(check('LogFormat "%h %x" x\nMutex default ssl-cache\nRewriteMap a dbd:x\n', few)).toMatchObject([
      ["1:11-1:18", '"%h %x"', "Unrecognized LogFormat directive %x"],
      ["3:14-3:19", "dbd:x", "RewriteMap types dbd and fastdbd require mod_dbd!"],
    ]);
  });
});

describe("one mistake in many places", () => {
  const order = "Order deny, allow\n";
  const inHosts = (...lines: readonly string[]) =>
    lines.map((line, index) => section("VirtualHost *:80", `ServerName s${index}.test`, inDirectory(line))).join("");
  const summarize = (text: string, given: Given = {}) =>
    findingsOf([refusedAtStart], text, given).map(({ at, notes, related }) => [at, notes?.at(-1), related.length]);

  test("is reported at the first of the virtual hosts or files", () => {
    expect(summarize(inHosts(order, order, order))).toEqual([["4:1-4:18", "the same applies to 2 more lines", 2]]);
    const files = { "/srv/a/.htaccess": order, "/srv/b/.htaccess": order };
    const root = 'DocumentRoot "/srv"\n<Directory "/srv">\nAllowOverride All\n</Directory>\n';
    expect(summarize(root, { files })).toEqual([["1:1-1:18", "the same applies to 1 more line", 1]]);
  });

  test("has one fix for all", () => {
    const text = inHosts("Require Valid-User", "Require Valid-User");
    const [finding, ...more] = lintText([refusedAtStart], text);
    expect([more.length, finding?.fix?.edits.length]).toEqual([0, 2]);
  });

  test("is reported separately within one section, or if the lines differ", () => {
    expect(summarize(inDirectory(order, order))).toHaveLength(2);
    expect(summarize(inHosts(order, "Order allow, deny"))).toHaveLength(2);
    expect(summarize(inHosts(order + order, order))).toEqual([
      ["4:1-4:18", "the same applies to 1 more line", 1],
      ["5:1-5:18", expect.stringMatching(/^httpd reports: order takes/), 0],
    ]);
  });
});

describe("the file of a module", () => {
  const files = { "/usr/lib/httpd/mod_alias.so": "", "/usr/lib/httpd/mod_dir.so": "", "/etc/httpd/x/readme": "" };
  const describeFindings = (text: string) =>
    findingsOf([refusedAtStart], text, { files }).map((each) => [each.at, textOf(each)]);

  test("is reported if it is missing among others", () => {
    expect(describeFindings("LoadModule dir_module /usr/lib/httpd/mod_dirr.so\n")).toEqual([
      [
        "1:1-1:49",
        "the module file `mod_dirr.so` does not exist in `/usr/lib/httpd` | note: httpd will not start | note: httpd reports: Cannot load /usr/lib/httpd/mod_dirr.so into server: /usr/lib/httpd/mod_dirr.so: cannot open shared object file: No such file or directory | help: did you mean `mod_dir.so`?",
      ],
    ]);
    expect(describeFindings("LoadModule php_module ../../usr/lib/httpd/libphp.so\n")).toHaveLength(1);
  });

  test.each([
    ["exists", "LoadModule dir_module /usr/lib/httpd/mod_dir.so"],
    ["belongs to a directory that does not exist here", "LoadModule dir_module /usr/lib64/httpd/modules/mod_dir.so"],
    ["belongs to a directory without modules", "LoadModule dir_module x/mod_dir.so"],
    ["has no directory, so that the system searches for it", "LoadModule dir_module mod_dir.so"],
    ["belongs to a module that is already loaded", "LoadModule so_module /usr/lib/httpd/mod_so.so"],
    ["contains a placeholder", "LoadModule dir_module /usr/lib/httpd/mod_@NAME@.so"],
  ])("is not reported if it %s", (_, line) => {
    expect(describeFindings(`${line}\n`)).toEqual([]);
  });

  test("is not required if the directory belongs to the other release", () => {
    const missing = (release: "2.2" | "2.4", ...names: readonly string[]) => {
      const inFolder = Object.fromEntries(names.map((name) => [`/etc/httpd/modules/mod_${name}.so`, ""]));
      const text = "LoadModule dir_module modules/mod_dirr.so\n";
      return findingsOf([refusedAtStart], text, { release, files: { ...files, ...inFolder } }).length;
    };
    expect([missing("2.2", "alias", "authz_core"), missing("2.4", "alias", "authz_core")]).toEqual([0, 1]);
    expect([missing("2.2", "alias", "authn_default"), missing("2.4", "alias", "authn_default")]).toEqual([1, 0]);
    expect([missing("2.2", "alias"), missing("2.4", "alias")]).toEqual([1, 1]);
    expect([missing("2.2", "authn_default", "authz_core"), missing("2.4", "authn_default", "authz_core")]).toEqual([
      1, 1,
    ]);
  });

  test("is left to removed-module if the module was removed", () => {
    const text = "LoadModule authz_default_module /usr/lib/httpd/mod_authz_default.so\n";
    expect(findingsOf([refusedAtStart, removedModule], text, { files }).map(({ rule }) => rule)).toEqual([
      "removed-module",
    ]);
  });
});

test("does not report a copy of a main file without its included files as a server that fails to start", () => {
  const text = "ServerRoot /etc/apache2\nListen 80\nInclude ports.conf\n";
  const severities = (entry: string, files: Readonly<Record<string, string>> = {}) => {
    const access = memoryAccess({ [entry]: text, "/etc/apache2/x": "", ...files });
    const loaded = loadProject(entry, { access });
    if (!loaded.ok) throw new Error(loaded.error);
    return lintWithoutProofs(loaded.value, { rules: [refusedAtStart] }).findings.map(({ severity }) => severity);
  };
  expect(severities("/copy/apache2.conf.txt")).toEqual(["info"]);
  expect(severities("/etc/apache2/apache2.conf")).toEqual(["error"]);
  expect(severities("/copy/apache2.conf.txt", { "/etc/apache2/ports.conf": "" })).toEqual([]);
  expect(severities("/copy/httpd.conf")).toEqual(["info"]);
  expect(severities("/etc/apache2/conf/httpd.conf")).toEqual(["error"]);
});

describe("a module without another whose functions it uses", () => {
  const load = (...names: readonly string[]) => names.map((name) => `LoadModule ${name}_module mod_${name}.so`);
  const messagesOf = (lines: readonly string[], given?: Given) =>
    findingsOf([refusedAtStart], wholeServer("Listen 80", ...lines), given).map(({ message }) => message);

  test("is reported if the other one is missing or loaded later", () => {
    expect(messagesOf(load("proxy_http"))).toEqual(["`proxy_http_module` needs `proxy_module`, which is not loaded"]);
    expect(messagesOf(load("dav_fs", "dav"))).toEqual(["`dav_fs_module` needs `dav_module`, which is loaded later"]);
  });

  test.each([
    ["modules in order", load("proxy", "proxy_http", "session", "session_cookie", "dav", "dav_fs")],
    ["a module that other modules start without", load("session", "cache")],
    ["a module that is only missing at the start", load("auth_form")],
    ["a line of a section that does not apply", ["<IfModule none>", ...load("proxy_http"), "</IfModule>"]],
    [
      "a file that may load the other one",
      ["IncludeOptional /missing/mods/*.load", "Include missing.conf", ...load("proxy_http")],
    ],
  ])("does not report %s", (_, lines) => {
    expect(messagesOf(lines).filter((message) => message.includes("needs"))).toEqual([]);
  });

  test("does not report a release or a system where it may start", () => {
    expect(messagesOf(load("proxy_http"), { release: "2.2" })).toEqual([]);
    const windows = ['DocumentRoot "C:/srv"', ...load("proxy_http")];
    expect(messagesOf(windows).filter((message) => message.includes("needs"))).toEqual([]);
  });
});

describe("an override class or option that is cut off", () => {
  const helpFor = (line: string) =>
    findingsOf([refusedAtStart], `<Directory "/srv">\n${line}\n</Directory>\n`).flatMap(({ help = [] }) => help);

  test.each([
    ["AllowOverride Auth", "did you mean `AuthConfig`?"],
    ["AllowOverride file", "did you mean `FileInfo`?"],
    ["Options Follow", "did you mean `FollowSymLinks`?"],
    ["Options FollowSymbolicLinks", "did you mean `FollowSymLinks`?"],
    ["Options +followlinks", "did you mean `FollowSymLinks`?"],
    ["RewriteRule a b [RL]", "did you mean `R,L`?"],
    ["RewriteRule a b [NCRL]", "did you mean `NC,R,L`?"],
    ["RewriteRule a b [LQSA]", "did you mean `L,QSA`?"],
    ["RewriteRule a b [QSAL,NC]", "did you mean `QSA,L`?"],
    ["RewriteRule a b [LR=301]", "did you mean `L,R=301`?"],
    ["RewriteRule a b [PTL]", "did you mean `PT,L`?"],
    ["RewriteCond a b [NCOR]", "did you mean `NC,OR`?"],
    ["RewriteRule a b [NCC]", "did you mean `NC`?"],
    ["RewriteRule a b [LL]", "did you mean `L`?"],
    ["RewriteRule a b [QSSA]", "did you mean `QSA`?"],
    ["RewriteRule a b [NL]", "did you mean `L`?"],
    ["RewriteRule a b [LNX]", "correct it, or delete it"],
    ["Options \u2013Indexes", "use `-Indexes`: the sign is a hyphen, not a dash"],
    ["Options \u2014indexes", "use `-Indexes`: the sign is a hyphen, not a dash"],
    ["Options \u2212MultiViews", "use `-MultiViews`: the sign is a hyphen, not a dash"],
    ["Options \u2013Nothing", "correct it, or delete it"],
    ["AllowOverride Foo", "correct it, or delete it"],
    ["Options In", "correct it, or delete it"],
  ])("%s", (line, help) => {
    expect(helpFor(line)).toEqual([help]);
  });
});

describe("a word of 2.4 on 2.2", () => {
  const reportOn = (line: string) =>
    findingsOf([refusedAtStart], `RewriteEngine On\n${line}\n`, { release: "2.2" }).map(({ message, help = [] }) => [
      message,
      ...help,
    ]);
  const section = (version: string) => `delete it, or put the line in a section \`<IfVersion >= ${version}>\``;

  test.each([
    ["RewriteRule ^a b [QSD,L]", "`QSD` needs httpd 2.4 or later", section("2.4")],
    ["RewriteRule ^a b [end]", "`end` needs httpd 2.4 or later", section("2.4")],
    ["RewriteRule ^a b [L,BCTLS]", "`BCTLS` needs httpd 2.4.57 or later", section("2.4.57")],
    ["RewriteOptions InheritDown", "`InheritDown` needs httpd 2.4.9 or later", section("2.4.9")],
    ["RewriteRule ^a b [QSX]", "unknown flag `QSX`", "did you mean `QSA`?"],
    ["RewriteOptions Inhert", "unknown rewrite option `Inhert`", "did you mean `Inherit`?"],
  ])("%s", (line, ...expected) => {
    expect(reportOn(line)).toEqual([expected]);
  });

  test.each(["RewriteRule ^a b [QSA,L]", "RewriteOptions inherit", "RewriteRule ^a b [DPI]"])("not %s", (line) => {
    expect(reportOn(line)).toEqual([]);
  });
});

describe("a parameter with blanks around its `=`", () => {
  test.each([
    ["ProxyPass / http://b/ timeout = 60", "timeout=60"],
    ["ProxyPass / http://b/ retry=1 timeout= 60", "timeout=60"],
    ["ProxyPass / http://b/ timeout =60 retry=1", "timeout=60"],
    [section('Proxy "balancer://b"', "BalancerMember http://b loadfactor = 5").trimEnd(), "loadfactor=5"],
  ])("%s", (lines, joined) => {
    const [found] = findingsOf([refusedAtStart], section("VirtualHost *:80", lines), { kind: "fragment" });
    expect(found?.help).toEqual([`use \`${joined}\`, without blanks`]);
  });

  test("is not suggested for another word", () => {
    const [found] = findingsOf([refusedAtStart], section("VirtualHost *:80", "ProxyPass / http://b/ nocache"), {
      kind: "fragment",
    });
    expect(found?.help).toEqual(["use parameters of the form `key=value`, and delete the rest"]);
  });
});
