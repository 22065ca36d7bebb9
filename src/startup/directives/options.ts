import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Release } from "../../facts/directives.js";
import { findClosestWord } from "../../text/closest-word.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
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
): CheckFailure {
  const unsigned = (text: string) => text.replace(/^[+-]/, "");
  const near = findClosestWord(unsigned(word.value), names);
  const parts = word.value.split(",");
  const isList = parts.length > 1 && parts.every((part) => part === "" || includesName(names, unsigned(part)));
  const guess = near ? `did you mean \`${near}\`?` : "correct it, or delete it";
  return {
    server,
    wrong: word.value === "" ? `empty ${what}` : `unknown ${what} ${quoteText(word.value)}`,
    remedy: isList ? "use spaces instead of commas" : guess,
    span: directive.spanOf(word),
  };
}

/** Checks Options as the server does (server/core.c `set_options`); 2.2 checks only that the options exist. */
export function checkOptionsDirective(directive: Directive, release: Release): CheckFailure | undefined {
  let signed = false;
  let whole = false;
  const words = directive.arguments;
  for (const [index, word] of words.entries()) {
    const span = directive.spanOf(word);
    const hasSign = /^[+-]/.test(word.value);
    const name = word.value.slice(hasSign ? 1 : 0);
    if (release === "2.4" && (hasSign ? !signed && index > 0 && !whole : signed))
      return word.value.startsWith("#")
        ? { ...checkMixedSigns(directive, words), span }
        : checkMixedSigns(directive, words);
    signed ||= hasSign;
    if (!includesName(optionNames, name))
      return buildUnknownWordFailure(directive, word, `Illegal option ${name}`, "option", optionNames);
    if (release === "2.4" && /^(none|all)$/i.test(name)) {
      const title = name.toLowerCase() === "none" ? "None" : "All";
      if (index > 0) {
        const server = `'Options ${title}' must be the first ${title === "None" ? "Option" : "option"} given.`;
        return { server, wrong: `\`${title}\` cannot follow other options`, remedy: "make it the only option", span };
      }
      if (hasSign) {
        const server = `You may not use 'Options +${title}' or 'Options -${title}'.`;
        return { server, wrong: `\`${title}\` does not accept a sign`, remedy: "delete the sign", span };
      }
      whole = true;
    }
  }
  return undefined;
}

function checkMixedSigns(directive: Directive, words: readonly Argument[]): CheckFailure {
  const signed = words.filter((word) => /^[+-]/.test(word.value));
  const bare = words.filter((word) => !signed.includes(word));
  const [minority] = signed.length < bare.length ? signed : bare;
  const isOnlyOne =
    minority !== undefined && signed.length !== bare.length && Math.min(signed.length, bare.length) === 1;
  return {
    server: "Either all Options must start with + or -, or no Option may.",
    wrong: `\`Options\` mixes options with and without \`+\` or \`-\``,
    remedy: "add a sign to every option to change the inherited ones, or delete the signs to replace them",
    span: isOnlyOne ? directive.spanOf(minority) : directive.span,
  };
}

export const overrideNames = "All None AuthConfig FileInfo Indexes Limit Options Nonfatal".split(" ");

/** Checks AllowOverride as the server does (server/core.c `set_override`, `set_allow_opts`). */
export function checkAllowOverride(directive: Directive): CheckFailure | undefined {
  for (const word of directive.arguments) {
    const [name = "", ...rest] = word.value.split("=");
    const options = rest.join("=");
    const span = directive.spanOf(word);
    if (!includesName(overrideNames, name))
      return buildUnknownWordFailure(
        directive,
        word,
        `Illegal override option ${name}`,
        "override class",
        overrideNames,
      );
    if (name.toLowerCase() === "nonfatal" && rest.length === 0) {
      const server = `=Override, =Unknown or =All expected after ${name}`;
      return { server, wrong: "`Nonfatal` needs a value", remedy: "use `Nonfatal=All`", span };
    }
    if (name.toLowerCase() !== "options") continue;
    const option = options.split(",").find((each) => each !== "" && !includesName(optionNames, each));
    if (option === undefined) continue;
    const near = findClosestWord(option, optionNames);
    return {
      server: `Illegal option ${option}`,
      wrong: `unknown option ${quoteText(option)}`,
      remedy: near ? `did you mean \`${near}\`?` : "correct it, or delete it",
      span,
    };
  }
  return undefined;
}

