import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { loadModules } from "../support/httpd/httpd.js";
import { textOf } from "../support/scopes.js";

const existingFiles = ["/srv/www/x.txt", "/srv/www/a/index.html", "/srv/cgi/run", "/srv/www/.htaccess", "/etc/users"];

interface Case {
  readonly title: string;
  readonly lines: readonly string[];
  /** Lines of `/srv/www/.htaccess`. */
  readonly htaccess?: readonly string[];
  readonly request?: Partial<Request>;
  /** Modules in addition to the default ones. */
  readonly modules?: readonly string[];
  /** A default module that is not loaded. */
  readonly without?: string;
}

const defaultModules = ["authz_core", "authz_host", "access_compat", "alias", "dir", "setenvif"];

function decisionOf({ lines, htaccess = [], request, modules = [], without }: Case) {
  const loaded = loadModules([...defaultModules, ...modules].filter((each) => each !== without));
  const texts = {
    "/etc/httpd.conf": `${loaded}${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`,
    "/srv/www/.htaccess": `${htaccess.join("\n")}\n`,
  };
  const project = loadProject("/etc/httpd.conf", { access: memoryAccess(texts), kind: "server", release: "2.4" });
  if (!project.ok) throw new Error(project.error);
  const fullRequest = { method: "GET", path: "/x.txt", host: "a.test", clientIp: "192.0.2.7", ...request };
  const owner = { user: "root", group: "root" };
  return answer(project.value, fullRequest, { files: createListedFiles(existingFiles, owner) });
}

/** Without the server's messages about skipped lines in `.htaccess` files, which are tested below. */
function answerOf(each: Case) {
  const { status, accessLog, errorLog } = decisionOf(each);
  const ofRequest = errorLog.filter((line) => !/^AH0229[56]:/.test(line));
  return { status, client: accessLog.split(" ")[0], user: accessLog.split(" ")[2], errorLog: ofRequest };
}

const authLines = [
  ...["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"],
  ...["AuthGroupFile /etc/none", "AuthDBMGroupFile /etc/none"],
];
const authModules = [
  "authn_core",
  "auth_basic",
  "authn_file",
  "authz_user",
  "authz_groupfile",
  "authz_dbm",
  "authz_owner",
];
const namedClient = { clientIp: "127.0.0.1", clientHost: "localhost" };
const inRoot = (...lines: readonly string[]) => ["<Directory /srv/www>", ...lines, "</Directory>"];

const anonymous = ["AuthType Basic", "AuthName x", "AuthBasicProvider anon", "Require valid-user"];
const carol = { user: "carol" };

