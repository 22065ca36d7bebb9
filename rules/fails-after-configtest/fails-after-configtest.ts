import {
  type Directive,
  findBalancersWithoutMethod,
  findLackingModules,
  isAnyAddress,
  isSince,
  isWholeServer,
  iterateDirectives,
  keywordArgumentOf,
  type LackingModule,
  type ListenAddress,
  type Project,
  parseProtocols,
  readListenLine,
  type ServerDirectives,
  serverDirectivesOf,
  stripServerName,
} from "../../src/lint/api/configuration.js";
import { defineRule, memoize, type Report, rejectionEffectOf } from "../../src/lint/api/rule.js";

const CONFIGTEST = "`apache2ctl configtest` does not report it";

const messages = {
  overlapping: (address: string, any: string) => ({
    message: `\`Listen ${address}\` conflicts with \`Listen ${any}\``,
    effect: rejectionEffectOf(false),
    notes: [
      CONFIGTEST,
      "on Linux, a socket for all addresses uses the port of each of them",
      "httpd reports: Address already in use: AH00072: make_sock: could not bind to address",
    ],
    help: [`delete \`Listen ${any}\` to serve only some addresses, or else \`Listen ${address}\``],
  }),
  noCertificate: {
    message: "`SSLEngine on` without `SSLCertificateFile`",
    effect: rejectionEffectOf(false),
    notes: [CONFIGTEST, "httpd reports: AH02572: Failed to configure at least one certificate and key"],
    help: ["add `SSLCertificateFile`, and `SSLCertificateKeyFile` if the key is in a file of its own"],
  },
  noProtocol: ({ name }: Directive) => ({
    message: `\`${name}\` leaves no protocol`,
    effect: rejectionEffectOf(false),
    notes: [CONFIGTEST, "httpd reports: AH02231: No SSL protocols available [hint: SSLProtocol]"],
    help: [`use \`${name} -all +TLSv1.2 +TLSv1.3\``],
  }),
  noStaplingCache: {
    message: "`SSLUseStapling on` without `SSLStaplingCache`",
    effect: rejectionEffectOf(false),
    notes: [CONFIGTEST, "httpd reports: AH01958: SSLStapling: no stapling cache available"],
    help: ["add `SSLStaplingCache`, such as `shmcb:logs/stapling(32768)`, outside of virtual hosts"],
  },
  noBalancerMethod: {
    message: "this balancer needs `lbmethod_byrequests_module`, which is not loaded",
    effect: rejectionEffectOf(false),
    notes: [CONFIGTEST, "httpd reports: AH02432: Cannot find LB Method: byrequests"],
    help: ["add a `LoadModule` line for `lbmethod_byrequests_module`, or set another method with `ProxySet lbmethod=`"],
  },
  lackingModule: ({ line: { identifier }, missing }: LackingModule) => ({
    message: `\`${identifier}\` needs \`${missing}\`, which is not loaded`,
    effect: rejectionEffectOf(false),
    notes: [CONFIGTEST, "httpd ends after it reports: Configuration Failed"],
    help: [`add a \`LoadModule\` line for \`${missing}\``],
  }),
};

const labels = { any: "listens on all addresses" };

export const failsAfterConfigtest = defineRule({
  id: "fails-after-configtest",
  title: "Start fails after a successful configtest",
  group: "startup",
  severity: "error",
  description:
    "Lines that configtest accepts and that stop the start: overlapping Listen lines, TLS without a certificate or a protocol, stapling without a cache, a module without another that it needs, a balancer without a method.",
  help: "`apache2ctl configtest` neither opens ports nor prepares TLS. With these lines, it reports `Syntax OK`, and httpd does not start. A restart stops a running server. A note of the finding has httpd's own message.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => ({
    end() {
      if (!isSince(release, "2.4") || !isWholeServer(project)) return;
      for (const lacking of findLackingModules(project))
        if (!lacking.isForFunctions) report({ message: messages.lackingModule(lacking), span: lacking.line.span });
      for (const line of findBalancersWithoutMethod(project))
        report({ message: messages.noBalancerMethod, span: line.span });
      for (const found of findOverlappingListeners(project)) report(found);
      if (!project.modules.has("ssl_module")) return;
      const servers = serverDirectivesOf(project);
      for (const server of servers) for (const found of findTlsFaults(server, servers[0], project)) report(found);
    },
  }),
});

