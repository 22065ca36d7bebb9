import { forwardedSchemeOf } from "../../src/lint/api/access.js";
import {
  addressKeyOf,
  addressKeysOf,
  type Directive,
  hasUnusedCertificate,
  indexDirectives,
  isSince,
  isTlsDecided,
  isTlsOff,
  isWholeServer,
  type Project,
  parseRewriteRules,
  readListenAddress,
  readListenLine,
  stripServerName,
  type TlsServer,
  tlsServersOf,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, resolvePath } from "../../src/lint/api/rule.js";

const messages = {
  tlsOnHttpPort: (address: string) => ({
    message: `TLS is on at the http port: ${quoteText(address)}`,
    notes: ["requests for `http://` URLs return 400"],
    help: ["use port 443, or delete `SSLEngine On`"],
  }),
  tlsOnAllPorts: (address: string) => ({
    message: `TLS is on for ${quoteText(address)}, which includes the http port 80`,
    notes: ["httpd listens at port 80, and requests for `http://` URLs return 400"],
    help: ["use `*:443` here, and a virtual host `*:80` without TLS"],
  }),
  noTlsOnHttpsPort: (address: string, remedy: string) => ({
    message: `TLS is off at the https port: ${quoteText(address)}`,
    notes: ["clients of `https://` URLs cannot connect"],
    help: [remedy],
  }),
  plainHostFirst: (address: string, isAnyPort: boolean, isPart: boolean) => ({
    message: `TLS is off for ${quoteText(address)}: the first virtual host there has none`,
    notes: [
      "clients of `https://` URLs cannot connect: httpd compares names after the TLS handshake",
      ...(isPart ? ["another file may have an earlier virtual host of this address, or turn on TLS"] : []),
    ],
    help: [
      isAnyPort
        ? "use `*:443` here, and `*:80` for the virtual host without TLS"
        : "use another port for the virtual host without TLS",
    ],
  }),
  plainHostLater: (name: string | undefined, isKnown: boolean) => ({
    message: `TLS is off for ${name === undefined ? "this virtual host" : quoteText(name)}, but the first virtual host of its address has it`,
    notes: [
      `clients get the certificate of the first virtual host${name !== undefined && isKnown ? `, which is not for ${quoteText(name)}` : ""}`,
      ...(isKnown ? [] : ["they reject it unless it is also for this name"]),
    ],
    help: ["add `SSLEngine On` and a certificate for this name, or use the port for plain HTTP"],
  }),
  redirectWithoutTls: (url: string) => ({
    message: `redirect to a port without TLS: ${quoteText(url)}`,
    notes: [
      "httpd listens at port 443, but no virtual host turns on TLS",
      "clients that follow the redirect cannot connect",
    ],
    help: ["add a `<VirtualHost *:443>` with this name, `SSLEngine On` and a certificate"],
  }),
  certificateWithoutTls: (address: string, isPart: boolean) => ({
    message: `TLS is off at the https port: ${quoteText(address)}`,
    notes: [
      "clients of `https://` URLs cannot connect",
      "without `SSLEngine`, a certificate turns on TLS only at the address of an https `Listen` line",
      ...(isPart ? ["assuming that no other file turns TLS on for this virtual host"] : []),
    ],
    help: ["add `SSLEngine On`"],
  }),
};

const remedies = {
  engine: (line: Directive) => `use \`${line.name} On\``,
  both: "add `SSLEngine On` and a certificate",
};

const labels = {
  engine: "decides whether TLS is on",
  first: "has no TLS",
  firstWithTls: "has TLS",
  listen: "has no TLS",
  httpListen: "listens at the http port",
};