/** Observed behaviour of a live server, each with a minimal example. */
const cases: readonly (Case & {
  readonly status: number;
  readonly client?: string;
  readonly user?: string;
  readonly errorLog?: readonly string[];
})[] = [
  {
    title: "an unknown method",
    ...{ lines: [], request: { method: "FOO" }, status: 501 },
    errorLog: ["AH00135: Invalid method in request FOO /x.txt HTTP/1.1"],
  },
  {
    title: "a method that a Limit section names",
    lines: inRoot("<Limit FOO>", "Deny from 10", "</Limit>"),
    ...{ request: { method: "FOO" }, status: 405 },
  },
  {
    title: "a RedirectMatch with an invalid target",
    ...{ lines: ["RedirectMatch ^/(x) to$1"], status: 500 },
    errorLog: ["AH00674: cannot redirect '/x.txt' to 'tox'; target is not a valid absoluteURI or abs_path"],
  },
  {
    title: "a RedirectMatch with an invalid target that needs escaping",
    ...{ lines: ['RedirectMatch ^/x "to a %?b c"'], status: 500 },
    errorLog: [
      "AH00674: cannot redirect '/x.txt' to 'to%20a%20%25?b c'; target is not a valid absoluteURI or abs_path",
    ],
  },
  {
    title: "a RedirectMatch in a section, with a status that needs no target",
    ...{ lines: inRoot("RedirectMatch 403 ^/x"), status: 403 },
  },
  {
    title: "a SetEnvIf condition on Remote_Host, which does not look up the client's name",
    ...{ lines: ["SetEnvIf Remote_Host local flag"], request: { ...namedClient, user: "alice" }, status: 200 },
    ...{ client: "127.0.0.1", user: "-" },
  },
  {
    title: "an Order that does not check Deny",
    ...{ lines: inRoot("Order mutual-failure", "Deny from localhost"), request: namedClient, status: 403 },
    ...{ client: "127.0.0.1", errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"] },
  },
  {
    title: "a TRACE request, for which the client's name is looked up too",
    ...{
      lines: ["HostnameLookups On"],
      request: { ...namedClient, method: "TRACE" },
      status: 200,
      client: "localhost",
    },
  },
  {
    title: "HostnameLookups in a section that is not applied because the `.htaccess` file is rejected",
    ...{
      lines: inRoot("AllowOverride All", "HostnameLookups On"),
      htaccess: ["Nope"],
      request: namedClient,
      status: 500,
    },
    client: "127.0.0.1",
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "a directive that is not allowed in a section of a `.htaccess` file",
    lines: inRoot("AllowOverride FileInfo"),
    ...{ htaccess: ["<files x>", "Deny from all", "</Files>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: deny not allowed in <Files> context"],
  },
  {
    title: "an option that is not allowed",
    ...{ lines: inRoot("AllowOverride Options"), htaccess: ["Options +MultiViews"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Option MultiViews not allowed here"],
  },
  {
    title: "an argument that is not an option",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["Options +Nope +MultiViews"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Illegal option Nope"],
  },
  {
    title: "a conditional section, which is read before all other lines",
    ...{ lines: [], htaccess: ["Deny from all", "<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: <IfModule not allowed here"],
  },
  {
    title: "a skipped conditional section",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: </IfModule> without matching <IfModule> section"],
  },
  {
    title: "a skipped conditional section in a section",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["<FILES x>", "<IfModule x>", "</ifmodule>", "</Files>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Expected </Files> but saw </ifmodule>"],
  },
  {
    title: "a skipped conditional section that is not closed",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["<IfModule x>", "Deny from all"], status: 200 },
  },
  {
    title: "an allowed conditional section that is false and not closed",
    lines: inRoot("AllowOverride None", "AllowOverrideList <IfModule Deny"),
    ...{ htaccess: ["<IfModule x>", "Deny from all"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Expected </IfModule> before end of configuration"],
  },
  {
    title: "lines after a skipped conditional section that is not closed, which are read although it is false",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny"),
    ...{ htaccess: ["<IfModule x>", "<IfDefine x>", "Deny from all"], status: 403 },
    errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "lines after a skipped conditional section that is not closed, in a section",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList <Files Deny"),
    ...{ htaccess: ["<Files x.txt>", "<IfModule x>", "Deny from all", "</Files>"], status: 403 },
    errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "an allowed and false conditional section after a skipped one",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny <IfDefine"),
    ...{ htaccess: ["<IfModule x>", "<IfDefine x>", "Deny from all", "</IfDefine>"], status: 200 },
  },
  {
    title: "an unknown directive after a skipped conditional section",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny"),
    ...{ htaccess: ["<IfModule x>", "Nope"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "a directive with too few arguments after a skipped conditional section",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny"),
    ...{ htaccess: ["<IfModule x>", "Deny nobody"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: deny requires at least two arguments, 'from' followed by hostnames or IP-address wildcards",
    ],
  },
  {
    title: "a conditional section that is not allowed, in an allowed one that is false",
    lines: inRoot("AllowOverride None", "AllowOverrideList <IfModule"),
    ...{ htaccess: ["<IfModule x>", "<IfDefine x>", "</IfDefine>", "</IfModule>"], status: 200 },
  },
  {
    title: "a skipped conditional section in one that is true",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList <IfModule"),
    ...{ htaccess: ["<IfModule alias_module>", "<IfDefine x>", "</IfDefine>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: </IfDefine> without matching <IfDefine> section"],
  },
  {
    title: "a skipped directive that takes effect while the file is read",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["Include x", "Nope"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "a closing tag without an opening one, before a conditional section",
    ...{ lines: [], htaccess: ["</Files>", "<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: </Files> without matching <Files> section"],
  },
  {
    title: "a section that is not closed, with a conditional section that is rejected first",
    ...{ lines: [], htaccess: ["<Files x>", "<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: <IfModule not allowed here"],
  },
  {
    title: "missing group files",
    ...{ modules: authModules, request: { user: "alice" }, status: 401, user: "alice" },
    lines: inRoot(...authLines, "Require group x", "Require dbm-file-group"),
    errorLog: [
      "AH01665: Could not open group file: /etc/none",
      "AH01799: could not open dbm (type default) group access file: /etc/none",
      'AH01631: user alice: authorization failure for "/x.txt": ',
    ],
  },
  {
    title: "a missing dbm group file, which ends the check",
    ...{ modules: authModules, request: { user: "alice" }, status: 500, user: "alice" },
    lines: inRoot(...authLines, "Require dbm-group x", "Require valid-user"),
    errorLog: ["AH01799: could not open dbm (type default) group access file: /etc/none"],
  },
  {
    title: "a reversed range and an escaped slash in a Location",
    ...{ lines: ['<Location "\\/[!z-a].txt">', "Require all denied", "</Location>"], status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "a reversed range and any escaped byte in a Directory",
    ...{ lines: ['<Directory "/s\\rv\\/[!z-a]*">', "Require all denied", "</Directory>"], status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "unmerged slashes, which count as one for sections with wildcards and in file names",
    lines: ["MergeSlashes Off", '<Location "/*/*">', "Require all denied", "</Location>"],
    ...{ request: { path: "/a//" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/a/"],
  },
  {
    title: "Options without signs after Options with signs, which the next section restores",
    ...{ modules: ["autoindex"], request: { path: "/" }, status: 403 },
    lines: [...inRoot("Options -Indexes +Includes", "Options All"), ...inRoot()],
    errorLog: [
      "AH01276: Cannot serve directory /srv/www/: No matching DirectoryIndex (index.html) found, and server-generated directory index forbidden by Options directive",
    ],
  },
  {
    title: "a ScriptAlias without a CGI module",
    ...{ lines: ["ScriptAlias /cgi /srv/cgi"], request: { path: "/cgi/none" }, status: 404 },
  },
  {
    title: "a malformed Host header",
    ...{
      lines: ["HostnameLookups On", "Redirect / http://b.test/"],
      request: { ...namedClient, host: "a..test" },
      status: 400,
    },
    client: "localhost",
  },
  { title: "TraceEnable", ...{ lines: ["TraceEnable off"], request: { method: "TRACE" }, status: 405 } },
  {
    title: "a file name that is too long",
    ...{ lines: inRoot("Require all denied"), request: { path: `/${"x".repeat(256)}/y` }, status: 403 },
    errorLog: [`AH00036: access to /${"x".repeat(256)}/y failed (filesystem path '/srv/www/${"x".repeat(256)}')`],
  },
  {
    title: "a password file that is not authoritative",
    lines: inRoot("AuthType Basic", "AuthName x", "AuthBasicAuthoritative Off", "Require valid-user"),
    ...{ modules: authModules, request: { user: "alice" }, status: 500, user: "alice" },
    errorLog: [
      "AH01619: AuthUserFile not specified in the configuration",
      "AH01796: AuthType Basic configured without corresponding module",
    ],
  },
  {
    title: "a Limit section without effect, before a directive that is not allowed in it",
    lines: inRoot("AllowOverride Limit"),
    htaccess: ["<Limit GET>", "<Limit GET>", "Require all granted", "</Limit>", "</Limit>"],
    status: 500,
    errorLog: ["/srv/www/.htaccess: <Limit> directive specifies methods already excluded"],
  },
  {
    title: "a directory that has a handler and no index file",
    ...{ lines: ["SetHandler default-handler"], modules: ["autoindex"], request: { path: "/" }, status: 404 },
  },
  {
    title: "a request for a directory without a trailing slash",
    lines: ["DirectorySlash Off", ...inRoot("Options None")],
    ...{ modules: ["autoindex"], request: { path: "/a" }, status: 403 },
    errorLog: [
      "AH01276: Cannot serve directory /srv/www/a: No matching DirectoryIndex (none) found, and server-generated directory index forbidden by Options directive",
    ],
  },
  {
    title: "a `.htaccess` file in the target of AliasMatch",
    lines: ["DocumentRoot /srv/cgi", "AliasMatch ^/am/(.*) /srv/www/$1"],
    ...{ htaccess: ["Require all denied"], request: { path: "/am/x.txt" }, status: 500 },
    errorLog: ["/srv/www/.htaccess: Require not allowed here"],
  },
  {
    title: "AllowMethods, which is checked before mod_access_compat",
    ...{ lines: inRoot("AllowMethods GET", "Deny from all"), modules: ["allowmethods"], request: { method: "PUT" } },
    ...{ status: 405, errorLog: ["AH01623: client method denied by server configuration: 'PUT' to /srv/www/x.txt"] },
  },
  {
    title: "AllowMethods with Satisfy any",
    lines: inRoot("AllowMethods GET", "Allow from all", "Satisfy any", "Require all denied"),
    ...{ modules: ["allowmethods"], request: { method: "PUT" }, status: 403 },
    errorLog: [
      "AH01623: client method denied by server configuration: 'PUT' to /srv/www/x.txt",
      "AH01630: client denied by server configuration: /srv/www/x.txt",
    ],
  },
  {
    title: "a directory with DirectoryIndex disabled",
    ...{
      lines: ["DirectoryIndex disabled", "Options None"],
      modules: ["autoindex"],
      request: { path: "/" },
      status: 403,
    },
    errorLog: [
      "AH01276: Cannot serve directory /srv/www/: No matching DirectoryIndex () found, and server-generated directory index forbidden by Options directive",
    ],
  },
  {
    title: "DirectoryIndexRedirect",
    ...{ lines: ["DirectoryIndexRedirect seeother"], request: { path: "/a/" }, status: 303 },
  },
  {
    title: "DirectoryCheckHandler",
    ...{ lines: ["DirectoryCheckHandler On", "SetHandler default-handler"], request: { path: "/a/" }, status: 404 },
  },
  {
    title: "a conditional section with a line continuation right after its name",
    ...{ lines: [], htaccess: ["<IfModule\\", " x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: <IfModule not allowed here"],
  },
  {
    title: "an error in a skipped line, before an unknown directive",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["DirectoryIndex", "Nope"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "a section that is not closed, reported in the server's spelling",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["<FILES x>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: /srv/www/.htaccess:1: <Files> was not closed."],
  },
  {
    title: "two sections that are not closed, reported from inside to outside",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["<Files x>", "<If true>"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: /srv/www/.htaccess:2: <If> was not closed.\\n/srv/www/.htaccess:1: <Files> was not closed.",
    ],
  },
  {
    title: "an unknown option",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["Options +Nope"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Illegal option Nope"],
  },
  {
    title: "TraceEnable for a proxied request",
    lines: ["TraceEnable off", "ProxyPass /p http://127.0.0.1/"],
    ...{ modules: ["proxy", "proxy_http"], request: { method: "TRACE", path: "/p" }, status: 405 },
    errorLog: ["AH01139: TRACE forbidden by server configuration"],
  },
  {
    title: "a path that mod_proxy cannot escape again, with AllowEncodedSlashes NoDecode",
    lines: ["AllowEncodedSlashes NoDecode", "ProxyPass /p http://127.0.0.1/"],
    ...{ modules: ["proxy", "proxy_http"], request: { path: "/p/x%25" }, status: 400, errorLog: [] },
  },
  {
    title: "a path with a space that a rule proxies without escaping",
    lines: ["RewriteEngine On", "RewriteRule ^/(.*)$ http://127.0.0.1/$1 [P,NE]"],
    ...{ modules: ["rewrite", "proxy", "proxy_http"], request: { path: "/%20" }, status: 403 },
    errorLog: ["AH10415: To be forwarded path contains control characters or spaces"],
  },
  {
    title: "a path that mod_proxy cannot escape again, with nocanon",
    lines: ["AllowEncodedSlashes NoDecode", "ProxyPass /p http://127.0.0.1/ nocanon"],
    ...{ modules: ["proxy", "proxy_http"], request: { path: "/p/x%25" }, status: 200, errorLog: [] },
  },
  {
    title: "a missing program with a handler for its extension",
    ...{ lines: ["AddHandler cgi-script .sh"], modules: ["cgi", "mime"], request: { path: "/none.sh" }, status: 403 },
    errorLog: ["AH02809: stderr from /srv/www/none.sh: Options ExecCGI is off in this directory"],
  },
  {
    title: "a missing program",
    ...{ lines: ["ScriptAlias /cgi /srv/cgi"], modules: ["cgi"], request: { path: "/cgi/none" }, status: 404 },
    errorLog: ["AH02811: stderr from /srv/cgi/none: script not found or unable to stat"],
  },
  {
    title: "a missing program with a handler for its extension, with mod_cgid, which has other message numbers",
    ...{ lines: ["AddHandler cgi-script .sh"], modules: ["cgid", "mime"], request: { path: "/none.sh" }, status: 403 },
    errorLog: ["AH01262: stderr from /srv/www/none.sh: Options ExecCGI is off in this directory"],
  },
  {
    title: "a missing program, with mod_cgid",
    ...{ lines: ["ScriptAlias /cgi /srv/cgi"], modules: ["cgid", "cgi"], request: { path: "/cgi/none" }, status: 404 },
    errorLog: ["AH01264: stderr from /srv/cgi/none: script not found or unable to stat"],
  },
  {
    title: "a program with path info and AcceptPathInfo Off",
    lines: ["ScriptAlias /cgi /srv/cgi", "AcceptPathInfo Off"],
    ...{ modules: ["cgi"], request: { path: "/cgi/run/more" }, status: 404 },
    errorLog: ["AH02813: stderr from /srv/cgi/run: AcceptPathInfo off disallows user's path"],
  },
  {
    title: "a program with path info and AcceptPathInfo Off, with mod_cgid",
    lines: ["ScriptAlias /cgi /srv/cgi", "AcceptPathInfo Off"],
    ...{ modules: ["cgid"], request: { path: "/cgi/run/" }, status: 404 },
    errorLog: ["AH01266: stderr from /srv/cgi/run: AcceptPathInfo off disallows user's path"],
  },
  {
    title: "a directory with a CGI handler, with mod_cgid",
    lines: ["SetHandler cgi-script", ...inRoot("Options ExecCGI")],
    ...{ modules: ["cgid"], request: { path: "/" }, status: 403 },
    errorLog: ["AH01265: stderr from /srv/www/: attempt to invoke directory as script"],
  },
  {
    title: "an absent header, which is not an address",
    lines: inRoot("Require expr %{HTTP:X-From} -ipmatch '10.0.0.0/8'"),
    ...{ status: 403, errorLog: ["AH01630: client denied by server configuration: /srv/www/x.txt"] },
  },
];

/** Cases for authentication providers. */
const providerCases: typeof cases = [
  {
    title: "a user whose name mod_authn_anon does not accept",
    ...{ lines: inRoot(...anonymous, "Anonymous guest"), modules: [...authModules, "authn_anon"], request: carol },
    ...{ status: 401, user: "carol", errorLog: ["AH01618: user carol not found: /x.txt"] },
  },
  {
    title: "mod_authn_anon with any of its directives in an inner section, which discards those of the outer one",
    lines: ["<Directory /srv>", "Anonymous *", "</Directory>", ...inRoot(...anonymous, "Anonymous_LogEmail Off")],
    ...{ modules: [...authModules, "authn_anon"], request: carol, status: 401, user: "carol" },
    errorLog: ["AH01618: user carol not found: /x.txt"],
  },
  {
    title: "a user whose name mod_authn_anon accepts in any case, before a missing password file",
    lines: inRoot(
      ...[...anonymous, "AuthBasicProvider file", "AuthUserFile /etc/none"],
      ...["Anonymous guest CAROL", "Anonymous_MustGiveEmail off"],
    ),
    ...{ modules: [...authModules, "authn_anon"], request: carol, status: 200, user: "carol" },
  },
  {
    title: "a user whose name mod_authn_anon does not accept, before a missing password file",
    lines: inRoot(...anonymous, "AuthBasicProvider file", "AuthUserFile /etc/none", "Anonymous guest"),
    ...{ modules: [...authModules, "authn_anon"], request: carol, status: 500, user: "carol" },
    errorLog: ["AH01620: Could not open password file: /etc/none"],
  },
  {
    title: "an alias of a provider, with its own password file",
    lines: [
      ...["<AuthnProviderAlias file other>", "AuthUserFile /etc/none", "</AuthnProviderAlias>"],
      ...inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider other", "Require valid-user"),
    ],
    ...{ modules: authModules, request: carol, status: 500, user: "carol" },
    errorLog: ["AH01620: Could not open password file: /etc/none"],
  },
  {
    title: "a missing password file for Digest",
    lines: inRoot("AuthType Digest", "AuthName x", "AuthUserFile /etc/none", "Require valid-user"),
    ...{ modules: [...authModules, "auth_digest"], request: carol, status: 500, user: "carol" },
    errorLog: ["AH01622: Could not open password file: /etc/none"],
  },
];

test.each([
  [["Anonymous guest"], ["Anonymous guest"]],
  [[], ["AuthBasicProvider anon"]],
])("a user is rejected by the provider's setting, or by the line that names the provider: %j", (own, by) => {
  const lines = inRoot(...anonymous, ...own);
  const { decidedBy } = decisionOf({ title: "", lines, modules: [...authModules, "authn_anon"], request: carol });
  expect(decidedBy.map(textOf)).toEqual(by);
});

test("a provider with an external user database accepts a user with the right password", () => {
  const lines = inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider file dbm", "Require valid-user");
  const modules = [...authModules, "authn_dbm"];
  expect(decisionOf({ title: "", lines, modules, request: carol })).toMatchObject({ status: 500, log: ["AH01619"] });
  const namedClient = [...lines.slice(0, -1), "AuthUserFile /etc/users", ...lines.slice(-1)];
  expect(decisionOf({ title: "", lines: namedClient, modules, request: carol })).toMatchObject({
    class: "allowed",
    unknown: [],
  });
});

/** Cases for incomplete authentication setups. */
const incompleteAuth: typeof cases = [
  {
    title: "a dbm provider without its file",
    lines: inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider dbm", "AuthDBMType SDBM", "Require valid-user"),
    ...{ modules: [...authModules, "authn_dbm"], request: carol, status: 500, user: "carol" },
    errorLog: ["AH10285: could not open dbm (type SDBM) file: (null)"],
  },
  {
    title: "an LDAP provider without its URL",
    lines: inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider ldap", "Require valid-user"),
    ...{ modules: [...authModules, "ldap", "authnz_ldap"], request: carol, status: 500, user: "carol" },
    errorLog: ["AH02558: no AuthLDAPURL"],
  },
  {
    title: "an AuthType that is an expression",
    lines: inRoot('AuthType "%{tolower:BASIC}"', "AuthName x", "AuthUserFile /etc/users", "Require valid-user"),
    ...{ modules: authModules, request: carol, status: 200, user: "carol" },
  },
];

/** Cases for a server without mod_authz_core. */
const withoutAuthz: typeof cases = [
  {
    title: "a client without access rules",
    ...{ lines: [], status: 500 },
    errorLog: ["AH00025: configuration error:  couldn't check user: /x.txt"],
  },
  {
    title: "a client that mod_access_compat allows",
    ...{ lines: inRoot("Order deny,allow", "Deny from 10"), status: 500 },
    errorLog: ["AH00025: configuration error:  couldn't check user: /x.txt"],
  },
  {
    title: "a client that mod_access_compat denies",
    ...{ lines: inRoot("Deny from all"), status: 403 },
    errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "a client that mod_access_compat allows, with Satisfy any",
    ...{ lines: inRoot("Satisfy any"), status: 200 },
  },
  {
    title: "a client that mod_access_compat denies, with Satisfy any",
    ...{ lines: inRoot("Deny from all", "Satisfy any"), status: 500 },
    errorLog: [
      "AH01797: client denied by server configuration: /srv/www/x.txt",
      "AH00025: configuration error:  couldn't check user: /x.txt",
    ],
  },
  {
    title: "a client without access rules, with mod_authn_core",
    ...{ lines: [], modules: authModules, status: 500 },
    errorLog: [
      "AH00027: No authentication done but request not allowed without authentication for /x.txt. Authentication not configured?",
    ],
  },
  {
    title: "a client without credentials",
    ...{ lines: inRoot("AuthType Basic", "AuthName x", "AuthUserFile /etc/users"), modules: authModules, status: 401 },
  },
  {
    title: "a logged-in user",
    ...{ lines: inRoot("AuthType Basic", "AuthName x", "AuthUserFile /etc/users"), modules: authModules, status: 500 },
    ...{ request: carol, user: "carol" },
    errorLog: ["AH00025: configuration error:  couldn't check authorization: /x.txt"],
  },
].map((each) => ({ ...each, title: `without mod_authz_core, ${each.title}`, without: "authz_core" }));

test("an AuthType may belong to a third-party module, whose answer is unknown", () => {
  const lines = inRoot("AuthType openid-connect", "Require valid-user");
  const answers = (modules: readonly string[]) => {
    const { status, alternatives } = decisionOf({ title: "", lines, modules: [...authModules, ...modules] });
    return alternatives.length > 0 ? alternatives.map((each) => each.status) : status;
  };
  expect(answers(["auth_openidc"])).toEqual([200, 302, 401, 500]);
  expect(answers(["third_party"])).toEqual([200, 302, 303, 401, 403, 500]);
  expect(answers([])).toBe(500);
});

test("whether mod_authn_anon accepts a password is unknown", () => {
  const lines = inRoot(...anonymous, "Anonymous *", "Anonymous_VerifyEmail on");
  const { unknown, alternatives } = decisionOf({
    ...{ title: "", lines },
    ...{ modules: [...authModules, "authn_anon"], request: carol },
  });
  expect(unknown).toEqual([
    "whether `carol` sends a password that is not empty",
    "whether the password of `carol` has an `@` and a dot",
  ]);
  expect(alternatives.map(({ status, log }) => [status, ...log])).toEqual([[200], [401, "AH01617"]]);
});

/** Cases for missing files and home directories. */
const missingFiles: typeof cases = [
  {
    title: "FallbackResource for a missing file",
    ...{ lines: ["FallbackResource /a/index.html"], request: { path: "/none/x" }, status: 200 },
  },
  {
    title: "FallbackResource with a query",
    lines: [
      "FallbackResource /a/index.html?k",
      "<Location /a>",
      `Require expr "%{QUERY_STRING} == 'k'"`,
      "</Location>",
    ],
    ...{ request: { path: "/none/x" }, status: 200 },
  },
  {
    title: "FallbackResource with another query",
    lines: [
      "FallbackResource /a/index.html?j",
      "<Location /a>",
      `Require expr "%{QUERY_STRING} == 'k'"`,
      "</Location>",
    ],
    ...{ request: { path: "/none/x" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/a/index.html"],
  },
  {
    title: "FallbackResource with a query before that of the request",
    lines: [
      "FallbackResource /a/index.html?k",
      "<Location /a>",
      `Require expr "%{QUERY_STRING} == 'k?q'"`,
      "</Location>",
    ],
    ...{ request: { path: "/none/x", query: "q" }, status: 200 },
  },
  {
    title: "FallbackResource with a fragment, which includes the query of the request",
    lines: ["FallbackResource /a/index.html#k", "<Location /a>", `Require expr "%{QUERY_STRING} == ''"`, "</Location>"],
    ...{ request: { path: "/none/x", query: "q" }, status: 200 },
  },
  {
    title: "FallbackResource instead of an index file",
    ...{ lines: ["FallbackResource /a/index.html"], request: { path: "/" }, status: 200 },
  },
  {
    title: "FallbackResource, which does not apply to path info after a file",
    ...{ lines: ["FallbackResource /a/index.html"], request: { path: "/x.txt/y" }, status: 404 },
  },
  {
    title: "FallbackResource with a CGI handler",
    lines: ["FallbackResource /a/index.html", "SetHandler cgi-script", ...inRoot("Options ExecCGI")],
    ...{ modules: ["cgi"], request: { path: "/none" }, status: 404 },
    errorLog: ["AH02811: stderr from /srv/www/none: script not found or unable to stat"],
  },
  {
    title: "FallbackResource with a denied target",
    lines: ["FallbackResource /a/index.html", "<Location /a>", "Require all denied", "</Location>"],
    ...{ request: { path: "/none" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/a/index.html"],
  },
  {
    title: "FallbackResource with a missing target",
    ...{ lines: ["FallbackResource none"], request: { path: "/no/x" }, status: 500 },
    errorLog: [
      "AH00125: Request exceeded the limit of 10 subrequest nesting levels due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.",
    ],
  },
  {
    title: "UserDir, which uses the first existing directory and its sections",
    lines: ["UserDir /none /srv/* /last", "<Directory /srv/cgi>", "Require all denied", "</Directory>"],
    ...{ modules: ["userdir"], request: { path: "/~cgi/run" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/cgi/run"],
  },
  {
    title: "UserDir, which uses the last directory if none exists",
    lines: ["UserDir /none /srv/last", "<Directory /srv>", "Require all denied", "</Directory>"],
    ...{ modules: ["userdir"], request: { path: "/~joe/x" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/last"],
  },
  {
    title: "UserDir for a disabled user",
    ...{
      lines: ["UserDir /srv", "UserDir disabled cgi"],
      modules: ["userdir"],
      request: { path: "/~cgi/run" },
      status: 404,
    },
  },
  {
    title: "UserDir that redirects to another server",
    ...{ lines: ["UserDir http://b.test/*"], modules: ["userdir"], request: { path: "/~joe" }, status: 302 },
  },
];

test("files below a home directory are unknown", () => {
  const lines = ["UserDir public_html"];
  const decided = decisionOf({ title: "", lines, modules: ["userdir"], request: { path: "/~joe/x" } });
  const unknown = ["the home directories of users, which `UserDir public_html` uses"];
  expect(decided).toMatchObject({ status: undefined, class: "unknown", unknown, logsMayDiffer: true });
});

describe("logs each line of a `.htaccess` file that Nonfatal skips", () => {
  const foo =
    "AH02296: Unknown directive foo perhaps misspelled or defined by a module not included in the server configuration";
  const over = (name: string) => `AH02295: ${name} in .htaccess forbidden by AllowOverride`;
  const request = { path: "/a/", headers: { Referer: "http://b.test/" } };
  const decideWith = (allowed: string, ...htaccess: readonly string[]) =>
    decisionOf({ title: "", lines: inRoot(`AllowOverride ${allowed}`, "Require all denied"), htaccess, request });
  const denied = "AH01630: client denied by server configuration: /srv/www/a/, referer: http://b.test/";

  test.each([
    [
      "unknown directives and directives that are not allowed",
      "Nonfatal=All Limit",
      ["Foo x", "satisfy any", "Order deny,allow"],
      [foo, over("Satisfy")],
    ],
    [
      "a section, but not its contents",
      "Nonfatal=Override Limit",
      ["<requireall>", "Require valid-user", "</requireall>"],
      [over("<RequireAll")],
    ],
    [
      "contents of a section that is checked",
      "Nonfatal=Override Limit",
      ["<Files x>", "Require valid-user", "</Files>"],
      [over("Require")],
    ],
  ])("%s", (_, allowed, htaccess, messages) => {
    expect(decideWith(allowed, ...htaccess).errorLog).toEqual([...messages, denied]);
  });

  test("directives that take effect while the file is read, before all others", () => {
    const { errorLog } = decideWith("Nonfatal=Override Limit", "SetEnvIf a b c", "Define X y");
    expect(errorLog).toEqual([over("Define"), over("SetEnvIf"), denied]);
  });

  test("only lines before a rejected line", () => {
    const { status, errorLog } = decideWith("Nonfatal=Unknown Limit", "Foo x", "Satisfy any", "Foo y");
    expect([status, errorLog]).toEqual([
      500,
      [foo, "/srv/www/.htaccess: Satisfy not allowed here, referer: http://b.test/"],
    ]);
  });

  test("a conditional section, whose closing tag is then rejected", () => {
    const { status, errorLog } = decideWith("Nonfatal=All", "<IfModule x>", "</IfModule>");
    expect([status, errorLog]).toEqual([
      500,
      [
        over("<IfModule"),
        "/srv/www/.htaccess: </IfModule> without matching <IfModule> section, referer: http://b.test/",
      ],
    ]);
  });
});

test("the error log has only messages that are certain if the result is unknown", () => {
  const lines = inRoot(...anonymous, "Anonymous *", "Order allow,deny", "Satisfy any");
  const decided = decisionOf({ title: "", lines, modules: [...authModules, "authn_anon"], request: carol });
  const errorLog = ["AH01797: client denied by server configuration: /srv/www/x.txt"];
  expect(decided).toMatchObject({ class: "unknown", errorLog, logsMayDiffer: true });
});

test("a listed directory without a variant returns 404", () => {
  const lines = inRoot("Options MultiViews");
  const decided = decisionOf({ title: "", lines, modules: ["negotiation"], request: { path: "/x" } });
  expect(decided).toMatchObject({ status: 404, log: ["AH00687"], unknown: [] });
  expect(decisionOf({ title: "", lines, request: { path: "/x" } })).toMatchObject({ status: 404, log: [] });
});

const tls = ["<VirtualHost *:443>", "SSLEngine on", "</VirtualHost>", "<VirtualHost *:443>", "ServerName a.test"];
const plain = { scheme: "http", port: 443 } as const;

test("the first virtual host at an address decides whether it accepts requests without TLS", () => {
  const request = { ...plain, ...namedClient, method: "POST", query: "q" };
  const each = { title: "", lines: [...tls, "HostnameLookups On", "</VirtualHost>"], modules: ["ssl"] };
  const { accessLog, errorLog, places } = decisionOf({ ...each, request });
  expect([accessLog, ...errorLog]).toEqual(['127.0.0.1 - - "GET / HTTP/1.0" 400']);
  expect(places).toHaveLength(1);
  expect(decisionOf({ ...each, request: { port: 443 } }).status).toBe(200);
  expect(decisionOf({ ...each, request: { scheme: "https" } }).status).toBe(200);
  expect(decisionOf({ ...each, request: { scheme: "http" } }).status).toBe(200);
});

test("a virtual host without TLS is reported if it is requested by `https`", () => {
  const noteOf = (word: string) => {
    const lines = ["<VirtualHost *:443>", `SSLEngine ${word}`, "</VirtualHost>"];
    return decisionOf({ title: "", lines, modules: ["ssl"], request: { scheme: "https" } }).notes.map(
      ({ text }) => text,
    );
  };
  expect(noteOf("on")).toEqual([]);
  expect(noteOf("optional")).toEqual([]);
  expect(noteOf("off")).toEqual([
    "does not enable TLS, so a client of `https` gets no response; this result assumes that httpd accepts `https` here",
  ]);
});

const rewriting = ["rewrite"];
const redirectRule = "RewriteRule ^x http://y.test/";

/** Cases for targets of rewrite rules. */
const rewriteTargets: typeof cases = [
  {
    title: "AllowMethods, which is checked before mod_access_compat and mod_ssl",
    lines: inRoot("AllowMethods GET", "Deny from all", "SSLRequireSSL"),
    ...{ modules: ["ssl", "allowmethods"], request: { method: "PUT" }, status: 405 },
    errorLog: ["AH01623: client method denied by server configuration: 'PUT' to /srv/www/x.txt"],
  },
  {
    title: "a user who logs in before a rule rewrites to a URL without a login",
    lines: [
      ...inRoot("RewriteEngine On", "RewriteRule ^x /a/", ...authLines, "Require valid-user"),
      ...["<Directory /srv/www/a>", "AuthMerging Off", "Require all granted", "</Directory>"],
    ],
    ...{ modules: [...authModules, ...rewriting], request: { user: "alice" }, status: 200, user: "-" },
  },
  {
    title: "a backend that responds although a rule set a status before",
    lines: [
      ...["RewriteEngine On", "RewriteRule ^ -", "ProxyPass /p http://b.test/"],
      ...inRoot(redirectRule, "RewriteRule ^ /p/x"),
    ],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], status: 200 },
  },
  {
    title: "a backend's URL that the rules of a section truncate",
    lines: [
      "ProxyPass /p http://b.test/",
      "<Location /p>",
      "RewriteEngine On",
      "RewriteRule ^([^/]*)/ $1.txt",
      "</Location>",
    ],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], request: { path: "/p" }, status: 400 },
    errorLog: ["AH01083: error parsing URL http:.txt: Malformed URL"],
  },
  {
    title: "a backend with an invalid port",
    lines: ["RewriteEngine On", "RewriteRule ^/(.*) http://u:p@$1/ [P]"],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], request: { path: "/b.test:99999" }, status: 400 },
    errorLog: ["AH01083: error parsing URL http://u: Invalid host/port"],
  },
  {
    title: "a backend with a scheme that no module supports",
    lines: ["RewriteEngine On", "RewriteRule ^ ajp://b.test/ [P]"],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], status: 500 },
    errorLog: [
      "AH01144: No protocol handler was valid for the URL /x.txt (scheme 'ajp'). If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.",
    ],
  },
  {
    title: "an absolute URL with PT, which is not a valid path",
    ...{
      lines: inRoot("RewriteEngine On", `${redirectRule} [PT]`, "RewriteRule ^ -"),
      modules: rewriting,
      status: 400,
    },
  },
  {
    title: "an absolute URL with PT in a rule of the server",
    lines: ["RewriteEngine On", "RewriteRule ^ /a [R=301]", "RewriteRule ^ - [PT]"],
    ...{ modules: rewriting, status: 400 },
    errorLog: ["AH00126: Invalid URI in request 'http://a.test/a' 'GET /x.txt HTTP/1.1'"],
  },
  {
    title: "a backend's URL with PT",
    lines: ["RewriteEngine On", "RewriteRule ^ http://b.test/ [P,PT]"],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], status: 400 },
    errorLog: ["AH00126: Invalid URI in request 'proxy:http://b.test/' 'GET /x.txt HTTP/1.1'"],
  },
  {
    title: "a user who is allowed, with a rule that rewrites to an invalid URL",
    lines: inRoot(...authLines, "Require valid-user", "RewriteEngine On", "RewriteRule ^(.*)$ /$1 [B]"),
    ...{ modules: [...rewriting, ...authModules], request: { path: "/a/x", ...carol }, status: 404 },
  },
  {
    title: "an index file that a rule rewrites to its directory",
    lines: ["RewriteEngine On", "RewriteRule ^ / [PT]"],
    ...{ modules: rewriting, request: { path: "/" }, status: 500 },
    errorLog: [
      "AH00125: Request exceeded the limit of 10 subrequest nesting levels due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.",
    ],
  },
  {
    title: "an index file of a backend that the rules of a section rewrite",
    lines: [
      ...["ProxyPass /index.html http://b.test/", "<If true>", "RewriteEngine On", "RewriteRule // /x.txt", "</If>"],
      "Options FollowSymLinks",
    ],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], request: { path: "/" }, status: 404 },
  },
  {
    title: "a status that rules set for an index file, whose target is not requested",
    lines: [
      ...inRoot("RewriteEngine On", redirectRule.replace("^x", "^a/i"), "RewriteRule y.test /x.txt"),
      ...["<Location /x.txt>", "Require all denied", "</Location>"],
    ],
    ...{ modules: rewriting, request: { path: "/a/" }, status: 302 },
  },
  {
    title: "a directory at the limit of internal redirects, logged for each index file",
    lines: [
      "LimitInternalRecursion 1",
      "DirectoryIndex x index.html",
      ...inRoot("RewriteEngine On", "RewriteRule ^x /a/"),
    ],
    ...{ modules: rewriting, status: 500 },
    errorLog: [1, 2].map(
      () =>
        "AH00124: Request exceeded the limit of 1 internal redirects due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.",
    ),
  },
  {
    title: "an index file that a rule rewrites to another directory with one",
    lines: ["RewriteEngine On", "RewriteRule ^/index /a/ [PT]"],
    ...{ modules: rewriting, request: { path: "/" }, status: 200 },
  },
  {
    title: "a rewritten URL that is invalid",
    lines: inRoot("RewriteEngine On", "RewriteRule ^x /a%"),
    ...{ modules: rewriting, status: 400, errorLog: ["AH10244: invalid URI path (/a%)"] },
  },
  {
    title: "a named group that only the rewritten path has",
    lines: [
      ...["RewriteEngine On", "RewriteRule ^ /a/../x.txt [PT]"],
      ...['<LocationMatch "^/(?<first>a)?">', "Require env MATCH_FIRST", "</LocationMatch>"],
    ],
    ...{ modules: [...rewriting, "env"], status: 200 },
  },
  {
    title: "a path that ends in a dot",
    lines: ["RewriteEngine On", "RewriteRule ^ .", ...inRoot("Deny from all")],
    ...{ modules: rewriting, status: 403, errorLog: ["AH01797: client denied by server configuration: /srv/www/"] },
  },
  {
    title: "a status that rules set for a TRACE request",
    lines: ["RewriteEngine On", "RewriteRule ^ http://y.test/", "RewriteRule ^ /srv/www/x.txt"],
    ...{ modules: rewriting, request: { method: "TRACE" }, status: 302 },
  },
  {
    title: "skipped rules of a `.htaccess` file, which still count as rules",
    lines: ["RewriteEngine On", "RewriteRule ^ -", ...inRoot("AllowOverride Nonfatal=Override", "Options None")],
    ...{ htaccess: ["RewriteEngine On"], modules: rewriting, status: 403 },
    errorLog: [
      "AH00670: Options FollowSymLinks and SymLinksIfOwnerMatch are both off, so the RewriteRule directive is also forbidden due to its similar ability to circumvent directory restrictions : /srv/www/x.txt",
    ],
  },
];

test("returns the status of the rules and logs the missing target", () => {
  const lines = inRoot("RewriteEngine On", redirectRule, "RewriteRule y.test /none");
  const { status, accessLog } = decisionOf({ title: "", lines, modules: rewriting });
  expect([status, accessLog.split(" ").at(-1)]).toEqual([302, "404"]);
});

test("messages about an unreadable condition are unknown", () => {
  const lines = inRoot("AllowOverride All");
  const decided = decisionOf({ title: "", lines, htaccess: ["<If true>", 'Require expr "%{X"', "</If>"] });
  expect(decided).toMatchObject({ status: 500, logsMayDiffer: true });
});

describe("predicts the status, the client's name, the user and the lines in the error log", () => {
  test.each([...cases, ...providerCases, ...incompleteAuth, ...withoutAuthz, ...missingFiles, ...rewriteTargets])(
    "$title",
    ({ status, client = "192.0.2.7", user = "-", errorLog = [], ...each }) => {
      expect(answerOf(each)).toEqual({ status, client, user, errorLog });
    },
  );
});
