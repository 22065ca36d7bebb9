/** Requests for names that differ from those of files, for live and recorded comparison. */

export const spellingModules = ["authz_core", "alias", "dir", "mime", "negotiation", "rewrite", "speling"];
/** The order in which mod_speling precedes mod_dir. */
export const spellingModulesFirst = ["authz_core", "speling", "alias", "dir", "mime", "negotiation", "rewrite"];

const fileNames = [
  "document.html",
  "report.html",
  "report.txt",
  "Index.HTML",
  "ab",
  ".hidden",
  "folder/x.txt",
  "a/b/c.txt",
];

const folders: Readonly<Record<string, readonly string[]>> = {
  on: ["CheckSpelling On"],
  case: ["CheckSpelling On", "CheckCaseOnly On"],
  bases: ["CheckSpelling On", "CheckBasenameMatch Off"],
  narrow: ["CheckSpelling On", "CheckCaseOnly On", "CheckBasenameMatch Off"],
  off: ["CheckSpelling Off"],
  views: ["CheckSpelling On", "Options MultiViews FollowSymLinks"],
  fallback: ["CheckSpelling On", "FallbackResource /fallback/ab"],
  unfound: ["CheckSpelling On", "FallbackResource /unfound/nothing"],
  rewritten: ["CheckSpelling On", "RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule ^re ab [L]"],
  guarded: ["CheckSpelling On", '<Files "document.htm">', "Require all denied", "</Files>"],
};

export const spellingLines = [
  ...["TypesConfig DOCROOT/mime.types", "Options FollowSymLinks"],
  ...Object.entries(folders).flatMap(([name, lines]) => [`<Directory "DOCROOT/${name}">`, ...lines, "</Directory>"]),
  ...['<Directory "DOCROOT/on/folder">', "CheckCaseOnly On", "</Directory>"],
  ...["Alias /aliased DOCROOT/on", "Alias /one DOCROOT/on/document.htm"],
];

export const spellingFiles: Readonly<Record<string, string>> = {
  "mime.types": "text/html html\ntext/plain txt\n",
  ...Object.fromEntries(
    Object.keys(folders).flatMap((folder) => fileNames.map((name) => [`${folder}/${name}`, "x\n"] as const)),
  ),
};

const requestedNames = [
  ...[
    "Document.html",
    "docuemnt.html",
    "documen.html",
    "documentt.html",
    "docoment.html",
    "document.htm",
    "dcmnt.html",
  ],
  ...["document", "document.html/more", "Document.html/more", "report.htm", "report", "reprt.html", "REPORT.TXT"],
  ...["index.html", "ba", "AB", "abc", "a.b", "b", "x", "xy", ".x", ".Hidden", ".hiden", "..x", "folder/X.txt"],
  ...["folder/y.txt", "Folder/x.txt", "floder/", "A/b/c.txt", "a/b/C.txt", "a/B", "docuemnt.html?q", "report.html.bak"],
];

export const spellingPaths: readonly string[] = [
  ...[...Object.keys(folders), "aliased"].flatMap((folder) => requestedNames.map((name) => `/${folder}/${name}`)),
  ...["/one", "/On/ab", "/onn", "/", "/x"],
];

/** The methods that each path is requested with. */
export const spellingMethods = ["GET", "HEAD", "POST"];
