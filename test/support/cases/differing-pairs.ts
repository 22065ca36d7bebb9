/** A request of a pair. Users send the password `secret`. */
interface PairRequest {
  readonly path: string;
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly body?: string;
  /** Default: x.test. */
  readonly host?: string;
}

/** Two configurations that differ in some lines, with requests that show whether it matters. */
export interface DifferingPair {
  readonly name: string;
  /** The common lines; `@` stands for the lines that differ, and DOCROOT for the DocumentRoot. */
  readonly common: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly verdict: "different" | "unknown" | "equivalent";
  readonly requests: readonly PairRequest[];
  /** Modules before and after the usual ones, whose order matters. */
  readonly modules?: readonly string[];
  readonly firstModules?: readonly string[];
}

const usualModules = [
  ...["authz_core", "authz_host", "authz_user", "authn_core", "authn_file", "authn_anon", "auth_basic", "alias"],
  ...["rewrite", "dir", "mime", "setenvif", "env", "proxy", "proxy_http"],
];

/** Files in the DocumentRoot. */
export const pairFiles = {
  "a.txt": "a",
  "a.txt.md": "a",
  "index.html": "index",
  "d/x.html": "x",
  "priv/x.html": "x",
  "priv/deep/x.html": "x",
  "m.var": "URI: priv/x.html\nContent-type: text/html\n",
  "m.map": "default http://www.example.com/\n",
  types: "text/x-page html\n",
  "usual-types": "text/html html\n",
  "access.lua":
    "function grant(r) return apache2.AUTHZ_GRANTED end\nfunction refuse(r) return apache2.AUTHZ_DENIED end\n",
};

const open = [
  '<Directory "DOCROOT">',
  "Options FollowSymLinks",
  "AllowOverride All",
  "Require all granted",
  "</Directory>",
];
const at = (path: string, ...lines: readonly string[]) => [`<Location "${path}">`, ...lines, "</Location>"];
const inDirectory = (path: string, ...lines: readonly string[]) => [
  `<Directory "DOCROOT${path}">`,
  ...lines,
  "</Directory>",
];
const inHost = (...lines: readonly string[]) => ["<VirtualHost *:*>", "ServerName x.test", ...lines, "</VirtualHost>"];
const login = ["AuthType Basic", "AuthName x", "Require valid-user"];
const form = ["AuthType Form", "AuthName x", "AuthFormProvider file", "AuthUserFile users", "Require valid-user"];
const anonymous = [...login, "AuthBasicProvider anon", "Anonymous_MustGiveEmail Off"];
const asUser = (...users: readonly string[]) => users.map((user) => ({ path: "/a.txt", user }));
const paths = (...all: readonly string[]) => all.map((path) => ({ path }));
/** Rules that request `/priv/x.html` in place of the files of a directory. */
const redirected = inDirectory("/d", "RewriteEngine On", "RewriteRule . /priv/x.html");
const withHeader = { path: "/d/x.html", headers: { "X-A": "1" } };

const denied = [...open, ...at("/priv", "Require all denied")];

/** Which users a provider accepts. */
const userPairs: readonly DifferingPair[] = [
  {
    name: "another anonymous user",
    common: inDirectory("", ...anonymous, "@"),
    before: ["Anonymous anonymous guest"],
    after: ["Anonymous anonymous root"],
    verdict: "different",
    requests: asUser("guest", "GUEST", "root", "anonymous"),
  },
  {
    name: "one more anonymous user, in a virtual host",
    common: inHost(...inDirectory("", ...anonymous, "@")),
    before: ["Anonymous anonymous"],
    after: ["Anonymous anonymous visitor"],
    verdict: "different",
    requests: asUser("visitor", "anonymous"),
  },
  {
    name: "any anonymous user",
    common: inDirectory("", ...anonymous, "@"),
    before: ["Anonymous guest"],
    after: ["Anonymous *"],
    verdict: "different",
    requests: asUser("guest", "eve"),
  },
  {
    name: "an anonymous user without a name",
    common: inDirectory("", ...anonymous, "Anonymous guest", "@"),
    before: [],
    after: ["Anonymous_NoUserID On"],
    verdict: "different",
    requests: asUser("", "guest"),
  },
  {
    name: "the spelling of an anonymous user in a Require line",
    common: inDirectory("", ...anonymous.filter((line) => !line.startsWith("Require")), "Anonymous guest", "@"),
    before: ["Require valid-user"],
    after: ["Require user guest"],
    verdict: "different",
    requests: asUser("guest", "GUEST"),
  },
  {
    name: "twin: an anonymous user in another case, in another order",
    common: inDirectory("", ...anonymous, "@"),
    before: ["Anonymous anonymous guest"],
    after: ["Anonymous Guest anonymous"],
    verdict: "equivalent",
    requests: asUser("guest", "GUEST", "anonymous", "root"),
  },
  {
    name: "twin: anonymous users without the provider",
    common: inDirectory("", ...login, "AuthUserFile users", "@"),
    before: ["Anonymous guest"],
    after: ["Anonymous root", "Anonymous_NoUserID On"],
    verdict: "equivalent",
    requests: asUser("guest", "root", "bob"),
  },
  {
    name: "twin: the realm of Basic authentication",
    common: inDirectory("", "AuthType Basic", "Require valid-user", "AuthUserFile users", "@"),
    before: ["AuthName x"],
    after: ["AuthName y"],
    verdict: "equivalent",
    requests: asUser("bob", "eve"),
  },
  {
    name: "the realm of a section, without which a login fails",
    common: [...inDirectory("", "AuthType Basic", "Require valid-user", "AuthUserFile users"), "@"],
    before: at("/priv/deep", "AuthName x"),
    after: [],
    verdict: "different",
    requests: paths("/priv/deep/x.html"),
  },
  {
    name: "one more provider",
    common: inDirectory("", ...login, "AuthUserFile users", "Anonymous guest", "Anonymous_MustGiveEmail Off", "@"),
    before: [],
    after: ["AuthBasicProvider file anon"],
    verdict: "unknown",
    requests: asUser("bob", "guest"),
  },
  {
    name: "an anonymous user that the provider before does not know",
    common: inDirectory("", ...login, "AuthBasicProvider file anon", "AuthUserFile users", "@"),
    before: ["Anonymous_MustGiveEmail Off"],
    after: ["Anonymous_MustGiveEmail Off", "Anonymous guest"],
    verdict: "unknown",
    requests: asUser("bob", "guest"),
  },
  {
    name: "twin: a comment beside such a user",
    common: inDirectory("", ...login, "AuthBasicProvider file anon", "AuthUserFile users", "Anonymous guest", "@"),
    before: ["Anonymous_MustGiveEmail Off"],
    after: ["Anonymous_MustGiveEmail Off", "# guests have no password"],
    verdict: "equivalent",
    requests: asUser("bob", "guest"),
  },
  {
    name: "the page of a login form",
    modules: ["auth_form", "session", "session_cookie", "request"],
    common: inDirectory("", ...form, "Session On", "SessionCookieName session path=/", "@"),
    before: [],
    after: ["AuthFormLoginRequiredLocation http://x.test/login"],
    verdict: "unknown",
    requests: paths("/a.txt"),
  },
  {
    name: "the session of a login form",
    modules: ["auth_form", "session", "session_cookie", "request"],
    common: inDirectory("", ...form, "@"),
    before: [],
    after: ["Session On", "SessionCookieName session path=/"],
    verdict: "different",
    requests: [{ path: "/a.txt", user: "bob", headers: { Cookie: "session=x-user=bob&x-pw=secret" } }],
  },
  {
    name: "another password file",
    common: inDirectory("", ...login, "AuthUserFile users", "@"),
    before: [],
    after: ["AuthUserFile conf/users"],
    verdict: "unknown",
    requests: asUser("bob"),
  },
  {
    name: "a FastCGI authenticator",
    modules: ["authnz_fcgi"],
    common: [
      "AuthnzFcgiDefineProvider authn F fcgi://127.0.0.1:1/",
      ...inDirectory("", ...login, "AuthUserFile users", "@"),
    ],
    before: [],
    after: ["AuthnzFcgiCheckAuthnProvider F Authoritative On RequireBasicAuth Off"],
    verdict: "unknown",
    requests: asUser("bob"),
  },
];

