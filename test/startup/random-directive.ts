import type { Random } from "../support/random/random.js";

/** Possible arguments by directive, valid and invalid, with the maximum number. */
const pools: Readonly<Record<string, readonly [words: string, max: number]>> = {
  Redirect: ["permanent temp gone seeother found 301 404 410 /a /b http://x x R=301", 3],
  RedirectMatch: ["permanent gone 302 403 ^/a a( http://x /b $1", 3],
  RedirectPermanent: ["/a /b http://x x 301 gone", 2],
  Header: ["always onsuccess set add edit edit* unset echo merge X Y a( ^a %Q %t env=x env= early expr=true 50%", 6],
  RequestHeader: ["always set edit unset echo X a( b %{x}e %{x} env=!x", 5],
  RewriteRule: ['^a$ !b a( - /c "d e" "f [L] [R=301,L] [R=999] [NC [L, R] [] "[L, R]" [E=a:b] # [F,] [Dx] [QSA,PT]', 4],
  RewriteCond: ['%{X} %{REQUEST_URI} ! !^a$ a( -f !-d -ltx =a( [NC] [OR [L] [NC,OR] "b c" #', 4],
  IndexOptions: [
    "FancyIndexing -XHTML +IgnoreCase None +None NameWidth=* NameWidth=3 -NameWidth IconWidth=2 foo Type=x",
    4,
  ],
  LogLevel: ["warn info debug trace8 trace9 ssl:info nope:info alias_module:warn mod_alias.c:x ssl: err", 3],
  Listen: ["81 82 0 99999 x *:83 [::1]:84 [::1 127.0.0.1 127.0.0.1:85 http :86", 3],
  ServerName: ["a a:80 a:0 a:x http://a:1 *.a a[b] [::1]:1", 1],
  ErrorDocument: ["404 500 418 4040 x 200x /a text http://x", 2],
  SSLOptions: ["+StdEnvVars -FakeBasicAuth StrictRequire +CompatEnvVars #", 3],
  SSLProtocol: ["all -SSLv2 SSLv2 +TLSv1.2 TLSv1.3 TLS -all tlsv1", 3],
  SetEnvIf: ['Remote_Addr X-Y X.y X( ^a a( a\\. *b c !d e=f "g h"', 4],
  BrowserMatch: ["MSIE *MSIE Moz( ^a$ x !y", 3],
  CustomLog: ['/dev/null "%h %s" %h "%{x}i %" env=x env= expr= foo', 3],
  ExpiresDefault: ['A60 access "access plus 1 day" "now 1 m" "plus 1 d" "m 2 mo 3 x" "access plus x" M x', 1],
  ProxyPass: ["/a ! http://x x:80 nocanon retry=0 /b", 4],
  Substitute: ["s/a/b/ s/a(/b/ s|a(|b|n s/a/b/x s/a x/a/b/", 1],
  FileETag: ["All None +None -Size MTime +Digest foo", 3],
};

const names = Object.keys(pools);

/** Returns a line of a directive whose arguments the server checks. */
export function randomDirective(random: Random): string {
  const name = names[random.below(names.length)] ?? "Listen";
  const [words = "", max = 1] = pools[name] ?? [];
  // Quoted arguments contain spaces.
  const choices = words.match(/"[^"]*"(?=\s|$)|\S+/g) ?? [];
  const length = random.chance(0.9) ? 1 + random.below(max) : 0;
  const args = Array.from({ length }, () => choices[random.below(choices.length)] ?? "");
  return [name, ...args].join(" ");
}
