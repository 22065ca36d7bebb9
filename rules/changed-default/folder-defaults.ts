import type { ChangedDefault } from "./changed.js";
import { bare, listsOrRuns, mayHaveHtaccess, servesFiles, takesUploads } from "./uses.js";

/** Those of the files, scripts and caches of a server. */
export const folderDefaults: readonly ChangedDefault[] = [
  {
    directive: "EnableSendfile",
    place: "root",
    before: "`EnableSendfile On`",
    after: "`EnableSendfile Off`",
    severity: "info",
    usedBy: servesFiles,
    so: "the server copies files itself where the kernel did: large ones cost more processor time, and none comes out garbled from a network file system",
    advice: "leave it at that, or write `EnableSendfile On` for large files on a local disk",
  },
  {
    directive: "FileETag",
    place: "root",
    before: "`FileETag INode MTime Size`",
    after: "`FileETag MTime Size`",
    severity: "info",
    usedBy: servesFiles,
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
    usedBy: servesFiles,
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
    usedBy: (server, project) => (listsOrRuns(server, project) ? servesFiles(server) : undefined),
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
    usedBy: (server, project) => (mayHaveHtaccess(server, project) ? servesFiles(server) : undefined),
    so: "every request below a `.htaccess` file answers 500 as soon as there is a directive in it",
    advice:
      "write AllowOverride with what such files need into the `<Directory>` of this DocumentRoot, or `AllowOverride None` to have them left alone",
    keep: ({ root = "/" }) => [`<Directory "${bare(root)}">`, "    AllowOverride All", "</Directory>"],
  },
  {
    directive: "LimitRequestBody",
    place: "section",
    before: "`LimitRequestBody 0`",
    after: "`LimitRequestBody 1073741824`",
    severity: "info",
    usedBy: takesUploads,
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
