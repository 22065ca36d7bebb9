import { parseArguments } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";

const expiresUnits = "years, months, weeks, days, hours, minutes or seconds";

/** Checks ExpiresDefault as the server does (modules/metadata/mod_expires.c `check_code`). */
export function checkExpiresDefault(directive: Directive): CheckFailure | undefined {
  const [code] = directive.arguments;
  return code && checkExpiresCode(directive, code, "ExpiresDefault");
}

/** Checks ExpiresByType as the server does. */
export function checkExpiresByType(directive: Directive): CheckFailure | undefined {
  const [type, code] = directive.arguments;
  if (type === undefined || code === undefined) return undefined;
  if (type.value.includes("/")) return checkExpiresCode(directive, code, `ExpiresByType ${type.value}`);
  return {
    server: "Invalid mimetype: should contain a slash",
    wrong: `invalid media type ${quoteText(type.value)}`,
    remedy: "use a type with a slash, such as `text/html`",
    span: directive.spanOf(type),
  };
}

type BadExpiresCode = readonly [server: string, wrong: string, remedy: string];

function checkExpiresCode(
  directive: Directive,
  word: Parameters<Directive["spanOf"]>[0] & { value: string },
  whose: string,
): CheckFailure | undefined {
  const bad = parseExpiresCode(word.value);
  if (bad === undefined) return undefined;
  return { ...bad, server: `'${whose} ${word.value}': bad expires code, ${bad.server}`, span: directive.spanOf(word) };
}

/**
 * Parses `access plus 1 month 2 days`: only the first letters of each word count, and `A3600` is accepted as a whole.
 */
function parseExpiresCode(code: string): BadExpiresCode | undefined {
  if (/^[AM]/.test(code)) return undefined;
  const [base = "", ...rest] = parseArguments(code).map((word) => word.value);
  if (!/^[nam]/i.test(base)) {
    const remedy = "start it with `access` or `modification`";
    return { server: `unrecognised <base> '${base}'`, wrong: `missing base time in ${quoteText(code)}`, remedy };
  }
  const counts = /^p/i.test(rest[0] ?? "") ? rest.slice(1) : rest;
  for (let index = 0; index < counts.length && counts[index] !== ""; index += 2) {
    const number = counts[index] ?? "";
    const unit = counts[index + 1] ?? "";
    if (!/^\d/.test(number)) {
      const wrong = `expected a number, found ${quoteText(number)}`;
      return {
        server: `numeric value expected <num> '${number}'`,
        wrong,
        remedy: "use a number and a unit, such as `1 month`",
      };
    }
    if (unit === "")
      return {
        server: "missing <type>",
        wrong: `missing unit after ${quoteText(number)}`,
        remedy: `add ${expiresUnits}`,
      };
    if (/^(?:[ywdhs]|mo|mi)/i.test(unit)) continue;
    return {
      server: `unrecognised <type>'${unit}'`,
      wrong: `unknown unit of time ${quoteText(unit)}`,
      remedy: `use ${expiresUnits}`,
    };
  }
  return undefined;
}

const timeoutForm = "use the form `header=20-40,MinRate=500`";

/** Checks RequestReadTimeout as mod_reqtimeout does (`set_reqtimeouts`). */
export function checkRequestTimeout(directive: Directive): CheckFailure | undefined {
  for (const word of directive.arguments) {
    const fault = checkStage(word);
    if (fault) return { ...fault, span: directive.spanOf(word) };
  }
  return undefined;
}

function checkStage({ value: word }: Argument): Omit<CheckFailure, "span"> | undefined {
  const equals = word.indexOf("=");
  if (equals < 0) {
    return {
      server: "Invalid RequestReadTimeout parameter. Parameter must be in the form 'key=value'",
      wrong: `missing \`=\` in ${quoteText(word)}`,
      remedy: timeoutForm,
    };
  }
  const stage = word.slice(0, equals);
  const failure = /^(?:handshake|header|body)$/i.test(stage)
    ? checkTimeout(word.slice(equals + 1))
    : { server: "Unknown RequestReadTimeout parameter", wrong: `unknown request stage ${quoteText(stage)}`, remedy: "use `handshake=`, `header=` or `body=`" };
  return failure && { ...failure, server: `RequestReadTimeout: ${word}: ${failure.server}` };
}

function checkTimeout(value: string): RefusalText | undefined {
  const rateAt = value.toLowerCase().indexOf(",minrate=");
  if (rateAt < 0) {
    if (!value.includes("-")) return checkNumber(value);
    return {
      server: "Must set MinRate option if using timeout range",
      wrong: `the range ${quoteText(value)} needs a \`MinRate\``,
      remedy: "add the rate after a comma without a space: `20-40,MinRate=500`",
    };
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
  return { server: "Minimum data rate must be larger than 0", wrong: "invalid `MinRate` 0", remedy: timeoutForm };
}

function checkRange(initial: string, max: string | undefined): RefusalText | undefined {
  if (max === undefined || Number(max) === 0 || Number(initial) < Number(max)) return undefined;
  return {
    server: "Maximum timeout must be larger than initial timeout",
    wrong: `the range ${quoteText(`${initial}-${max}`)} does not increase`,
    remedy: "put the smaller number first",
  };
}

/** Checks a number as C's `strtol` parses it, without trailing text. */
function checkNumber(text: string): RefusalText | undefined {
  const [, digits, rest = ""] = /^[\t-\r ]*([+-]?\d+)([\s\S]*)$/.exec(text) ?? [];
  const remedy = "use a number of seconds, or of bytes per second, without a unit";
  if (digits === undefined) {
    return { server: `Value '${text}' not numerical`, wrong: `${quoteText(text)} is not a number`, remedy };
  }
  if (rest !== "")
    return { server: `Cannot parse '${rest}'`, wrong: `unexpected ${quoteText(rest)} after the number`, remedy };
  if (!digits.startsWith("-") || Number(digits) === 0) return undefined;
  return { server: "Value must be non-negative", wrong: `${quoteText(text)} is negative`, remedy };
}
