import type { AcceptedItem, AcceptHeaders, NegotiateHeader } from "./accept-headers.js";
import { type LanguageMatch, matchLanguage } from "./language-match.js";

/** One of the files, or entries of a type map, that the server chooses from. */
export interface Variant {
  /** Name of the file, or URL in a type map. */
  readonly name: string;
  /** With the quality of the variant itself (`qs`). */
  readonly type: AcceptedItem;
  readonly encoding: string | undefined;
  readonly languages: readonly string[];
  /** The length that a type map states. */
  readonly length?: number;
  /** Whether the type map contains the body. */
  readonly isBody?: boolean;
}

/** The context of a choice, besides the variants. */
export interface ChoiceContext {
  readonly accept: AcceptHeaders;
  readonly negotiate: NegotiateHeader;
  /** Whether programs are preferred: for other methods than GET, a query or path info. */
  readonly prefersPrograms: boolean;
  /** Words of LanguagePriority and ForceLanguagePriority. */
  readonly languagePriority: readonly string[];
  readonly prefers: boolean;
  readonly fallsBack: boolean;
  /** The value of an environment variable. */
  readonly variable: (name: string) => string | undefined;
  /** Whether the first variant is shorter than the second. */
  readonly isShorter: (variant: Variant, other: Variant) => boolean;
}

interface RatedVariant extends LanguageMatch {
  readonly variant: Variant;
  readonly type: number;
  readonly levelMatched: number;
  readonly encoding: number;
  readonly charset: number;
  readonly isDefinite: boolean;
}

/** The type that stands for programs. */
export const PROGRAM_TYPE = "application/x-httpd-cgi";

/** Returns the best variant; undefined if none is acceptable (mod_negotiation.c `best_match`). */
export function chooseVariant(variants: readonly Variant[], context: ChoiceContext): Variant | undefined {
  const { negotiate, variable } = context;
  const usable = variants.filter((variant) => !isDiscarded(variant, variable));
  const preferred = variable("prefer-language");
  if (preferred !== undefined) {
    const inLanguage = usable.filter(({ languages }) => languages.includes(preferred));
    const chosen = bestOf(inLanguage, variants, context, true);
    if (chosen) return chosen;
  }
  return negotiate.mayChoose ? bestOf(usable, variants, context, false) : undefined;
}

function bestOf(
  usable: readonly Variant[],
  all: readonly Variant[],
  context: ChoiceContext,
  isPreferred: boolean,
): Variant | undefined {
  const { negotiate } = context;
  if (!negotiate.mayChoose) return undefined;
  let best: RatedVariant | undefined;
  for (const variant of usable) {
    const rated = rate(variant, all, context, isPreferred);
    const isBetter = negotiate.usesRemoteAlgorithm
      ? isBetterRemotely(rated, best)
      : isBetterVariant(rated, best, context);
    if (isBetter) best = rated;
  }
  return best && (best.isDefinite || !negotiate.usesRemoteAlgorithm) ? best.variant : undefined;
}

/** Returns whether a variable excludes an encoded variant (`discard_variant_by_env`). */
function isDiscarded({ encoding, type }: Variant, variable: ChoiceContext["variable"]): boolean {
  if (isIdentity(encoding) || encoding === "identity") return false;
  if (variable("no-gzip") !== undefined) return true;
  return variable("gzip-only-text/html") === "1" && !type.name.startsWith("text/html");
}

function rate(variant: Variant, all: readonly Variant[], context: ChoiceContext, isPreferred: boolean): RatedVariant {
  const type = rateType(variant, context);
  const charset = rateCharset(variant, context);
  const language = isPreferred
    ? { language: 1, index: -1, isDefinite: true }
    : matchLanguage(
        variant.languages,
        all.some(({ languages }) => languages.length > 0),
        context,
      );
  const isDefinite = (isPreferred || (type.isDefinite && language.isDefinite)) && charset.isDefinite;
  return {
    ...{ variant, ...language, type: type.quality, levelMatched: type.levelMatched },
    ...{ encoding: rateEncoding(variant, context), charset: charset.quality, isDefinite },
  };
}

/** Rates the media type (`set_accept_quality`). A more specific range replaces a less specific one. */
function rateType({ type }: Variant, { accept, negotiate, prefersPrograms }: ChoiceContext) {
  const program = negotiate.usesRemoteAlgorithm ? 0 : prefersPrograms ? 2 : Math.fround(0.001);
  const given = accept.types ?? [{ name: "*/*", quality: 1, level: 0, charset: "" }];
  const ranges = [...given, { name: PROGRAM_TYPE, quality: program, level: 0, charset: "" }];
  const isCorrected = !negotiate.isStrict && !given.some(({ quality }) => accept.types && quality < 1);
  let [quality, stars, levelMatched] = [0, 0, 0];
  for (const range of ranges) {
    const matched = starsOf(range, type);
    if (matched === 3) levelMatched = type.level;
    if (matched <= stars) continue;
    stars = matched;
    quality = isCorrected && stars < 3 ? Math.fround(stars === 1 ? 0.01 : 0.02) : range.quality;
  }
  return { quality, levelMatched, isDefinite: stars === 0 || stars === 3 };
}

