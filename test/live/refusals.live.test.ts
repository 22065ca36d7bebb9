import { describe, expect, test } from "vitest";
import { quoteArgument } from "../../grammar/arguments.js";
import { findPatternError } from "../../src/regex/pcre/compile-error.js";
import { allowedValues } from "../../src/startup/directives/values.js";
import { randomPattern } from "../regex/pcre/random-pattern.js";
import { randomDirective } from "../startup/random-directive.js";
import { runCount, sampleOf, seedOr } from "../support/depth.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { type Verdicts, verdictsOn } from "../support/httpd/startup-verdicts.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";
import { Random } from "../support/random/random.js";

const count = runCount(20, 300);
const seed = seedOr(20260302);

const modules =
  "mpm_event authn_core authz_core authn_file auth_basic auth_digest authz_user authz_host access_compat allowmethods env setenvif alias dir actions mime negotiation autoindex include rewrite headers expires deflate substitute usertrack userdir ssl socache_shmcb proxy proxy_http proxy_balancer slotmem_shm lbmethod_byrequests reqtimeout remoteip charset_lite ext_filter".split(
    " ",
  );

/** Tests lines, which are separated by pilcrows. */
function testLines(folder: string, lines: string): Verdicts {
  const head = `${loadModules(modules)}ServerName x.test\nErrorLog /dev/null\nServerRoot "${folder}"\n`;
  return verdictsOn(folder, `${head}${lines.replaceAll("¶", "\n")}\n`);
}

const inDirectory = (line: string) => `<Directory /a>¶${line}¶</Directory>`;