/** Handlers of files. */
const handlerPairs: readonly DifferingPair[] = [
  {
    name: "a type that names the handler of programs",
    modules: ["cgid"],
    common: [...open, "@"],
    before: [],
    after: ["AddType application/x-httpd-cgi .txt"],
    verdict: "different",
    requests: paths("/a.txt", "/index.html"),
  },
  {
    name: "the same type in a directory",
    modules: ["cgid"],
    common: [...open, ...inDirectory("/d", "@")],
    before: ["AddType text/html .html"],
    after: ["AddType application/x-httpd-cgi .html"],
    verdict: "different",
    requests: paths("/d/x.html", "/priv/x.html"),
  },
  {
    name: "twin: that type without the module",
    common: [...open, "@"],
    before: [],
    after: ["AddType application/x-httpd-cgi .txt"],
    verdict: "equivalent",
    requests: paths("/a.txt"),
  },
  {
    name: "a plain type after it",
    modules: ["cgid"],
    common: [...open, "AddType application/x-httpd-cgi .txt", "@"],
    before: [],
    after: ["AddType text/x-y .md"],
    verdict: "different",
    requests: paths("/a.txt.md", "/a.txt"),
  },
  {
    name: "a type map",
    modules: ["negotiation"],
    common: [...open, ...inDirectory("/priv", "Require all denied"), "@"],
    before: [],
    after: ["AddHandler type-map .var"],
    verdict: "unknown",
    requests: paths("/m.var", "/a.txt"),
  },
  {
    name: "a type map by its type",
    modules: ["negotiation"],
    common: [...open, ...inDirectory("/priv", "Require all denied"), "@"],
    before: [],
    after: ["AddType application/x-type-map .var"],
    verdict: "unknown",
    requests: paths("/m.var"),
  },
  {
    name: "twin: a type map without the module",
    common: [...open, ...inDirectory("/priv", "Require all denied"), "@"],
    before: [],
    after: ["AddHandler type-map .var"],
    verdict: "equivalent",
    requests: paths("/m.var"),
  },
  {
    name: "a type without a slash, and its Action",
    modules: ["actions"],
    common: [...denied, "Action x-run /priv/x.html", ...inDirectory("/d", "@")],
    before: ["ForceType text/plain"],
    after: ["ForceType x-run"],
    verdict: "different",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "a type that a rule sets, and its Action",
    modules: ["actions"],
    common: [...denied, "Action text/x-run /priv/x.html", "RewriteEngine On", "@"],
    before: ["RewriteRule ^/d - [T=text/plain]"],
    after: ["RewriteRule ^/d - [T=text/x-run]"],
    verdict: "different",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "a type that a rule of a directory sets, and its Action",
    modules: ["actions"],
    common: [...denied, "Action text/x-run /priv/x.html", ...inDirectory("/d", "RewriteEngine On", "@")],
    before: [],
    after: ["RewriteRule ^x - [T=text/x-run]"],
    verdict: "different",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "twin: a type that a rule sets without an Action",
    modules: ["actions"],
    common: [...denied, "Action text/x-other /priv/x.html", "RewriteEngine On", "@"],
    before: ["RewriteRule ^/d - [T=text/plain]"],
    after: ["RewriteRule ^/d - [T=text/x-run]"],
    verdict: "equivalent",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "RemoveType for a type of the types file, and its Action",
    modules: ["actions"],
    common: [...denied, "TypesConfig DOCROOT/usual-types", "Action text/html /priv/x.html", "@"],
    before: [],
    after: ["RemoveType .html"],
    verdict: "different",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "another type than that of the types file, and an Action for that one",
    modules: ["actions"],
    common: [...denied, "TypesConfig DOCROOT/usual-types", "Action text/html /priv/x.html", "@"],
    before: ["AddType text/plain .html"],
    after: [],
    verdict: "different",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "twin: RemoveType before a line that sets the type again",
    modules: ["actions"],
    common: [
      ...denied,
      "TypesConfig DOCROOT/usual-types",
      "Action text/html /priv/x.html",
      "@",
      "AddType text/html .html",
    ],
    before: [],
    after: ["RemoveType .html"],
    verdict: "equivalent",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "twin: RemoveType without an Action",
    modules: ["actions"],
    common: [...denied, "TypesConfig DOCROOT/usual-types", "@"],
    before: [],
    after: ["RemoveType .html"],
    verdict: "equivalent",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "the types of files, and an Action for one",
    modules: ["actions"],
    common: [...denied, "Action text/x-page /priv/x.html", "@"],
    before: [],
    after: ["TypesConfig DOCROOT/types"],
    verdict: "unknown",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "extensions in the rest of a path",
    modules: ["cgid"],
    common: [...open, "AddHandler cgi-script .cgi", ...inDirectory("/d", "AcceptPathInfo On", "@")],
    before: [],
    after: ["ModMimeUsePathInfo On"],
    verdict: "different",
    requests: paths("/d/x.html/a.cgi", "/a.txt"),
  },
  {
    name: "a variant that has an Action",
    modules: ["negotiation", "actions"],
    common: [...denied, "Action text/x-page /priv/x.html", "AddType text/x-page .html", ...inDirectory("/d", "@")],
    before: ["Options FollowSymLinks"],
    after: ["Options FollowSymLinks MultiViews"],
    verdict: "unknown",
    requests: paths("/d/x", "/a.txt"),
  },
  {
    name: "which files are variants",
    modules: ["negotiation", "cgid"],
    common: [...open, ...inDirectory("/d", "Options +MultiViews", "AddHandler cgi-script .html", "@")],
    before: [],
    after: ["MultiviewsMatch Handlers"],
    verdict: "unknown",
    requests: paths("/d/x", "/a.txt"),
  },
  {
    name: "twin: languages without variants",
    modules: ["negotiation"],
    common: [...open, ...inDirectory("/d", "@")],
    before: ["AddLanguage de .html"],
    after: ["AddLanguage en .html", "MultiviewsMatch Any"],
    verdict: "equivalent",
    requests: paths("/d/x", "/d/x.html"),
  },
  {
    name: "an image map",
    modules: ["imagemap"],
    common: [...open, "@"],
    before: [],
    after: ["AddHandler imap-file .map"],
    verdict: "unknown",
    requests: paths("/m.map?1,2"),
  },
  {
    name: "the menu of image maps",
    modules: ["imagemap"],
    common: [...open, "AddHandler imap-file .map", "@"],
    before: [],
    after: ["ImapMenu none"],
    verdict: "unknown",
    requests: paths("/m.map"),
  },
  {
    name: "twin: the menu of image maps without one",
    modules: ["imagemap"],
    common: [...open, "@"],
    before: [],
    after: ["ImapMenu none"],
    verdict: "equivalent",
    requests: paths("/m.map"),
  },
];

