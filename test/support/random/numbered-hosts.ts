import type { Random } from "./random.js";

/** The numbers of one virtual host, as texts. */
interface HostNumbers {
  readonly name: string;
  readonly site: string;
  readonly octet: string;
  readonly last: string;
}

type HostLines = (numbers: HostNumbers) => string;

/** Parts of templates: correct ones, and ones that rules report in some hosts or in all. */
const parts: readonly [HostLines, ...HostLines[]] = [
  ({ name }) => `ServerAlias www${name}.example.org *.host${name}.example.org`,
  ({ name }) => `ServerAlias www${name}.example.org, alias${name}.example.org`,
  ({ name, site }) => `ServerAlias www${name}.example.org \\\n  site-${site}.example.org`,
  ({ name }) => `DocumentRoot "/srv/www/host${name}"`,
  ({ site }) => `DocumentRoot /srv/www/${site}/htdocs`,
  ({ name }) => `ErrorLog logs/host-${name}.log`,
  ({ name }) => `CustomLog "|/usr/bin/rotatelogs logs/access${name} 86400" "%h %{Referer}i"`,
  ({ name }) => `CustomLog logs/access${name} combined bot${name}`,
  ({ name, site }) => `Alias "/static${name}" "/srv/static/${site}"`,
  ({ site }) => `Alias /icons/ /srv/static/${site}/icons`,
  ({ name }) => `SetEnvIf User-Agent "^bot${name}" bad_bot`,
  ({ name }) => `SetEnvIf User-Agent "^x${name}{2,1}" bad_bot`,
  ({ name }) => `# Host ${name}`,
  ({ name }) =>
    `<If "%{HTTP_HOST} == 'host${name}.example.org' && %{REQUEST_URI} =~ m|^/x${name}/|">\nRequire all denied\n</If>`,
  ({ name }) => `<If "%{HTTP_HOST} == 'host${name}.example.org">\nRequire all denied\n</If>`,
  () => "<IfDefine A>\nOptions Indexes\n</IfDefine>\n<IfDefine !A>\nOptions Indexs\n</IfDefine>",
];

/** Parts with access rules, in which networks may overlap. */
const accessParts: readonly [HostLines, ...HostLines[]] = [
  ({ name, octet, last }) =>
    `<Directory "/srv/www/host${name}">\nOrder deny,allow\nDeny from all\nAllow from 10.${octet}.${last}.0/24\n</Directory>`,
  ({ name, octet, last }) =>
    `<Directory "/srv/www/host${name}">\nOrder allow,deny\nAllow from 10.${octet}.0.0/16\nDeny from 10.5.${last}.0/24 10.7.0.0/16\n</Directory>`,
  ({ octet, last }) => `<Location "/admin">\nRequire ip 10.${octet}.${last}.0/24\nRequire ip 10.5.0.0/16\n</Location>`,
  ({ octet, last }) =>
    `<Location /in>\nRequire ip 192.168.${octet}.${last} 192.168.5.0/24\nRequire all denied\n</Location>`,
  ({ name }) =>
    `<Location /groups>\nAuthName "Groups ${name}\nAuthGroupFile /etc/groups${name}\nRequire group 5\n</Location>`,
  () => "<Location /open>\nRequire valid-user\nRequire local\n</Location>",
  () => '<FilesMatch "\\.(bak|old)$">\nOrder allow,deny\nDeny from all\n</FilesMatch>',
  ({ octet }) =>
    `<Location /deep>\nOrder deny,allow\nDeny from all\nAllow from 10.5.0.0/16\nAllow from 10.${octet}.7.0/24\n</Location>`,
  ({ octet, last }) => `<Location /part>\nRequire ip 10.5\nRequire ip 10.${octet}.${last}.1\n</Location>`,
  ({ octet, last }) =>
    `<Location /apart>\nOrder allow,deny\nAllow from 10.0.0.0/8\nDeny from 10.${octet}.${last}.0/24 10.7.5.1\n</Location>`,
];

