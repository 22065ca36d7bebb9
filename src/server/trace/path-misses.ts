import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile } from "../../config/model/project.js";
import { toReadable } from "../../text/source.js";
import { mapProxyPass, proxyPassNames } from "../mapping/proxies.js";
import { readRedirect, redirectNames } from "../mapping/redirects.js";
import type { Miss } from "../model/answer.js";
import { argumentValuesOf, findSetting, firstArgumentOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { passesOf } from "../model/pass.js";
import { stripAliasPrefix } from "../model/patterns.js";
import { targetOf } from "../sections/section-index.js";
import { fileNameOf, startOfFile } from "./htaccess-steps.js";
import { missOf, type SearchedPass } from "./miss.js";
import { findMatch } from "./pattern-parts.js";
import { formatWholeLine, nameServer, quoteLine, quoteWritten } from "./step.js";

/**
 * Redirects of sections and `.htaccess` files with a path below their directory: httpd compares the whole path of the URL there
 * as well (mod_alias.c `fixup_redir`).
 */
export function findRedirectsBelow({ pass }: SearchedPass): readonly Miss[] {
  return passesOf(pass).flatMap(({ state, path, redirect }) => {
    const layers = (state?.groups ?? []).filter(({ kind }) => kind !== "server").flatMap((group) => group.layers);
    const lines = redirect ? [] : layers.flatMap((layer) => layer.pick(redirectNames));
    return lines.flatMap((line) => missOfRedirect(line, path) ?? []);
  });
}

function missOfRedirect(line: Directive, path: string): Miss | undefined {
  const { from } = readRedirect(line, true) ?? {};
  if (from === undefined) return undefined;
  const isPattern = line.key === "redirectmatch";
  const fits = (text: string, other: string) =>
    isPattern ? findMatch(text, other) !== undefined : stripAliasPrefix(text, other) !== undefined;
  if (fits(from, path)) return undefined;
  const ofCase = missByCase(line, from, path, isPattern);
  if (ofCase) return ofCase;
  // The longest directory first: the line is probably in it.
  const directories = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)).toReversed();
  const directory = directories.find((each) => each !== "" && fits(from, path.slice(each.length)));
  const bare =
    from.startsWith("/") || isPattern ? undefined : directories.find((each) => fits(from, path.slice(each.length + 1)));
  const above = directory ?? bare;
  if (above === undefined) return undefined;
  const whole = isPattern ? withDirectory(from, above) : `${above}${from.startsWith("/") ? "" : "/"}${from}`;
  const isCorrect = whole !== undefined && fits(whole, path);
  const corrected = isCorrect
    ? formatWholeLine(
        line,
        line.argumentText.replace(from, () => toReadable(whole)),
      )
    : undefined;
  const reason = `its ${isPattern ? "pattern" : "path"} \`${toReadable(from)}\` does not match \`${toReadable(path)}\`: \`${line.name}\` compares the whole path of the URL, also in a section or a \`.htaccess\` file`;
  return missOf(line, reason, corrected === undefined ? [] : [`use ${quoteWritten(corrected)}`]);
}

/** Returns a Redirect whose path or pattern differs from a URL only in the case of letters. */
function missByCase(line: Directive, from: string, path: string, isPattern: boolean): Miss | undefined {
  const isSame = isPattern
    ? findMatch(from, path, true) !== undefined
    : stripAliasPrefix(from.toLowerCase(), path.toLowerCase()) !== undefined;
  if (!isSame) return undefined;
  const other = isPattern ? `(?i)${from}` : path.slice(0, from.length);
  const isCorrect = isPattern ? findMatch(other, path) !== undefined : stripAliasPrefix(other, path) !== undefined;
  const corrected = formatWholeLine(
    line,
    line.argumentText.replace(from, () => toReadable(other)),
  );
  const reason = `its ${isPattern ? "pattern" : "path"} \`${toReadable(from)}\` does not match \`${toReadable(path)}\`: letters differ in case`;
  return missOf(line, reason, isCorrect ? [`use ${quoteWritten(corrected)}`] : []);
}

/** Returns an anchored pattern that begins with a directory; undefined for other patterns. */
function withDirectory(pattern: string, directory: string): string | undefined {
  return pattern.startsWith("^/")
    ? `^${directory.replace(/[.+*?()[\]{}|\\^$]/g, "\\$&")}${pattern.slice(1)}`
    : undefined;
}

