import type { AcceptedItem } from "./accept-headers.js";
import type { ChoiceContext } from "./variant-choice.js";

/** How the languages of a variant suit the client. */
export interface LanguageMatch {
  readonly language: number;
  /** Position in LanguagePriority; -1 if it does not count. */
  readonly index: number;
  readonly isDefinite: boolean;
}

/** Quality of variants that are acceptable only if no other is. */
const LAST_RESORT = Math.fround(0.0001);

/**
 * Rates the languages of a variant (mod_negotiation.c `set_language_quality`).
 *
 * @param isNegotiated whether any variant has a language
 */
export function matchLanguage(
  languages: readonly string[],
  isNegotiated: boolean,
  { accept, negotiate, languagePriority, prefers, fallsBack }: ChoiceContext,
): LanguageMatch {
  if (languages.length === 0)
    return { language: isNegotiated && !negotiate.isStrict ? LAST_RESORT : 1, index: -1, isDefinite: true };
  const { quality, isDefinite } = accept.languages
    ? rateLanguages(languages, accept.languages, negotiate.isStrict)
    : { quality: 1, isDefinite: false };
  const positions = languages.map((language) =>
    languagePriority.findIndex((each) => language.toLowerCase().startsWith(each.toLowerCase())),
  );
  const known = positions.filter((position) => position >= 0);
  const index = known.length > 0 ? Math.min(...known) : -1;
  if (quality !== 0) return { language: quality, index: prefers ? index : -1, isDefinite };
  return fallsBack && index >= 0
    ? { language: LAST_RESORT, index, isDefinite: false }
    : { language: 0, index: -1, isDefinite };
}

function rateLanguages(languages: readonly string[], accepted: readonly AcceptedItem[], isStrict: boolean) {
  const star = accepted.find(({ name }) => name === "*");
  let best: AcceptedItem | undefined;
  let usesWildcard = false;
  let prefixQuality = 0;
  for (const language of languages) {
    let longest: AcceptedItem | undefined;
    for (const item of accepted) {
      const { name } = item;
      if (name === "*") continue;
      const isMatch = language === name || (language.startsWith(name) && language[name.length] === "-");
      if (isMatch && name.length > (longest?.name.length ?? 0)) longest = item;
      // Browsers may ask for en-US only; a variant in any English is better than none.
      const dash = name.indexOf("-");
      if (longest === undefined && !isStrict && dash >= 0 && language.startsWith(name.slice(0, dash)))
        prefixQuality = Math.fround(0.001);
    }
    if (best === undefined || (longest && longest.quality > best.quality)) best = longest;
    if (longest === undefined && star) usesWildcard = true;
  }
  if (usesWildcard && star && (best === undefined || star.quality > best.quality))
    return { quality: star.quality, isDefinite: false };
  return { quality: best?.quality ?? prefixQuality, isDefinite: true };
}
