import {
  type Directive,
  indexDirectives,
  isWholeServer,
  iterateDirectives,
  mayHaveMoreLines,
  type Project,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { memoize } from "../../src/lint/api/rule.js";

/** A filter for the text of responses, and the line that passes all of its requests to a backend. */
export interface CompressedAnswers {
  readonly line: Directive;
  readonly filter: string;
  readonly backend: Directive;
  /** The browser cannot decode what the filter makes of compressed bytes. */
  readonly isDestructive: boolean;
}

/**
 * Finds a filter that reads the text of a backend's responses, where nothing keeps the backend from compressing them: mod_substitute and
 * mod_proxy_html do not uncompress (mod_substitute.c `substitute_filter`). mod_substitute finds no text there; mod_proxy_html and mod_xml2enc
 * replace the bytes (mod_proxy_html.c `proxy_html_filter`; live case).
 */
export function findCompressedAnswers(scope: Scope, project: Project): CompressedAnswers | undefined {
  const { directives, place } = scope;
  const [line, filter] = directives.map((each) => [each, filterOf(each)] as const).find((found) => found[1]) ?? [];
  if (line === undefined || filter === undefined || mayHaveMoreLines(project) || handlesCompression(project))
    return undefined;
  const isBackend = ({ key, arguments: [first, second] }: Directive) => {
    if (key !== "proxypass") return false;
    const target = place === "location" ? first : first?.value === "/" ? second : undefined;
    return /^https?:/i.test(target?.value ?? "");
  };
  const backend = place === "location" || place === "virtualhost" ? directives.find(isBackend) : undefined;
  const isDestructive = !/^substitute$/i.test(filter);
  if (isDestructive && !changesHtml(line, project)) return undefined;
  return backend && { line, filter, backend, isDestructive };
}

const filterLines: ReadonlySet<string> = new Set(["setoutputfilter", "addoutputfilter", "addoutputfilterbytype"]);

/** Returns the filter of a line that reads text. */
function filterOf({ key, arguments: [first] }: Directive): string | undefined {
  if (key === "proxyhtmlenable") return /^on$/i.test(first?.value ?? "") ? "proxy-html" : undefined;
  if (!filterLines.has(key)) return undefined;
  return first?.value.split(";").find((name) => /^(?:substitute|proxy-html)$/i.test(name));
}

/** Reports whether mod_proxy_html does something: without links, it only inserts mod_xml2enc (mod_proxy_html.c `check_filter_init`). */
function changesHtml({ key }: Directive, project: Project): boolean {
  if (!isWholeServer(project) || indexDirectives(project).named("proxyhtmllinks").length > 0) return true;
  return key === "proxyhtmlenable" && project.modules.mayHave("xml2enc_module");
}

/** Reports whether a line keeps a backend from compressing, or uncompresses its responses. */
const handlesCompression = memoize((project: Project) =>
  [...iterateDirectives(project)].some(
    ({ key, argumentText }) =>
      (key === "requestheader" && /\baccept-encoding\b/i.test(argumentText)) ||
      ((filterLines.has(key) || key === "filterprovider") && /\binflate\b/i.test(argumentText)),
  ),
);
