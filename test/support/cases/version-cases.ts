/** A configuration whose answers differ between versions of 2.4. */
export interface VersionCase {
  readonly title: string;
  /** In addition to those of all cases. */
  readonly modules?: readonly string[];
  /** With DOCROOT for the DocumentRoot. */
  readonly lines: readonly string[];
  /** Files in the DocumentRoot. */
  readonly files?: Readonly<Record<string, string>>;
  /** Each a path, maybe after the Host header and a space. */
  readonly requests: readonly string[];
}

/** The modules of all cases, without those that are part of any server. */
export const versionModules = [
  "unixd",
  "log_config",
  "authz_core",
  "authz_host",
  "access_compat",
  "authn_core",
  "dir",
  "alias",
];

const rewriting = ["rewrite"];
const page = { "a/b.txt": "b", "index.html": "i" };

/** The smallest configuration for each behaviour of `src/facts/behaviours.ts`, and near misses that no version changes. */
export const versionCases: readonly VersionCase[] = [
  {
    title: "repeated slashes",
    lines: [
      '<LocationMatch "^/a/b">',
      "  Require all denied",
      "</LocationMatch>",
      '<Location "/c">',
      "  Require all denied",
      "</Location>",
    ],
    files: page,
    requests: ["/a/b.txt", "/a//b.txt", "/a/.//b.txt", "//a/b.txt", "/x//../c", "/a//../c", "//c", "/%2e//c"],
  },
  {
    title: "paths above the root, and escapes that are none",
    lines: ["AllowEncodedSlashes On"],
    files: page,
    requests: ["/../a/b.txt", "/a/../../x", "/a/%2e%2e/a/b.txt", "/a%2f%2fb.txt", "/%zz", "/a/b%", "/a%2f..%2fa/b.txt"],
  },
  {
    title: "escaped slashes by default",
    lines: [],
    files: page,
    requests: ["/a%2fb.txt", "/a//%2e/b.txt", "/%61/b.txt"],
  },
  {
    title: "an escaped question mark in rules of the server",
    modules: rewriting,
    lines: [
      "RewriteEngine On",
      'RewriteRule "^/q/(.*)" "/a/b.txt?$1" [L]',
      'RewriteRule "^/r/(.*)" "/a/$1" [L]',
      'RewriteRule "^/s/(.*)" "/a/$1" [L,R]',
      'RewriteRule "^/t/(.*)" "-" [F]',
    ],
    files: page,
    requests: ["/q/x%3fy", "/q/xy", "/r/b.txt%3fy", "/r/b.txt?y", "/s/b.txt%3fy", "/q/x?z=%3f", "/t/%3f", "/u%3f"],
  },
  {
    title: "an escaped question mark in rules of a section",
    modules: rewriting,
    lines: [
      '<Directory "DOCROOT">',
      "  Options FollowSymLinks",
      "  RewriteEngine On",
      '  RewriteRule "^q/(.*)" "a/b.txt?$1" [L]',
      '  RewriteRule "^r/(.*)" "a/$1" [L]',
      "</Directory>",
    ],
    files: page,
    requests: ["/q/x%3fy", "/q/xy", "/r/b.txt%3fy", "/r/b.txt"],
  },
  {
    title: "blanks and control characters in a rewritten query",
    modules: rewriting,
    lines: [
      "RewriteEngine On",
      'RewriteRule "^/q/(.*)" "/a/b.txt?x=$1" [L]',
      'RewriteRule "^/r/(.*)" "/a/b.txt?x=$1" [L,R]',
      'RewriteRule "^/n/(.*)" "/a/b.txt?x=$1" [L,R,NE]',
      'RewriteRule "^/b/(.*)" "/a/b.txt?x=$1" [L,B]',
    ],
    files: page,
    requests: ["/q/x%20y", "/q/x%01y", "/q/xy", "/q/x%c3%a4", "/r/x%20y", "/r/xy", "/n/x%20y", "/b/x%20y"],
  },
  {
    title: "blanks in the query of rules of a section",
    modules: rewriting,
    lines: [
      '<Directory "DOCROOT">',
      "  Options FollowSymLinks",
      "  RewriteEngine On",
      '  RewriteRule "^q/(.*)" "a/b.txt?x=$1" [L]',
      '  RewriteRule "^r/(.*)" "/a/b.txt?x=$1" [L,R]',
      "</Directory>",
    ],
    files: page,
    requests: ["/q/x%20y", "/q/xy", "/r/x%20y", "/r/x%7fy"],
  },
  {
    title: "the first folder of a path on the disk",
    modules: rewriting,
    lines: [
      '<Directory "/etc">',
      "  Require all granted",
      "</Directory>",
      "RewriteEngine On",
      'RewriteRule "^/d/(.*)" "/$1" [L]',
      'RewriteRule "^/e/(.*)" "/etc/$1" [L]',
      'RewriteRule "^/f/(.*)" "DOCROOT/$1" [L]',
    ],
    files: page,
    requests: ["/d/etc/passwd", "/e/passwd", "/f/a/b.txt", "/d/a/b.txt", "/e/no-such-file"],
  },
  {
    title: "results of rules without a slash, and with two",
    modules: rewriting,
    lines: [
      "RewriteEngine On",
      'RewriteRule "^/s(.*)$" "a/b.txt" [L]',
      'RewriteRule "^/t(.*)$" "$1" [L]',
      'RewriteRule "^/u(.*)$" "/$1" [L]',
      'RewriteRule "^/v(.*)$" "/$1"',
      'RewriteRule "^/w(.*)$" "//$1"',
      'RewriteRule "^/a/b" "-" [F]',
    ],
    files: page,
    requests: ["/s", "/t/a/b.txt", "/u/a/b.txt", "/ta/b.txt", "/ua/b.txt", "/v/a/b.txt", "/wa/b.txt", "/a/b.txt"],
  },
  {
    title: "the URL of the own host in a rule",
    modules: rewriting,
    lines: [
      '<Directory "/etc">',
      "  Require all granted",
      "</Directory>",
      "RewriteEngine On",
      "UseCanonicalName Off",
      "ServerName x.test:80",
      'RewriteRule "^/o/(.*)" "http://%{HTTP_HOST}/etc/$1" [L]',
      'RewriteRule "^/p/(.*)" "http://%{HTTP_HOST}/a/$1" [L]',
    ],
    files: page,
    requests: ["x.test /o/passwd", "x.test /p/b.txt", "other.test /p/b.txt", "other.test /o/passwd"],
  },
  {
    title: "Host headers",
    lines: [],
    files: page,
    requests: [
      ...["a.test /", "a_b.test /", "_a.test /", "a-b.test /", "a@b.test /", "a..test /", "a.1x /", "1.2.3 /"],
      ...["a/b /", "[::1] /", "a.test:80 /", "a.test. /"],
    ],
  },
  {
    title: "Host headers with HttpProtocolOptions Unsafe",
    lines: ["<IfVersion >= 2.4.25>", "  HttpProtocolOptions Unsafe", "</IfVersion>"],
    modules: ["version"],
    files: page,
    requests: ["a.test /", "a_b.test /", "a@b.test /", "a..test /"],
  },
  {
    title: "methods in a .htaccess file",
    lines: ['<Directory "DOCROOT">', "  AllowOverride All", "</Directory>"],
    files: { ...page, "m/.htaccess": "<Limit FROB>\nRequire all denied\n</Limit>\n", "m/x.txt": "x" },
    requests: ["/m/x.txt", "/a/b.txt"],
  },
  {
    title: "a comment in a list of hosts",
    lines: ['<Directory "DOCROOT">', "  AllowOverride All", "</Directory>"],
    files: {
      ...page,
      "c/.htaccess": "Order allow,deny\nAllow from all #comment\n",
      "c/x.txt": "x",
      "d/.htaccess": "Order allow,deny\nAllow from all\n",
      "d/x.txt": "x",
    },
    requests: ["/c/x.txt", "/d/x.txt"],
  },
  {
    title: "AuthType as an expression",
    modules: ["auth_basic", "authn_file", "authz_user"],
    lines: [
      "UseCanonicalName Off",
      '<Location "/e">',
      "  AuthType %{SERVER_NAME}",
      "  AuthName x",
      "  AuthUserFile users",
      "  Require valid-user",
      "</Location>",
      '<Location "/p">',
      "  AuthType Basic",
      "  AuthName %{SERVER_NAME}",
      "  AuthUserFile users",
      "  Require valid-user",
      "</Location>",
    ],
    files: { ...page, "e.txt": "e", "p.txt": "p" },
    requests: ["basic /e", "other.test /e", "basic /p"],
  },
  {
    title: "SetHandler with an expression",
    modules: ["status"],
    lines: ["UseCanonicalName Off", '<Location "/e">', "  SetHandler %{SERVER_NAME}", "</Location>"],
    files: page,
    requests: ["server-status /e", "other.test /e"],
  },
  {
    title: "a line feed in a path",
    lines: ['<LocationMatch "^/l.f$">', "  Require all denied", "</LocationMatch>"],
    files: page,
    requests: ["/l%0af", "/l%0df", "/lxf", "/lf"],
  },
  {
    title: "the flag P in a section without mod_proxy",
    modules: rewriting,
    lines: [
      '<Directory "DOCROOT">',
      "  Options FollowSymLinks",
      "  RewriteEngine On",
      '  RewriteRule "^p/(.*)" "http://127.0.0.1:1/$1" [P]',
      "</Directory>",
      "RewriteEngine On",
      'RewriteRule "^/s/(.*)" "http://127.0.0.1:1/$1" [P]',
    ],
    files: { ...page, "p/x.txt": "x", "s/x.txt": "s" },
    requests: ["/p/x.txt", "/p/no", "/s/x.txt"],
  },
];