/** What a path is mapped to, and the document of an error. */
const targetPairs: readonly DifferingPair[] = [
  {
    name: "an Alias that keeps the rest of the path",
    common: [...open, ...at("/z", 'Alias "DOCROOT"'), ...inDirectory("/priv", "Require all denied"), "@"],
    before: [],
    after: ["AliasPreservePath On"],
    verdict: "different",
    requests: paths("/z/priv/x.html", "/a.txt"),
  },
  {
    name: "an Alias that keeps it below a longer path",
    common: [
      ...open,
      ...at("/z", 'Alias "DOCROOT"'),
      ...inDirectory("/priv", "Require all denied"),
      ...at("/z/priv", "@"),
    ],
    before: [],
    after: ["AliasPreservePath On"],
    verdict: "different",
    requests: paths("/z/priv/x.html", "/a.txt"),
  },
  {
    name: "twin: an Alias of the server keeps it anyway",
    common: [...open, 'Alias "/z" "DOCROOT"', ...inDirectory("/priv", "Require all denied"), "@"],
    before: [],
    after: ["AliasPreservePath On"],
    verdict: "equivalent",
    requests: paths("/z/priv/x.html", "/z/a.txt"),
  },
  {
    name: "a variable that turns off the proxy",
    common: [...inDirectory("", "Require all denied"), "@", "ProxyPass / http://127.0.0.1:1/"],
    before: [],
    after: ["SetEnvIf Request_URI ^/priv no-proxy"],
    verdict: "different",
    requests: paths("/priv/x.html", "/a.txt"),
  },
  {
    name: "a rule that turns off the proxy of a Location",
    common: [
      ...inHost(
        ...inDirectory("", "Require all denied"),
        "RewriteEngine On",
        "@",
        ...at("/priv", "ProxyPass http://127.0.0.1:1/"),
      ),
    ],
    before: [],
    after: ["RewriteRule ^/priv - [E=no-proxy:1]"],
    verdict: "different",
    requests: paths("/priv/x.html", "/a.txt"),
  },
  {
    name: "a directory behind a proxy that a variable turns off",
    common: [
      ...inDirectory("", "Require all denied"),
      "SetEnvIf Request_URI ^/priv no-proxy",
      "ProxyPass / http://127.0.0.1:1/",
      ...inDirectory("/priv/deep", "@"),
    ],
    before: ["Require all denied"],
    after: ["Require all granted"],
    verdict: "unknown",
    requests: paths("/priv/deep/x.html", "/a.txt"),
  },
  {
    name: "a variable by an escaped letter of the path as sent",
    common: [
      'SetEnvIf Request_URI "^/p%72iv" flag',
      ...inDirectory("", "<RequireAll>", "Require all granted", "@", "</RequireAll>"),
    ],
    before: [],
    after: ["Require not env flag"],
    verdict: "different",
    requests: paths("/p%72iv/x.html", "/priv/x.html"),
  },
  {
    name: "a condition on an escaped letter of the path as sent",
    common: [
      'SetEnvIfExpr "%{REQUEST_URI} =~ m#^/p%72iv#" flag',
      ...inDirectory("", "<RequireAll>", "Require all granted", "@", "</RequireAll>"),
    ],
    before: [],
    after: ["Require not env flag"],
    verdict: "different",
    requests: paths("/p%72iv/x.html", "/priv/x.html"),
  },
  {
    name: "a path that an escape hides from SetEnvIf",
    common: [...open, "SetEnvIf Request_URI ^/priv flag", ...at("/priv", "@")],
    before: ["Require env flag"],
    after: ["Require all granted"],
    verdict: "different",
    requests: paths("/pri%76/x.html", "/priv/x.html"),
  },
  {
    name: "a folder that the path as sent leaves again",
    common: [...open, "SetEnvIf Request_URI ^/other flag", ...at("/priv", "@")],
    before: ["Require env flag"],
    after: ["Require all denied"],
    verdict: "different",
    requests: paths("/other/../priv/x.html", "/priv/x.html"),
  },
  {
    name: "twin: a variable by the path as sent in a section reads the resolved path",
    common: [...open, ...at("/priv", "SetEnvIf Request_URI ^/priv flag", "@")],
    before: ["Require env flag"],
    after: ["Require all granted"],
    verdict: "equivalent",
    requests: paths("/pri%76/x.html", "/priv/x.html"),
  },
  {
    name: "twin: rules that agree for any result of SetEnvIf",
    common: [...open, 'SetEnvIf Request_URI "\\.(gif|html)$" flag', ...at("/priv", "@")],
    before: ["Require env flag"],
    after: ["<RequireAny>", "Require env flag", "</RequireAny>"],
    verdict: "equivalent",
    requests: paths("/priv/x.%68tml", "/priv/x.html"),
  },
  {
    name: "twin: the variable without a ProxyPass",
    common: [...inDirectory("", "Require all denied"), "@"],
    before: [],
    after: ["SetEnvIf Request_URI ^/priv no-proxy"],
    verdict: "equivalent",
    requests: paths("/priv/x.html", "/a.txt"),
  },
  {
    name: "twin: a variable of the connection to the backend",
    common: [...inDirectory("", "Require all denied"), "@", "ProxyPass / http://127.0.0.1:1/"],
    before: [],
    after: ["SetEnvIf Request_URI ^/priv proxy-nokeepalive"],
    verdict: "equivalent",
    requests: paths("/priv/x.html", "/a.txt"),
  },
  {
    name: "a Redirect in a condition",
    common: [...open, '<If "true">', "@", "</If>"],
    before: [],
    after: ["RedirectPermanent /old http://www.example.com/"],
    verdict: "different",
    requests: paths("/old", "/a.txt"),
  },
  {
    name: "a Redirect in a condition of a virtual host",
    common: inHost(...open, `<If "%{HTTP_USER_AGENT} != 'x'">`, "@", "</If>"),
    before: ["RedirectMatch 404 ^/d/"],
    after: ["RedirectMatch 404 ^/priv/"],
    verdict: "different",
    requests: paths("/d/x.html", "/priv/x.html", "/a.txt"),
  },
  {
    name: "methods that are not registered",
    common: [...open, "ProxyPass /p http://127.0.0.1:1/", "@"],
    before: [],
    after: ["HttpProtocolOptions RegisteredMethods"],
    verdict: "different",
    requests: [{ path: "/p/x", method: "UNREGISTERED" }, ...paths("/a.txt")],
  },
  {
    name: "a URL as the document of an error",
    common: [...open, ...at("/priv", "Require all denied"), "@"],
    before: [],
    after: ["ErrorDocument 403 http://www.example.com/"],
    verdict: "unknown",
    requests: paths("/priv/x.html", "/a.txt"),
  },
  {
    name: "a rule that answers the request for the document of an error",
    common: [...open, ...at("/priv", "Require all denied"), "RewriteEngine On", "RewriteRule ^/gone - [G]", "@"],
    before: [],
    after: ["ErrorDocument 403 /gone"],
    verdict: "unknown",
    requests: paths("/priv/x.html", "/a.txt"),
  },
  {
    name: "twin: another URL as the document of an error",
    common: [...open, ...at("/priv", "Require all denied"), "@"],
    before: ["ErrorDocument 403 http://www.example.com/a"],
    after: ["ErrorDocument 403 http://www.example.com/b"],
    verdict: "equivalent",
    requests: paths("/priv/x.html", "/a.txt"),
  },
  {
    name: "twin: a page as the document of an error",
    common: [...open, ...at("/priv", "Require all denied"), "@"],
    before: ["ErrorDocument 403 none"],
    after: ["ErrorDocument 403 /a.txt"],
    verdict: "equivalent",
    requests: paths("/priv/x.html", "/a.txt"),
  },
];