/** Lines that the server accepts and lines that it rejects, by topic. */
const tables: Readonly<Record<string, string>> = {
  "core: numbers, names and times": String.raw`
KeepAlive maybe
KeepAlive On really
KeepAliveTimeout abc
KeepAliveTimeout 5x
KeepAliveTimeout 5m
KeepAliveTimeout 5.5
KeepAliveTimeout 100ms
KeepAliveTimeout 5min
Timeout abc
LimitRequestBody 10M
LimitRequestBody -1
LimitRequestBody +5
LimitRequestBody 0x10
LimitRequestFields " -1"
LimitRequestFields abc
LimitInternalRecursion 5 0
LimitInternalRecursion 5x 5
MaxRanges 5x
MaxRanges foo
SendBufferSize abc
SendBufferSize 511
SSLVerifyDepth x
ServerName foo:99999
ServerName foo:abc
ServerName foo:
ServerName foo:80x
ServerName https://foo:0
ServerName *.example.org
ServerName foo?
ServerName a[b]
ServerName a[b
ServerName a\*b
ServerName ::1
ServerName [::1]:80
ErrorDocument 999 x
ErrorDocument abc x
ErrorDocument 418 x
ErrorDocument 404x x
ErrorDocument 00404 x
ErrorDocument 404 /a b
Error "stop here"
Error a b "c"
Error
<IfModule !mod_alias.c>¶Error "no alias"¶</IfModule>
Port 80
Port
NameVirtualHost *:80
NameVirtualHost
UserDir
UserDir disabled
AddDefaultCharset whatever
ForceType none`,
  "core: word lists": String.raw`
<Directory /a>¶AllowOverride Foo¶</Directory>
<Directory /a>¶AllowOverride¶</Directory>
<Directory /a>¶AllowOverride ""¶</Directory>
<Directory /a>¶AllowOverride None All¶</Directory>
<Directory /a>¶AllowOverride +All¶</Directory>
<Directory /a>¶AllowOverride FileInfo, Limit¶</Directory>
<Directory /a>¶AllowOverride fileinfo Limit=x¶</Directory>
<Directory /a>¶AllowOverride All # all of them¶</Directory>
<Directory /a>¶AllowOverride Options=Indexes,MultiViews¶</Directory>
<Directory /a>¶AllowOverride Options=Indexes,Foo¶</Directory>
<Directory /a>¶AllowOverride Options=¶</Directory>
<Directory /a>¶AllowOverride Nonfatal¶</Directory>
<Directory /a>¶AllowOverride Nonfatal=Foo¶</Directory>
<Directory /a>¶AllowOverrideList Redirect None¶</Directory>
<Directory /a>¶AllowOverrideList None¶</Directory>
<Directory /a>¶AllowOverrideList Nope¶</Directory>
<Directory /a>¶AllowMethods GET get¶</Directory>
<Directory /a>¶AllowMethods RESET¶</Directory>
<Directory /a>¶AllowMethods¶</Directory>
<Directory /a>¶Options Indexes FollowSymLinks +MultiViews¶</Directory>
<Directory /a>¶Options Index¶</Directory>
<Directory /a>¶Options -Indexes # comment¶</Directory>
FileETag foo
FileETag +None
FileETag MTime -Size
LogLevel warning
LogLevel info ssl:warn rewrite_module:trace3 mod_alias.c:error
LogLevel warn mod_alias:info
LogLevel warn nope:info
LogLevel warn ssl:
LogLevel warn ssl:loud
LogLevel trace9
LogLevel TRACE8
HttpProtocolOptions Strict Loose
SSLOptions +StdEnvVars +CompatEnvVars
SSLOptions +stdenvvars -ExportCertData
SSLProtocol all -SSLv2 -SSLv3
SSLProtocol SSLv2
SSLProtocol +TLSv1 +SSLv2
SSLProtocol All,-SSLv2
SSLProtocol TLS1.2
SSLProxyProtocol SSLv2
SSLCARevocationCheck leaf no_crl_for_cert_ok
SSLCARevocationCheck leaf foo
IndexOptions FancyIndexing foo
IndexOptions FancyIndexing,VersionSort
IndexOptions None FancyIndexing
IndexOptions FancyIndexing None
IndexOptions None +FancyIndexing
IndexOptions -None
IndexOptions NameWidth
IndexOptions -NameWidth
IndexOptions NameWidth=* DescriptionWidth=80 IconWidth=20 Charset=UTF-8
IndexOptions NameWidth=4
IndexOptions DescriptionWidth=x
IndexOptions -IconHeight=3
IndexOptions XHTML=1
IndexOrderDefault Ascending Colour
Action x /y virtual
Action x /y z
RewriteOptions inherit,ignoreinherit
RewriteOptions Inherit MaxRedirects=10`,
  Listen: String.raw`
Listen abc
Listen 0
Listen 65535
Listen 65536
Listen 00080
Listen *:8080
Listen *
Listen 192.0.2.1
Listen 127.0.0.1:80x
Listen :80
Listen [::1]:8080
Listen [x]:8080
Listen [::1]8080
Listen [::ffff:127.0.0.1]:8080
Listen 8080 https x
Listen 8080 # x
Listen
Listen 8080¶Listen 127.0.0.1:8080¶Listen *:8080`,
  sections: String.raw`
<Directory /a /b>¶</Directory>
<Directory "/a" b>¶</Directory>
<Directory "/a b">¶</Directory>
<Directory a/b>¶</Directory>
<Directory /a> # comment¶</Directory>
<Directory /a # comment>¶</Directory>
<Directory /a /b>¶Order nope¶</Directory>
<Directory ~ "a(">¶</Directory>
<Directory ~ "a" b>¶</Directory>
<DirectoryMatch ~ "a(">¶</DirectoryMatch>
<DirectoryMatch "^/a/(?<n>b)">¶</DirectoryMatch>
<DirectoryMatch a( b>¶</DirectoryMatch>
<Files a b>¶</Files>
<Files ~ "\.(php|inc$">¶</Files>
<Files "a(b">¶</Files>
<FilesMatch ~ "\.php$">¶</FilesMatch>
<FilesMatch "\.php$>¶</FilesMatch>
<FilesMatch "a(b">¶</FilesMatch>
<Location /a /b>¶</Location>
<Location ~ "*">¶</Location>
<LocationMatch ~ a>¶</LocationMatch>
<LocationMatch "[\w-.]">¶</LocationMatch>
<LocationMatch "[\w.-]">¶</LocationMatch>
<ProxyMatch "a(">¶</ProxyMatch>
<VirtualHost>¶</VirtualHost>
<VirtualHost 80>¶</VirtualHost>
<VirtualHost :80>¶</VirtualHost>
<VirtualHost *>¶</VirtualHost>
<VirtualHost *:* _default_:443>¶</VirtualHost>
<VirtualHost *:99999>¶</VirtualHost>
<VirtualHost *:80 *:0>¶</VirtualHost>
<VirtualHost 80:*>¶</VirtualHost>
<VirtualHost [00000:0::2]:8080>¶</VirtualHost>
<If "true" "false">¶</If>
<If "true">¶</If>¶<Else x>¶</Else>
<If "%{REQUEST_URI} =~ m#a(#">¶</If>
<If "%{REQUEST_URI} =~ m#a\(#i">¶</If>
<If "%{REQUEST_URI} !~ /[z-a]/ || true" x>¶</If>
<Location />¶<If true>¶</If>¶<ElseIf "-n '' && %{QUERY_STRING} =~ /+/">¶</ElseIf>¶</Location>`,
  "patterns in other directives": String.raw`
AliasMatch a( /x
ScriptAliasMatch ^/cgi(.*) /x$1
SetEnvIf Request_URI a( x
SetEnvIf Request_URI "a\\" x
SetEnvIf Request_URI "^a\\" x
SetEnvIf ^X(.* b x
SetEnvIf X.y b x
SetEnvIf a b
SetEnvIf a
SetEnvIf
SetEnvIfNoCase a b ""
BrowserMatch *MSIE* x
BrowserMatch MSIE x
BrowserMatchNoCase MSIE
SetEnvIfExpr "%{REQUEST_URI} =~ /a)/" x
SetEnvIfExpr "true"
SetEnvIfExpr
<Directory /a>¶Require expr %{REQUEST_URI} =~ /a(/¶</Directory>
<Directory /a>¶Require expr "%{REQUEST_URI} =~ /a/"¶</Directory>
Substitute s/a(/b/
Substitute s|a(|b|n
Substitute s/a/b/x
Substitute s/a
Substitute a/b/
ProxyRemoteMatch a( http://x:8080
<FilesMatch "^*">¶</FilesMatch>
<FilesMatch "a**">¶</FilesMatch>
<FilesMatch "a*+">¶</FilesMatch>
<FilesMatch "a{2,1}">¶</FilesMatch>
<FilesMatch "a{2,x}">¶</FilesMatch>
<FilesMatch "a\\">¶</FilesMatch>
<FilesMatch "(?y)">¶</FilesMatch>
<FilesMatch "(?i)a">¶</FilesMatch>
<FilesMatch "(a)\2">¶</FilesMatch>
<FilesMatch "(a)\1">¶</FilesMatch>
<FilesMatch "[z-a]">¶</FilesMatch>
<FilesMatch "[[:foo:]]">¶</FilesMatch>
<FilesMatch "[:alpha:]">¶</FilesMatch>
<FilesMatch "[]a]">¶</FilesMatch>
<FilesMatch "[]">¶</FilesMatch>
<FilesMatch "\.(jpg|png)$)">¶</FilesMatch>
<FilesMatch "c:\install">¶</FilesMatch>`,
  rewrite: String.raw`
RewriteRule ^a$
RewriteRule "^a$"
RewriteRule "^a
RewriteRule ^a\ b
RewriteRule "^a b$" "c d" [L]
RewriteRule ^a b [L,R=301]
RewriteRule ^a b [L, R=301]
RewriteRule ^a b "[L, R=301]"
RewriteRule ^a b [L,R=999]
RewriteRule ^a b [R=foo]
RewriteRule ^a b [passthru]
RewriteRule ^a b [L,]
RewriteRule ^a b []
RewriteRule ^a b [NC
RewriteRule ^a b R=301
RewriteRule ^a b # comment
RewriteRule ^a b [L] # comment
RewriteRule ^a b [dummy]
RewriteRule ^a b [BNE]
RewriteRule ^a - [E=A:"x,y"]
RewriteRule !a( b
RewriteRule ^(.*\.php$ b [X]
RewriteCond %{X}
RewriteCond %{X} a [L]
RewriteCond %{X} a [NC,OR]
RewriteCond %{X} a [NC]# comment
RewriteCond %{X} # comment
RewriteCond %{X} !a(
RewriteCond %{X} =a(
RewriteCond %{X} -ge5(
RewriteCond %{X} -d
RewriteCond %{X} -d(
RewriteCond expr "true"
RewriteEngine maybe
RewriteEngine on # comment
<Directory /a>¶RewriteBase a¶</Directory>`,
  "redirects and aliases": String.raw`
Redirect permanent /a www.example.org
Redirect permanent /a http://www.example.org
Redirect permanent /a
Redirect gone /a
Redirect gone /a http://x
Redirect 404 /a
Redirect 301 /a /b
Redirect found /a http://x
Redirect /a http://x # comment
Redirect /a
<Location /a>¶Redirect permanent http://x¶</Location>
<Location /a>¶Redirect http://x¶</Location>
<Location /a>¶Redirect 301¶</Location>
<Location /a>¶Redirect / x¶</Location>
RedirectTemp /a b
RedirectPermanent /a /b
RedirectMatch 301 a( b
RedirectMatch 301 ^/a b
RedirectMatch 404 \.git
RedirectMatch ^/a$
Alias /a
<Location /a>¶Alias /b¶</Location>
<Location /a>¶Alias /a /b¶</Location>
ScriptAlias /a`,
  headers: String.raw`
Header foo bar
Header
Header set X
Header set X y
Header set X y z
Header set X "y" # comment
Header set "X: y"
Header always set X y env=!z
Header onerror set X y
Header set X y env=
Header unset X y z
Header unset X early
Header echo a(
Header edit X a
Header edit X a( b
Header edit* X ^a b env=x
Header set X "100% y"
Header set X 100%
Header set X "%{A}e %t %%"
Header set X %{A}
Header edit X a %Q
Header set X "expr=%{REQUEST_URI}"
Header set X y "expr=%{REQUEST_URI} =~ /a(/"
RequestHeader always set X y
RequestHeader echo X
RequestHeader set X y a b
RequestHeader set X y env=a b c`,
  "expiry, logs, proxies": String.raw`
ExpiresDefault "access plus 1 month 2 days"
ExpiresDefault "access plus 1 fortnight"
ExpiresDefault "access plus month"
ExpiresDefault "access plus 1"
ExpiresDefault "plus 1 day"
ExpiresDefault A3600
ExpiresDefault access plus 1 day
ExpiresByType text "access"
ExpiresByType text/html "now 1 m"
LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\"" x
LogFormat "%{Referer}\" %s"
LogFormat "100% "
LogFormat "%{x}"
CustomLog /dev/null "%h" env=
CustomLog /dev/null "%h" env=!x
CustomLog /dev/null "%h" x
CustomLog /dev/null "%h %"
ProxyPass /a
ProxyPass /a !
ProxyPass /a http://x retry=0 nocanon
ProxyPass /a http://x # comment
ProxyPass /a localhost:8080
ProxyPass /a 127.0.0.1:8080
ProxyPass /a /b
ProxyPass ~ a( http://x
ProxyPassMatch a( http://x
ProxyPassMatch ~ a http://x
<Location /a>¶ProxyPass http://x¶</Location>
<Location /a>¶ProxyPass /a http://x¶</Location>
<Location /a>¶ProxyPassReverse /a http://x¶</Location>
ProxyPassReverse http://x
<Directory /a>¶AuthBasicProvider File¶</Directory>
<Directory /a>¶AuthBasicProvider file ldap¶</Directory>
<Directory /a>¶AuthBasicProvider file # users¶</Directory>
<AuthnProviderAlias file Office>¶</AuthnProviderAlias>¶<Directory /a>¶AuthBasicProvider Office¶</Directory>
<AuthnProviderAlias File x>¶</AuthnProviderAlias>
<AuthnProviderAlias file x>¶</AuthnProviderAlias>¶<AuthnProviderAlias file x>¶</AuthnProviderAlias>
<AuthnProviderAlias file x>¶</AuthnProviderAlias>¶<AuthnProviderAlias file X>¶</AuthnProviderAlias>
<AuthnProviderAlias file FILE>¶</AuthnProviderAlias>
<AuthnProviderAlias nope Nope>¶</AuthnProviderAlias>
<AuthnProviderAlias file dbm>¶</AuthnProviderAlias>
<AuthnProviderAlias dbm file>¶</AuthnProviderAlias>
<AuthnProviderAlias file>¶</AuthnProviderAlias>
<AuthnProviderAlias file "">¶</AuthnProviderAlias>`,
  "words that exclude each other, on one or several lines of a section": `
HttpProtocolOptions Strict Unsafe
HttpProtocolOptions Strict Strict Require1.0 LenientMethods
HttpProtocolOptions strict¶HttpProtocolOptions Require1.0¶HttpProtocolOptions UNSAFE
HttpProtocolOptions Allow0.9¶<VirtualHost *>¶HttpProtocolOptions Require1.0¶</VirtualHost>
HttpProtocolOptions RegisteredMethods Allow0.9 LenientMethods
HttpProtocolOptions Require1.0 Allow0.9
ForceLanguagePriority None Prefer
ForceLanguagePriority Prefer Fallback¶ForceLanguagePriority None
ForceLanguagePriority None¶ForceLanguagePriority none
ForceLanguagePriority None¶<Directory /a>¶ForceLanguagePriority Fallback¶</Directory>
ForceLanguagePriority None¶<IfModule mod_env.c>¶ForceLanguagePriority Fallback¶</IfModule>
MultiviewsMatch Handlers Filters
MultiviewsMatch Any¶MultiviewsMatch NegotiatedOnly
MultiviewsMatch Filters¶MultiviewsMatch ANY
MultiviewsMatch NegotiatedOnly Handlers
MultiviewsMatch Any Any Filters
MultiviewsMatch Any¶<Directory /a>¶MultiviewsMatch Filters¶</Directory>
<Directory /a>¶MultiviewsMatch Any¶</Directory>¶<Directory /a>¶MultiviewsMatch Handlers¶</Directory>
<Directory /a>¶MultiviewsMatch Any¶MultiviewsMatch Handlers¶</Directory>
MultiviewsMatch Foo Any¶MultiviewsMatch Filters`,
  "log formats, and removed directives": String.raw`
LogFormat "%Z %h" x
LogFormat "%{a}Q" x
LogFormat "%y" x
LogFormat "%h %^XX" x
LogFormat "%^" x
LogFormat "%^t" x
LogFormat "%h %{x}^to %^ti %^FB %I %S %c %{X}x %%Z" x
LogFormat "%!200,304{Referer}i %<s %>s %400,501{User-agent}i"
CustomLog /dev/null "%h %J"
CustomLog /dev/null common
FancyIndexing On
SSLLog x
SSLLogLevel info
MaxClients 50
DefaultType text/plain
NameVirtualHost *:80`,
  Mutex: String.raw`
Mutex default
Mutex Default
Mutex foo
Mutex
Mutex none
Mutex yes
Mutex none proxy
Mutex none nope
Mutex OmitPID
Mutex pthread default
Mutex sem nope
Mutex sem rewrite-map ssl-cache
Mutex default ssl-cache foo
Mutex default foo ldap-cache
Mutex default SSL-cache
Mutex default ldap-cache
Mutex default watchdog-callback OmitPID
Mutex file:/ default
Mutex posixsem # comment`,
  RequestReadTimeout: String.raw`
RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500
RequestReadTimeout foo=1
RequestReadTimeout header=x
RequestReadTimeout header=40-20
RequestReadTimeout header=40-20,MinRate=500
RequestReadTimeout header=20-0,MinRate=500
RequestReadTimeout header=20-40,minrate=500
RequestReadTimeout header=20-40, MinRate=500
RequestReadTimeout header
RequestReadTimeout header=
RequestReadTimeout header=20,MinRate=0
RequestReadTimeout header=20,foo=1
RequestReadTimeout header=20,MinRate=abc
RequestReadTimeout header=20,MinRate=-5
RequestReadTimeout handshake=5 header=20s
RequestReadTimeout header=20-
RequestReadTimeout header=20-x,MinRate=5
RequestReadTimeout header=20-30-40,MinRate=5
RequestReadTimeout header=-1
RequestReadTimeout HEADER=20 header=30
RequestReadTimeout header=20 # comment
RequestReadTimeout`,
  "addresses of proxies": String.raw`
RemoteIPTrustedProxy 10.0.0.1 # x
RemoteIPTrustedProxy 10.0.0.0/8 10 ::1 localhost
RemoteIPTrustedProxy 10.0.0.1/33
RemoteIPTrustedProxy 10.0.0.1,10.0.0.2
RemoteIPTrustedProxy localhost/8
RemoteIPInternalProxy #x
RemoteIPInternalProxy 10.0.0.0/0
RemoteIPInternalProxy 10.0.0.1:80
RemoteIPInternalProxy "10.0.0.1 10.0.0.2"
RemoteIPProxyProtocolExceptions foo
RemoteIPProxyProtocolExceptions foo/8
RemoteIPProxyProtocolExceptions 10.0.0.1 # x
RemoteIPProxyProtocolExceptions 10.0.0.1/33
RemoteIPProxyProtocolExceptions 10.0.0.0/8 ::1`,
  RewriteMap: String.raw`
RewriteMap a int:nope
RewriteMap a int:toupper
RewriteMap a INT:unescape
RewriteMap a int:Tolower
RewriteMap a int:
RewriteMap a dbd:x
RewriteMap a fastdbd:x
RewriteMap a dbm
RewriteMap a dbmx:/y
RewriteMap a dbm=sdbm
RewriteMap a`,
  BalancerMember: String.raw`
BalancerMember
BalancerMember http://a
BalancerMember a=b
BalancerMember balancer://x
BalancerMember balancer://x http://a
BalancerMember http://a http://b
BalancerMember foo http://b
BalancerMember balancer:/x http://a
BalancerMember balancer://x http://a http://b
<VirtualHost *:80>¶BalancerMember http://a route=1¶</VirtualHost>
<Proxy balancer://x>¶BalancerMember¶</Proxy>
<Proxy balancer://x>¶BalancerMember http://a route=1¶</Proxy>
<Proxy "balancer://x">¶BalancerMember "http://a"¶</Proxy>
<Proxy balancer://x>¶BalancerMember lbset=1¶</Proxy>
<Proxy balancer://x>¶BalancerMember http://a http://b¶</Proxy>
<Proxy balancer://x>¶BalancerMember http://a # c¶</Proxy>
<Proxy *>¶BalancerMember http://a¶</Proxy>
<Location /A>¶BalancerMember http://a¶</Location>`,
  "character sets": String.raw`
CharsetOptions foo
CharsetOptions ImplicitAdd NoTranslateAllMimeTypes
CharsetOptions +ImplicitAdd
CharsetOptions DebugLevel=3
CharsetOptions implicitadd # c
<Directory /a>¶CharsetOptions NoFoo¶</Directory>
<Directory /a>¶ExtFilterOptions DebugLevel=1 LogStderr¶</Directory>
<Directory /a>¶ExtFilterOptions nologstderr LogStderr¶</Directory>
Mutex pthread mpm-accept`,
};

