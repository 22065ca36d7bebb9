import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { isSince, type Release } from "../../facts/release.js";
import { findClosestWord } from "../../text/closest-word.js";
import type { DirectiveCheck } from "../refusal.js";
import { parseLeadingNumber, takeUntilEmpty } from "./values.js";

export const optionNames =
  "Indexes Includes IncludesNOEXEC FollowSymLinks SymLinksIfOwnerMatch ExecCGI MultiViews RunScripts None All".split(
    " ",
  );

/** Reports whether a word is among names, in any case. */
export function includesName(names: readonly string[], word: string): boolean {
  return names.some((name) => name.toLowerCase() === word.toLowerCase());
}

/** Returns the fault for a word that a directive does not know. */
export function buildUnknownWordFailure(
  directive: Directive,
  word: Argument,
  server: string,
  what: string,
  names: readonly string[],
): Refusal {
  const unsigned = (text: string) => text.replace(/^[+-]/, "");
  const near =
    withPlainDash(word.value, names) ??
    findLongerForm(unsigned(word.value), names) ??
    findClosestWord(unsigned(word.value), names) ??
    findCompletion(unsigned(word.value), names);
  const parts = word.value.split(",");
  const isList = parts.length > 1 && parts.every((part) => part === "" || includesName(names, unsigned(part)));
  return { ...wordingOf("unknown-word", server, word.value, what, isList, near), span: directive.spanOf(word) };
}

/** Returns a name with a minus sign, for one with a longer dash of Unicode, which some editors write. */
function withPlainDash(word: string, names: readonly string[]): string | undefined {
  const [, written] = /^\xe2(?:\x80[\x90-\x95]|\x88\x92)(.*)$/s.exec(word) ?? [];
  const name = written === undefined ? undefined : names.find((each) => each.toLowerCase() === written.toLowerCase());
  return name === undefined ? undefined : `-${name}`;
}

/** Returns the name that a word with the whole words of its parts means: `FollowSymLinks` for `FollowSymbolicLinks`. */
function findLongerForm(word: string, names: readonly string[]): string | undefined {
  const short = word
    .toLowerCase()
    .replace("symbolic", "sym")
    .replace(/^follow(?:the)?link/, "followsymlink");
  return short === word.toLowerCase() ? undefined : names.find((each) => each.toLowerCase() === short);
}

/** Returns the only name that begins with a text of some letters: `AuthConfig` for `Auth`. */
function findCompletion(text: string, names: readonly string[]): string | undefined {
  const [name, ...others] = names.filter((each) => each.toLowerCase().startsWith(text.toLowerCase()));
  return text.length >= 3 && others.length === 0 ? name : undefined;
}

/** Checks Options as the server does (server/core.c `set_options`); 2.2 checks only that the options exist. */
export function checkOptionsDirective(directive: Directive, release: Release): Refusal | undefined {
  let signed = false;
  let whole = false;
  const words = directive.arguments;
  for (const [index, word] of words.entries()) {
    const span = directive.spanOf(word);
    const hasSign = /^[+-]/.test(word.value);
    const name = word.value.slice(hasSign ? 1 : 0);
    if (isSince(release, "2.4") && (hasSign ? !signed && index > 0 && !whole : signed))
      return word.value.startsWith("#")
        ? { ...checkMixedSigns(directive, words), span }
        : checkMixedSigns(directive, words);
    signed ||= hasSign;
    if (!includesName(optionNames, name))
      return buildUnknownWordFailure(directive, word, `Illegal option ${name}`, "option", optionNames);
    if (isSince(release, "2.4") && /^(none|all)$/i.test(name)) {
      const title = name.toLowerCase() === "none" ? "None" : "All";
      if (index > 0) {
        return { ...wordingOf("option-must-be-first", name.toLowerCase() === "none", title), span };
      }
      if (hasSign) {
        return { ...wordingOf("signed-none-or-all", name.toLowerCase() === "none"), span };
      }
      whole = true;
    }
  }
  return undefined;
}

function checkMixedSigns(directive: Directive, words: readonly Argument[]): Refusal {
  const signed = words.filter((word) => /^[+-]/.test(word.value));
  const bare = words.filter((word) => !signed.includes(word));
  const [minority] = signed.length < bare.length ? signed : bare;
  const isOnlyOne =
    minority !== undefined && signed.length !== bare.length && Math.min(signed.length, bare.length) === 1;
  const names = words.map(({ value }) => value);
  const own = names.filter((name) => !name.startsWith("-")).map((name) => name.replace(/^\+/, ""));
  const isWhole = own.some((name) => /^(?:all|none)$/i.test(name));
  const withSigns = isWhole ? undefined : names.map((name) => (/^[+-]/.test(name) ? name : `+${name}`)).join(" ");
  const wording = wordingOf("mixed-option-signs", withSigns, own.length === 0 ? "None" : own.join(" "));
  return { ...wording, span: isOnlyOne ? directive.spanOf(minority) : directive.span };
}

export const overrideNames = "All None AuthConfig FileInfo Indexes Limit Options Nonfatal".split(" ");