/** Variables and headers that are read after an internal redirect. */
const redirectPairs: readonly DifferingPair[] = [
  {
    name: "a passed variable",
    common: [...open, ...at("/priv", "Require env REDIRECT_PATH"), ...redirected, "@"],
    before: [],
    after: ["PassEnv PATH"],
    verdict: "different",
    requests: paths("/d/x.html", "/priv/x.html"),
  },
  {
    name: "a variable of SetEnv in the directory",
    common: [...open, ...at("/priv", "Require env REDIRECT_FOO"), ...redirected, ...inDirectory("/d", "@")],
    before: [],
    after: ["SetEnv FOO 1"],
    verdict: "different",
    requests: paths("/d/x.html", "/priv/x.html"),
  },
  {
    name: "a variable of SetEnvIf",
    common: [...open, ...at("/priv", "Require env REDIRECT_ok"), ...redirected, "@"],
    before: [],
    after: ["SetEnvIf X-A 1 ok"],
    verdict: "different",
    requests: [withHeader, ...paths("/d/x.html", "/priv/x.html")],
  },
  {
    name: "another test of SetEnvIf",
    common: [...open, ...at("/priv", "Require env REDIRECT_ok"), ...redirected, "@"],
    before: ["SetEnvIf X-A 2 ok"],
    after: ["SetEnvIf X-A 1 ok"],
    verdict: "different",
    requests: [withHeader, ...paths("/d/x.html")],
  },
  {
    name: "twin: the name before the redirect",
    common: [...open, ...at("/priv", "Require env FOO"), ...redirected, "@"],
    before: [],
    after: ["SetEnv FOO 1"],
    verdict: "equivalent",
    requests: paths("/d/x.html", "/priv/x.html"),
  },
  {
    name: "twin: a passed variable that no line reads",
    common: [...open, ...at("/priv", "Require env REDIRECT_FOO"), ...redirected, "@"],
    before: [],
    after: ["PassEnv PATH"],
    verdict: "equivalent",
    requests: paths("/d/x.html", "/priv/x.html"),
  },
  {
    name: "a header that RequestHeader sets",
    modules: ["headers"],
    common: [...open, ...at("/priv", 'Require expr %{HTTP:X-A} == "1"'), ...redirected, "@"],
    before: [],
    after: ["RequestHeader set X-A 1"],
    verdict: "different",
    requests: [withHeader, ...paths("/d/x.html", "/priv/x.html")],
  },
  {
    name: "a header that RequestHeader removes, read by SetEnvIf",
    modules: ["headers"],
    common: [...open, "SetEnvIf X-A 1 ok", ...at("/priv", "Require env ok"), ...redirected, ...inDirectory("/d", "@")],
    before: [],
    after: ["RequestHeader unset X-A"],
    verdict: "different",
    requests: [withHeader, ...paths("/d/x.html", "/priv/x.html")],
  },
  ...["<Location /d>", '<FilesMatch ".">'].map((section) => ({
    name: `a header that lines test for a variable that is read, and for one that is not, in ${section}`,
    common: [...open, ...at("/d", "Require env flag"), section, "@", section.replace(/<(\w+).*/, "</$1>")],
    before: ["SetEnvIf X-A bad flag"],
    after: ["SetEnvIf X-A . nobody-reads-this"],
    verdict: "different" as const,
    requests: [{ path: "/d/x.html", headers: { "X-A": "bad" } }],
  })),
  {
    name: "twin: both variables are not read",
    common: [...open, ...at("/d", "@")],
    before: ["SetEnvIf X-A bad nobody-reads-that"],
    after: ["SetEnvIf X-A . nobody-reads-this"],
    verdict: "equivalent",
    requests: [{ path: "/d/x.html", headers: { "X-A": "bad" } }],
  },
  {
    name: "twin: a header with an unknown value, read by lines that decide nothing after the redirect",
    modules: ["headers"],
    common: [...open, ...at("/d", "SetEnvIf X-A 1 a"), ...redirected, "SetEnvIf X-A 1 unread", "@"],
    before: [],
    after: ["RequestHeader set X-A %{flag}e"],
    verdict: "equivalent",
    requests: [withHeader, ...paths("/d/x.html", "/priv/x.html")],
  },
  {
    name: "a header with an unknown value, read after the redirect",
    modules: ["headers"],
    common: [...open, ...at("/priv", 'Require expr %{HTTP:X-A} == "1"'), ...redirected, "@"],
    before: [],
    after: ['RequestHeader set X-A 1 "expr=-z %{QUERY_STRING}"'],
    verdict: "different",
    requests: paths("/d/x.html", "/priv/x.html"),
  },
  {
    name: "a header that is tested before and after",
    modules: ["headers"],
    common: [
      ...[...open, ...at("/d", 'Require expr %{HTTP:X-A} != "1"'), ...redirected, "RequestHeader set X-A 1"],
      ...at("/priv", "@"),
    ],
    before: ['Require expr %{HTTP:X-A} == "1"'],
    after: ["Require all denied"],
    verdict: "different",
    requests: [withHeader, ...paths("/d/x.html", "/priv/x.html")],
  },
  {
    name: "a header that an index file needs, set before mod_dir looks for it",
    firstModules: ["headers"],
    common: [...open, '<Files "index.html">', 'Require expr %{HTTP:X-A} == "1"', "</Files>", "@"],
    before: [],
    after: ["RequestHeader set X-A 1"],
    verdict: "different",
    requests: paths("/", "/index.html"),
  },
  {
    name: "twin: that header, set after mod_dir looks for the file",
    modules: ["headers"],
    common: [...open, '<Files "index.html">', 'Require expr %{HTTP:X-A} == "1"', "</Files>", "@"],
    before: [],
    after: ["RequestHeader set X-A 1"],
    verdict: "equivalent",
    requests: paths("/", "/index.html"),
  },
  {
    name: "twin: a header that no line reads",
    modules: ["headers"],
    common: [...open, ...at("/priv", 'Require expr %{HTTP:X-A} == "1"'), ...redirected, "@"],
    before: [],
    after: ["RequestHeader set X-Other 1"],
    verdict: "equivalent",
    requests: [withHeader, ...paths("/d/x.html", "/priv/x.html")],
  },
];

