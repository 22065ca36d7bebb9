/** A URL path that often leads to data which are not meant for the public. */
export interface SensitivePath {
  readonly path: string;
  /** Whether the answer of a program is sensitive too, as with a status page; if not, only the file itself is. */
  readonly isPage: boolean;
}

const files: Readonly<Record<string, readonly string[]>> = {
  "version control": [
    ...["/.git/config", "/.git/HEAD", "/.git/index", "/.gitignore", "/.svn/entries", "/.svn/wc.db", "/.hg/hgrc"],
    ...["/.bzr/branch/branch.conf", "/CVS/Root"],
  ],
  "configuration and keys": [
    ...["/.env", "/.env.local", "/.env.production", "/.htaccess", "/.htpasswd", "/.htdigest", "/.htgroup"],
    ...["/.aws/credentials", "/.docker/config.json", "/.npmrc", "/.netrc", "/.ssh/id_rsa", "/.user.ini", "/web.config"],
    ...["/server.key", "/privkey.pem", "/config.yml", "/config.json", "/config/database.yml", "/config/master.key"],
    ...["/config.inc.php", "/configuration.php", "/wp-config.php", "/sites/default/settings.php"],
    ...["/app/etc/env.php", "/app/etc/local.xml", "/WEB-INF/web.xml"],
  ],
  "packages and tools": [
    ...["/composer.json", "/composer.lock", "/package.json", "/Dockerfile", "/docker-compose.yml"],
    ...["/vendor/composer/installed.json", "/.idea/workspace.xml", "/.vscode/sftp.json", "/.DS_Store"],
  ],
  "copies and dumps": [
    ...["/wp-config.php.bak", "/wp-config.php~", "/wp-config.php.save", "/.wp-config.php.swp", "/config.php.bak"],
    ...["/index.php.bak", "/index.php~", "/.env.bak", "/.htaccess.bak", "/.htpasswd.bak", "/backup.sql", "/dump.sql"],
    ...["/backup.zip", "/backup.tar.gz", "/site.tar.gz", "/backup/", "/old/"],
  ],
  logs: ["/.bash_history", "/error_log", "/access_log", "/debug.log", "/logs/error.log", "/wp-content/debug.log"],
};

const pages = [
  ...["/server-status", "/server-info", "/balancer-manager", "/ldap-status", "/phpinfo.php", "/info.php"],
  ...["/phpmyadmin/", "/adminer.php", "/cgi-bin/test-cgi", "/cgi-bin/printenv"],
];

/** The paths that an audit always checks. */
export const sensitivePaths: readonly SensitivePath[] = [
  ...Object.values(files)
    .flat()
    .map((path) => ({ path, isPage: false })),
  ...pages.map((path) => ({ path, isPage: true })),
];

/** The paths in a list, or the first line that is not one. */
export type SensitivePathList =
  | { readonly paths: readonly SensitivePath[] }
  | { readonly line: number; readonly text: string };

/** Parses a list of URL paths, one per line; empty lines and lines that start with `#` are ignored. */
export function parseSensitivePaths(text: string): SensitivePathList {
  const paths = new Set<string>();
  for (const [index, written] of text.split(/\r?\n/).entries()) {
    const line = written.trim();
    if (line === "" || line.startsWith("#")) continue;
    // Other tools write the paths of such lists without the first slash.
    const path = line.startsWith("/") ? line : `/${line}`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a request line does not have them
    if (/[\s?#\u0000-\u001f\u007f]/.test(path) || /%(?![0-9a-f]{2})/i.test(path))
      return { line: index + 1, text: line };
    paths.add(path);
  }
  return { paths: [...paths].map((path) => ({ path, isPage: true })) };
}