export const portAndTlsDisagree = defineRule({
  id: "port-and-tls-disagree",
  title: "TLS does not fit the port",
  group: "tls",
  severity: "warning",
  description:
    "A virtual host without TLS at port 443 or after one with TLS, one with TLS at port 80, or a redirect to https although no virtual host has TLS.",
  help: "Clients use TLS at port 443 and plain HTTP at port 80. If a virtual host differs, they cannot read its responses. The first virtual host of an address decides for all of them. httpd starts. It warns only about virtual hosts without ServerName, and does not name the line (AH01915, AH01916).",
  references: { cwe: [319] },
  tags: ["correctness"],
  messages,
  check: ({ project, release, report, files, readCertificates }) => {
    if (!isSince(release, "2.4") || project.kind === "htaccess") return {};
    let usesTls = false;
    /** The first address of each virtual host with a standard port, and its key. */
    const addresses = new Map<Directive, { readonly text: string; readonly key: string }>();
    const redirects: Directive[] = [];
    const addRedirect = (line: Directive) => {
      if (/https:\/\//i.test(line.argumentText)) redirects.push(line);
    };
    return {
      directives: {
        redirect: addRedirect,
        redirectpermanent: addRedirect,
        rewriterule: addRedirect,
        sslengine() {
          usesTls = true;
        },
        "<virtualhost"(section) {
          const text = section.arguments.find(({ value }) => /:(?:80|443)$/.test(value))?.value;
          if (text) addresses.set(section, { text, key: addressKeyOf(readListenAddress(text)) });
        },
      },
      end() {
        const isPart = !isWholeServer(project);
        for (const { section, first } of usesTls ? listHostsAfterPlain(project) : []) {
          const address = section.arguments[0]?.value ?? "";
          // The port of the first one is reported.
          if (addresses.has(first)) continue;
          report({
            message: messages.plainHostFirst(address, isAnyAddressAndPort(address), isPart),
            span: section.span,
            related: [{ message: labels.first, span: first.span }],
          });
        }
        for (const { section, listen } of usesTls ? listTlsHostsAtHttpPort(tlsServersOf(project), project) : [])
          report({
            message: messages.tlsOnAllPorts(section.arguments[0]?.value ?? ""),
            span: section.span,
            related: [{ message: labels.httpListen, span: listen.span }],
          });
        const isDecided = isTlsDecided(project);
        for (const { section, first, name } of isDecided ? listPlainHostsAfterTls(project) : []) {
          const [line] = first.directives.effective("sslcertificatefile");
          const path = resolvePath(project.serverRoot, line?.arguments[0]?.value ?? "");
          const [certificate] = readCertificates?.(files?.textOf?.(path) ?? "") ?? [];
          if (name !== undefined && certificate?.isFor(name) === true) continue;
          report({
            message: messages.plainHostLater(name, certificate !== undefined),
            span: section.span,
            related: first.directives.section
              ? [{ message: labels.firstWithTls, span: first.directives.section.span }]
              : [],
          });
        }
        const found = isDecided && addresses.size > 0 ? findRedirectWithoutTls(redirects, project) : undefined;
        if (found) {
          const related = [{ message: labels.listen, span: found.listen.span }];
          report({ message: messages.redirectWithoutTls(found.url), span: found.line.span, related });
        }
        const answered = new Set<string | undefined>();
        for (const server of addresses.size === 0 ? [] : tlsServersOf(project)) {
          const { section } = server.directives;
          const address = section && addresses.get(section);
          if (section === undefined || address === undefined) continue;
          // Names are not compared before the handshake, so the first virtual host of an address decides for all.
          if (answered.has(address.key)) continue;
          answered.add(address.key);
          const isHttpPort = address.text.endsWith(":80");
          const isUnused = hasUnusedCertificate(server, project) && !isOfAnyListen(server, address.text);
          const isOff = (isDecided && isTlsOff(server)) || isUnused;
          if (isHttpPort ? server.engine.state !== "on" : !isOff) continue;
          report({
            message: messageFor(server, address.text, isHttpPort, isPart),
            span: section.span,
            related: server.engine.line ? [{ message: labels.engine, span: server.engine.line.span }] : [],
          });
        }
      },
    };
  },
});

/**
 * Returns the first redirect to https on this server, if it listens at port 443, where no virtual host has TLS. Behind a proxy
 * that terminates TLS, a line usually reads its header.
 */
function findRedirectWithoutTls(redirects: readonly Directive[], project: Project) {
  const listen = project.directives.find(
    ({ key, arguments: [word] }) => key === "listen" && /(?:^|:)443$/.test(word?.value ?? ""),
  );
  const isOff = tlsServersOf(project).every(isTlsOff);
  if (redirects.length === 0 || listen === undefined || !isOff || forwardedSchemeOf(project)) return undefined;
  const index = indexDirectives(project);
  const names = [...index.named("servername"), ...index.named("serveralias")].flatMap(({ arguments: words }) =>
    words.map(({ value }) => value.toLowerCase().replace(/:\d+$/, "")),
  );
  for (const line of redirects) {
    const [url = "", host = ""] =
      /https:\/\/(%\{[^}]*\}|[^/?#"\s:$%]+)(?=[/?#"\s:$%]|$)/i.exec(line.argumentText) ?? [];
    const isRedirect =
      line.key !== "rewriterule" || parseRewriteRules([line]).some(({ output }) => output?.startsWith(url));
    const isOwn = /^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(host) || names.includes(host.toLowerCase());
    if (url !== "" && isOwn && isRedirect) return { line, listen, url };
  }
  return undefined;
}

/**
 * Returns the first virtual host of all addresses and ports, if it has TLS and answers the connections at port 80: no other
 * virtual host is for this port (server/vhost.c `ap_update_vhost_given_ip`).
 */
function listTlsHostsAtHttpPort(servers: readonly TlsServer[], { directives }: Project) {
  const listen = directives.find((line) => line.key === "listen" && readListenLine(line).port === 80);
  const sections = servers.flatMap(({ directives: { section } }) => section ?? []);
  const words = sections.flatMap(({ arguments: each }) => each.map(({ value }) => value));
  // A name may be that of the address, and a variable may have a port.
  if (listen === undefined || listen.arguments.length > 1 || words.some((each) => /:80$|\$|\{/.test(each))) return [];
  const first = servers.find(({ directives: { section } }) => isAnyAddressAndPort(section?.arguments[0]?.value ?? ""));
  const section = first?.directives.section;
  return first?.engine.state === "on" && section?.arguments.length === 1 ? [{ section, listen }] : [];
}

/**
 * Returns the virtual hosts with TLS of an address whose first virtual host has none: names are not compared before the
 * handshake (mod_ssl `ssl_hook_pre_connection`).
 */
function listHostsAfterPlain(project: Project) {
  return pairWithFirstHosts(project).flatMap(({ section, server: { engine }, first }) => {
    const plain = isTlsOff(first) ? first.directives.section : undefined;
    return plain && engine.state === "on" && engine.line?.parent === section ? [{ section, first: plain }] : [];
  });
}

/**
 * Returns the virtual hosts without TLS of an address whose first virtual host has it. The handshake keeps the certificate and
 * the settings of the first one, and the request is answered (modules/ssl/ssl_engine_kernel.c `ssl_find_vhost`;
 * test/live/tls-engine.live.test.ts).
 */
function listPlainHostsAfterTls(project: Project) {
  return pairWithFirstHosts(project).flatMap(({ section, server, first }) => {
    if (first.engine.state !== "on" || !isTlsOff(server)) return [];
    const name = server.directives.own("servername").at(-1)?.arguments[0]?.value;
    return [{ section, first, name: name === undefined ? undefined : stripServerName(name) }];
  });
}

/** Returns the virtual hosts of one address that are not its first, each with the first one. */
function pairWithFirstHosts(project: Project) {
  const firsts = new Map<string, TlsServer>();
  return tlsServersOf(project).flatMap((server) => {
    const { section } = server.directives;
    const [key, ...others] = section ? addressKeysOf(section, project) : [];
    if (section === undefined || key === undefined || others.length > 0) return [];
    // The address of a name is not known without DNS.
    if (readListenAddress(section.arguments[0]?.value ?? "").name !== undefined) return [];
    const first = firsts.get(key);
    if (first !== undefined) return [{ section, server, first }];
    firsts.set(key, server);
    return [];
  });
}

/**
 * Reports whether a certificate turns on TLS for a virtual host with each usual `Listen 443` of another file: it has a name, and
 * its address is that of the line (modules/ssl/ssl_engine_config.c, `Listen` with the default protocol of port 443).
 */
function isOfAnyListen({ directives }: TlsServer, address: string): boolean {
  return /^(?:\*|_default_):443$/i.test(address) && directives.own("servername").length > 0;
}

function isAnyAddressAndPort(address: string): boolean {
  return /^(?:\*|_default_)(?::\*)?$/i.test(address);
}

function messageFor({ engine, directives }: TlsServer, address: string, isHttpPort: boolean, isPart: boolean) {
  if (isHttpPort) return messages.tlsOnHttpPort(address);
  const hasCertificate = directives.effective("sslcertificatefile").length > 0;
  const { line } = engine;
  if (hasCertificate && line === undefined) return messages.certificateWithoutTls(address, isPart);
  const isOwn = line !== undefined && line.parent === directives.section;
  return messages.noTlsOnHttpsPort(address, hasCertificate && isOwn ? remedies.engine(line) : remedies.both);
}
