import fc from "fast-check";
import { loadModules } from "../httpd/httpd.js";
import { Random } from "./random.js";
import { rewriting, rewritingFile } from "./random-rewriting.js";
import { type Lines, type LinesArbitrary, section, several } from "./random-rules.js";
import { anySection, base, directoryFile, fileNames, serverLine } from "./random-sections.js";
import { pick } from "./random-texts.js";

/**
 * A configuration without its location: `@ROOT@` is the folder, `@PORT1@` and `@PORT2@` are ports, and `@BACKEND@` is
 * the port of a backend.
 */
export interface RandomServer {
  readonly body: Lines;
  /** Per-directory files such as `.htaccess`, by path below the folder. */
  readonly files: Readonly<Record<string, Lines>>;
  /** 0 for plain lines; else the seed of their spelling: continuations, odd spacing and case. */
  readonly spelling: number;
  readonly hasCrlf: boolean;
  /** Whether mod_allowmethods is loaded, which makes the server skip parts of its earlier merges. */
  readonly hasAllowMethods: boolean;
  readonly hasAutoindex: boolean;
  /** Whether programs are executed. */
  readonly hasCgi: boolean;
}

/** Files on the disk in addition to the configuration's own. */
export const onDisk: readonly string[] = [
  ...[
    "index.html",
    "index.htm",
    "secret.html",
    "notes.txt",
    "a/index.html",
    "a/x.txt",
    "a/b/c.html",
    "a/b/run.php",
  ].map(inRoot),
  ...["d/page.html", "d/e.php", "d/x.txt", "sp ace/x y.txt", "a.d/x.txt", "none.d/index.php", "index.html.d/x"].map(
    inRoot,
  ),
  ...[
    "other/index.html",
    "other/o.txt",
    "other/in/p.html",
    "other/in/index.htm",
    "second/index.html",
    "second/a/x.txt",
  ],
];

function inRoot(path: string): string {
  return `htdocs/${path}`;
}

const modules = [
  ...[
    "mpm_event",
    "authn_core",
    "authz_core",
    "authn_file",
    "auth_basic",
    "authz_user",
    "authz_groupfile",
    "authz_host",
  ],
  ...[
    "authz_dbm",
    "authz_owner",
    "access_compat",
    "env",
    "setenvif",
    "alias",
    "dir",
    "mime",
    "status",
    "remoteip",
    "proxy",
    "proxy_http",
    "rewrite",
  ],
];

const serverItem: LinesArbitrary = fc.oneof(
  { weight: 8, arbitrary: anySection },
  { weight: 2, arbitrary: serverLine },
  { weight: 1, arbitrary: rewriting },
);

const addresses = [
  ...[
    "*",
    "*:@PORT1@",
    "*:@PORT2@",
    "127.0.0.1",
    "127.0.0.1:@PORT1@",
    "127.0.0.2:*",
    "127.0.0.2:@PORT2@",
    "_default_",
    "_default_:@PORT1@",
  ],
  ...[
    "127.0.0.1:@PORT1@ 127.0.0.2:@PORT1@",
    "*:* 127.0.0.2",
    "127.0.0.3 *:@PORT1@",
    "[::1]:@PORT1@",
    "127.0.0.1:1 _default_:*",
  ],
];
const name = (name: string, ...values: readonly string[]): LinesArbitrary =>
  pick(...values).map((value) => [`${name} ${value}`]);
const naming: LinesArbitrary = fc.oneof(
  {
    weight: 3,
    arbitrary: name(
      "ServerName",
      "a.test",
      "b.test",
      "A.Test",
      "http://b.test:8080",
      "a.test:@PORT1@",
      "127.0.0.1",
      "x.test",
    ),
  },
  {
    weight: 2,
    arbitrary: name(
      "ServerAlias",
      "www.a.test",
      "*.wild.test",
      "b.test c.test",
      "?.test",
      "*",
      "W*.a.test other.test",
      "[ab].test",
    ),
  },
  { weight: 1, arbitrary: name("DocumentRoot", "@ROOT@/second", "other", "@ROOT@/htdocs/", "@ROOT@/nowhere") },
);
const virtualHost: LinesArbitrary = fc
  .tuple(pick(...addresses), several(naming, 0, 3), several(serverItem, 1, 3))
  .map(([address, names, items]) => [`<VirtualHost ${address}>`, ...names, ...items, "</VirtualHost>"]);