/**
 * Yields the addresses that another line includes (server/listen.c `make_sock`). For IPv4 the order does not matter. An
 * IPv6 address fails only after the line for all: before it, the server opens only the IPv4 socket of that line
 * (test/live/startup.live.test.ts). With SO_REUSEPORT, sockets share a port.
 */
function* findOverlappingListeners({ directives }: Project): Generator<Report> {
  if (directives.some(({ key }) => key === "listencoresbucketsratio")) return;
  const listeners = directives.filter(({ key }) => key === "listen").map(readListener);
  for (const [index, listener] of listeners.entries()) {
    const { address, port, written, line } = listener;
    if (address === undefined || address.bits === 0n) continue;
    const candidates = address.family === 4 ? listeners : listeners.slice(0, index);
    const any = candidates.find((each) => each.port === port && isForAll(each, address.family));
    if (any === undefined) continue;
    yield {
      message: messages.overlapping(written, any.written),
      span: line.span,
      related: [{ message: labels.any, span: any.line.span }],
    };
  }
}

/** The address of a Listen line. */
interface Listener extends ListenAddress {
  readonly line: Directive;
  readonly written: string;
}

function readListener(line: Directive): Listener {
  return { ...readListenLine(line), line, written: line.arguments[0]?.value ?? "" };
}

function isForAll(listener: ListenAddress, family: 4 | 6): boolean {
  return isAnyAddress(listener) || (family === 4 && listener.address?.family === 4 && listener.address.bits === 0n);
}

/** Yields the faults for which mod_ssl stops the start (modules/ssl/ssl_engine_init.c `ssl_init_Module`). */
function* findTlsFaults(server: ServerDirectives, main: ServerDirectives, project: Project): Generator<Report> {
  for (const [engine, protocol] of enginesWithProtocols) {
    const line = isOn(lastOf(server, engine)) ? lastOf(server, protocol) : undefined;
    if (line && leavesNoProtocol(line)) yield { message: messages.noProtocol(line), span: line.span };
  }
  const engine = lastOf(server, "sslengine");
  if (engine === undefined || !isOn(engine)) return;
  if (server.effective("sslcertificatefile").length === 0 && !isManaged(server, project))
    yield { message: messages.noCertificate, span: engine.span };
  const stapling = lastOf(server, "sslusestapling");
  if (stapling && isOn(stapling) && main.own("sslstaplingcache").length === 0)
    yield { message: messages.noStaplingCache, span: stapling.span };
}

/** Reports whether mod_md may give a certificate to a server: it is for a name of a domain (mod_md.c `md_get_certificate_files`). */
function isManaged(server: ServerDirectives, project: Project): boolean {
  if (!project.modules.has("md_module")) return false;
  const managed = managedNamesOf(project);
  const names = [lastOf(server, "servername"), ...server.own("serveralias")].flatMap((line) =>
    (line?.arguments ?? []).map(({ value }) => stripServerName(value)),
  );
  // Without a name, it is that of the machine.
  if (names.length === 0) return managed.size > 0;
  return names.some((name) => managed.has(name) || managed.has(name.replace(/^[^.]*/, "*")) || /[*?$]/.test(name));
}

/** Returns the names of the domains that mod_md manages, in lower case. */
const managedNamesOf = memoize(
  (project: Project): ReadonlySet<string> =>
    new Set(
      [...iterateDirectives(project)]
        .filter(({ key }) => domainDirectives.has(key))
        .flatMap((line) => line.arguments.map(({ value }) => value.toLowerCase())),
    ),
);

/** The directives with names of domains that mod_md manages. */
const domainDirectives: ReadonlySet<string> = new Set(["mdomain", "<mdomainset", "mdmember"]);

/** The directives that turn on TLS for clients and for backends, each with that of its protocols. */
const enginesWithProtocols = [
  ["sslengine", "sslprotocol"],
  ["sslproxyengine", "sslproxyprotocol"],
] as const;

function isOn(line: Directive | undefined): boolean {
  return line !== undefined && keywordArgumentOf(line) === "on";
}

/** Reports whether SSLProtocol removes all protocols. With an OpenSSL that has SSLv3, `all` includes it. */
function leavesNoProtocol(line: Directive): boolean {
  const words = line.arguments.map(({ value }) => value.toLowerCase());
  const mayHaveOldest =
    words.some((word) => /^\+?all$/.test(word)) && !words.some((word) => /^-(?:all|sslv3)$/.test(word));
  return !mayHaveOldest && parseProtocols(line)?.protocols.size === 0;
}

function lastOf(server: ServerDirectives, key: string): Directive | undefined {
  return server.effective(key).at(-1);
}