/** ProxyPass lines of Location sections and of the server that match as well: the last section wins (mod_proxy.c `proxy_trans`). */
export function findOtherBackends({ pass }: SearchedPass): readonly Miss[] {
  const { mapping, state, path, server } = pass;
  const section = mapping.kind === "proxy" ? mapping.by.parent : undefined;
  if (section === undefined || !section.key.startsWith("<location") || mapping.by?.key === "rewriterule") return [];
  const ofSections = (state?.layers ?? []).flatMap((layer) => {
    const line = layer.section?.key.startsWith("<location") === true ? layer.pick(proxyPassNames).at(-1) : undefined;
    return line === undefined || line === mapping.by || layer.section === undefined
      ? []
      : [{ line, own: layer.section }];
  });
  const ofServer = server.layers
    .flatMap((layer) => layer.pick(proxyPassNames))
    .filter((line) => mapProxyPass(line, path, new Oracle(new Map())) !== undefined);
  return [
    // A section for a part of another one's paths is an exception from it.
    ...ofSections
      .filter(({ own }) => lengthOf(own) > lengthOf(section))
      .map(({ line, own }) => {
        const reason = `${quoteLine(own)} matches as well, but ${quoteLine(section)} is merged later, and its \`${mapping.by?.name}\` applies`;
        return { ...missOf(line, reason, [`move ${quoteLine(own)} after ${quoteLine(section)}`]), change: own };
      }),
    ...ofServer.map((line) =>
      missOf(line, `matches as well, but \`${mapping.by?.name}\` of ${quoteLine(section)} applies first`, [], section),
    ),
  ];
}

function lengthOf(section: Directive): number {
  return targetOf(section)?.text.length ?? 0;
}