/** Checks AllowOverrideList as the server does; unknown names only cause a warning. */
export function checkAllowOverrideList(directive: Directive): CheckFailure | undefined {
  const words = takeUntilEmpty(directive.arguments);
  const none = words.find((word) => word.value.toLowerCase() === "none");
  if (none === undefined || words.length === 1) return undefined;
  return {
    server: "'None' not allowed with other directives in AllowOverrideList",
    wrong: "`None` cannot be combined with directives",
    remedy: "delete it, or make it the only argument",
    span: directive.spanOf(none),
  };
}

export const etagNames = "None All Size MTime INode Digest LMTime LastModified".split(" ");

/** Checks FileETag as the server does (server/core.c `set_etag_bits`). */
export function checkFileEtag(directive: Directive): CheckFailure | undefined {
  for (const word of directive.arguments) {
    const name = word.value.replace(/^[+-]/, "");
    const server = `Unknown keyword '${name}' for FileETag directive`;
    if (!includesName(etagNames, name))
      return buildUnknownWordFailure(directive, word, server, "ETag component", etagNames.slice(0, 6));
    if (name === word.value || !/^(none|all)$/i.test(name)) continue;
    return {
      server: `FileETag keyword '${name}' cannot be used with '+' or '-'`,
      wrong: `\`${name}\` does not accept a sign`,
      remedy: "delete the sign",
      span: directive.spanOf(word),
    };
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
export function checkIndexOptions(directive: Directive): CheckFailure | undefined {
  let isNone = false;
  for (const word of takeUntilEmpty(directive.arguments)) {
    const fault = checkIndexOption(directive, word);
    if (fault) return fault;
    if (word.value.toLowerCase() === "none") isNone = true;
    else if (isNone && includesName(indexFlags, word.value)) {
      return {
        server: "Cannot combine other IndexOptions keywords with 'None'",
        wrong: `${quoteText(word.value)} cannot follow \`None\``,
        remedy: "delete one of them",
        span: directive.spanOf(word),
      };
    }
  }
  return undefined;
}

function checkIndexOption(directive: Directive, word: Argument): CheckFailure | undefined {
  const sign = /^[+-]/.exec(word.value)?.[0] ?? "";
  const text = word.value.slice(sign.length);
  const span = directive.spanOf(word);
  const key = text.toLowerCase().replace(/=.*$/s, "");
  if (text.includes("=") ? !includesName(indexValues, `${key}=`) : !includesName(indexNames, text))
    return buildUnknownWordFailure(
      directive,
      word,
      "Invalid directory indexing option",
      "directory listing option",
      indexNames,
    );
  if (key === "none" && sign !== "")
    return {
      server: "Cannot combine '+' or '-' with 'None' keyword",
      wrong: "`None` does not accept a sign",
      remedy: "delete the sign",
      span,
    };
  const name = indexNames.find((each) => each.toLowerCase() === key) ?? key;
  const min = minimumWidths[key];
  if (!text.includes("=")) {
    if (min === undefined || sign === "-") return undefined;
    const server = `${name} with no value may only appear as '-${name}'`;
    return { server: server, wrong: `\`${name}\` needs a width`, remedy: `use \`${name}=*\``, span };
  }
  if (sign === "-" && /^(icon|name|description)/.test(key))
    return {
      server: `Cannot combine '-' with ${name}=n`,
      wrong: `\`-${name}\` does not accept a number`,
      remedy: "delete the number",
      span,
    };
  const width = parseLeadingNumber(text.slice(key.length + 1)) ?? 0;
  if (min === undefined || text.startsWith("*", key.length + 1) || width === 0 || width >= min) return undefined;
  const server = `${name} value must be greater than ${min}`;
  return {
    server: server,
    wrong: `invalid width ${quoteText(text)}: expected at least ${min}`,
    remedy: `use a number from ${min}, or \`*\``,
    span,
  };
}
