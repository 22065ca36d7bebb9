import type { Directive } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import { headerOf } from "../model/request.js";
import { extensionsOf } from "../phases/handler-lookup.js";
import { metadataOf } from "../phases/media-type.js";
import type { ExplainedRun } from "./causes.js";
import { responderOf } from "./destination.js";
import { likelyTypesOf } from "./response-lines.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/** The filters that compress, by the word of `Accept-Encoding` that they need (mod_deflate, mod_brotli). */
const compressors: ReadonlyMap<string, string> = new Map([
  ["gzip", "deflate"],
  ["br", "brotli_compress"],
]);

/** Types of files that compression makes shorter. */
const compressible = /^text\/|^font\/(?:ttf|otf|sfnt)$|[/+](?:x-)?(?:javascript|json|xml|wasm)$/;

const byType: ReadonlySet<string> = new Set(["addoutputfilterbytype"]);
const otherFilterLines: ReadonlySet<string> = new Set([
  ...["setoutputfilter", "addoutputfilter", "filterprovider", "filterchain"],
]);

/**
 * A file that httpd sends as it is to a client which accepts compression: the AddOutputFilterByType lines of the filter do not have its
 * type, which httpd compares as a whole word (mod_filter.c `filter_lookup`).
 */
export function explainUncompressedType({ outcome, request, project }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status } = outcome;
  const { state, walked } = served ?? {};
  const accepted = headerOf(request, "Accept-Encoding")?.toLowerCase();
  if (accepted === undefined || status !== 200 || !isSince(project.release, "2.4")) return [];
  if (!state || walked?.kind !== "file" || responderOf(outcome) !== undefined) return [];
  if (!project.modules.mayHave("mime_module") || metadataOf(state, walked.filename).encoding !== undefined) return [];
  const [type, ...others] = likelyTypesOf(state, extensionsOf(walked.filename));
  if (type === undefined || others.length > 0 || !compressible.test(type)) return [];
  const filters = [...compressors].flatMap(([word, filter]) => (acceptsEncoding(accepted, word) ? [filter] : []));
  const uses = (text: string) =>
    filters.some((filter) =>
      text
        .toLowerCase()
        .split(/[;\s]+/)
        .includes(filter),
    );
  const linesOf = (names: ReadonlySet<string>) => state.layers.map((layer) => layer.pick(names));
  // Each of these may compress the file as well.
  if (linesOf(otherFilterLines).some((lines) => lines.some(({ argumentText }) => uses(argumentText)))) return [];
  const lists = linesOf(byType)
    .map((lines) => lines.filter((line) => uses(argumentValuesOf(line)[0] ?? "")))
    .filter((lines) => lines.length > 0);
  const typesOf = (line: Directive) =>
    argumentValuesOf(line)
      .slice(1)
      .map((each) => each.toLowerCase());
  if (lists.some((lines) => lines.some((line) => typesOf(line).includes(type)))) return [];
  const nearest = lists.at(-1) ?? [];
  const line = nearest.find((each) => typesOf(each).some((listed) => isSimilar(listed, type))) ?? nearest.at(-1);
  if (line === undefined) return [];
  const name = walked.filename.slice(walked.filename.lastIndexOf("/") + 1);
  const list = nearest.length > 1 ? "the `AddOutputFilterByType` lines do" : `${quoteLine(line)} does`;
  const text = `httpd does not compress \`${toReadable(name)}\`: ${list} not have its type \`${type}\``;
  return [{ text, line, help: [`use ${quoteWritten(formatWholeLine(line, `${line.argumentText} ${type}`))}`] }];
}

/** Reports whether two types differ only in their first part or in `x-`: `application/x-javascript` and `text/javascript`. */
function isSimilar(one: string, other: string): boolean {
  const [a, b] = [one, other].map((each) => each.replace(/^.*\/(?:x-)?/, ""));
  return a === b;
}

/** Reports whether an Accept-Encoding header has a word, without `q=0`. */
function acceptsEncoding(header: string, word: string): boolean {
  return header.split(",").some((each) => {
    const [name = "", ...parameters] = each.split(";").map((part) => part.trim());
    return name === word && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