/** Directory sections with `*` as the last name, which do not match the directory itself (server/request.c `ap_directory_walk`). */
export function findDirectoriesAround({ pass: { server, mapping, walked } }: SearchedPass): readonly Miss[] {
  if (mapping.kind !== "file") return [];
  const file = (walked?.kind === "missing" || walked === undefined ? mapping.filename : walked.filename).replace(
    /\/+$/,
    "",
  );
  return server.layers.flatMap(({ content }) =>
    content.flatMap((section) => {
      const [, folder] =
        section.key === "<directory" ? (/^(\/[^*?[]*[^*?[/])\/\*$/.exec(firstArgumentOf(section) ?? "") ?? []) : [];
      if (folder === undefined || folder !== file) return [];
      const shown = nativePath(toReadable(folder));
      const reason = `its \`*\` stands for a name in \`${shown}\`, so it does not match that directory itself`;
      return [missOf(section, reason, [`use ${quoteWritten(`<Directory "${shown}">`)}`])];
    }),
  );
}

/** Sections for paths or names with a regular expression, which httpd compares literally, or with wildcards. */
export function findPatternsAsPaths({ pass }: SearchedPass): readonly Miss[] {
  const { server, mapping, walked, path } = pass;
  const file = mapping.kind !== "file" ? undefined : walked?.kind === "file" ? walked.filename : mapping.filename;
  const subjects: Readonly<Record<string, string | undefined>> = {
    "<location": path,
    "<directory": file?.replace(/\/[^/]*$/, "/"),
    "<files": file?.replace(/^.*\//, ""),
  };
  const applied = new Set(pass.state?.layers.map(({ section }) => section));
  return server.layers.flatMap(({ content }) =>
    content.flatMap((section) => {
      const subject = subjects[section.key];
      const target = targetOf(section);
      if (subject === undefined || target === undefined || target.isPattern || applied.has(section)) return [];
      if (!/^\^|\$$|\.[*+]|\\[.wd]|\(.*\|.*\)/.test(target.text) || findMatch(target.text, subject) === undefined)
        return [];
      const name = section.name.replace(/^</, "");
      const reason = `it takes no regular expression, so httpd compares \`${toReadable(target.text)}\` as it is`;
      const written = `<${name}Match "${toReadable(target.text)}">`;
      return [missOf(section, reason, [`use ${quoteWritten(written, `</${name}Match>`)}`])];
    }),
  );
}

const ruleLines: ReadonlySet<string> = new Set(["rewriterule", ...redirectNames]);

/**
 * The `.htaccess` files with a line for a URL that goes to a backend before it is mapped to a directory: httpd does not look for them
 * (mod_proxy.c `proxy_map_location`).
 */
export function findFilesBehindProxy({
  pass: { mapping, server, path, walked },
  setup: { project },
}: SearchedPass): readonly Miss[] {
  const root = firstArgumentOf(findSetting(server.layers, "documentroot"))?.replace(/\/+$/, "");
  if (mapping.kind !== "proxy" || walked !== undefined || root === undefined) return [];
  const [first] = [...project.htaccess].filter((file) => isMeant(file, root, path));
  if (first === undefined) return [];
  const { by } = mapping;
  const { source } = first.tree;
  const reason = `httpd does not read this file for the URL: ${quoteLine(by)} passes the request on before it is mapped to a directory`;
  return [
    {
      ...{ section: fileNameOf(source), span: startOfFile(source), reason, by, isClose: true, change: by },
      help: [
        ...replaceByHandler(by, mapping.target, path),
        first.directives.some(restrictsAccess)
          ? `put its access lines into ${quoteWritten(`<Location "${toReadable(urlOf(first, root))}">`, "</Location>")} of ${nameServer(server.section)}`
          : `put the lines for this URL into ${nameServer(server.section)}, for the whole path of the URL`,
      ],
    },
  ];
}

/** Returns the URL path of the directory of a file below the document root. */
function urlOf({ directory }: HtaccessFile, root: string): string {
  return directory.replace(/\/+$/, "").slice(root.length) || "/";
}

/** Reports whether a line for all files of its directory denies clients, or asks for a login. */
function restrictsAccess({ key, arguments: words }: Directive): boolean {
  const isOpen = words.map(({ value }) => value.toLowerCase()).join(" ") === "all granted";
  return (key === "require" && !isOpen) || key === "deny" || key === "<requireall" || key === "<requireany";
}

/** Reports whether a file of a directory on the way to a URL has a line for it. */
function isMeant({ directory, directives }: HtaccessFile, root: string, path: string): boolean {
  const own = directory.replace(/\/+$/, "");
  if (own !== root && !own.startsWith(`${root}/`)) return false;
  const url = own.slice(root.length);
  if (!`${path}/`.startsWith(`${url}/`)) return false;
  return directives.some((line) => {
    if (restrictsAccess(line)) return true;
    if (!ruleLines.has(line.key)) return false;
    if (line.key === "rewriterule") {
      const [pattern = ""] = argumentValuesOf(line);
      const rest = path.slice(url.length + 1);
      const isBroad = findMatch(pattern, "-") !== undefined;
      return !pattern.startsWith("!") && !isBroad && findMatch(pattern, rest) !== undefined;
    }
    const { from } = readRedirect(line, true) ?? {};
    if (from === undefined) return false;
    return line.key === "redirectmatch"
      ? findMatch(from, path) !== undefined
      : stripAliasPrefix(from, path) !== undefined;
  });
}

/** Returns the lines that pass on existing files of one kind only, instead of a ProxyPassMatch for their extension. */
function replaceByHandler(by: Directive, target: string, path: string): readonly string[] {
  const [, extension] = /(\.\w+)$/.exec(path) ?? [];
  const [, backend] = /^proxy:((?:unix:[^|]*\|)?(?:fcgi|scgi|uwsgi):\/\/[^/]+)/i.exec(target) ?? [];
  if (by.key !== "proxypassmatch" || extension === undefined || backend === undefined) return [];
  const lines = [`<FilesMatch "\\${extension}$">`, `SetHandler "proxy:${toReadable(backend)}"`, "</FilesMatch>"];
  return [`replace ${quoteLine(by)} by ${quoteWritten(...lines)}, which httpd applies after it reads the file`];
}

const typeLines: ReadonlySet<string> = new Set(["addtype"]);

/** A type by which a program runs files, and that a later line for the same extension replaces (mod_mime.c `find_ct`). */
export function findReplacedTypes({ outcome: { served, status } }: SearchedPass): readonly Miss[] {
  const { state, walked } = served ?? {};
  if (status !== 200 || !state || walked?.kind !== "file") return [];
  const [, extension] = /\.([^./]+)$/.exec(walked.filename.toLowerCase()) ?? [];
  const names = (line: Directive) =>
    argumentValuesOf(line)
      .slice(1)
      .some((word) => word.toLowerCase().replace(/^\./, "") === extension);
  const lines = extension === undefined ? [] : state.layers.flatMap((layer) => layer.pick(typeLines).filter(names));
  const last = lines.at(-1);
  const runs = (line: Directive) => /^application\/x-httpd-/i.test(firstArgumentOf(line) ?? "");
  const line = last && !runs(last) ? lines.findLast(runs) : undefined;
  if (last === undefined || line === undefined || findSetting(state.layers, "sethandler")) return [];
  const words = argumentValuesOf(last)
    .slice(1)
    .filter((word) => word.toLowerCase().replace(/^\./, "") !== extension);
  const type = firstArgumentOf(last) ?? "";
  const help =
    words.length === 0
      ? `delete ${quoteLine(last)}`
      : `use ${quoteWritten(formatWholeLine(last, [type, ...words].join(" ")))}`;
  const reason = `${quoteLine(last)} replaces it for \`.${extension}\`, so that httpd sends the source text of the file`;
  return [{ ...missOf(line, reason, [help], last), change: last }];
}