const longLine = [{ path: "/priv/deep/x.html?0123456789" }, ...paths("/a.txt")];
const longField = [{ path: "/a.txt", headers: { "X-A": "a".repeat(60) } }, ...paths("/a.txt")];
const formHandlers = ["auth_form", "session", "request"];
const asHandler = (handler: string) => at("/a.txt", `SetHandler ${handler}`);
const asHost = (...hosts: readonly string[]) => hosts.map((host) => ({ path: "/a.txt", host }));
const refusing = (...names: readonly string[]) => [
  ...["<VirtualHost *:*>", ...names, ...at("/", "Require all denied"), "</VirtualHost>"],
];

const grantingAll = ["<VirtualHost *:*>", "ServerName a.test", "ServerAlias a*", "</VirtualHost>"];

/** The size of a request, index files, handlers that refuse methods, and names of hosts. */
const requestPairs: readonly DifferingPair[] = [
  {
    name: "the length of the request line",
    common: [...open, "@"],
    before: [],
    after: ["LimitRequestLine 30"],
    verdict: "unknown",
    requests: longLine,
  },
  {
    name: "the length of a header, in a virtual host",
    common: ["@", ...open],
    before: inHost(),
    after: inHost("LimitRequestFieldSize 50"),
    verdict: "unknown",
    requests: longField,
  },
  {
    name: "the number of headers",
    common: ["@", ...open],
    before: ["LimitRequestFields 20"],
    after: ["LimitRequestFields 2"],
    verdict: "unknown",
    requests: [{ path: "/a.txt", headers: { "X-A": "1", "X-B": "1" } }, ...paths("/a.txt")],
  },
  {
    name: "a program in a section",
    modules: ["lua"],
    common: [...open, ...inDirectory("/d", "@")],
    before: [],
    after: ["<LuaHookAccessChecker>", "return function(r) return 403 end", "</LuaHookAccessChecker>"],
    verdict: "unknown",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "another program in a section",
    modules: ["lua"],
    common: [...open, ...at("/a.txt", "<LuaHookAccessChecker>", "@", "</LuaHookAccessChecker>")],
    before: ["return function(r) return 404 end"],
    after: ["return function(r) return 403 end"],
    verdict: "unknown",
    requests: paths("/a.txt"),
  },
  {
    name: "another program of a provider",
    modules: ["lua"],
    common: ["@", ...open, ...at("/a.txt", "Require script")],
    before: ['LuaAuthzProvider script "DOCROOT/access.lua" grant'],
    after: ['LuaAuthzProvider script "DOCROOT/access.lua" refuse'],
    verdict: "unknown",
    requests: paths("/a.txt", "/index.html"),
  },
  {
    name: "twin: the program of a provider that no line names",
    modules: ["lua"],
    common: ["@", ...open, ...at("/a.txt", "Require all granted")],
    before: ['LuaAuthzProvider script "DOCROOT/access.lua" grant'],
    after: ['LuaAuthzProvider script "DOCROOT/access.lua" refuse', 'LuaAuthzProvider more "DOCROOT/access.lua" grant'],
    verdict: "equivalent",
    requests: paths("/a.txt", "/index.html"),
  },
  {
    name: "where programs of a virtual host are",
    modules: ["vhost_alias"],
    common: [...open, ...inDirectory("/priv", "Require all denied"), "@"],
    before: inHost(),
    after: inHost('VirtualScriptAliasIP "DOCROOT/priv"'),
    verdict: "unknown",
    requests: paths("/cgi-bin/x.html", "/a.txt"),
  },
  {
    name: "access to programs of a virtual host",
    modules: ["vhost_alias"],
    common: [...open, ...inHost('VirtualScriptAlias "DOCROOT/priv"'), "@"],
    before: [],
    after: inDirectory("/priv/deep", "Require all denied"),
    verdict: "different",
    requests: paths("/priv/deep/x.html", "/cgi-bin/deep/x.html"),
  },
  {
    name: "variants of a missing file",
    modules: ["negotiation"],
    common: [...open, "AddType text/html .html", "@"],
    before: inDirectory("/d", "Options FollowSymLinks"),
    after: inDirectory("/d", "Options +MultiViews"),
    verdict: "unknown",
    requests: paths("/d/x"),
  },
  {
    name: "twin: other options than variants",
    modules: ["negotiation"],
    common: [...open, ...inDirectory("/d", "Options FollowSymLinks MultiViews"), "@"],
    before: inDirectory("/d", "Options -Indexes"),
    after: inDirectory("/d", "Options +IncludesNOEXEC"),
    verdict: "equivalent",
    requests: paths("/d/x", "/d/x.html"),
  },
  {
    name: "the redirect to a directory",
    common: [...open, "@"],
    before: [],
    after: inDirectory("/d", "DirectorySlash Off"),
    verdict: "unknown",
    requests: paths("/d", "/a.txt"),
  },
  {
    name: "the rest of a path after a file",
    common: [...open, ...inDirectory("/d", "@")],
    before: ["AcceptPathInfo On"],
    after: ["AcceptPathInfo Off"],
    verdict: "unknown",
    requests: paths("/d/x.html/more"),
  },
  {
    name: "the spelling of a file",
    modules: ["speling"],
    common: [...open, ...inDirectory("/d", "@")],
    before: ["CheckSpelling Off"],
    after: ["CheckSpelling On"],
    verdict: "unknown",
    requests: paths("/d/x.htm", "/d/x.html"),
  },
  {
    name: "twin: a program in a section that is skipped",
    modules: ["lua"],
    common: [...open, "@"],
    before: [],
    after: [
      "<IfModule !mod_lua.c>",
      "<LuaQuickHandler>",
      "return function(r) return 403 end",
      "</LuaQuickHandler>",
      "</IfModule>",
    ],
    verdict: "equivalent",
    requests: paths("/a.txt"),
  },
  {
    name: "the length of a body",
    common: [...open, ...inDirectory("/d", "@")],
    before: [],
    after: ["LimitRequestBody 1"],
    verdict: "unknown",
    requests: [{ path: "/d/x.html", body: "12345", method: "POST" }, ...paths("/d/x.html")],
  },
  {
    name: "an invalid header of the response",
    modules: ["headers"],
    common: [...open, ...inDirectory("/d", "@")],
    before: ["Header set X-A 1"],
    after: ['Header set X-A "1\\n2"'],
    verdict: "unknown",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "a variable on which an invalid header depends",
    modules: ["headers"],
    common: [...open, 'Header set X-A "1\\n2" env=flag', "@"],
    before: [],
    after: ["SetEnvIf Request_URI ^/d flag"],
    verdict: "unknown",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "twin: a header of the response",
    modules: ["headers"],
    common: [...open, 'Header set X-A "1 2" env=flag', ...inDirectory("/d", "@")],
    before: [],
    after: ['Header set X-B "2"', "SetEnv flag"],
    verdict: "equivalent",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "twin: the same length in another order",
    common: [...open, "@"],
    before: ["LimitRequestLine 30", "ServerTokens Prod"],
    after: ["ServerTokens OS", "LimitRequestLine 30"],
    verdict: "equivalent",
    requests: longLine,
  },
  {
    name: "a redirect to the index file",
    common: [...open, "@"],
    before: [],
    after: ["DirectoryIndexRedirect 303"],
    verdict: "unknown",
    requests: paths("/", "/a.txt"),
  },
  {
    name: "a handler that takes only POST",
    modules: formHandlers,
    common: [...open, "@"],
    before: [],
    after: asHandler("form-login-handler"),
    verdict: "unknown",
    requests: paths("/a.txt"),
  },
  {
    name: "a handler that takes no GET",
    modules: ["reflector"],
    common: [...open, "@"],
    before: [],
    after: asHandler("reflector"),
    verdict: "unknown",
    requests: [...paths("/a.txt"), { path: "/a.txt", method: "OPTIONS" }],
  },
  {
    name: "a handler that a header names",
    modules: ["cgid"],
    common: [...open, ...inDirectory("/d", "@")],
    before: [],
    after: ['SetHandler "%{HTTP:X-A}"'],
    verdict: "unknown",
    requests: [{ path: "/d/x.html", headers: { "X-A": "cgi-script" } }, ...paths("/a.txt")],
  },
  {
    name: "a condition on the version of a file",
    modules: ["headers"],
    common: [...open, "@"],
    before: [],
    after: ['RequestHeader set If-Match "x"'],
    verdict: "unknown",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "a header of the body",
    modules: ["headers"],
    common: [...open, "@"],
    before: [],
    after: ["RequestHeader set Content-Length x early"],
    verdict: "unknown",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "twin: a header that httpd does not read",
    modules: ["headers"],
    common: [...open, "@"],
    before: [],
    after: ["RequestHeader set X-Length x early"],
    verdict: "equivalent",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "the end of such a handler in a directory",
    modules: ["reflector"],
    common: [...open, ...inDirectory("", "SetHandler reflector"), ...inDirectory("/d", "@")],
    before: [],
    after: ["SetHandler none"],
    verdict: "unknown",
    requests: paths("/d/x.html", "/a.txt"),
  },
  {
    name: "the handler of a rewrite, with which a directory has no index file",
    common: [...open, "<Files index.html>", "Require all denied", "</Files>", ...inDirectory("", "@")],
    before: [],
    after: ["SetHandler redirect-handler"],
    verdict: "different",
    requests: paths("/", "/a.txt"),
  },
  {
    name: "twin: another handler, with which it has one",
    common: [...open, "<Files index.html>", "Require all denied", "</Files>", ...inDirectory("", "@")],
    before: [],
    after: ["SetHandler rewrite-handler"],
    verdict: "equivalent",
    requests: paths("/", "/a.txt"),
  },
  {
    name: "twin: a variable whose value is a group of the path, and that no line reads",
    common: [...open, "@"],
    before: [],
    after: ['SetEnvIfExpr "%{REQUEST_URI} =~ m#^/(a)#" captured=$1'],
    verdict: "equivalent",
    requests: paths("/", "/a.txt"),
  },
  {
    name: "twin: such a handler without its module",
    common: [...open, "@"],
    before: [],
    after: asHandler("form-login-handler"),
    verdict: "equivalent",
    requests: paths("/a.txt"),
  },
  {
    name: "WebDAV",
    modules: ["dav", "dav_fs"],
    common: [...open, ...inDirectory("/d", "@")],
    before: [],
    after: ["Dav On"],
    verdict: "unknown",
    requests: [...paths("/d/x.html"), { path: "/d/", method: "PROPFIND" }],
  },
  {
    name: "twin: WebDAV that is off",
    modules: ["dav", "dav_fs"],
    common: [...open, ...inDirectory("/d", "Dav On"), ...inDirectory("/d", "@")],
    before: ["Dav Off"],
    after: ["Dav Off", "ServerSignature Off"],
    verdict: "equivalent",
    requests: [...paths("/d/x.html"), { path: "/d/", method: "PROPFIND" }],
  },
  {
    name: "a wildcard that covers the name of an earlier host, and others",
    common: [...open, ...inHost(), "@"],
    before: refusing("ServerName b.test", "ServerAlias *.b.test"),
    after: refusing("ServerName b.test", "ServerAlias *.test"),
    verdict: "different",
    requests: asHost("x.test", "y.test", "b.test", "y.b.test"),
  },
  {
    name: "the order of hosts whose wildcards share names",
    common: [...open, ...inHost(), "@"],
    before: [...grantingAll, ...refusing("ServerName b.test", "ServerAlias *b")],
    after: [...refusing("ServerName b.test", "ServerAlias *b"), ...grantingAll],
    verdict: "different",
    requests: asHost("axb", "a", "b"),
  },
  {
    name: "twin: a wildcard of the default host",
    common: [...open, "@", ...refusing("ServerName b.test")],
    before: inHost("ServerAlias *.y.test"),
    after: inHost("ServerAlias *.z.test"),
    verdict: "equivalent",
    requests: asHost("x.test", "y.y.test", "y.z.test", "b.test"),
  },
  {
    name: "the names of requests that a host accepts",
    common: [...open, "@", ...inHost()],
    before: [],
    after: ["StrictHostCheck On"],
    verdict: "unknown",
    requests: asHost("x.test", "y.test"),
  },
];

