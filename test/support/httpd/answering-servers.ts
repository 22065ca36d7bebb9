import { accessCases, aliasLines } from "../cases/access-cases.js";
import { ruleConditionCases } from "../cases/condition-cases.js";
import { guardCases } from "../cases/guard-cases.js";
import { inheritedRuleCases, mainRules } from "../cases/inherited-rule-cases.js";
import { overrideCases } from "../cases/override-cases.js";
import {
  conditionCases,
  handlerCases,
  hostCases,
  leadingCases,
  proxyCases,
  sentCases,
  sentPaths,
  variableCases,
} from "../cases/request-condition-cases.js";
import { htaccessCases, type RewritingCase, sectionCases, serverCases } from "../cases/rewriting-cases.js";
import { ruleCases } from "../cases/rule-cases.js";
import { ruleOrderCases } from "../cases/rule-order-cases.js";
import { namedCases, placeCases, userCases } from "../cases/section-cases.js";
import { sectionRuleCases } from "../cases/section-rule-cases.js";

/** Cases for one server. */
export interface AnsweringServer {
  readonly title: string;
  /** Short names, without the MPM. */
  readonly modules: readonly string[];
  readonly cases: readonly RewritingCase[];
  /** Its lines; DOCROOT is the DocumentRoot. */
  readonly lines: readonly string[];
  /** Files in its DocumentRoot, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Returns the host of a case, and its folder. */
  where(index: number): { readonly host: string; readonly below: string };
}

const modules = [
  ...["authn_core", "authz_core", "authz_host", "access_compat", "setenvif", "env", "alias", "dir", "rewrite"],
  "headers",
];

/** Files for which a handler may be set. */
const programs = ["a/t.cgi", "a/t.cgi.txt", "a/t.txt.cgi", "a/.cgi", "a/b/t.cgi"].map((path) => [path, "x\n"]);

const paths = ["index.html", "x.txt", "a/index.html", "a/x.txt", "a/b/c.html", "secret/index.html", "secret/x.txt"];
const files = Object.fromEntries(paths.map((path) => [path, "x\n"]));

function ofHosts(
  title: string,
  cases: readonly RewritingCase[],
  more: readonly string[] = [],
  ahead: readonly string[] = [],
): AnsweringServer {
  const hosts = cases.flatMap(({ lines }, index) => [
    "<VirtualHost *>",
    `ServerName host${index}.test`,
    ...lines,
    "</VirtualHost>",
  ]);
  const lines = ['<Directory "DOCROOT/secret">', ...["Require all denied", "</Directory>"], ...ahead, ...hosts];
  const where = (index: number) => ({ host: `host${index}.test`, below: "" });
  return { title, modules: [...modules, ...more], cases, lines, files, where };
}

/** Returns slash settings of a main server; a virtual host without core directives inherits them. */
function ofUnnamedHost(line: string): AnsweringServer {
  const cases = [
    { lines: ["SetEnvIf Host . set"], requests: sentPaths },
    { lines: ["ServerName host1.test"], requests: sentPaths },
    { lines: ["ServerName host2.test", "MergeSlashes On"], requests: sentPaths },
    { lines: ["ServerName host3.test", "AllowEncodedSlashes Off"], requests: sentPaths },
  ];
  const hosts = cases.flatMap(({ lines }) => ["<VirtualHost *>", ...lines, "</VirtualHost>"]);
  const where = (index: number) => ({ host: `host${index}.test`, below: "" });
  const lines = [line, ...['<Directory "DOCROOT/secret">', "Require all denied", "</Directory>"], ...hosts];
  return { title: `slashes of a main server: ${line}`, modules, cases, lines, files, where };
}

function ofHandlers(): AnsweringServer {
  const server = ofHosts("handlers", handlerCases, ["mime", "actions", "cgi"], ["TypesConfig /dev/null"]);
  return { ...server, files: { ...server.files, ...Object.fromEntries(programs) } };
}

/** Returns conditions of one server, each list with a rule that denies if it holds. */
function ofRules(title: string, cases: readonly RewritingCase[]): AnsweringServer {
  const rules = cases.flatMap(({ lines }, index) => [...lines, `RewriteRule ^/(c)${index}$ - [F]`]);
  const where = (index: number) => ({ host: "x.test", below: `/c${index}` });
  return { title, modules, cases, lines: ["RewriteEngine On", ...rules], files, where };
}

/** Returns `.htaccess` files in numbered folders, with further files beside each. */
function inFolders(letter: string, files: readonly (readonly string[])[], beside: readonly string[]) {
  const entries = files.flatMap((lines, index) => [
    [`${letter}${index}/.htaccess`, `${lines.join("\n")}\n`],
    ...beside.map((name) => [`${letter}${index}/${name}`, "x\n"]),
  ]);
  return Object.fromEntries(entries);
}

