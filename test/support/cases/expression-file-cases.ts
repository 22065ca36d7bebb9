/** Files for tests of expressions, in the DocumentRoot. */
export const expressionFiles: Readonly<Record<string, string>> = {
  "a.txt": "abc\n",
  empty: "",
  "d/x.txt": "x",
  "nul.txt": "a\0b",
};

/** A symbolic link, by its name in the DocumentRoot. */
export const expressionLinks: Readonly<Record<string, string>> = { link: "a.txt", "d-link": "d", broken: "none" };

const paths = [
  ...["DOCROOT/a.txt", "DOCROOT/empty", "DOCROOT/d", "DOCROOT/d/", "DOCROOT/none", "DOCROOT/none/", "DOCROOT/a.txt/"],
  ...["DOCROOT/link", "DOCROOT/d-link", "DOCROOT/d-link/", "DOCROOT/broken", "DOCROOT/a.txt/x", "DOCROOT/d/../a.txt"],
  ...["DOCROOT/none/../a.txt", "DOCROOT//d/./x.txt", "", "/", "a.txt", "htdocs/a.txt"],
];

/** Conditions about files and the target of the URL. */
export const fileConditions: readonly string[] = [
  ...["-d", "-e", "-f", "-s", "-L", "-h"].flatMap((test) => paths.map((path) => `${test} '${path}'`)),
  ...["-x 'DOCROOT/none'", "-x 'DOCROOT/link'", "-x 'DOCROOT/broken'"],
  ...["file('DOCROOT/a.txt') == 'abc'", "file('DOCROOT/a.txt') -strmatch 'abc?'", "file('DOCROOT/nul.txt') == 'a'"],
  ...["file('DOCROOT/empty') == ''", "filesize('DOCROOT/a.txt') == '4'", "filesize('DOCROOT/none') == '0'"],
  ...["filesize('DOCROOT/d') -eq 0", "filesize('DOCROOT/link') -eq 4", "filesize('htdocs/a.txt') -eq 4"],
  ...["env('SET') == '1'", "env('UNSET') == ''", "osenv('UNSET') == ''", "osenv('SET') == ''"],
  ...["%{DOCUMENT_ROOT} == 'DOCROOT'", "%{CONTEXT_PREFIX} == ''", "%{CONTEXT_DOCUMENT_ROOT} == 'DOCROOT'"],
  ...["%{CONTEXT_PREFIX} == '/al'", "%{CONTEXT_DOCUMENT_ROOT} == 'DOCROOT/d'", "%{PATH_INFO} == '/more'"],
  ...["-z %{PATH_INFO}", "%{SERVER_ADMIN} == 'me@x.test'", "%{REQUEST_STATUS} == '200'"],
];