/** Several virtual hosts at one address, distinguished only by name. */
const sharing: LinesArbitrary = fc
  .tuple(
    pick(...addresses.slice(0, 5)),
    fc.array(
      fc.tuple(
        name("ServerName", "a.test", "b.test", "c.test", "x.test", "www.a.test:@PORT2@"),
        several(naming, 0, 2),
        several(serverItem, 0, 2),
      ),
      { minLength: 2, maxLength: 3 },
    ),
  )
  .map(([address, hosts]) =>
    hosts.flatMap((pieces) => [`<VirtualHost ${address}>`, ...pieces.flat(), "</VirtualHost>"]),
  );

/** Lines in conditional sections, which the server may not read. */
const guarded: LinesArbitrary = section(
  pick("IfModule mod_alias.c", "IfModule !alias_module", "IfVersion >= 2.4", "IfDefine !NONE", "IfModule mod_none.c"),
  several(serverItem, 1, 2),
);

const body: LinesArbitrary = fc
  .tuple(
    fc.option(base, { nil: [], freq: 5 }),
    fc.oneof({ weight: 5, arbitrary: fc.constant<Lines>([]) }, { weight: 1, arbitrary: fileNames }),
    several(
      fc.oneof(
        { weight: 24, arbitrary: serverItem },
        { weight: 4, arbitrary: virtualHost },
        { weight: 1, arbitrary: sharing },
        { weight: 1, arbitrary: guarded },
      ),
      2,
      9,
    ),
  )
  .map((pieces) => pieces.flat());

/** Locations of per-directory files, with the names that AccessFileName sets. */
const places = ["htdocs", "htdocs/a", "htdocs/a/b", "htdocs/d", "other", "second/a", "other/in"].flatMap((folder) => [
  `${folder}/.htaccess`,
  `${folder}/.acl`,
]);
const anyFile: LinesArbitrary = fc.oneof(
  { weight: 6, arbitrary: directoryFile },
  { weight: 1, arbitrary: rewritingFile },
);
const files = fc
  .array(fc.tuple(fc.constantFrom(...places.filter((_, index) => index % 2 === 0), ...places), anyFile), {
    maxLength: 3,
  })
  .map((entries): Readonly<Record<string, Lines>> => Object.fromEntries(entries));