const onlyFirst = "RewriteCond %{ENV:REDIRECT_STATUS} ^$";
const onlyLater = "RewriteCond %{ENV:REDIRECT_STATUS} !^$";
const twoPasses = (...lines: readonly string[]) => [...open, ...inDirectory("", "RewriteEngine On", "@", ...lines)];

/** Conditions of rules that hold in one pass over a request, and not in another. */
const passPairs: readonly DifferingPair[] = [
  {
    name: "the target of a rule before an internal redirect",
    common: twoPasses(onlyLater, "RewriteRule ^index - [F]"),
    before: [onlyFirst, "RewriteRule ^a\\.txt /index.html"],
    after: [onlyFirst, "RewriteRule ^a\\.txt /d/x.html"],
    verdict: "different",
    requests: paths("/a.txt", "/index.html"),
  },
  {
    name: "the same with a text in place of a pattern",
    common: twoPasses("RewriteCond %{ENV:REDIRECT_STATUS} =200", "RewriteRule ^index - [F]"),
    before: ['RewriteCond %{ENV:REDIRECT_STATUS} =""', "RewriteRule ^a\\.txt /index.html"],
    after: ['RewriteCond %{ENV:REDIRECT_STATUS} =""', "RewriteRule ^a\\.txt /d/x.html"],
    verdict: "different",
    requests: paths("/a.txt", "/index.html"),
  },
  {
    name: "another variable of an internal redirect",
    common: ["SetEnvIf Host ^ A=1", ...twoPasses("RewriteCond %{ENV:REDIRECT_A} !^$", "RewriteRule ^index - [F]")],
    before: ["RewriteCond %{ENV:REDIRECT_A} ^$", "RewriteRule ^a\\.txt /index.html"],
    after: ["RewriteCond %{ENV:REDIRECT_A} ^$", "RewriteRule ^a\\.txt /d/x.html"],
    verdict: "unknown",
    requests: paths("/a.txt", "/index.html"),
  },
  {
    name: "twin: a target that only direct requests may not reach",
    common: twoPasses("RewriteCond %{ENV:REDIRECT_STATUS} =404", "RewriteRule ^index - [F]"),
    before: [onlyFirst, "RewriteRule ^a\\.txt /index.html"],
    after: [onlyFirst, "RewriteRule ^a\\.txt /d/x.html"],
    verdict: "equivalent",
    requests: paths("/a.txt", "/index.html"),
  },
  {
    name: "what a map does with a header",
    common: [...open, "RewriteEngine On", "@", "RewriteCond ${m:%{HTTP:X-A}} =a", "RewriteRule ^ - [F]"],
    before: ["RewriteMap m int:toupper"],
    after: ["RewriteMap m int:tolower"],
    verdict: "unknown",
    requests: [{ path: "/a.txt", headers: { "X-A": "A" } }, ...paths("/a.txt")],
  },
  {
    name: "twin: a map without a rule",
    common: [...open, "RewriteEngine On", "@"],
    before: ["RewriteMap m int:toupper"],
    after: ["RewriteMap m int:tolower"],
    verdict: "equivalent",
    requests: [{ path: "/a.txt", headers: { "X-A": "A" } }],
  },
  {
    name: "twin: a login that rules of the server do not know yet",
    common: [...open, ...at("/priv", ...login, "AuthUserFile users"), "RewriteEngine On", "@"],
    before: [],
    after: ["RewriteCond %{AUTH_TYPE} ^Basic$", "RewriteRule ^/priv - [F]"],
    verdict: "equivalent",
    requests: [{ path: "/priv/x.html", user: "bob" }, ...paths("/priv/x.html")],
  },
];

