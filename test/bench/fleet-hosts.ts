/**
 * Writes a server of 2.2 with virtual hosts of one template: names, roots and addresses differ.
 *
 * @param count number of hosts
 * @param root an existing folder
 */
export function templateHosts(count: number, root: string): string {
  return serverOf(
    root,
    Array.from({ length: count }, (_, index) => templateHost(index)),
  );
}

/** Writes a server of 2.2 with 60 virtual hosts of six templates; each has sections that no other host has. */
export function distinctHosts(root: string): string {
  return serverOf(
    root,
    Array.from({ length: 60 }, (_, index) => distinctHost(index)),
  );
}

function serverOf(root: string, hosts: readonly string[]): string {
  return `ServerRoot "${root}"\nListen 127.0.0.1:8099\nServerName localhost\nNameVirtualHost *:8099\n${hosts.join("")}`;
}

function templateHost(n: number): string {
  return `<VirtualHost *:8099>
    ServerName host${n}.example.org
    ServerAlias www${n}.example.org \\
        alias${n}.example.org
    DocumentRoot "/srv/www/host${n}"
    # Clients of the company
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
        Require valid-user
        Order deny,allow
        Deny from all
        Allow from 192.0.2.0/24
        Satisfy any
    </Location>
    <Location "/x${n}">
        Order allow,deny
        Deny from all
    </Location>
    <FilesMatch "\\.(bak|old)$">
        Order allow,deny
        Deny from all
    </FilesMatch>
    SetEnvIf User-Agent "^bot${n}" bad_bot
    Alias "/static${n}" "/srv/static/${n}"
</VirtualHost>
`;
}

/** The access control of each template. */
const rules: readonly ((n: number) => string)[] = [
  () => "Order allow,deny\nAllow from all",
  (n) => `Order deny,allow\nDeny from all\nAllow from 10.${n}.0.0/16`,
  (n) => `AuthType Basic\nAuthName a\nAuthUserFile /etc/users${n}\nRequire valid-user`,
  (n) => `Order allow,deny\nAllow from all\nDeny from 192.0.2.${n}`,
  (n) => `Order deny,allow\nDeny from all\nAllow from .host${n}.example.org`,
  () => "Order deny,allow\nDeny from all\nAllow from env=trusted",
];

function distinctHost(n: number): string {
  const template = n % rules.length;
  const own = Array.from(
    { length: 1 + Math.floor(n / rules.length) },
    (_, area) => `<Location "/area${area}">\n${rules[(template + area) % rules.length]?.(n)}\n</Location>\n`,
  );
  return `<VirtualHost *:8099>
ServerName host${n}.example.org
DocumentRoot "/srv/www/host${n}"
SetEnvIf User-Agent "^agent" trusted
<Directory "/srv/www/host${n}">
${rules[template]?.(n)}
</Directory>
${own.join("")}</VirtualHost>
`;
}
