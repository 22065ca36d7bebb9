import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { argumentValuesOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { documentOf } from "../../server/phases/error-documents.js";
import { memoize } from "../../text/memoize.js";

/**
 * The handlers, and the types that stand for one, by which the content of a file decides the answer: type maps and image
 * maps name other URLs, and a file that is sent as it is may have a status.
 */
const contentHandlers: ReadonlyMap<string, string> = new Map([
  ["type-map", "negotiation_module"],
  ["application/x-type-map", "negotiation_module"],
  ["imap-file", "imagemap_module"],
  ["application/x-httpd-imap", "imagemap_module"],
  ["send-as-is", "asis_module"],
  ["httpd/send-as-is", "asis_module"],
]);

/** Reports whether a line gives files a handler that reads their content, configures it, or takes it away. */
export function mayGiveContentHandler(line: Directive, project: Project): boolean {
  const { key } = line;
  if (/^(?:(?:add|set)handler|addtype|forcetype)$/.test(key) && namesContentHandler(line, project)) return true;
  const lines = contentLinesOf(project);
  if (lines.length === 0) return false;
  if (/^(?:imap|removehandler$|removetype$|sethandler$|forcetype$)/.test(key)) return true;
  if (key !== "addhandler" && key !== "addtype") return false;
  const extensions = new Set(lines.flatMap(extensionsIn));
  return extensionsIn(line).some((extension) => extensions.has(extension));
}

function namesContentHandler(line: Directive, { modules, modulesAreKnown }: Project): boolean {
  const module = contentHandlers.get(keywordArgumentOf(line) ?? "");
  return module !== undefined && (modules.has(module) || !modulesAreKnown);
}

/** Reports whether a line gives files such a handler. */
export function hasContentHandler(project: Project): boolean {
  return contentLinesOf(project).length > 0;
}

const contentLinesOf = memoize((project: Project) =>
  [...iterateDirectives(project)].filter(
    (line) => /^(?:(?:add|set)handler|addtype|forcetype)$/.test(line.key) && namesContentHandler(line, project),
  ),
);

function extensionsIn(line: Directive): readonly string[] {
  return argumentValuesOf(line)
    .slice(1)
    .map((word) => word.toLowerCase().replace(/^\./, ""));
}

/**
 * Reports whether an ErrorDocument may replace the status of the error: a URL is a redirect, and a path may lead to a
 * program, a backend or a rule. A page or a text leaves it.
 */
export function mayReplaceStatus(line: Directive, project: Project): boolean {
  if (line.key !== "errordocument") return false;
  const document = documentOf(line);
  return document?.kind === "url" || (document?.kind === "path" && mayAnswerOtherwise(project));
}

const mayAnswerOtherwise = memoize((project: Project) =>
  [...iterateDirectives(project)].some(
    ({ key }) =>
      /^(?:proxypass|rewriterule$|action$|script|wsgiscript|fallbackresource$|luamaphandler$|jkmount|passenger)/.test(
        key,
      ) || /^(?:add|set)handler$/.test(key),
  ),
);
