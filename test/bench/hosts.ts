import { loadModules } from "../support/httpd/httpd.js";

const modules = [
  "mpm_event",
  "authn_core",
  "authn_file",
  "authz_core",
  "authz_host",
  "authz_user",
  "authz_groupfile",
  "access_compat",
  "auth_basic",
  "alias",
  "dir",
  "env",
  "mime",
  "rewrite",
  "setenvif",
];

/**
 * Writes a server with many virtual hosts of 35 lines each: mod_access_compat and Require directives, continuations,
 * expressions. The live server accepts it.
 *
 * @param count number of hosts
 * @param root an existing folder
 */
export function virtualHosts(count: number, root: string): string {
  return `ServerRoot "${root}"\n${ofServer}${loadModules(modules)}${hostSections(count, 8099)}`;
}

/** Writes a variant for both releases: 2.2 distinguishes the hosts by name, too. */
export function namedHosts(count: number, root: string): string {
  return `ServerRoot "${root}"\n${ofServer}NameVirtualHost *:8099\n${hostSections(count, 8099)}`;
}

const ofServer = "Listen 127.0.0.1:8099\nServerName localhost\nPidFile pid\nErrorLog error.log\n";

/** Returns only the hosts. */
export function hostSections(count: number, port: number): string {
  return Array.from({ length: count }, (_, index) => virtualHost(index, port)).join("");
}

function virtualHost(n: number, port: number): string {
  return `<VirtualHost *:${port}>
    ServerName host${n}.example.org
    ServerAlias www${n}.example.org \\
        alias${n}.example.org
    DocumentRoot "/srv/www/host${n}"
    # Who may come in
    <Directory "/srv/www/host${n}">
        Options FollowSymLinks
        AllowOverride None
        Order deny,allow
        Deny from all
        Allow from 10.${n % 256}.1.0/24
        Satisfy all
    </Directory>

    <Location "/admin">
        AuthType Basic
        AuthName "Admin ${n}"
        AuthUserFile "/etc/passwd${n}"
        <RequireAny>
            Require ip 192.0.2.0/24
            Require valid-user
        </RequireAny>
    </Location>
    <If "%{HTTP_HOST} == 'host${n}.example.org' && %{REQUEST_URI} =~ m|^/x${n}/|">
        Require all denied
    </If>
    <FilesMatch "\\.(bak|old)$">
        Order allow,deny
        Deny from all
    </FilesMatch>
    SetEnvIf User-Agent "^bot${n}" bad_bot
    Alias "/static${n}" "/srv/static/${n}"
</VirtualHost>
`;
}