describe.skipIf(!httpd)(liveTitle("rejected lines have the server's messages, and accepted lines have none"), () => {
  describe.each(Object.entries(tables))("%s", (_, table) => {
    test.each(sampleOf(table.trim().split("\n"), 12))("%s", (line) => {
      const { server, ours } = inScratchFolder((folder) => testLines(folder, line));
      // The available mechanisms depend on the system.
      expect({ line, answer: ours }).toEqual({ line, answer: server.replace(/ \(Mutex mechanisms are: .*/, "") });
    });
  });

  const inSections = new Set(["AuthDigestAlgorithm", "AuthMerging", "ExtFilterOptions", "Satisfy"]);
  const suffixes: Readonly<Record<string, string>> = { IndexOrderDefault: " Name", SSLRandomSeed: " builtin" };

  test.each(Object.keys(allowedValues))("allowed values of %s", { timeout: 60_000 }, (name) => {
    const value = allowedValues[name];
    const { words = [], range, of } = (Array.isArray(value) ? value[0] : value) ?? {};
    const before = typeof of === "number" ? "/x /y ".slice(0, of * 3) : "";
    inScratchFolder((folder) => {
      const others = sampleOf(["nonsense", "-1", String(range?.least ?? "nonsense")], 3);
      for (const word of [...sampleOf(words, 6), ...others]) {
        const line = `${name} ${before}${word}${suffixes[name] ?? ""}`;
        const { server, ours } = testLines(folder, inSections.has(name) ? inDirectory(line) : line);
        expect({ line, answer: ours }).toEqual({ line, answer: server });
        if (words.includes(word)) expect({ line, answer: server }).toEqual({ line, answer: "accepted" });
      }
    });
  });

  // The server lists the alternatives in no fixed order.
  test.each(["shm:/x", "dbm:/x", "Shmcb:/x", "none", "shmcb:/x(512000)"])("SSLSessionCache %s", (kind) => {
    const { server, ours } = inScratchFolder((folder) => testLines(folder, `SSLSessionCache ${kind}`));
    expect(server.replace(/ \(known names.*/, "")).toBe(ours);
  });

  test(`${count} random lines`, { timeout: 3_600_000 }, () => {
    const random = new Random(seed);
    let rejected = 0;
    inScratchFolder((folder) => {
      for (let done = 0; done < count; done++) {
        const line = randomDirective(random);
        const { server, ours } = testLines(folder, line);
        expect({ line, answer: ours }).toEqual({ line, answer: server });
        if (server !== "accepted") rejected++;
      }
    });
    expect(rejected).toBeGreaterThan(count / 4);
    expect(rejected).toBeLessThan((count * 9) / 10);
  });

  test(`reports no error for a pattern that compiles, in ${count} random patterns`, { timeout: 3_600_000 }, () => {
    const random = new Random(seed);
    const tally = { rejected: 0, predicted: 0 };
    inScratchFolder((folder) => {
      for (let done = 0; done < count; done++) {
        const pattern = randomPattern(random);
        const line = `<FilesMatch ${quoteArgument(pattern)}>¶</FilesMatch>`;
        const { server } = testLines(folder, line);
        const error = findPatternError(pattern);
        if (server !== "accepted") tally.rejected++;
        if (error === undefined) continue;
        tally.predicted++;
        expect({ pattern, error, server }).toMatchObject({
          server: expect.stringContaining("Regex could not be compiled"),
        });
      }
    });
    process.stdout.write(
      `the server rejects ${tally.rejected} of ${count} random patterns, and we predict ${tally.predicted}\n`,
    );
    expect(tally.predicted).toBeGreaterThan(tally.rejected / 2);
  });
});
