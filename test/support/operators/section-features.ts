import type { Random } from "../random/random.js";
import { drawAccess, drawCondition } from "./access-features.js";
import { drawMany, drawPerhaps, type Lines, section } from "./drawing.js";

const directories = [
  ...["@DOCROOT@", "@DOCROOT@/docs", "@DOCROOT@/private", "@DOCROOT@/app", "@DOCROOT@/app/lib", "@DOCROOT@/*/lib"],
  ...["@ROOT@/sites", "@ROOT@/other", "@ROOT@/home/*/public_html", "@DOCROOT@/img/", "@ROOT@/mass"],
] as const;
const locations = [
  ...["/", "/docs", "/private/", "/app", "/app/index.php", "/server-status", "/cgi-bin", "/api", "/docs/*.txt"],
  ...["/other/", "/~alice", "/none", "//docs", "/PRIVATE"],
] as const;
const patterns = [
  ...["^/(docs|private)/", "\\.(inc|bak|sql)$", "^/app/(?!index\\.php)", "/\\.git", "(?i)^/private", "^/~([a-z]+)/"],
  ...["^/docs/(?<name>[a-z]+)\\.txt$", "/lib/", "^/$"],
] as const;
const names = [
  ...['Files "*.txt"', 'Files ".ht*"', 'FilesMatch "\\.(inc|sql|bak)$"', "Files index.html", 'Files "*.php"'],
  ...['FilesMatch "^\\.ht"', 'FilesMatch "^(index|about)\\.(html|php)$"', 'Files ~ "\\.txt$"', "Files notes.txt"],
  ...['FilesMatch "^(?!index)[a-z]+\\.html$"'],
] as const;
const options = [
  ...["Options Indexes FollowSymLinks", "Options None", "Options -Indexes", "Options +SymLinksIfOwnerMatch"],
  ...["Options FollowSymLinks MultiViews", "Options +MultiViews", "Options Indexes MultiViews ExecCGI"],
  ...["Options -FollowSymLinks", "Options +ExecCGI +Includes", "Options All", "Options SymLinksIfOwnerMatch"],
] as const;
const overrides = [
  ...["AllowOverride All", "AllowOverride All", "AllowOverride None", "AllowOverride AuthConfig Limit"],
  ...["AllowOverride FileInfo Indexes Options=Indexes,MultiViews", "AllowOverride AuthConfig FileInfo"],
  ...["AllowOverride None\nAllowOverrideList Redirect RedirectMatch Require", "AllowOverride Options=Indexes FileInfo"],
  ...["AllowOverride All Nonfatal=Override", "AllowOverride Limit Nonfatal=All"],
] as const;

/** Draws an Options line. */
export function drawOptions(random: Random): string {
  return random.pick(options);
}

/** Draws AllowOverride, in one or two lines. */
export function drawOverride(random: Random): Lines {
  return random.pick(overrides).split("\n");
}

const settings = [
  ...["DirectoryIndex index.php index.html", "DirectoryIndex disabled", "DirectoryIndex welcome.html index.html"],
  ...["DirectorySlash Off", "DirectoryIndex /docs/readme.txt", "FallbackResource /index.php", "AcceptPathInfo On"],
  ...["FallbackResource /app/index.php", "AcceptPathInfo Off", "CheckSpelling On", "FallbackResource disabled"],
  ...["ErrorDocument 404 /about.html", 'ErrorDocument 403 "Not here"', "ErrorDocument 401 /docs/readme.txt"],
  ...["ErrorDocument 403 http://errors.example.test/403", "SetHandler application/x-httpd-php", "ForceType text/plain"],
  ...["AddHandler cgi-script .cgi .sh", "AddType text/html .xyz", "AddLanguage de .de", "LanguagePriority de en fr"],
  ...["ForceLanguagePriority Fallback", "SetEnvIf User-Agent bot bad_bot", "SetEnvIf X-Token ^s3cret$ trusted"],
  ...["BrowserMatchNoCase curl let_me_in", "LimitRequestBody 10", "DirectoryIndexRedirect On", "CheckCaseOnly On"],
  ...['SetEnvIfExpr "%{REQUEST_URI} =~ /docs/" trusted', "Header set X-Frame-Options DENY", "AddEncoding gzip .gz"],
  ...["SetEnv trusted 1", "UnsetEnv trusted", "RemoveType .txt", "AddDefaultCharset utf-8"],
  ...[
    "ErrorDocument 404 /missing.html",
    "AddHandler type-map .var",
    "AddCharset iso-8859-1 .latin",
    "AllowMethods GET",
  ],
] as const;

/** Draws a line that may be in a section or a `.htaccess` file. */
export function drawSetting(random: Random): string {
  return random.pick(settings);
}

/** Draws a section for names, methods or a condition, in another one. @param takesNames false in a Location */
export function drawInnerSection(random: Random, takesNames = true): Lines {
  const choice = takesNames ? random.below(8) : 4 + random.below(4);
  if (choice < 4)
    return section(random.pick(names), ...drawAccess(random), ...drawPerhaps(random, 0.2, drawSetting(random)));
  if (choice === 4)
    return section(random.pick(["Limit POST PUT", "Limit GET", "Limit PUT DELETE PATCH"]), ...drawAccess(random));
  if (choice === 5)
    return section(random.pick(["LimitExcept GET", "LimitExcept GET POST OPTIONS"]), ...drawAccess(random));
  const condition = section(
    `If "${drawCondition(random)}"`,
    ...drawAccess(random),
    ...drawPerhaps(random, 0.2, drawSetting(random)),
  );
  if (choice === 6) return condition;
  return [...condition, ...section(random.pick([`ElseIf "${drawCondition(random)}"`, "Else"]), ...drawAccess(random))];
}

function drawSectionHead(random: Random): string {
  const choice = random.below(10);
  if (choice < 4) return `Directory "${random.pick(directories)}"`;
  if (choice < 7) return `Location "${random.pick(locations)}"`;
  if (choice === 7) return `LocationMatch "${random.pick(patterns)}"`;
  if (choice === 8)
    return `DirectoryMatch "${random.pick(["/lib/?$", "^@ROOT@/sites/[a-z]+/(docs|img)", "/\\.git(/|$)", "/private"])}"`;
  return random.pick(names);
}

/** Draws a section with access control, settings, and sections in it. */
export function drawSection(random: Random): Lines {
  const head = drawSectionHead(random);
  const isDirectory = head.startsWith("Directory");
  return section(
    head,
    ...(/^Dir|^Loc/.test(head) ? drawPerhaps(random, 0.25, drawOptions(random)) : []),
    ...(head.startsWith("Directory ") && random.chance(0.4) ? drawOverride(random) : []),
    ...(random.chance(0.65) ? drawAccess(random) : []),
    ...drawMany(random, 0, 1, drawSetting),
    ...(random.chance(0.3) ? drawInnerSection(random, isDirectory) : []),
  );
}
