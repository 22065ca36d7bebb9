import { describe, expect, test } from "vitest";
import { createListedFiles } from "../../src/httpd/model/file-tree.js";
import type { Request } from "../../src/httpd/model/request.js";
import { memoryAccess } from "../../src/project/files/file-access.js";
import { loadProject } from "../../src/project/load.js";
import { decide } from "../../src/simulate/decide.js";
import { loadModules } from "../support/httpd/httpd.js";
import { textOf } from "../support/scopes.js";

const there = ["/srv/www/x.txt", "/srv/www/a/index.html", "/srv/cgi/run", "/srv/www/.htaccess", "/etc/users"];

interface Case {
  readonly title: string;
  readonly lines: readonly string[];
  /** Of `/srv/www/.htaccess`. */
  readonly htaccess?: readonly string[];
  readonly asked?: Partial<Request>;
  /** In addition to the usual ones. */
  readonly modules?: readonly string[];
  /** A default module that is not loaded. */
  readonly without?: string;
}

const usual = ["authz_core", "authz_host", "access_compat", "alias", "dir", "setenvif"];

function decisionOf({ lines, htaccess = [], asked, modules = [], without }: Case) {
  const loaded = loadModules([...usual, ...modules].filter((each) => each !== without));
  const texts = {
    "/etc/httpd.conf": `${loaded}${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`,
    "/srv/www/.htaccess": `${htaccess.join("\n")}\n`,
  };
  const project = loadProject("/etc/httpd.conf", { access: memoryAccess(texts), kind: "server", release: "2.4" });
  if ("failed" in project) throw new Error(project.failed);
  const request = { method: "GET", path: "/x.txt", host: "a.test", clientIp: "192.0.2.7", ...asked };
  const owner = { user: "root", group: "root" };
  return decide(project.project, request, { files: createListedFiles(there, owner) });
}

/** Without the server's messages about skipped lines in `.htaccess` files, which are tested below. */
function answerOf(each: Case) {
  const { status, accessLog, errorLog } = decisionOf(each);
  const ofRequest = errorLog.filter((line) => !/^AH0229[56]:/.test(line));
  return { status, client: accessLog.split(" ")[0], user: accessLog.split(" ")[2], errorLog: ofRequest };
}