const put = [{ path: "/a.txt", method: "PUT" }, ...paths("/a.txt")];

const methodPairs: readonly DifferingPair[] = [
  {
    name: "a program in place of a file, by its extension",
    modules: ["cgid"],
    common: [...open, ...inDirectory("", "Options +ExecCGI"), "@"],
    before: [],
    after: ["AddHandler cgi-script .txt"],
    verdict: "different",
    requests: put,
  },
  {
    name: "a program in place of a file, in a section",
    modules: ["cgid"],
    common: [...open, ...inDirectory("", "Options +ExecCGI", "<Files a.txt>", "@", "</Files>")],
    before: ["SetHandler default-handler"],
    after: ["SetHandler cgi-script"],
    verdict: "different",
    requests: put,
  },
  {
    name: "a backend in place of a file",
    common: [...open, "@"],
    before: [],
    after: ["ProxyPass /a.txt http://127.0.0.1:9/"],
    verdict: "different",
    requests: put,
  },
  {
    name: "a status of a rule in place of a file",
    common: [...open, "RewriteEngine On", "@"],
    before: [],
    after: ["RewriteRule ^/a\\.txt$ - [R=204,L]"],
    verdict: "different",
    requests: put,
  },
  {
    name: "twin: the handler of files by its name",
    common: [...open, ...inDirectory("", "<Files a.txt>", "@", "</Files>")],
    before: [],
    after: ["SetHandler default-handler"],
    verdict: "equivalent",
    requests: put,
  },
  {
    name: "twin: a program that no file gets",
    modules: ["cgid"],
    common: [...open, ...at("/a.txt", "@"), ...at("/a.txt", "SetHandler none")],
    before: [],
    after: ["SetHandler cgi-script"],
    verdict: "equivalent",
    requests: put,
  },
];