/** Parts with numbers that are not names: hosts in which these differ are not alike. */
const fixedParts: readonly [HostLines, ...HostLines[]] = [
  ({ name }) => `SetEnvIf User-Agent "[a-z5-${name.slice(-1)}]" bad_bot`,
  ({ name }) => `SetEnvIf User-Agent "^x(a)\\${name.slice(-1)}" bad_bot`,
  ({ name }) => `SetEnvIf x${name} =1 = ${name}`,
  ({ name }) => `Timeout ${name}`,
  ({ name }) => `AddHandler application/x-httpd-php${name} .php`,
  ({ name }) => `ErrorDocument 40${name.slice(-1)} /errors/host${name}.html`,
  ({ name }) => `Redirect permanent /old${name} https://host${name}.example.org/new`,
  ({ name }) => `RewriteEngine On\nRewriteRule ^/x${name}$ /y${name} [R=30${name.slice(-1)},L]`,
  ({ name }) => `ProxyPass /app${name} http://127.0.0.1:80${name}/`,
  ({ name }) => `Optoins None # ${name}`,
  ({ name }) => `LogLevel trace${name}`,
  ({ name, octet }) => `<If "-R '10.0.${octet}.0/24' || %{HTTP_HOST} =~ /a{${name},99}/">\nRequire all denied\n</If>`,
  ({ octet, last }) => `<Location /of>\nRequire host 10.0.${octet}.${last}\nRequire ip 10.${octet}\n</Location>`,
  ({ name }) =>
    `<Location /members>\nAuthType Basic\nAuthName "Members ${name}"\nAuthUserFile "/srv/www/host${name}/.htpasswd"\nRequire user user${name} user5\n</Location>`,
  ({ name }) => `<Location "/area${name}">\nRequire not ip 10.0.0.5\nRequire not user user${name}\n</Location>`,
];

/** Numbers of networks, some of which are inside others, and numbers that no octet is. */
const octets = ["5", "5", "5", "7", "05", "256"] as const;

/** Names that are also elsewhere, with leading zeros, or with many digits. */
const names = ["5", "05", "24", "404", "86400", "1234567890"] as const;

/** Returns a server with virtual hosts of one template, of which some are different. */
export function numberedHosts(random: Random): string {
  const chosen = Array.from({ length: 1 + random.below(5) }, () =>
    random.pick(random.chance(0.5) ? accessParts : random.chance(0.9) ? parts : fixedParts),
  );
  const hosts = Array.from({ length: 9 + random.below(4) }, (_, index) => host(index, chosen, random));
  const main = random.chance(0.3) ? '<Directory "/srv/www/host5">\nRequire all denied\n</Directory>\n' : "";
  return `ServerName localhost\nListen 80\n${main}${hosts.join("")}`;
}

function host(index: number, chosen: readonly HostLines[], random: Random): string {
  const usual: HostNumbers = {
    name: `${10 + index}`,
    site: `${30 + index}`,
    octet: `${60 + index}`,
    last: `${index % 3}`,
  };
  const unusual = (): HostNumbers => ({
    ...usual,
    ...random.pick<Partial<HostNumbers>>([
      { name: random.pick(names) },
      { site: random.pick(names) },
      { octet: random.pick(octets) },
      { last: random.pick(octets) },
      { octet: random.pick(octets), last: random.pick(octets) },
    ]),
  });
  // The first hosts are mostly alike, so that later ones may pass.
  const own = random.chance(index < 5 ? 0.02 : 0.5) ? unusual() : usual;
  // Now and then, one part has the numbers of another host.
  const lines = chosen.map((part) => part(random.chance(0.01) ? unusual() : own));
  if (random.chance(0.05)) lines.splice(random.below(lines.length + 1), 0, random.pick(parts)(own));
  if (random.chance(0.05)) lines.splice(random.below(lines.length), 1);
  const before = random.chance(0.05) ? "Define A\n" : "";
  return `${before}<VirtualHost *:80>\nServerName host${own.name}.example.org\n${lines.join("\n")}\n</VirtualHost>\n`;
}
