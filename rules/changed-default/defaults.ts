import { type Directive, keywordArgumentOf, type ServerDirectives } from "../../src/lint/api/configuration.js";
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
  isAboutServer: true,
  before: "300",
  after: "60 seconds",
  severity: "warning",
  help: ["to keep the old limit, set `TimeOut 300`", "check that nothing takes longer than a minute"],
  keep: () => ["TimeOut 300"],
} as const;
const findConnectionSite = createSiteFinder(connectionLimits);
const findLimitSite = createSiteFinder(processLimits);

/** Changed defaults for the processes and connections of all servers. */
export const processDefaults: readonly ChangedDefault[] = [
  {
    ...timeOut,
    usedBy: (main, project) => (hasProxyTimeout(main, project) ? undefined : findConnectionSite(main, project)),
    notes: [
      "a script or backend that is silent for more than a minute returns 504 (502 by mod_proxy)",
      "a client that is silent for as long is disconnected",
    ],
  },
  {
    ...timeOut,
    usedBy: (main, project) => (hasProxyTimeout(main, project) ? findConnectionSite(main, project) : undefined),
    notes: [
      "a script that is silent for more than a minute returns 504",
      "a client that is silent for as long is disconnected",
      "ProxyTimeout affects only backends",
    ],
  },
  {
    directive: "MaxConnectionsPerChild",
    decidedBy: ["maxconnectionsperchild", "maxrequestsperchild"],
    place: "process",
    isAboutServer: true,
    before: "`10000`",
    after: "`0`",
    isRoutine: true,
    severity: "info",
    usedBy: findLimitSite,
    notes: [
      "2.2 calls the directive `MaxRequestsPerChild`",
      "httpd no longer replaces a process after a number of connections",
      "memory that a module or script leaks accumulates until the next restart",
    ],
    help: ["monitor the memory of the processes", "to keep the old limit, set `MaxConnectionsPerChild 10000`"],
    keep: () => ["MaxConnectionsPerChild 10000"],
  },
  {
    directive: "MaxMemFree",
    place: "process",
    isAboutServer: true,
    before: "`0`",
    after: "`2048`",
    isRoutine: true,
    severity: "info",
    usedBy: findLimitSite,
    notes: ["processes release memory that they kept before, and grow less"],
    help: ["to let processes keep all memory, set `MaxMemFree 0`"],
  },
  {
    directive: "ExtendedStatus",
    place: "process",
    before: "`Off`",
    after: "`On`",
    severity: "info",
    usedBy: findStatusPage,
    notes: ["the status page shows the address and the request line of every client"],
    help: ["check which clients may see the status page", "to hide the requests, set `ExtendedStatus Off`"],
    keep: () => ["ExtendedStatus Off"],
    keepAfter: firstLineOf,
  },
  {
    directive: "RequestReadTimeout",
    place: "process",
    before: "unlimited",
    after: "limited",
    isRoutine: true,
    severity: "info",
    usedBy: (_, { loadModules }) => loadModules.find(({ identifier }) => identifier === "reqtimeout_module"),
    notes: [
      "the new default is `RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500`",
      "a request or upload that is slower than 500 bytes a second returns 408",
      "the limit prevents slow clients from occupying all workers",
    ],
    help: ["if the new limit does not fit, set `RequestReadTimeout`"],
  },
];

/** Whether the value means on; 2.2's `optional` is now off, which changed-behaviour reports. */
const isOn = (line: Directive) => keywordArgumentOf(line) === "on";
const findServerTls = (server: ServerDirectives) => server.own("sslengine").findLast(isOn);
const findProxyTls = (server: ServerDirectives) => server.own("sslproxyengine").findLast(isOn);

/** Changed defaults of mod_ssl, which is stricter in 2.4. */
export const tlsDefaults: readonly ChangedDefault[] = [
  {
    directive: "SSLProtocol",
    place: "server",
    before: "`all`",
    after: "`all -SSLv3`",
    severity: "info",
    usedBy: findServerTls,
    notes: ["clients that support only SSLv3 and SSLv2 can no longer connect", "both protocols are broken"],
    help: ["to choose the protocols, set `SSLProtocol`"],
  },
  {
    directive: "SSLProxyProtocol",
    place: "server",
    before: "`all`",
    after: "`all -SSLv3`",
    severity: "info",
    usedBy: findProxyTls,
    notes: ["backends that support only SSLv3 and SSLv2 can no longer be reached", "both protocols are broken"],
    help: ["check that each backend supports TLS"],
  },
  {
    directive: "SSLProxyCheckPeerName",
    decidedBy: ["sslproxycheckpeername", "sslproxycheckpeercn"],
    place: "server",
    before: "`off`",
    after: "`on`",
    severity: "warning",
    usedBy: findProxyTls,
    notes: [
      "the default in 2.2 is `SSLProxyCheckPeerCN off`",
      "requests return 500 if the certificate of the backend does not match the name in its URL",
    ],
    help: [
      "use the names in the certificates in the URLs of the backends",
      "if the connection cannot be intercepted, set `SSLProxyCheckPeerName off`",
    ],
  },
  {
    directive: "SSLProxyCheckPeerExpire",
    place: "server",
    before: "`off`",
    after: "`on`",
    severity: "warning",
    usedBy: findProxyTls,
    notes: ["requests return 500 if the certificate of the backend has expired"],
    help: ["renew the certificates of the backends", "until they are renewed, set `SSLProxyCheckPeerExpire off`"],
  },
];