const parsedTypes: ReadonlySet<string> = new Set(["text/x-server-parsed-html", "text/x-server-parsed-html3"]);

/** Returns how specifically a range matches a type: 3 exactly, 0 not at all (`mime_match`). */
function starsOf(range: AcceptedItem, type: AcceptedItem): number {
  const { name } = range;
  if (name === "*" || name === "*/*") return 1;
  if (name.length > 2 && name.endsWith("/*") && type.name.startsWith(name.slice(0, -1))) return 2;
  const isSame = name === type.name || (name === "text/html" && parsedTypes.has(type.name));
  return isSame && range.level >= type.level ? 3 : 0;
}

const DEFAULT_CHARSET = "iso-8859-1";

/** Rates the charset (`set_charset_quality`). */
function rateCharset({ type }: Variant, { accept, negotiate }: ChoiceContext) {
  const certain = (quality: number) => ({ quality, isDefinite: true });
  let { charset } = type;
  if (accept.charsets === undefined) return { quality: 1, isDefinite: charset === "" };
  if (charset === "") {
    const isText = type.name.startsWith("text/");
    if (!isText || negotiate.isStrict) return certain(1);
    charset = DEFAULT_CHARSET;
  }
  const named = accept.charsets.find(({ name }) => name === charset);
  if (named) return certain(named.quality);
  const star = accept.charsets.findLast(({ name }) => name === "*");
  if (star) return { quality: star.quality, isDefinite: false };
  return certain(charset === DEFAULT_CHARSET ? 1 : 0);
}

function isIdentity(encoding: string | undefined): boolean {
  return !encoding || encoding === "7bit" || encoding === "8bit" || encoding === "binary";
}

/** Rates the encoding (`set_encoding_quality`). */
function rateEncoding({ encoding }: Variant, { accept }: ChoiceContext): number {
  const isPlain = isIdentity(encoding);
  if (accept.encodings === undefined) return isPlain ? 1 : 0.5;
  const name = (isPlain ? "identity" : (encoding ?? "")).replace(/^x-/, "");
  for (let star: AcceptedItem | undefined, i = 0; ; i++) {
    const item = accept.encodings[i];
    if (item === undefined) return star?.quality ?? (isPlain ? Math.fround(0.0001) : 0);
    if (item.name.replace(/^x-/, "") === name) return item.quality;
    if (item.name === "*") star = item;
  }
}

/** Compares as RFC 2296 does (`is_variant_better_rvsa`). */
function isBetterRemotely(rated: RatedVariant, best: RatedVariant | undefined): boolean {
  if (rated.encoding === 0) return false;
  const [quality, bestQuality] = [remoteQualityOf(rated), best ? remoteQualityOf(best) : 0];
  if (quality <= 0 || best === undefined) return quality > 0;
  return quality === bestQuality ? rated.encoding > best.encoding : quality > bestQuality;
}

function remoteQualityOf({ variant, type, charset, language }: RatedVariant): number {
  return Math.fround(Math.fround(Math.fround(type * variant.type.quality) * charset) * language);
}

/** Compares as the server does on its own (`is_variant_better`). */
function isBetterVariant(rated: RatedVariant, best: RatedVariant | undefined, { isShorter }: ChoiceContext): boolean {
  const { variant, language, index, charset, encoding } = rated;
  if ([encoding, language, variant.type.quality, charset, rated.type].includes(0)) return false;
  const quality = serverQualityOf(rated);
  if (quality === 0) return false;
  if (best === undefined) return true;
  const bestQuality = serverQualityOf(best);
  if (quality !== bestQuality) return quality > bestQuality;
  if (language !== best.language) return language > best.language;
  if (index !== best.index) return index !== -1 && (best.index === -1 || index < best.index);
  const level = compareLevels(rated, best);
  if (level !== 0) return level > 0;
  if (charset !== best.charset) return charset > best.charset;
  if (isOtherCharset(variant) && !isOtherCharset(best.variant)) return true;
  if (encoding !== best.encoding) return encoding > best.encoding;
  return isShorter(variant, best.variant);
}

function serverQualityOf({ variant, type }: RatedVariant): number {
  return Math.fround(type * variant.type.quality);
}

function isOtherCharset({ type: { charset } }: Variant): boolean {
  return charset !== "" && charset !== DEFAULT_CHARSET;
}

/** Compares the levels of variants of one type: above 0 if the first is better (`level_cmp`). */
function compareLevels(a: RatedVariant, b: RatedVariant): number {
  const isHtml = ({ variant }: RatedVariant) => variant.type.name === "text/html" || parsedTypes.has(variant.type.name);
  if (isHtml(a) && !isHtml(b)) return 0;
  if (!isHtml(a) && a.variant.type.name !== b.variant.type.name) return 0;
  return a.levelMatched - b.levelMatched || b.variant.type.level - a.variant.type.level;
}
