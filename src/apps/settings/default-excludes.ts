/** Patterns of paths that a search leaves out if the configuration file does not name others: packages and copies of files. */
export const defaultExcludes = [
  ...["node_modules/", "*~", "*.bak", "*.orig", "*.rej", "*.swp", "*.dpkg-*", "*.rpmsave", "*.rpmnew"],
];