const overrideNamesOf22 = overrideNames.filter((name) => name !== "Nonfatal");

/**
 * Checks AllowOverride as the server does (server/core.c `set_override`, `set_allow_opts`). 2.2 ignores unknown names in the list
 * of options.
 */
export const checkAllowOverride: DirectiveCheck = (directive, { project: { release } }) => {
  const isNew = isSince(release, "2.4");
  const known = isNew ? overrideNames : overrideNamesOf22;
  for (const word of directive.arguments) {
    const [name = "", ...rest] = word.value.split("=");
    const options = rest.join("=");
    const span = directive.spanOf(word);
    if (!includesName(known, name))
      return buildUnknownWordFailure(directive, word, `Illegal override option ${name}`, "override class", known);
    if (name.toLowerCase() === "nonfatal" && rest.length === 0) {
      return { ...wordingOf("missing-nonfatal-value", name), span };
    }
    if (name.toLowerCase() !== "options" || !isNew) continue;
    const option = options.split(",").find((each) => each !== "" && !includesName(optionNames, each));
    if (option === undefined) continue;
    const near = findClosestWord(option, optionNames);
    return { ...wordingOf("unknown-override-option", option, near), span };
  }
  return undefined;
};

/** Checks AllowOverrideList as the server does; unknown names only cause a warning. */
export function checkAllowOverrideList(directive: Directive): Refusal | undefined {
  const words = takeUntilEmpty(directive.arguments);
  const none = words.find((word) => word.value.toLowerCase() === "none");
  if (none === undefined || words.length === 1) return undefined;
  return { ...wordingOf("override-list-with-none"), span: directive.spanOf(none) };
}

export const etagNames = "None All Size MTime INode Digest LMTime LastModified".split(" ");

/** Checks FileETag as the server does (server/core.c `set_etag_bits`). */
export function checkFileEtag(directive: Directive): Refusal | undefined {
  for (const word of directive.arguments) {
    const name = word.value.replace(/^[+-]/, "");
    const server = `Unknown keyword '${name}' for FileETag directive`;
    if (!includesName(etagNames, name))
      return buildUnknownWordFailure(directive, word, server, "ETag component", etagNames.slice(0, 6));
    if (name === word.value || !/^(none|all)$/i.test(name)) continue;
    return { ...wordingOf("signed-etag-keyword", name), span: directive.spanOf(word) };
  }
  return undefined;
}

const indexFlags =
  "FancyIndexing FoldersFirst HTMLTable IconsAreLinks IgnoreCase IgnoreClient ScanHTMLTitles SuppressColumnSorting SuppressDescription SuppressHTMLPreamble SuppressIcon SuppressLastModified SuppressSize SuppressRules TrackModified VersionSort XHTML ShowForbidden AddAltClass".split(
    " ",
  );
export const indexNames = [
  ...indexFlags,
  ..."None IconWidth IconHeight NameWidth DescriptionWidth UseOldDateFormat".split(" "),
];
const indexValues = "IconWidth= IconHeight= NameWidth= DescriptionWidth= Type= Charset=".split(" ");

/** The minimum width of a listing column, if one is set. */
const minimumWidths: Readonly<Record<string, number>> = { namewidth: 5, descriptionwidth: 12 };

/** Checks IndexOptions as mod_autoindex does (`add_opts`). */
export function checkIndexOptions(directive: Directive): Refusal | undefined {
  let isNone = false;
  for (const word of takeUntilEmpty(directive.arguments)) {
    const fault = checkIndexOption(directive, word);
    if (fault) return fault;
    if (word.value.toLowerCase() === "none") isNone = true;
    else if (isNone && includesName(indexFlags, word.value)) {
      return { ...wordingOf("index-option-after-none", word.value), span: directive.spanOf(word) };
    }
  }
  return undefined;
}

function checkIndexOption(directive: Directive, word: Argument): Refusal | undefined {
  const sign = /^[+-]/.exec(word.value)?.[0] ?? "";
  const text = word.value.slice(sign.length);
  const span = directive.spanOf(word);
  const key = text.toLowerCase().replace(/=.*/s, "");
  if (text.includes("=") ? !includesName(indexValues, `${key}=`) : !includesName(indexNames, text))
    return buildUnknownWordFailure(
      directive,
      word,
      "Invalid directory indexing option",
      "directory listing option",
      indexNames,
    );
  if (key === "none" && sign !== "") return { ...wordingOf("signed-index-none"), span };
  const name = indexNames.find((each) => each.toLowerCase() === key) ?? key;
  const min = minimumWidths[key];
  if (!text.includes("=")) {
    if (min === undefined || sign === "-") return undefined;
    return { ...wordingOf("missing-column-width", name), span };
  }
  if (sign === "-" && /^(icon|name|description)/.test(key)) return { ...wordingOf("signed-column-width", name), span };
  const width = parseLeadingNumber(text.slice(key.length + 1)) ?? 0;
  if (min === undefined || text.startsWith("*", key.length + 1) || width === 0 || width >= min) return undefined;
  return { ...wordingOf("column-too-narrow", name, min, text), span };
}
