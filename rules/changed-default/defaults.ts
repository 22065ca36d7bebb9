import type { Directive, ServerDirectives } from "../../src/rule-api/configuration.js";
import {
  type ChangedDefault,
  connectionLimits,
  createSiteFinder,
  findDocumentRoot,
  findStatusPage,
  findUploadLine,
  firstLineOf,
  hasProxyTimeout,
  mayHaveHtaccess,
  processLimits,
  trimRootSlash,
  usesOptions,
} from "./usage.js";

const timeOut = {
  directive: "TimeOut",
  place: "process",
  before: "`TimeOut 300`",
  after: "`TimeOut 60`",
  severity: "warning",
  advice: "write `TimeOut 300`, or see that nothing takes that long",
  keep: () => ["TimeOut 300"],
} as const;
const besideConnections = createSiteFinder(connectionLimits);
const besideLimits = createSiteFinder(processLimits);

/** Changed defaults for the processes and connections of all servers. */
export const processDefaults: readonly ChangedDefault[] = [
  {
    ...timeOut,
    usedBy: (main, project) => (hasProxyTimeout(main, project) ? undefined : besideConnections(main, project)),
    so: "a script or backend that is silent for more than a minute is given up with 504 (502 by mod_proxy), and a client as slow is cut off",
  },
  {
    ...timeOut,
    usedBy: (main, project) => (hasProxyTimeout(main, project) ? besideConnections(main, project) : undefined),
    so: "a script that is silent for more than a minute is given up with 504, and a client as slow is cut off, whatever ProxyTimeout says of backends",
  },
  {
    directive: "MaxConnectionsPerChild",
    decidedBy: ["maxconnectionsperchild", "maxrequestsperchild"],
    place: "process",
    before: "`MaxRequestsPerChild 10000`",
    after: "`MaxConnectionsPerChild 0`",
    severity: "info",
    usedBy: besideLimits,
    so: "no process is replaced any more after a while, and what a module or script leaks piles up until the next restart",
    advice: "watch the memory of the processes, or write `MaxConnectionsPerChild 10000`",
    keep: () => ["MaxConnectionsPerChild 10000"],
  },
  {
    directive: "MaxMemFree",
    place: "process",
    before: "`MaxMemFree 0`",
    after: "`MaxMemFree 2048`",
    severity: "info",
    usedBy: besideLimits,
    so: "processes give memory back that they kept before, and grow less",
    advice: "leave it at that, or write `MaxMemFree 0` to have them keep all",
  },
  {
    directive: "ExtendedStatus",
    place: "process",
    before: "`ExtendedStatus Off`",
    after: "`ExtendedStatus On`",
    severity: "info",
    usedBy: findStatusPage,
    so: "the status page shows the address and the request line of every client to all who may see it",
    advice: "see who may, or write `ExtendedStatus Off`",
    keep: () => ["ExtendedStatus Off"],
    keptBehind: firstLineOf,
  },
  {
    directive: "RequestReadTimeout",
    place: "process",
    before: "no limit",
    after: "`RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500`",
    severity: "info",
    usedBy: (_, { loadModules }) => loadModules.find(({ identifier }) => identifier === "reqtimeout_module"),
    so: "who sends a request or an upload more slowly than 500 bytes a second gets 408",
    advice:
      "leave it at that, since it keeps idle connections from filling the server, or write a RequestReadTimeout of your own",
  },
];

const speaksTls = (server: ServerDirectives) => server.own("sslengine").findLast(isOn);
const asksByTls = (server: ServerDirectives) => server.own("sslproxyengine").findLast(isOn);

/** Changed defaults of mod_ssl, which is stricter in 2.4. */
export const tlsDefaults: readonly ChangedDefault[] = [
  {
    directive: "SSLProtocol",
    place: "server",
    before: "`SSLProtocol all`",
    after: "`SSLProtocol all -SSLv3`",
    severity: "info",
    usedBy: speaksTls,
    so: "clients that know SSLv3 and SSLv2 alone cannot connect any more",
    advice: "leave it at that, since both are broken, or name the protocols that you want with SSLProtocol",
  },
  {
    directive: "SSLProxyProtocol",
    place: "server",
    before: "`SSLProxyProtocol all`",
    after: "`SSLProxyProtocol all -SSLv3`",
    severity: "info",
    usedBy: asksByTls,
    so: "backends that know SSLv3 and SSLv2 alone are not reached any more",
    advice: "leave it at that, since both are broken, and see that each backend speaks TLS",
  },
  {
    directive: "SSLProxyCheckPeerName",
    decidedBy: ["sslproxycheckpeername", "sslproxycheckpeercn"],
    place: "server",
    before: "`SSLProxyCheckPeerCN off`",
    after: "`SSLProxyCheckPeerName on`",
    severity: "warning",
    usedBy: asksByTls,
    so: "whatever comes from a backend with a certificate for another name than its URL has answers 500",
    advice:
      "ask backends by the names in their certificates, or write `SSLProxyCheckPeerName off` where nobody can come between",
  },
  {
    directive: "SSLProxyCheckPeerExpire",
    place: "server",
    before: "`SSLProxyCheckPeerExpire off`",
    after: "`SSLProxyCheckPeerExpire on`",
    severity: "warning",
    usedBy: asksByTls,
    so: "whatever comes from a backend with an expired certificate answers 500",
    advice: "renew the certificates of the backends, or write `SSLProxyCheckPeerExpire off` until that is done",
  },
];

