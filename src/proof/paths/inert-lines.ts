import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";

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

/** Reports whether a section decides nothing about a request, so that it does not matter which paths it applies to. */
export const isInert = memoize(
  (section: Directive): boolean =>
    pathSection.test(section.key) &&
    !namedGroup.test(section.argumentText) &&
    (section.children ?? []).every((each) => inertDirectives.has(each.key) || isInert(each)),
);
