/** Private files of one kind. */
export interface PrivateKind {
  /** The kind or content of the file: completes "the file …". */
  readonly holds: string;
  readonly help: string;
  /** The remedy if sections that are merged later override `<FilesMatch>`. */
  readonly helpByUrl: string;
  /** The recommendation of the CIS benchmark about these files, if there is one. */
  readonly cis?: string;
  /** Matches the name of a file, or of a directory with some of the files. */
  readonly name: RegExp;
  /** For a directory: files that it always has. */
  readonly inside?: readonly string[];
}

export const repositoryLine = 'RedirectMatch 404 "/\\.(git|hg|svn)(/|$)"';
export const denyRepositories = `add \`${repositoryLine}\`, or move the directory out of the served one`;
const byRepositories = { help: denyRepositories, helpByUrl: denyRepositories };
/** Not `.well-known`: `<FilesMatch>` also matches the name of a directory that does not exist (core `ap_file_walk`). */
const denyHidden =
  'add `<FilesMatch "^\\.(?!well-known$)">` with `Require all denied`, or move the file out of the served directory';
const denyCopies =
  'delete the file, or add `<FilesMatch "~$|(?i)\\.(bak|old|orig|save|sql|key|sw[a-z])$">` with `Require all denied`';

const byHidden = {
  help: denyHidden,
  helpByUrl: 'add `RedirectMatch 404 "/\\.(?!well-known/)"`, or move the file out of the served directory',
};
const byCopies = {
  help: denyCopies,
  helpByUrl: 'delete the file, or add `RedirectMatch 404 "~$|(?i)\\.(bak|old|orig|save|sql|key|sw[a-z])$"`',
};

export const privateKinds: readonly PrivateKind[] = [
  {
    holds: "is part of a Git repository",
    ...byRepositories,
    cis: "5.11",
    name: /^\.git$/,
    inside: ["config", "HEAD"],
  },
  {
    holds: "is part of a Subversion working copy",
    ...byRepositories,
    cis: "5.12",
    name: /^\.svn$/,
    inside: ["wc.db", "entries"],
  },
  { holds: "is part of a Mercurial repository", ...byRepositories, name: /^\.hg$/, inside: ["hgrc", "requires"] },
  {
    holds: "contains settings of an application, often with passwords",
    ...byHidden,
    cis: "5.13",
    name: /^\.env(?:\.|$)/,
  },
  { holds: "contains users, passwords or settings of the server", ...byHidden, cis: "5.10", name: /^\.ht/ },
  { holds: "contains the names of other files", ...byHidden, cis: "5.13", name: /^\.DS_Store$/ },
  { holds: "is a private key", ...byCopies, cis: "5.13", name: /\.key$/i },
  { holds: "is a copy of a database", ...byCopies, cis: "5.13", name: /\.sql$/i },
  {
    holds: "is a copy of another file",
    ...byCopies,
    cis: "5.13",
    name: /^wp-config\.php\.|~$|\.(?:bak|old|orig|save)$|^\..*\.sw[a-z]$/i,
  },
];

/** Files that are public by intent: examples to copy. */
export const publicExample = /[.-](?:dist|example|sample|template)$/i;
