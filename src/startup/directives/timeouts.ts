import { parseArguments } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";

/** Checks ExpiresDefault as the server does (modules/metadata/mod_expires.c `check_code`). */
export function checkExpiresDefault(directive: Directive): Refusal | undefined {
  const [code] = directive.arguments;
  return code && checkExpiresCode(directive, code, "ExpiresDefault");
}

/** Checks ExpiresByType as the server does. */
export function checkExpiresByType(directive: Directive): Refusal | undefined {
  const [type, code] = directive.arguments;
  if (type === undefined || code === undefined) return undefined;
  if (type.value.includes("/")) return checkExpiresCode(directive, code, `ExpiresByType ${type.value}`);
  return { ...wordingOf("invalid-media-type", type.value), span: directive.spanOf(type) };
}

function checkExpiresCode(
  directive: Directive,
  word: Parameters<Directive["spanOf"]>[0] & { value: string },
  whose: string,
): Refusal | undefined {
  const bad = parseExpiresCode(word.value);
  if (bad === undefined) return undefined;
  return { ...bad, server: `'${whose} ${word.value}': bad expires code, ${bad.server}`, span: directive.spanOf(word) };
}

/**
 * Parses `access plus 1 month 2 days`: only the first letters of each word count, and `A3600` is accepted as a whole.
 */
function parseExpiresCode(code: string): RefusalText | undefined {
  if (/^[AM]/.test(code)) return undefined;
  const [base = "", ...rest] = parseArguments(code).map((word) => word.value);
  if (!/^[nam]/i.test(base)) {
    return wordingOf("missing-expiry-base", base, code);
  }
  const counts = /^p/i.test(rest[0] ?? "") ? rest.slice(1) : rest;
  for (let index = 0; index < counts.length && counts[index] !== ""; index += 2) {
    const number = counts[index] ?? "";
    const unit = counts[index + 1] ?? "";
    if (!/^\d/.test(number)) {
      return wordingOf("missing-expiry-number", number);
    }
    if (unit === "") return wordingOf("missing-expiry-unit", number);
    if (/^(?:[ywdhs]|mo|mi)/i.test(unit)) continue;
    return wordingOf("unknown-expiry-unit", unit);
  }
  return undefined;
}

/** Checks RequestReadTimeout as mod_reqtimeout does (`set_reqtimeouts`). */
export function checkRequestTimeout(directive: Directive): Refusal | undefined {
  for (const word of directive.arguments) {
    const fault = checkStage(word);
    if (fault) return { ...fault, span: directive.spanOf(word) };
  }
  return undefined;
}

function checkStage({ value: word }: Argument): RefusalText | undefined {
  const equals = word.indexOf("=");
  if (equals < 0) {
    return wordingOf("missing-equals-sign", word);
  }
  const stage = word.slice(0, equals);
  const failure = /^(?:handshake|header|body)$/i.test(stage)
    ? checkTimeout(word.slice(equals + 1))
    : wordingOf("unknown-request-stage", stage);
  return failure && { ...failure, server: `RequestReadTimeout: ${word}: ${failure.server}` };
}

function checkTimeout(value: string): RefusalText | undefined {
  const rateAt = value.toLowerCase().indexOf(",minrate=");
  if (rateAt < 0) {
    if (!value.includes("-")) return checkNumber(value);
    return wordingOf("missing-minimum-rate", value);
  }
  const rate = value.slice(rateAt + ",minrate=".length);
  const [initial = "", ...rest] = value.slice(0, rateAt).split("-");
  const max = rest.length > 0 ? rest.join("-") : undefined;
  return (
    checkNumber(rate) ??
    checkZero(rate) ??
    (max === undefined ? undefined : checkNumber(max)) ??
    checkNumber(initial) ??
    checkRange(initial, max)
  );
}

function checkZero(rate: string): RefusalText | undefined {
  if (Number(rate) !== 0) return undefined;
  return wordingOf("zero-minimum-rate");
}

function checkRange(initial: string, max: string | undefined): RefusalText | undefined {
  if (max === undefined || Number(max) === 0 || Number(initial) < Number(max)) return undefined;
  return wordingOf("decreasing-timeout", initial, max);
}

/** Checks a number as C's `strtol` parses it, without trailing text. */
function checkNumber(text: string): RefusalText | undefined {
  const [, digits, rest = ""] = /^[\t-\r ]*([+-]?\d+)([\s\S]*)/.exec(text) ?? [];
  if (digits === undefined) {
    return wordingOf("timeout-not-a-number", text);
  }
  if (rest !== "") return wordingOf("text-after-timeout", rest);
  if (!digits.startsWith("-") || Number(digits) === 0) return undefined;
  return wordingOf("negative-timeout", text);
}
