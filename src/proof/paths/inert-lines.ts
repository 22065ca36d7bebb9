import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";
import type { PartitionExtent } from "../model/path-class.js";

/**
 * Directives that change neither the status of a response nor who has access, and that no other directive reads: mostly
 * for the content of responses. docs/directives.md has all of them; these are usual in sections.
 */
export const inertDirectives: ReadonlySet<string> = new Set([
  ...["addalt", "addaltbyencoding", "addaltbytype", "adddescription", "addicon", "addiconbyencoding", "addiconbytype"],
  ...["defaulticon", "fancyindexing", "headername", "indexheadinsert", "indexignore", "indexignorereset"],
  ...["indexoptions", "indexorderdefault", "indexstylesheet", "readmename"],
  ...["adddefaultcharset", "addoutputfilterbytype", "defaulttype", "setinputfilter", "setoutputfilter"],
  ...["cachedisable", "cacheenable", "expiresactive", "expiresbytype", "expiresdefault", "fileetag", "header"],
  ...["deflatebuffersize", "deflatecompressionlevel", "deflatefilternote", "enablemmap", "enablesendfile"],
  ...["loglevel", "rlimitcpu", "rlimitmem", "rlimitnproc", "serversignature", "ssietag", "ssilastmodified", "xbithack"],
  ...["proxypassreverse", "proxypassreversecookiedomain", "proxypassreversecookiepath", "proxytimeout"],
  // Of mod_php.
  ...["php_flag", "php_value", "php_admin_flag", "php_admin_value"],
]);

const pathSection = /^<(?:directory|files|location|proxy)(?:match)?$/;

/** A name for a part of the path, which any line may read as `MATCH_NAME`. */
const namedGroup = /\(\?P?[<'](?![=!])/;

/** Directives that are read after the access check of the requested path, in sections for directories and files. */
const laterDirectives: ReadonlySet<string> = new Set([
  ...["rewritebase", "rewritecond", "rewriteengine", "rewriterule"],
  ...["addhandler", "addtype", "forcetype", "sethandler", "directoryindex", "fallbackresource"],
]);

const inertSections: Readonly<Record<PartitionExtent, (section: Directive) => boolean>> = {
  answer: memoize((section) => hasOnly(section, pathSection, (key) => inertDirectives.has(key), "answer")),
  // RewriteEngine in a Location also applies to the rules of the server, before the check.
  "access check": memoize((section) =>
    hasOnly(
      section,
      /^<(?:directory|files)(?:match)?$/,
      (key) => inertDirectives.has(key) || laterDirectives.has(key),
      "access check",
    ),
  ),
};

/**
 * Reports whether a section decides nothing about a request, so that it does not matter which paths it applies to.
 *
 * @param extent how far a request is followed
 */
export function isInert(section: Directive, extent: PartitionExtent = "answer"): boolean {
  return inertSections[extent](section);
}

function hasOnly(
  { key, argumentText, children = [] }: Directive,
  kinds: RegExp,
  isInertDirective: (key: string) => boolean,
  extent: PartitionExtent,
): boolean {
  return (
    kinds.test(key) &&
    !namedGroup.test(argumentText) &&
    children.every((each) => isInertDirective(each.key) || isInert(each, extent))
  );
}