/** Changed defaults for files, scripts and caches of a server. */
export const folderDefaults: readonly ChangedDefault[] = [
  {
    directive: "EnableSendfile",
    place: "root",
    before: "`On`",
    after: "`Off`",
    isRoutine: true,
    severity: "info",
    usedBy: findDocumentRoot,
    notes: [
      "httpd copies files itself, instead of the kernel",
      "large files need more processor time",
      "files from a network file system no longer arrive corrupted",
    ],
    help: ["for large files on a local disk, set `EnableSendfile On`"],
  },
  {
    directive: "FileETag",
    place: "root",
    before: "`INode MTime Size`",
    after: "`MTime Size`",
    isRoutine: true,
    severity: "info",
    usedBy: findDocumentRoot,
    notes: [
      "every file has a new ETag, so browsers and caches fetch each file once more",
      "several servers now send the same ETag for a file",
    ],
    help: ["to keep the old ETags, set `FileETag INode MTime Size`"],
  },
  {
    directive: "DefaultType",
    decidedBy: ["defaulttype", "forcetype"],
    place: "root",
    before: "`text/plain`",
    after: "none",
    severity: "warning",
    usedBy: findDocumentRoot,
    notes: [
      "a file without a known type, such as one without an extension, is sent without Content-Type",
      "browsers guess the type or save the file",
    ],
    help: ['set `ForceType text/plain` for the files that need it, such as those in `<FilesMatch "^[^.]+$">`'],
  },
  {
    directive: "Options",
    decides: ({ arguments: words }) => words.some(({ value }) => !/^[+-]/.test(value)),
    place: "root",
    before: "`All`",
    after: "`FollowSymLinks`",
    severity: "warning",
    usedBy: (server, project) => (usesOptions(server, project) ? findDocumentRoot(server) : undefined),
    notes: [
      "directory listings return 403 unless a section has `Options +Indexes`",
      "CGI scripts outside of ScriptAlias return 403 unless a section has `Options +ExecCGI`",
      "SSI pages are sent unprocessed unless a section has `Options +Includes`",
    ],
    help: [
      "add `Options` to the `<Directory>` of this DocumentRoot, with what it needs of `Indexes Includes ExecCGI FollowSymLinks`",
    ],
  },
  {
    directive: "AllowOverride",
    decidedBy: ["allowoverride", "allowoverridelist"],
    place: "root",
    before: "`All`",
    after: "nothing",
    severity: "warning",
    usedBy: (server, project) => (mayHaveHtaccess(server, project) ? findDocumentRoot(server) : undefined),
    notes: ["requests below a `.htaccess` file return 500 if the file contains a directive"],
    help: [
      "add `AllowOverride` with what the files need to the `<Directory>` of this DocumentRoot",
      "to ignore the files, set `AllowOverride None`",
    ],
    keep: ({ root = "/" }) => [`<Directory "${trimRootSlash(root)}">`, "    AllowOverride All", "</Directory>"],
  },
  {
    directive: "LimitRequestBody",
    place: "section",
    before: "`0`",
    after: "`1073741824`",
    severity: "info",
    usedBy: findUploadLine,
    notes: ["an upload of more than 1 GiB to a script or a WebDAV directory returns 413"],
    help: ["set the limit in the sections that accept uploads; `LimitRequestBody 0` removes it"],
  },
  {
    directive: "CacheDirLevels",
    place: "server",
    before: "`3`",
    after: "`2`",
    severity: "info",
    usedBy: (server) => server.own("cacheroot").at(-1),
    notes: ["httpd does not find the files that are already in the cache"],
    help: ["empty the cache directory during the upgrade", "to keep the old layout, set `CacheDirLevels 3`"],
    keep: () => ["CacheDirLevels 3"],
  },
];
