import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "../support/random/random.js";

/** A fleet as operators write them. Which optional lines its template has, and which hosts are exceptions, is random. */
export interface FleetVariant {
  readonly what: string;
  /** Writes the server into an existing folder. */
  readonly write: (folder: string, random: Random) => void;
  /** Whether it is a server of 2.4, and the folder `before` in it has it without the lines that decide nothing. */
  readonly isOf24?: boolean;
}

/** A line or a block of lines of a host; some are optional. */
type Part = (host: Host) => string;

/** The facts that differ between hosts. */
interface Host {
  readonly n: number;
  readonly name: string;
  readonly root: string;
  /** An address or network of its own. */
  readonly network: string;
}

/** Returns the n-th of 65,536 networks, in the order of a counter that wraps around: `10.0.0.0/24`, `10.0.1.0/24`, … */
function networkAt(n: number): string {
  return `10.${Math.floor(n / 256) % 256}.${n % 256}.0/24`;
}

function hostAt(n: number): Host {
  return { n, name: `host${n}.example.org`, root: `/srv/www/host${n}`, network: networkAt(n) };
}

/** Keeps some of the optional parts. */
function someOf(parts: readonly Part[], random: Random): readonly Part[] {
  return parts.filter(() => random.chance(0.5));
}

function write(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function serverOf(folder: string, ...rest: readonly string[]): string {
  return `ServerRoot "${folder}"
Listen 127.0.0.1:8099
ServerName localhost
NameVirtualHost *:8099
LogFormat "%h %l %u %t \\"%r\\" %>s %b" common
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
<Files ~ "^\\.ht">
    Order allow,deny
    Deny from all
    Satisfy all
</Files>
${rest.join("")}`;
}

function virtualHost(host: Host, parts: readonly Part[]): string {
  const body = parts.map((part) => part(host)).join("");
  return `<VirtualHost *:8099>\nServerName ${host.name}\nDocumentRoot ${host.root}\n${body}</VirtualHost>\n`;
}

/** Lines for logs, headers, types and handlers: no access control reads them. */
const harmless: readonly Part[] = [
  () => 'SetEnvIf Remote_Addr "^127\\." dontlog\nCustomLog logs/access.log common env=!dontlog\n',
  () => 'SetEnvIf Request_URI "\\.(gif|jpe?g|png|css|js)$" static\nCustomLog logs/pages.log common env=!static\n',
  () => 'BrowserMatch "(?i)(googlebot|bingbot)" crawler\nCustomLog logs/bots.log common env=crawler\n',
  ({ name }) => `ErrorLog logs/${name}.log\nServerAdmin webmaster@${name}\n`,
  () => "Header set X-Frame-Options SAMEORIGIN\nExpiresActive On\nExpiresDefault A3600\n",
  () => '<FilesMatch "\\.php$">\n    SetHandler application/x-httpd-php\n</FilesMatch>\n',
  ({ name }) => `<Location "/assets">\n    Header set X-Host ${name}\n    ExpiresDefault A86400\n</Location>\n`,
  () => "AddType text/x-component .htc\nAddOutputFilterByType DEFLATE text/html text/css\n",
  ({ n }) => `SetEnv APP_ENVIRONMENT production\nSetEnv DB_NAME db${n}\n`,
];

const withoutEffect: readonly Part[] = harmless.filter((_, index) => index !== 5 && index !== 7);

/** Access control and mappings with the constants of the host. */
const deciding: readonly Part[] = [
  ({ n }) => `Alias /static${n} /srv/static/${n}\n`,
  ({ root }) => `<Directory ${root}/private>\n    Order allow,deny\n    Deny from all\n</Directory>\n`,
  ({ n }) =>
    `<Location /admin>\n    AuthType Basic\n    AuthName "Admin ${n}"\n    AuthUserFile /etc/users/host${n}\n    Require user admin${n}\n</Location>\n`,
  () => '<FilesMatch "\\.(bak|old|sql)$">\n    Order allow,deny\n    Deny from all\n</FilesMatch>\n',
  ({ n }) =>
    `RewriteEngine on\nRewriteCond %{HTTP_HOST} ^old${n}\\.example [NC]\nRewriteRule ^/(.*)$ http://host${n}.example.org/$1 [R=301,L]\n`,
];

const opened: Part = ({ root }) => `<Directory ${root}>\n    Order allow,deny\n    Allow from all\n</Directory>\n`;

const ofNetwork: Part = ({ root, network }) =>
  `<Directory ${root}>\n    Order deny,allow\n    Deny from all\n    Allow from ${network}\n    Satisfy all\n</Directory>\n`;

/** What some hosts have in addition to their template. */
const exceptions: readonly [Part, ...Part[]] = [
  () => "<Location /intern>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.0/24\n</Location>\n",
  () => "Redirect permanent /shop http://shop.example.org/\n",
  () => '<LocationMatch "^/(api|rpc)/">\n    Order allow,deny\n    Deny from all\n</LocationMatch>\n',
  () =>
    "SetEnvIf User-Agent evil bad\n<Location /api>\n    Order allow,deny\n    Allow from all\n    Deny from env=bad\n</Location>\n",
  ({ root }) => `<Directory ${root}/upload>\n    SetHandler None\n    Options -ExecCGI\n</Directory>\n`,
];

function hosts(count: number, parts: readonly Part[], special: (host: Host) => readonly Part[] = () => []): string {
  return Array.from({ length: count }, (_, n) => hostAt(n))
    .map((host) => virtualHost(host, [...parts, ...special(host)]))
    .join("");
}

/** Hosts of one template, with a variable that only a log reads. */
const withLogs: FleetVariant = {
  what: "1,000 hosts with variables for logs",
  write: (folder, random) => {
    const [first, ...rest] = harmless;
    const parts = [...(first ? [first] : []), opened, ...someOf([...rest, ...deciding], random)];
    write(folder, "httpd.conf", serverOf(folder, hosts(1_000, parts)));
  },
};

/** Hosts for a network each, in the order of a counter that wraps around. */
const withNetworks: FleetVariant = {
  what: "1,000 hosts with a network each",
  write: (folder, random) => {
    const parts = [ofNetwork, ...someOf([...harmless, ...deciding], random)];
    write(folder, "httpd.conf", serverOf(folder, hosts(1_000, parts)));
  },
};

const withIncludes: FleetVariant = {
  what: "1,000 hosts with shared includes",
  write: (folder, random) => {
    const [own, shared] = [
      someOf(deciding, random),
      someOf([...harmless.slice(0, 3), ...harmless.slice(4, 6)], random),
    ];
    write(folder, "conf/shared.conf", [...shared, ...exceptions.slice(0, 3)].map((part) => part(hostAt(0))).join(""));
    write(folder, "conf/denied.conf", "Order deny,allow\nDeny from all\n");
    const denied: Part = ({ root }) => `<Directory ${root}/cgi>\n    Include conf/denied.conf\n</Directory>\n`;
    const parts = [() => "Include conf/shared.conf\n", opened, denied, ...own];
    write(folder, "httpd.conf", serverOf(folder, hosts(1_000, parts)));
  },
};

/** 2.2 has no macros. */
const withMacros: FleetVariant = {
  what: "1,000 hosts of a macro",
  isOf24: true,
  write: (folder, random) => {
    const variable: Host = { n: 0, name: "$name.example.org", root: "/srv/www/$name", network: "$network" };
    const parts = [random.chance(0.5) ? opened : ofNetwork, ...someOf([...harmless, ...deciding.slice(1, 2)], random)];
    const uses = Array.from({ length: 1_000 }, (_, n) => `Use VHost host${n} ${networkAt(n)}\n`);
    const serverWith = (kept: readonly Part[]) => {
      const macro = `<Macro VHost $name $network>\n${virtualHost(variable, kept)}</Macro>\n`;
      return serverOf(folder, macro, ...uses, "UndefMacro VHost\n").replace(/^NameVirtualHost.*\n/m, "");
    };
    write(folder, "httpd.conf", serverWith(parts));
    write(folder, "before/httpd.conf", serverWith(parts.filter((part) => !withoutEffect.includes(part))));
  },
};

/** One host in about forty has up to two additional parts. */
const withExceptions: FleetVariant = {
  what: "1,000 hosts, some with exceptions",
  write: (folder, random) => {
    const parts = [random.chance(0.5) ? opened : ofNetwork, ...someOf([...harmless, ...deciding], random)];
    const special = () =>
      random.chance(1 / 40) ? [random.pick(exceptions), ...(random.chance(0.3) ? [random.pick(exceptions)] : [])] : [];
    write(folder, "httpd.conf", serverOf(folder, hosts(1_000, parts, special)));
  },
};

/** Variants of hosts that operators write by hand or by a script of their own. */
export const fleetVariants: readonly FleetVariant[] = [
  withLogs,
  withNetworks,
  withIncludes,
  withMacros,
  withExceptions,
];