const users = [
  ...["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"],
  ...["AuthGroupFile /etc/none", "AuthDBMGroupFile /etc/none"],
];
const asking = ["authn_core", "auth_basic", "authn_file", "authz_user", "authz_groupfile", "authz_dbm", "authz_owner"];
const named = { clientIp: "127.0.0.1", clientHost: "localhost" };
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
    title: "a method that nobody has named",
    ...{ lines: [], asked: { method: "FOO" }, status: 501 },
    errorLog: ["AH00135: Invalid method in request FOO /x.txt HTTP/1.1"],
  },
  {
    title: "a method that a Limit section names",
    lines: inRoot("<Limit FOO>", "Deny from 10", "</Limit>"),
    ...{ asked: { method: "FOO" }, status: 405 },
  },
  {
    title: "a RedirectMatch that leads nowhere",
    ...{ lines: ["RedirectMatch ^/(x) to$1"], status: 500 },
    errorLog: ["AH00674: cannot redirect '/x.txt' to 'tox'; target is not a valid absoluteURI or abs_path"],
  },
  {
    title: "a RedirectMatch that leads nowhere, by a path with more than letters in it",
    ...{ lines: ['RedirectMatch ^/x "to a %?b c"'], status: 500 },
    errorLog: [
      "AH00674: cannot redirect '/x.txt' to 'to%20a%20%25?b c'; target is not a valid absoluteURI or abs_path",
    ],
  },
  {
    title: "one in a section, for a status that leads nowhere anyway",
    ...{ lines: inRoot("RedirectMatch 403 ^/x"), status: 403 },
  },
  {
    title: "names that a condition asks for are not looked up for SetEnvIf",
    ...{ lines: ["SetEnvIf Remote_Host local flag"], asked: { ...named, user: "alice" }, status: 200 },
    ...{ client: "127.0.0.1", user: "-" },
  },
  {
    title: "an Order that does not look at Deny",
    ...{ lines: inRoot("Order mutual-failure", "Deny from localhost"), asked: named, status: 403 },
    ...{ client: "127.0.0.1", errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"] },
  },
  {
    title: "names are looked up for a request to be traced, too",
    ...{ lines: ["HostnameLookups On"], asked: { ...named, method: "TRACE" }, status: 200, client: "localhost" },
  },
  {
    title: "names are not looked up for a section that a refused file keeps away",
    ...{ lines: inRoot("AllowOverride All", "HostnameLookups On"), htaccess: ["Nope"], asked: named, status: 500 },
    client: "127.0.0.1",
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "what is not allowed in a section of a file",
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
    title: "a word that is no option",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["Options +Nope +MultiViews"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Illegal option Nope"],
  },
  {
    title: "a guard, which is read ahead of all else",
    ...{ lines: [], htaccess: ["Deny from all", "<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: <IfModule not allowed here"],
  },
  {
    title: "a guard that is passed over",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: </IfModule> without matching <IfModule> section"],
  },
  {
    title: "a guard that is passed over in a section",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["<FILES x>", "<IfModule x>", "</ifmodule>", "</Files>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Expected </Files> but saw </ifmodule>"],
  },
  {
    title: "a guard that is passed over and never closed",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["<IfModule x>", "Deny from all"], status: 200 },
  },
  {
    title: "a guard that is allowed, does not hold and is never closed",
    lines: inRoot("AllowOverride None", "AllowOverrideList <IfModule Deny"),
    ...{ htaccess: ["<IfModule x>", "Deny from all"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Expected </IfModule> before end of configuration"],
  },
  {
    title: "lines behind a guard that is passed over and never closed, which are read although it does not hold",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny"),
    ...{ htaccess: ["<IfModule x>", "<IfDefine x>", "Deny from all"], status: 403 },
    errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "the same within a section",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList <Files Deny"),
    ...{ htaccess: ["<Files x.txt>", "<IfModule x>", "Deny from all", "</Files>"], status: 403 },
    errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "a guard behind one that is passed over, which is allowed and does not hold",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny <IfDefine"),
    ...{ htaccess: ["<IfModule x>", "<IfDefine x>", "Deny from all", "</IfDefine>"], status: 200 },
  },
  {
    title: "an unknown line behind a guard that is passed over",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny"),
    ...{ htaccess: ["<IfModule x>", "Nope"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "a line with too few words behind a guard that is passed over",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList Deny"),
    ...{ htaccess: ["<IfModule x>", "Deny nobody"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: deny requires at least two arguments, 'from' followed by hostnames or IP-address wildcards",
    ],
  },
  {
    title: "a guard that is not allowed, in one that is and does not hold",
    lines: inRoot("AllowOverride None", "AllowOverrideList <IfModule"),
    ...{ htaccess: ["<IfModule x>", "<IfDefine x>", "</IfDefine>", "</IfModule>"], status: 200 },
  },
  {
    title: "a guard that is passed over, in one that holds",
    lines: inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList <IfModule"),
    ...{ htaccess: ["<IfModule alias_module>", "<IfDefine x>", "</IfDefine>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: </IfDefine> without matching <IfDefine> section"],
  },
  {
    title: "a line that is carried out while the file is read, and passed over",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["Include x", "Nope"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "a closing tag that closes nothing, ahead of a guard",
    ...{ lines: [], htaccess: ["</Files>", "<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: </Files> without matching <Files> section"],
  },
  {
    title: "a section that is not closed, which is told behind a guard",
    ...{ lines: [], htaccess: ["<Files x>", "<IfModule x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: <IfModule not allowed here"],
  },
  {
    title: "group files that are not there",
    ...{ modules: asking, asked: { user: "alice" }, status: 401, user: "alice" },
    lines: inRoot(...users, "Require group x", "Require dbm-file-group"),
    errorLog: [
      "AH01665: Could not open group file: /etc/none",
      "AH01799: could not open dbm (type default) group access file: /etc/none",
      'AH01631: user alice: authorization failure for "/x.txt": ',
    ],
  },
  {
    title: "a group file of dbm that is not there, which ends all",
    ...{ modules: asking, asked: { user: "alice" }, status: 500, user: "alice" },
    lines: inRoot(...users, "Require dbm-group x", "Require valid-user"),
    errorLog: ["AH01799: could not open dbm (type default) group access file: /etc/none"],
  },
  {
    title: "a range that runs backwards, and a slash that is escaped",
    ...{ lines: ['<Location "\\/[!z-a].txt">', "Require all denied", "</Location>"], status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "the same of a directory, and any byte that is escaped",
    ...{ lines: ['<Directory "/s\\rv\\/[!z-a]*">', "Require all denied", "</Directory>"], status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/x.txt"],
  },
  {
    title: "slashes that are not merged count as one for sections with wildcards, and in file names",
    lines: ["MergeSlashes Off", '<Location "/*/*">', "Require all denied", "</Location>"],
    ...{ asked: { path: "/a//" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/a/"],
  },
  {
    title: "an Options line without signs behind one with signs, which come back with the next section",
    ...{ modules: ["autoindex"], asked: { path: "/" }, status: 403 },
    lines: [...inRoot("Options -Indexes +Includes", "Options All"), ...inRoot()],
    errorLog: [
      "AH01276: Cannot serve directory /srv/www/: No matching DirectoryIndex (index.html) found, and server-generated directory index forbidden by Options directive",
    ],
  },
  {
    title: "a ScriptAlias where nothing runs programs",
    ...{ lines: ["ScriptAlias /cgi /srv/cgi"], asked: { path: "/cgi/none" }, status: 404 },
  },
  {
    title: "a Host that is malformed",
    ...{
      lines: ["HostnameLookups On", "Redirect / http://b.test/"],
      asked: { ...named, host: "a..test" },
      status: 400,
    },
    client: "localhost",
  },
  { title: "TraceEnable", ...{ lines: ["TraceEnable off"], asked: { method: "TRACE" }, status: 405 } },
  {
    title: "a name that is too long for a file",
    ...{ lines: inRoot("Require all denied"), asked: { path: `/${"x".repeat(256)}/y` }, status: 403 },
    errorLog: [`AH00036: access to /${"x".repeat(256)}/y failed (filesystem path '/srv/www/${"x".repeat(256)}')`],
  },
  {
    title: "a password file that is not the last word",
    lines: inRoot("AuthType Basic", "AuthName x", "AuthBasicAuthoritative Off", "Require valid-user"),
    ...{ modules: asking, asked: { user: "alice" }, status: 500, user: "alice" },
    errorLog: [
      "AH01619: AuthUserFile not specified in the configuration",
      "AH01796: AuthType Basic configured without corresponding module",
    ],
  },
  {
    title: "a Limit section that changes nothing, ahead of what is not allowed in it",
    lines: inRoot("AllowOverride Limit"),
    htaccess: ["<Limit GET>", "<Limit GET>", "Require all granted", "</Limit>", "</Limit>"],
    status: 500,
    errorLog: ["/srv/www/.htaccess: <Limit> directive specifies methods already excluded"],
  },
  {
    title: "a directory that has a handler and no index file",
    ...{ lines: ["SetHandler default-handler"], modules: ["autoindex"], asked: { path: "/" }, status: 404 },
  },
  {
    title: "a directory that is asked for without a slash",
    lines: ["DirectorySlash Off", ...inRoot("Options None")],
    ...{ modules: ["autoindex"], asked: { path: "/a" }, status: 403 },
    errorLog: [
      "AH01276: Cannot serve directory /srv/www/a: No matching DirectoryIndex (none) found, and server-generated directory index forbidden by Options directive",
    ],
  },
  {
    title: "a `.htaccess` file where a pattern leads",
    lines: ["DocumentRoot /srv/cgi", "AliasMatch ^/am/(.*) /srv/www/$1"],
    ...{ htaccess: ["Require all denied"], asked: { path: "/am/x.txt" }, status: 500 },
    errorLog: ["/srv/www/.htaccess: Require not allowed here"],
  },
  {
    title: "AllowMethods, ahead of the old rules",
    ...{ lines: inRoot("AllowMethods GET", "Deny from all"), modules: ["allowmethods"], asked: { method: "PUT" } },
    ...{ status: 405, errorLog: ["AH01623: client method denied by server configuration: 'PUT' to /srv/www/x.txt"] },
  },
  {
    title: "AllowMethods, where either way suffices",
    lines: inRoot("AllowMethods GET", "Allow from all", "Satisfy any", "Require all denied"),
    ...{ modules: ["allowmethods"], asked: { method: "PUT" }, status: 403 },
    errorLog: [
      "AH01623: client method denied by server configuration: 'PUT' to /srv/www/x.txt",
      "AH01630: client denied by server configuration: /srv/www/x.txt",
    ],
  },
  {
    title: "a directory that has no index file named",
    ...{
      lines: ["DirectoryIndex disabled", "Options None"],
      modules: ["autoindex"],
      asked: { path: "/" },
      status: 403,
    },
    errorLog: [
      "AH01276: Cannot serve directory /srv/www/: No matching DirectoryIndex () found, and server-generated directory index forbidden by Options directive",
    ],
  },
  {
    title: "DirectoryIndexRedirect",
    ...{ lines: ["DirectoryIndexRedirect seeother"], asked: { path: "/a/" }, status: 303 },
  },
  {
    title: "DirectoryCheckHandler",
    ...{ lines: ["DirectoryCheckHandler On", "SetHandler default-handler"], asked: { path: "/a/" }, status: 404 },
  },
  {
    title: "a guard with a continuation right behind its name",
    ...{ lines: [], htaccess: ["<IfModule\\", " x>", "</IfModule>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: <IfModule not allowed here"],
  },
  {
    title: "a fault in a line that is passed over, ahead of one that is not known",
    lines: inRoot("AllowOverride Nonfatal=Override"),
    ...{ htaccess: ["DirectoryIndex", "Nope"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: Invalid command 'Nope', perhaps misspelled or defined by a module not included in the server configuration",
    ],
  },
  {
    title: "a section that is not closed, by the name that the server has for it",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["<FILES x>"], status: 500 },
    errorLog: ["/srv/www/.htaccess: /srv/www/.htaccess:1: <Files> was not closed."],
  },
  {
    title: "two sections that are not closed, from the inside out",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["<Files x>", "<If true>"], status: 500 },
    errorLog: [
      "/srv/www/.htaccess: /srv/www/.htaccess:2: <If> was not closed.\\n/srv/www/.htaccess:1: <Files> was not closed.",
    ],
  },
  {
    title: "an option that nobody knows",
    ...{ lines: inRoot("AllowOverride All"), htaccess: ["Options +Nope"], status: 500 },
    errorLog: ["/srv/www/.htaccess: Illegal option Nope"],
  },
  {
    title: "TraceEnable, for what is handed on",
    lines: ["TraceEnable off", "ProxyPass /p http://127.0.0.1/"],
    ...{ modules: ["proxy", "proxy_http"], asked: { method: "TRACE", path: "/p" }, status: 405 },
    errorLog: ["AH01139: TRACE forbidden by server configuration"],
  },
  {
    title: "a path that mod_proxy cannot escape again, where slashes stay escaped",
    lines: ["AllowEncodedSlashes NoDecode", "ProxyPass /p http://127.0.0.1/"],
    ...{ modules: ["proxy", "proxy_http"], asked: { path: "/p/x%25" }, status: 400, errorLog: [] },
  },
  {
    title: "a path with a space that a rule hands on as it is",
    lines: ["RewriteEngine On", "RewriteRule ^/(.*)$ http://127.0.0.1/$1 [P,NE]"],
    ...{ modules: ["rewrite", "proxy", "proxy_http"], asked: { path: "/%20" }, status: 403 },
    errorLog: ["AH10415: To be forwarded path contains control characters or spaces"],
  },
  {
    title: "the same, handed on as it is",
    lines: ["AllowEncodedSlashes NoDecode", "ProxyPass /p http://127.0.0.1/ nocanon"],
    ...{ modules: ["proxy", "proxy_http"], asked: { path: "/p/x%25" }, status: 200, errorLog: [] },
  },
  {
    title: "a program by its extension, which is not there either",
    ...{ lines: ["AddHandler cgi-script .sh"], modules: ["cgi", "mime"], asked: { path: "/none.sh" }, status: 403 },
    errorLog: ["AH02809: stderr from /srv/www/none.sh: Options ExecCGI is off in this directory"],
  },
  {
    title: "a program that is not there",
    ...{ lines: ["ScriptAlias /cgi /srv/cgi"], modules: ["cgi"], asked: { path: "/cgi/none" }, status: 404 },
    errorLog: ["AH02811: stderr from /srv/cgi/none: script not found or unable to stat"],
  },
  {
    title: "the same with mod_cgid, which has numbers of its own",
    ...{ lines: ["AddHandler cgi-script .sh"], modules: ["cgid", "mime"], asked: { path: "/none.sh" }, status: 403 },
    errorLog: ["AH01262: stderr from /srv/www/none.sh: Options ExecCGI is off in this directory"],
  },
  {
    title: "a program that is not there, with mod_cgid",
    ...{ lines: ["ScriptAlias /cgi /srv/cgi"], modules: ["cgid", "cgi"], asked: { path: "/cgi/none" }, status: 404 },
    errorLog: ["AH01264: stderr from /srv/cgi/none: script not found or unable to stat"],
  },
  {
    title: "a program with path info and AcceptPathInfo Off",
    lines: ["ScriptAlias /cgi /srv/cgi", "AcceptPathInfo Off"],
    ...{ modules: ["cgi"], asked: { path: "/cgi/run/more" }, status: 404 },
    errorLog: ["AH02813: stderr from /srv/cgi/run: AcceptPathInfo off disallows user's path"],
  },
  {
    title: "the same with mod_cgid",
    lines: ["ScriptAlias /cgi /srv/cgi", "AcceptPathInfo Off"],
    ...{ modules: ["cgid"], asked: { path: "/cgi/run/" }, status: 404 },
    errorLog: ["AH01266: stderr from /srv/cgi/run: AcceptPathInfo off disallows user's path"],
  },
  {
    title: "a directory as a program, with mod_cgid",
    lines: ["SetHandler cgi-script", ...inRoot("Options ExecCGI")],
    ...{ modules: ["cgid"], asked: { path: "/" }, status: 403 },
    errorLog: ["AH01265: stderr from /srv/www/: attempt to invoke directory as script"],
  },
  {
    title: "a header that is not sent, which is no address",
    lines: inRoot("Require expr %{HTTP:X-From} -ipmatch '10.0.0.0/8'"),
    ...{ status: 403, errorLog: ["AH01630: client denied by server configuration: /srv/www/x.txt"] },
  },
];

/** Cases for authentication providers. */
const strangers: typeof cases = [
  {
    title: "a user whom mod_authn_anon does not name",
    ...{ lines: inRoot(...anonymous, "Anonymous guest"), modules: [...asking, "authn_anon"], asked: carol },
    ...{ status: 401, user: "carol", errorLog: ["AH01618: user carol not found: /x.txt"] },
  },
  {
    title: "mod_authn_anon where a section within says anything of it, which puts out of force what is said around it",
    lines: ["<Directory /srv>", "Anonymous *", "</Directory>", ...inRoot(...anonymous, "Anonymous_LogEmail Off")],
    ...{ modules: [...asking, "authn_anon"], asked: carol, status: 401, user: "carol" },
    errorLog: ["AH01618: user carol not found: /x.txt"],
  },
  {
    title: "a user whom mod_authn_anon names, in any case, ahead of a password file that is not there",
    lines: inRoot(
      ...[...anonymous, "AuthBasicProvider file", "AuthUserFile /etc/none"],
      ...["Anonymous guest CAROL", "Anonymous_MustGiveEmail off"],
    ),
    ...{ modules: [...asking, "authn_anon"], asked: carol, status: 200, user: "carol" },
  },
  {
    title: "a user whom mod_authn_anon does not name, ahead of a password file that is not there",
    lines: inRoot(...anonymous, "AuthBasicProvider file", "AuthUserFile /etc/none", "Anonymous guest"),
    ...{ modules: [...asking, "authn_anon"], asked: carol, status: 500, user: "carol" },
    errorLog: ["AH01620: Could not open password file: /etc/none"],
  },
  {
    title: "an alias of a provider, with a password file of its own",
    lines: [
      ...["<AuthnProviderAlias file other>", "AuthUserFile /etc/none", "</AuthnProviderAlias>"],
      ...inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider other", "Require valid-user"),
    ],
    ...{ modules: asking, asked: carol, status: 500, user: "carol" },
    errorLog: ["AH01620: Could not open password file: /etc/none"],
  },
  {
    title: "a password file for Digest that is not there",
    lines: inRoot("AuthType Digest", "AuthName x", "AuthUserFile /etc/none", "Require valid-user"),
    ...{ modules: [...asking, "auth_digest"], asked: carol, status: 500, user: "carol" },
    errorLog: ["AH01622: Could not open password file: /etc/none"],
  },
];

test.each([
  [["Anonymous guest"], ["Anonymous guest"]],
  [[], ["AuthBasicProvider anon"]],
])("a stranger is turned away by what a provider goes by, else by the line that names it: %j", (own, by) => {
  const lines = inRoot(...anonymous, ...own);
  const { decidedBy } = decisionOf({ title: "", lines, modules: [...asking, "authn_anon"], asked: carol });
  expect(decidedBy.map(textOf)).toEqual(by);
});

test("a provider with an external user database accepts a user with the right password", () => {
  const lines = inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider file dbm", "Require valid-user");
  const modules = [...asking, "authn_dbm"];
  expect(decisionOf({ title: "", lines, modules, asked: carol })).toMatchObject({ status: 500, log: ["AH01619"] });
  const named = [...lines.slice(0, -1), "AuthUserFile /etc/users", ...lines.slice(-1)];
  expect(decisionOf({ title: "", lines: named, modules, asked: carol })).toMatchObject({
    class: "allowed",
    unknown: [],
  });
});

/** Cases for incomplete authentication setups. */
const unasked: typeof cases = [
  {
    title: "a dbm provider without its file",
    lines: inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider dbm", "AuthDBMType SDBM", "Require valid-user"),
    ...{ modules: [...asking, "authn_dbm"], asked: carol, status: 500, user: "carol" },
    errorLog: ["AH10285: could not open dbm (type SDBM) file: (null)"],
  },
  {
    title: "an LDAP provider without its URL",
    lines: inRoot("AuthType Basic", "AuthName x", "AuthBasicProvider ldap", "Require valid-user"),
    ...{ modules: [...asking, "ldap", "authnz_ldap"], asked: carol, status: 500, user: "carol" },
    errorLog: ["AH02558: no AuthLDAPURL"],
  },
  {
    title: "an AuthType that is worked out request by request",
    lines: inRoot('AuthType "%{tolower:BASIC}"', "AuthName x", "AuthUserFile /etc/users", "Require valid-user"),
    ...{ modules: asking, asked: carol, status: 200, user: "carol" },
  },
];

/** Cases for a server without mod_authz_core. */
const withoutAuthz: typeof cases = [
  {
    title: "whom nobody keeps out",
    ...{ lines: [], status: 500 },
    errorLog: ["AH00025: configuration error:  couldn't check user: /x.txt"],
  },
  {
    title: "whom old rules let in",
    ...{ lines: inRoot("Order deny,allow", "Deny from 10"), status: 500 },
    errorLog: ["AH00025: configuration error:  couldn't check user: /x.txt"],
  },
  {
    title: "whom old rules keep out",
    ...{ lines: inRoot("Deny from all"), status: 403 },
    errorLog: ["AH01797: client denied by server configuration: /srv/www/x.txt"],
  },
  { title: "whom old rules let in with Satisfy any", ...{ lines: inRoot("Satisfy any"), status: 200 } },
  {
    title: "whom old rules keep out with Satisfy any",
    ...{ lines: inRoot("Deny from all", "Satisfy any"), status: 500 },
    errorLog: [
      "AH01797: client denied by server configuration: /srv/www/x.txt",
      "AH00025: configuration error:  couldn't check user: /x.txt",
    ],
  },
  {
    title: "somebody, where mod_authn_core is loaded",
    ...{ lines: [], modules: asking, status: 500 },
    errorLog: [
      "AH00027: No authentication done but request not allowed without authentication for /x.txt. Authentication not configured?",
    ],
  },
  {
    title: "somebody without a password",
    ...{ lines: inRoot("AuthType Basic", "AuthName x", "AuthUserFile /etc/users"), modules: asking, status: 401 },
  },
  {
    title: "a user",
    ...{ lines: inRoot("AuthType Basic", "AuthName x", "AuthUserFile /etc/users"), modules: asking, status: 500 },
    ...{ asked: carol, user: "carol" },
    errorLog: ["AH00025: configuration error:  couldn't check authorization: /x.txt"],
  },
].map((each) => ({ ...each, title: `without mod_authz_core, ${each.title}`, without: "authz_core" }));

test("an AuthType may be that of a module from elsewhere, which needs no AuthName", () => {
  const lines = inRoot("AuthType openid-connect", "Require valid-user");
  const answers = (modules: readonly string[]) => {
    const { status, unknown } = decisionOf({ title: "", lines, modules: [...asking, ...modules] });
    return { status, unknown };
  };
  expect(answers(["auth_openidc"])).toEqual({ status: 401, unknown: [] });
  expect(answers(["nobody_knows"])).toEqual({ status: 401, unknown: [] });
  expect(answers([])).toEqual({ status: 500, unknown: [] });
});

test("whether a password is one that mod_authn_anon takes is not known", () => {
  const lines = inRoot(...anonymous, "Anonymous *", "Anonymous_VerifyEmail on");
  const { unknown, alternatives } = decisionOf({
    ...{ title: "", lines },
    ...{ modules: [...asking, "authn_anon"], asked: carol },
  });
  expect(unknown).toEqual([
    "whether `carol` sends a password that is not empty",
    "whether the password of `carol` has an `@` and a dot",
  ]);
  expect(alternatives.map(({ status, log }) => [status, ...log])).toEqual([[200], [401, "AH01617"]]);
});

/** Cases for missing files and for home folders. */
const elsewhere: typeof cases = [
  {
    title: "FallbackResource, for what is not there",
    ...{ lines: ["FallbackResource /a/index.html"], asked: { path: "/none/x" }, status: 200 },
  },
  {
    title: "FallbackResource, in place of an index file",
    ...{ lines: ["FallbackResource /a/index.html"], asked: { path: "/" }, status: 200 },
  },
  {
    title: "FallbackResource, not for a path behind a file",
    ...{ lines: ["FallbackResource /a/index.html"], asked: { path: "/x.txt/y" }, status: 404 },
  },
  {
    title: "FallbackResource where a program is asked for",
    lines: ["FallbackResource /a/index.html", "SetHandler cgi-script", ...inRoot("Options ExecCGI")],
    ...{ modules: ["cgi"], asked: { path: "/none" }, status: 404 },
    errorLog: ["AH02811: stderr from /srv/www/none: script not found or unable to stat"],
  },
  {
    title: "FallbackResource that is refused itself",
    lines: ["FallbackResource /a/index.html", "<Location /a>", "Require all denied", "</Location>"],
    ...{ asked: { path: "/none" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/www/a/index.html"],
  },
  {
    title: "FallbackResource that is not there itself",
    ...{ lines: ["FallbackResource none"], asked: { path: "/no/x" }, status: 500 },
    errorLog: [
      "AH00125: Request exceeded the limit of 10 subrequest nesting levels due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.",
    ],
  },
  {
    title: "UserDir: the first place that is there, with its sections",
    lines: ["UserDir /none /srv/* /last", "<Directory /srv/cgi>", "Require all denied", "</Directory>"],
    ...{ modules: ["userdir"], asked: { path: "/~cgi/run" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/cgi/run"],
  },
  {
    title: "UserDir: the last place, where none is there",
    lines: ["UserDir /none /srv/last", "<Directory /srv>", "Require all denied", "</Directory>"],
    ...{ modules: ["userdir"], asked: { path: "/~joe/x" }, status: 403 },
    errorLog: ["AH01630: client denied by server configuration: /srv/last"],
  },
  {
    title: "UserDir for somebody whom it is switched off for",
    ...{
      lines: ["UserDir /srv", "UserDir disabled cgi"],
      modules: ["userdir"],
      asked: { path: "/~cgi/run" },
      status: 404,
    },
  },
  {
    title: "UserDir that leads to another server",
    ...{ lines: ["UserDir http://b.test/*"], modules: ["userdir"], asked: { path: "/~joe" }, status: 302 },
  },
];

test("files below a home directory are unknown", () => {
  const lines = ["UserDir public_html"];
  const decided = decisionOf({ title: "", lines, modules: ["userdir"], asked: { path: "/~joe/x" } });
  const unknown = ["the home directories of users, which `UserDir public_html` uses"];
  expect(decided).toMatchObject({ status: undefined, class: "unknown", unknown, logsMayDiffer: true });
});

describe("logs each line of a `.htaccess` file that Nonfatal skips", () => {
  const foo =
    "AH02296: Unknown directive foo perhaps misspelled or defined by a module not included in the server configuration";
  const over = (name: string) => `AH02295: ${name} in .htaccess forbidden by AllowOverride`;
  const asked = { path: "/a/", headers: { Referer: "http://b.test/" } };
  const answered = (allowed: string, ...htaccess: readonly string[]) =>
    decisionOf({ title: "", lines: inRoot(`AllowOverride ${allowed}`, "Require all denied"), htaccess, asked });
  const denied = "AH01630: client denied by server configuration: /srv/www/a/, referer: http://b.test/";

  test.each([
    [
      "what is not known, and what is not allowed",
      "Nonfatal=All Limit",
      ["Foo x", "satisfy any", "Order deny,allow"],
      [foo, over("Satisfy")],
    ],
    [
      "a section, but not what is in it",
      "Nonfatal=Override Limit",
      ["<requireall>", "Require valid-user", "</requireall>"],
      [over("<RequireAll")],
    ],
    [
      "a section whose content is looked at",
      "Nonfatal=Override Limit",
      ["<Files x>", "Require valid-user", "</Files>"],
      [over("Require")],
    ],
  ])("%s", (_, allowed, htaccess, said) => {
    expect(answered(allowed, ...htaccess).errorLog).toEqual([...said, denied]);
  });

  test("lines that are executed while the file is read come first", () => {
    const { errorLog } = answered("Nonfatal=Override Limit", "SetEnvIf a b c", "Define X y");
    expect(errorLog).toEqual([over("Define"), over("SetEnvIf"), denied]);
  });

  test("the ones before a rejected line", () => {
    const { status, errorLog } = answered("Nonfatal=Unknown Limit", "Foo x", "Satisfy any", "Foo y");
    expect([status, errorLog]).toEqual([
      500,
      [foo, "/srv/www/.htaccess: Satisfy not allowed here, referer: http://b.test/"],
    ]);
  });

  test("a conditional section, without which its closing tag closes nothing", () => {
    const { status, errorLog } = answered("Nonfatal=All", "<IfModule x>", "</IfModule>");
    expect([status, errorLog]).toEqual([
      500,
      [
        over("<IfModule"),
        "/srv/www/.htaccess: </IfModule> without matching <IfModule> section, referer: http://b.test/",
      ],
    ]);
  });
});

test("only what is written in any case is given where the answer is not known", () => {
  const lines = inRoot(...anonymous, "Anonymous *", "Order allow,deny", "Satisfy any");
  const decided = decisionOf({ title: "", lines, modules: [...asking, "authn_anon"], asked: carol });
  const errorLog = ["AH01797: client denied by server configuration: /srv/www/x.txt"];
  expect(decided).toMatchObject({ class: "unknown", errorLog, logsMayDiffer: true });
});

test("a listed directory without a variant returns 404", () => {
  const lines = inRoot("Options MultiViews");
  const decided = decisionOf({ title: "", lines, modules: ["negotiation"], asked: { path: "/x" } });
  expect(decided).toMatchObject({ status: 404, log: ["AH00687"], unknown: [] });
  expect(decisionOf({ title: "", lines, asked: { path: "/x" } })).toMatchObject({ status: 404, log: [] });
});

const tls = ["<VirtualHost *:443>", "SSLEngine on", "</VirtualHost>", "<VirtualHost *:443>", "ServerName a.test"];
const plain = { scheme: "http", port: 443 } as const;

test("the first virtual host at an address decides whether it accepts requests without TLS", () => {
  const asked = { ...plain, ...named, method: "POST", query: "q" };
  const each = { title: "", lines: [...tls, "HostnameLookups On", "</VirtualHost>"], modules: ["ssl"] };
  const { accessLog, errorLog, places } = decisionOf({ ...each, asked });
  expect([accessLog, ...errorLog]).toEqual(['127.0.0.1 - - "GET / HTTP/1.0" 400']);
  expect(places).toHaveLength(1);
  expect(decisionOf({ ...each, asked: { port: 443 } }).status).toBe(200);
  expect(decisionOf({ ...each, asked: { scheme: "https" } }).status).toBe(200);
  expect(decisionOf({ ...each, asked: { scheme: "http" } }).status).toBe(200);
});

test("a virtual host without TLS is reported if it is requested by `https`", () => {
  const noteOf = (word: string) => {
    const lines = ["<VirtualHost *:443>", `SSLEngine ${word}`, "</VirtualHost>"];
    return decisionOf({ title: "", lines, modules: ["ssl"], asked: { scheme: "https" } }).notes.map(({ text }) => text);
  };
  expect(noteOf("on")).toEqual([]);
  expect(noteOf("optional")).toEqual([]);
  expect(noteOf("off")).toEqual(["does not enable TLS; this result assumes that httpd accepts `https` here"]);
});

const rewriting = ["rewrite"];
const led = "RewriteRule ^x http://y.test/";

/** Cases for targets of rewrite rules. */
const rewritten: typeof cases = [
  {
    title: "AllowMethods, ahead of the old rules and of mod_ssl",
    lines: inRoot("AllowMethods GET", "Deny from all", "SSLRequireSSL"),
    ...{ modules: ["ssl", "allowmethods"], asked: { method: "PUT" }, status: 405 },
    errorLog: ["AH01623: client method denied by server configuration: 'PUT' to /srv/www/x.txt"],
  },
  {
    title: "a user who was asked for ahead of a URL that nobody is asked for at",
    lines: [
      ...inRoot("RewriteEngine On", "RewriteRule ^x /a/", ...users, "Require valid-user"),
      ...["<Directory /srv/www/a>", "AuthMerging Off", "Require all granted", "</Directory>"],
    ],
    ...{ modules: [...asking, ...rewriting], asked: { user: "alice" }, status: 200, user: "-" },
  },
  {
    title: "a backend that answers in the end, whatever status rules left",
    lines: [
      ...["RewriteEngine On", "RewriteRule ^ -", "ProxyPass /p http://b.test/"],
      ...inRoot(led, "RewriteRule ^ /p/x"),
    ],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], status: 200 },
  },
  {
    title: "a backend's URL that the rules of a section cut to pieces",
    lines: [
      "ProxyPass /p http://b.test/",
      "<Location /p>",
      "RewriteEngine On",
      "RewriteRule ^([^/]*)/ $1.txt",
      "</Location>",
    ],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], asked: { path: "/p" }, status: 400 },
    errorLog: ["AH01083: error parsing URL http:.txt: Malformed URL"],
  },
  {
    title: "a backend's port that is none",
    lines: ["RewriteEngine On", "RewriteRule ^/(.*) http://u:p@$1/ [P]"],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], asked: { path: "/b.test:99999" }, status: 400 },
    errorLog: ["AH01083: error parsing URL http://u: Invalid host/port"],
  },
  {
    title: "a backend of a scheme that no module has",
    lines: ["RewriteEngine On", "RewriteRule ^ ajp://b.test/ [P]"],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], status: 500 },
    errorLog: [
      "AH01144: No protocol handler was valid for the URL /x.txt (scheme 'ajp'). If you are using a DSO version of mod_proxy, make sure the proxy submodules are included in the configuration using LoadModule.",
    ],
  },
  {
    title: "a URL that is passed on, which is none to ask for anew",
    ...{ lines: inRoot("RewriteEngine On", `${led} [PT]`, "RewriteRule ^ -"), modules: rewriting, status: 400 },
  },
  {
    title: "one that the server's own rules pass on",
    lines: ["RewriteEngine On", "RewriteRule ^ /a [R=301]", "RewriteRule ^ - [PT]"],
    ...{ modules: rewriting, status: 400 },
    errorLog: ["AH00126: Invalid URI in request 'http://a.test/a' 'GET /x.txt HTTP/1.1'"],
  },
  {
    title: "a backend's URL that is passed on",
    lines: ["RewriteEngine On", "RewriteRule ^ http://b.test/ [P,PT]"],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], status: 400 },
    errorLog: ["AH00126: Invalid URI in request 'proxy:http://b.test/' 'GET /x.txt HTTP/1.1'"],
  },
  {
    title: "a user that was let in, where rules lead on to a URL that is refused",
    lines: inRoot(...users, "Require valid-user", "RewriteEngine On", "RewriteRule ^(.*)$ /$1 [B]"),
    ...{ modules: [...rewriting, ...asking], asked: { path: "/a/x", ...carol }, status: 404 },
  },
  {
    title: "an index file that leads to its directory",
    lines: ["RewriteEngine On", "RewriteRule ^ / [PT]"],
    ...{ modules: rewriting, asked: { path: "/" }, status: 500 },
    errorLog: [
      "AH00125: Request exceeded the limit of 10 subrequest nesting levels due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary. Use 'LogLevel debug' to get a backtrace.",
    ],
  },
  {
    title: "an index file of a backend that the rules of a section lead away from",
    lines: [
      ...["ProxyPass /index.html http://b.test/", "<If true>", "RewriteEngine On", "RewriteRule // /x.txt", "</If>"],
      "Options FollowSymLinks",
    ],
    ...{ modules: [...rewriting, "proxy", "proxy_http"], asked: { path: "/" }, status: 404 },
  },
  {
    title: "a status that rules left of an index file, which is not asked for where they led",
    lines: [
      ...inRoot("RewriteEngine On", led.replace("^x", "^a/i"), "RewriteRule y.test /x.txt"),
      ...["<Location /x.txt>", "Require all denied", "</Location>"],
    ],
    ...{ modules: rewriting, asked: { path: "/a/" }, status: 302 },
  },
  {
    title: "a directory at the end of as many redirects as there may be, told of each index file",
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
    title: "an index file that leads to another directory with one",
    lines: ["RewriteEngine On", "RewriteRule ^/index /a/ [PT]"],
    ...{ modules: rewriting, asked: { path: "/" }, status: 200 },
  },
  {
    title: "a URL to ask for anew that is refused itself",
    lines: inRoot("RewriteEngine On", "RewriteRule ^x /a%"),
    ...{ modules: rewriting, status: 400, errorLog: ["AH10244: invalid URI path (/a%)"] },
  },
  {
    title: "a named group that only the path has which rules pass on",
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
    title: "a status that rules left, of a request to be traced",
    lines: ["RewriteEngine On", "RewriteRule ^ http://y.test/", "RewriteRule ^ /srv/www/x.txt"],
    ...{ modules: rewriting, asked: { method: "TRACE" }, status: 302 },
  },
  {
    title: "rules of a file that are passed over, yet make the file one with rules",
    lines: ["RewriteEngine On", "RewriteRule ^ -", ...inRoot("AllowOverride Nonfatal=Override", "Options None")],
    ...{ htaccess: ["RewriteEngine On"], modules: rewriting, status: 403 },
    errorLog: [
      "AH00670: Options FollowSymLinks and SymLinksIfOwnerMatch are both off, so the RewriteRule directive is also forbidden due to its similar ability to circumvent directory restrictions : /srv/www/x.txt",
    ],
  },
];

test("returns the status of the rules and logs the missing target", () => {
  const lines = inRoot("RewriteEngine On", led, "RewriteRule y.test /none");
  const { status, accessLog } = decisionOf({ title: "", lines, modules: rewriting });
  expect([status, accessLog.split(" ").at(-1)]).toEqual([302, "404"]);
});

test("messages about an unreadable condition are unknown", () => {
  const lines = inRoot("AllowOverride All");
  const decided = decisionOf({ title: "", lines, htaccess: ["<If true>", 'Require expr "%{X"', "</If>"] });
  expect(decided).toMatchObject({ status: 500, logsMayDiffer: true });
});

describe("the status, the client's name, the user and the lines in the error log", () => {
  test.each([...cases, ...strangers, ...unasked, ...withoutAuthz, ...elsewhere, ...rewritten])(
    "$title",
    ({ status, client = "192.0.2.7", user = "-", errorLog = [], ...asked }) => {
      expect(answerOf(asked)).toEqual({ status, client, user, errorLog });
    },
  );
});
