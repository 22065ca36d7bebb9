/** Contents of each folder: files, folders without any, and links with their targets. */
export const linkFiles: readonly string[] = ["x.txt", "real/x.txt", "plain/x.txt"];
export const bareFolders: readonly string[] = ["indexed"];
export const links: Readonly<Record<string, string>> = {
  "link.txt": "x.txt",
  dir: "real",
  "real/link.txt": "x.txt",
  nowhere: "nothing",
  circle: "circle",
  "indexed/index.html": "../x.txt",
  "other.txt": "x.txt",
  otherdir: "real",
};
/** Links whose owner differs from that of their target. */
export const foreignLinks: ReadonlySet<string> = new Set(["other.txt", "otherdir"]);

/** Lines for one folder each, by its number. */
export const linkOptions: readonly (readonly string[])[] = [
  [],
  ["Options FollowSymLinks"],
  ["Options None"],
  ["Options -FollowSymLinks"],
  ["Options SymLinksIfOwnerMatch"],
  ["Options +SymLinksIfOwnerMatch"],
  ["Options -FollowSymLinks +SymLinksIfOwnerMatch"],
  ["Options All"],
];

/** The lines of the server; DOCROOT is the folder that contains those folders. */
export const linkLines: readonly string[] = linkOptions.flatMap((own, index) => [
  `<Directory "DOCROOT/${index}">`,
  ...own,
  "</Directory>",
]);

export const linkModules = ["authn_core", "authz_core", "authz_host", "access_compat", "alias", "dir", "rewrite"];

const paths = [
  ...["x.txt", "link.txt", "link.txt/more", "dir/x.txt", "dir/", "dir", "nowhere", "nowhere/x", "circle", "indexed/"],
  ...["dir/none", "dir/link.txt", "other.txt", "other.txt/more", "otherdir/x.txt", "plain/x.txt", "link.txt/", "none"],
];

/** Paths requested in each of the folders. */
export const linkRequests: readonly string[] = linkOptions.flatMap((_, index) =>
  paths.map((path) => `/${index}/${path}`),
);