/** Returns whether the value means on; 2.2's `optional` is now off, which changed-behaviour reports. */
function isOn({ arguments: [word] }: Directive): boolean {
  return /^on$/i.test(word?.value ?? "");
}

/** Changed defaults for files, scripts and caches of a server. */
export const folderDefaults: readonly ChangedDefault[] = [
  {
    directive: "EnableSendfile",
    place: "root",
    before: "`EnableSendfile On`",
    after: "`EnableSendfile Off`",
    severity: "info",
    usedBy: findDocumentRoot,
    so: "the server copies files itself where the kernel did: large ones cost more processor time, and none comes out garbled from a network file system",
    advice: "leave it at that, or write `EnableSendfile On` for large files on a local disk",
  },
  {
    directive: "FileETag",
    place: "root",
    before: "`FileETag INode MTime Size`",
    after: "`FileETag MTime Size`",
    severity: "info",
    usedBy: findDocumentRoot,
    so: "every file has another ETag than before, and browsers and caches fetch each of them once more",
    advice:
      "leave it at that, since now several servers give a file the same one, or write `FileETag INode MTime Size`",
  },
  {
    directive: "DefaultType",
    decidedBy: ["defaulttype", "forcetype"],
    place: "root",
    before: "`DefaultType text/plain`",
    after: "no type at all",
    severity: "warning",
    usedBy: findDocumentRoot,
    so: "a file whose type nothing tells, such as one without an extension, is sent without Content-Type, and browsers guess it or save the file",
    advice: 'write `ForceType text/plain` for the files that are meant, such as those in `<FilesMatch "^[^.]+$">`',
  },
  {
    directive: "Options",
    decides: ({ arguments: words }) => words.some(({ value }) => !/^[+-]/.test(value)),
    place: "root",
    before: "`Options All`",
    after: "`Options FollowSymLinks`",
    severity: "warning",
    usedBy: (server, project) => (usesOptions(server, project) ? findDocumentRoot(server) : undefined),
    so: "no folder is listed any more (403), no CGI script runs outside of ScriptAlias (403), and SSI pages come as they are written",
    advice:
      "write into the `<Directory>` of this DocumentRoot what it needs of `Options Indexes Includes ExecCGI FollowSymLinks`",
  },
  {
    directive: "AllowOverride",
    decidedBy: ["allowoverride", "allowoverridelist"],
    place: "root",
    before: "`AllowOverride All`",
    after: "nothing at all",
    severity: "warning",
    usedBy: (server, project) => (mayHaveHtaccess(server, project) ? findDocumentRoot(server) : undefined),
    so: "every request below a `.htaccess` file answers 500 as soon as there is a directive in it",
    advice:
      "write AllowOverride with what such files need into the `<Directory>` of this DocumentRoot, or `AllowOverride None` to have them left alone",
    keep: ({ root = "/" }) => [`<Directory "${trimRootSlash(root)}">`, "    AllowOverride All", "</Directory>"],
  },
  {
    directive: "LimitRequestBody",
    place: "section",
    before: "`LimitRequestBody 0`",
    after: "`LimitRequestBody 1073741824`",
    severity: "info",
    usedBy: findUploadLine,
    so: "an upload of more than 1 GiB to a script or a WebDAV folder gets 413",
    advice: "write the limit that they need into the sections that take uploads, `LimitRequestBody 0` for none",
  },
  {
    directive: "CacheDirLevels",
    place: "server",
    before: "`CacheDirLevels 3`",
    after: "`CacheDirLevels 2`",
    severity: "info",
    usedBy: (server) => server.own("cacheroot").at(-1),
    so: "what lies in the cache is not found there any more",
    advice: "empty the folder at the move and let the cache fill anew, or write `CacheDirLevels 3`",
    keep: () => ["CacheDirLevels 3"],
  },
];
