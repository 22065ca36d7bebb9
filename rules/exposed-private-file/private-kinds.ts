/** Private files of one kind. */
export interface PrivateKind {
  /** The kind or content of the file: completes "the file …". */
  readonly holds: string;
  readonly help: string;
  /** The recommendation of the CIS benchmark about these files, if there is one. */
  readonly cis?: string;
  /** Matches the name of a file, or of a directory with some of the files. */
  readonly name: RegExp;
  /** For a directory: files that it always has. */
  readonly inside?: readonly string[];
}

export const repositoryLine = 'RedirectMatch 404 "/\\.(git|hg|svn)(/|$)"';
export const denyRepositories = `add \`${repositoryLine}\`, or move the directory out of the served one`;
const denyHidden = 'add `<FilesMatch "^\\.">` with `Require all denied`, or move the file out of the served directory';
const denyCopies =
  'delete the file, or add `<FilesMatch "~$|(?i)\\.(bak|old|orig|save|sql|key|sw[a-z])$">` with `Require all denied`';

export const privateKinds: readonly PrivateKind[] = [
  {
    holds: "is part of a Git repository",
    help: denyRepositories,
    cis: "5.11",
    name: /^\.git$/,
    inside: ["config", "HEAD"],
  },
  {
    holds: "is part of a Subversion working copy",
    help: denyRepositories,
    cis: "5.12",
    name: /^\.svn$/,
    inside: ["wc.db", "entries"],
  },
  { holds: "is part of a Mercurial repository", help: denyRepositories, name: /^\.hg$/, inside: ["hgrc", "requires"] },
  {
    holds: "contains settings of an application, often with passwords",
    help: denyHidden,
    cis: "5.13",
    name: /^\.env(?:\.|$)/,
  },
  { holds: "contains users, passwords or settings of the server", help: denyHidden, cis: "5.10", name: /^\.ht/ },
  { holds: "contains the names of other files", help: denyHidden, cis: "5.13", name: /^\.DS_Store$/ },
  { holds: "is a private key", help: denyCopies, cis: "5.13", name: /\.key$/i },
  { holds: "is a copy of a database", help: denyCopies, cis: "5.13", name: /\.sql$/i },
  {
    holds: "is a copy of another file",
    help: denyCopies,
    cis: "5.13",
    name: /^wp-config\.php\.|~$|\.(?:bak|old|orig|save)$|^\..*\.sw[a-z]$/i,
  },
];

/** Files that are public by intent: examples to copy. */
export const publicExample = /[.-](?:dist|example|sample|template)$/i;