function ofFolders(): AnsweringServer {
  const folders = inFolders(
    "h",
    htaccessCases.map(({ lines }) => ["RewriteEngine On", ...lines]),
    paths,
  );
  const lines = [
    ...['<Directory "DOCROOT">', "AllowOverride All", "</Directory>"],
    ...['<DirectoryMatch "/secret/">', "Require all denied", "</DirectoryMatch>"],
  ];
  const where = (index: number) => ({ host: "x.test", below: `/h${index}` });
  return {
    modules,
    title: "rules in `.htaccess` files of separate folders",
    cases: htaccessCases,
    lines,
    files: folders,
    where,
  };
}

/** Returns short files in separate folders, with an AllowOverride for each. */
function ofAllowed(): AnsweringServer {
  const folder = (index: number) => `o${index}`;
  const folders = inFolders(
    "o",
    overrideCases.map(({ file }) => file),
    ["x.txt", "index.html"],
  );
  return {
    modules,
    title: "`.htaccess` files under each AllowOverride",
    cases: overrideCases.map(({ lines, file, requests }) => ({ lines: [...lines, "below it:", ...file], requests })),
    lines: overrideCases.flatMap(({ lines }, index) => [
      `<Directory "DOCROOT/${folder(index)}">`,
      ...lines,
      "</Directory>",
    ]),
    files: folders,
    where: (index) => ({ host: "x.test", below: `/${folder(index)}` }),
  };
}

/** Returns conditional sections in `.htaccess` files. @param allowed AllowOverride lines above them */
function ofGuards(allowed: readonly string[]): AnsweringServer {
  const folders = inFolders(
    "g",
    guardCases.map(({ lines }) => lines),
    ["x.txt"],
  );
  return {
    title: `conditional sections in .htaccess files below ${allowed.join(" / ")}`,
    ...{ modules, cases: guardCases, files: folders },
    lines: ['<Directory "DOCROOT">', ...allowed, "</Directory>"],
    where: (index) => ({ host: "x.test", below: `/g${index}` }),
  };
}

export const answeringServers: readonly AnsweringServer[] = [
  ofHosts("rules of servers and in sections, in separate virtual hosts", [...serverCases, ...sectionCases]),
  ofFolders(),
  ofRules("conditions of rules", ruleConditionCases),
  ofHosts("targets of rules", ruleCases),
  ofHosts("rules in sequence", ruleOrderCases),
  ofHosts("rules in sections", sectionRuleCases),
  ...["", "InheritDown", "InheritDownBefore", "InheritDown UnsafePrefixStat"].map((options) =>
    ofHosts(`rules of a main server${options && ` with ${options}`}`, inheritedRuleCases, [], mainRules(options)),
  ),
  ofGuards(["AllowOverride All"]),
  ofGuards(["AllowOverride Limit"]),
  ofGuards(["AllowOverride None", "AllowOverrideList Deny"]),
  ofGuards(["AllowOverride None", "AllowOverrideList Deny <IfModule <Files"]),
  ofGuards(["AllowOverride Nonfatal=Override"]),
  ofGuards(["AllowOverride Limit Nonfatal=Override"]),
  ofHosts("conditions of sections", conditionCases),
  ofHosts("variables that grant access", variableCases),
  ofHosts("lines of mod_alias", leadingCases),
  ofHosts("Host headers", hostCases),
  ofHosts("paths as sent", sentCases),
  ...["", "AllowEncodedSlashes On", "AllowEncodedSlashes NoDecode", "MergeSlashes Off"].map(ofUnnamedHost),
  ofHosts("lines of mod_proxy", proxyCases, ["proxy"]),
  ofHosts("sections by path, and their order", placeCases),
  ofHosts("named groups", namedCases),
  ofHosts("directories of users", userCases, ["userdir"]),
  ofAllowed(),
  ofHandlers(),
  ofHosts(
    "rules of access control",
    accessCases,
    ["authn_file", "auth_basic", "authz_user", "authz_groupfile", "allowmethods", "ssl"],
    aliasLines,
  ),
];

/** Parses a request: a URL, a method other than GET, and a header; a password belongs to `bob`. */
export function parseRequest(text: string) {
  const [, url = "", method = "GET", name, value = ""] = /^(\S+)(?: (\S+))?(?: (\S+): (.*))?$/.exec(text) ?? [];
  const headers: Readonly<Record<string, string>> = name === undefined ? {} : { [name]: value };
  return { url, method, headers, ...(name === "Authorization" ? { user: "bob" } : {}) };
}