const slashes = paths("/priv//x.html", "/priv/x.html", "//priv/x.html");
const closed = "Require all denied";

const matchingLines = ['<LocationMatch "^/priv/x\\.html$">', closed, "</LocationMatch>"];

/** Lines that match the text of the path. */
const textLines: Readonly<Record<string, readonly string[]>> = {
  LocationMatch: matchingLines,
  "a pattern in Location": ['<Location ~ "^/priv/x\\.html$">', closed, "</Location>"],
  RewriteRule: ["RewriteEngine On", "RewriteRule ^/priv/x\\.html$ - [F]"],
  RedirectMatch: ['RedirectMatch 403 "^/priv/x\\.html$"'],
  "a condition": ["<If \"%{REQUEST_URI} == '/priv/x.html'\">", closed, "</If>"],
};
const plainLines = ['<Location "/priv/x.html">', closed, "</Location>"];

const slashPairs: readonly DifferingPair[] = [
  ...Object.entries(textLines).map(
    ([name, lines]): DifferingPair => ({
      name: `slashes are merged on one side: ${name}`,
      common: ["@", ...open, ...lines],
      before: [],
      after: ["MergeSlashes Off"],
      verdict: "unknown",
      requests: slashes,
    }),
  ),
  {
    name: "a pattern on one side where slashes are kept, and a plain path on the other",
    common: ["MergeSlashes Off", ...open, "@"],
    before: [...plainLines, ...at("/priv/x.html/", "Require all granted")],
    after: matchingLines,
    verdict: "unknown",
    requests: slashes,
  },
  {
    name: "twin: the default in words",
    common: ["@", ...open, ...matchingLines],
    before: [],
    after: ["MergeSlashes On"],
    verdict: "equivalent",
    requests: slashes,
  },
  {
    name: "twin: plain paths where slashes are kept",
    common: ["MergeSlashes Off", ...open, "@"],
    before: plainLines,
    after: [...plainLines, ...plainLines],
    verdict: "equivalent",
    requests: slashes,
  },
];

const invalidHost = [{ path: "/a.txt", host: "x!.test" }, ...paths("/a.txt")];

const protocolPairs: readonly DifferingPair[] = [
  {
    name: "invalid requests that one side accepts",
    common: ["@", ...open],
    before: [],
    after: ["HttpProtocolOptions Unsafe"],
    verdict: "unknown",
    requests: invalidHost,
  },
  {
    name: "twin: the default in words",
    common: ["@", ...open],
    before: [],
    after: ["HttpProtocolOptions Strict LenientMethods Allow0.9"],
    verdict: "equivalent",
    requests: invalidHost,
  },
  {
    name: "twin: the same on both sides, in another order",
    common: [...open, "@"],
    before: ["HttpProtocolOptions Unsafe", ...plainLines],
    after: [...plainLines, "HttpProtocolOptions Unsafe"],
    verdict: "equivalent",
    requests: invalidHost,
  },
];

export const pairGroups = {
  "the users that a provider accepts": userPairs,
  "handlers of files": handlerPairs,
  "targets of paths and documents of errors": targetPairs,
  "variables and headers after an internal redirect": redirectPairs,
  "sizes, methods and hosts of requests": requestPairs,
  "conditions of rules in several passes": passPairs,
  "methods that only one handler accepts": methodPairs,
  "repeated slashes": slashPairs,
  "invalid requests": protocolPairs,
} as const;

/** Returns the modules of a pair, in the order of loading. */
export function modulesOf({ firstModules = [], modules = [] }: DifferingPair): readonly string[] {
  return [...firstModules, ...usualModules, ...modules];
}

/** Returns the lines of a side. */
export function linesOf({ common }: DifferingPair, own: readonly string[]): readonly string[] {
  return common.flatMap((line) => (line === "@" ? own : [line]));
}