/** Configurations with access control of every kind, nearly all of which start. */
export const randomServer: fc.Arbitrary<RandomServer> = fc.record({
  body,
  files,
  spelling: fc.oneof(fc.constant(0), fc.nat(1_000_000)),
  hasAllowMethods: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  hasAutoindex: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  hasCgi: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  hasCrlf: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

/**
 * Returns whether access depends on client names. The server's resolver must then find them, and only the local
 * machine's is available without other servers.
 */
export function needsClientNames({ body, files }: RandomServer): boolean {
  const lines = [...body, ...Object.values(files).flat()];
  return lines.some((line) => /^(Allow|Deny) .*(host|\.test)|^Require (not )?host |HostnameLookups/.test(line));
}

/** Names of Require words that the configurations use. */
const aliases = [
  ...["<AuthzProviderAlias ip near 10.1>", "</AuthzProviderAlias>", '<AuthzProviderAlias group team "staff admins">'],
  ...[
    "AuthGroupFile conf/groups",
    "</AuthzProviderAlias>",
    "<AuthzProviderAlias ip Near 192.0.2.7 10.1>",
    "</AuthzProviderAlias>",
  ],
  ...[
    "<AuthzProviderAlias env flagged flag>",
    "</AuthzProviderAlias>",
    "<AuthzProviderAlias method reads GET>",
    "</AuthzProviderAlias>",
    "<AuthzProviderAlias user boss alice>",
    "AuthzSendForbiddenOnFailure On",
    "</AuthzProviderAlias>",
    "<AuthzProviderAlias file-owner owner x>",
    "</AuthzProviderAlias>",
    "<AuthzProviderAlias dbm-group operators ops>",
    "AuthDBMGroupFile conf/dbm",
    "</AuthzProviderAlias>",
    `<AuthzProviderAlias expr says "%{HTTP:X-A} == 'a'">`,
    "</AuthzProviderAlias>",
  ],
];

/** Returns the files of a configuration, by path below its folder; `httpd.conf` is the main one. */
export function filesOf(
  server: RandomServer,
  root: string,
  { ports, backend }: { readonly ports: readonly [number, number]; readonly backend: number },
): Readonly<Record<string, string>> {
  const [first, second] = ports;
  const head = [
    `${loadModules(modules)}ServerName x.test`,
    'ServerRoot "@ROOT@"',
    'DocumentRoot "@ROOT@/htdocs"',
    ...["127.0.0.1", "127.0.0.2"].flatMap((address) => ports.map((port) => `Listen ${address}:${port}`)),
    ...[
      "PidFile pid",
      "Mutex posixsem",
      "TypesConfig /dev/null",
      "ServerLimit 1",
      "StartServers 1",
      "ThreadsPerChild 16",
      "MaxRequestWorkers 16",
    ],
    ...[
      "ErrorLog error.log",
      // The usual format, with the mark in place of unpredictable parts.
      'ErrorLogFormat "#%{Request-Id}i %M% ,\\ referer\\ %{Referer}i"',
      'CustomLog access.log "#%{Request-Id}i %h %l %u \\"%r\\" %>s"',
      "RemoteIPHeader Client-Ip",
      "RemoteIPInternalProxy 127.0.0.0/8",
    ],
    ...aliases,
    "# from here on",
  ];
  const end = server.hasCrlf ? "\r\n" : "\n";
  const random = new Random(server.spelling);
  const text = (lines: Lines) =>
    (server.spelling === 0 ? lines : lines.map((line) => varySpelling(line, random, end)))
      .map((line) => `${line}${end}`)
      .join("")
      .replaceAll("@ROOT@", root)
      .replaceAll("@PORT1@", String(first))
      .replaceAll("@PORT2@", String(second))
      .replaceAll("@BACKEND@", String(backend));
  return {
    "httpd.conf": `${loadModules(modulesOf(server))}${head.join("\n").replaceAll("@ROOT@", root)}\n${text(server.body)}`,
    ...Object.fromEntries(Object.entries(server.files).map(([path, lines]) => [path, text(lines)])),
  };
}

/** Returns the modules that only some configurations load. */
export function modulesOf({ hasAllowMethods, hasAutoindex, hasCgi }: RandomServer): string[] {
  return [
    ...(hasAllowMethods ? ["allowmethods"] : []),
    ...(hasAutoindex ? ["autoindex"] : []),
    ...(hasCgi ? ["cgi"] : []),
  ];
}

/** Varies a line as people do: case of the name, spacing, a continuation. */
function varySpelling(line: string, random: Random, end: string): string {
  const [name = ""] = /^<?\/?\w+/.exec(line) ?? [];
  let rest = line.slice(name.length);
  if (random.chance(0.1)) rest = rest.replace(/ (?=\S)/, random.pick([` \\${end}`, "  ", "\t", `\\${end} \\${end}  `]));
  const cased = random.chance(0.15) ? random.pick([name.toLowerCase(), name.toUpperCase()]) : name;
  return `${random.pick(["", "", "  ", "\t"])}${cased}${rest}${random.pick(["", "", "", " ", "\t"])}`;
}
