import { parseArguments } from "../../../grammar/arguments.js";
import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../project/model/directive.js";
import { quoteText } from "../../project/model/problems.js";
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
    wrong: `${quoteText(type.value)} is no media type`,
    remedy: "write one with a slash, such as `text/html`",
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
  const [server, wrong, remedy] = bad;
  return {
    server: `'${whose} ${word.value}': bad expires code, ${server}`,
    wrong,
    remedy,
    span: directive.spanOf(word),
  };
}

/**
 * Parses `access plus 1 month 2 days`: only the first letters of each word count, and `A3600` is accepted as a whole.
 */
function parseExpiresCode(code: string): BadExpiresCode | undefined {
  if (/^[AM]/.test(code)) return undefined;
  const [base = "", ...rest] = parseArguments(code).map((word) => word.value);
  if (!/^[nam]/i.test(base)) {
    const remedy = "start it with `access` or `modification`";
    return [`unrecognised <base> '${base}'`, `${quoteText(code)} does not say from when on`, remedy];
  }
  const counts = /^p/i.test(rest[0] ?? "") ? rest.slice(1) : rest;
  for (let index = 0; index < counts.length && counts[index] !== ""; index += 2) {
    const number = counts[index] ?? "";
    const unit = counts[index + 1] ?? "";
    if (!/^\d/.test(number)) {
      const wrong = `${quoteText(number)} stands where a number is expected`;
      return [`numeric value expected <num> '${number}'`, wrong, "write a number and a unit: `1 month`"];
    }
    if (unit === "") return ["missing <type>", `${quoteText(number)} has no unit behind it`, `add ${expiresUnits}`];
    if (/^(?:[ywdhs]|mo|mi)/i.test(unit)) continue;
    return [`unrecognised <type>'${unit}'`, `${quoteText(unit)} is no unit of time`, `write ${expiresUnits}`];
  }
  return undefined;
}

const timeoutForm = "write it like `header=20-40,MinRate=500`";

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
      wrong: `${quoteText(word)} has no \`=\``,
      remedy: timeoutForm,
    };
  }
  const stage = word.slice(0, equals);
  const said = /^(?:handshake|header|body)$/i.test(stage)
    ? checkTimeout(word.slice(equals + 1))
    : { says: "Unknown RequestReadTimeout parameter", wrong: `${quoteText(stage)} is no stage that has a time` };
  if (said === undefined) return undefined;
  const remedy = said.remedy ?? "write `handshake=`, `header=` or `body=`";
  return { server: `RequestReadTimeout: ${word}: ${said.says}`, wrong: said.wrong, remedy };
}

interface TimeoutProblem {
  readonly says: string;
  readonly wrong: string;
  readonly remedy?: string;
}

function checkTimeout(value: string): TimeoutProblem | undefined {
  const rateAt = value.toLowerCase().indexOf(",minrate=");
  if (rateAt < 0) {
    if (!value.includes("-")) return checkNumber(value);
    return {
      says: "Must set MinRate option if using timeout range",
      wrong: `${quoteText(value)} is a range, which grows with the data and here with no rate`,
      remedy: "add the rate behind a comma without a space: `20-40,MinRate=500`",
    };
  }
  const rate = value.slice(rateAt + ",minrate=".length);
  const [initial = "", ...rest] = value.slice(0, rateAt).split("-");
  const most = rest.length > 0 ? rest.join("-") : undefined;
  return (
    checkNumber(rate) ??
    checkZero(rate) ??
    (most === undefined ? undefined : checkNumber(most)) ??
    checkNumber(initial) ??
    checkRange(initial, most)
  );
}

function checkZero(rate: string): TimeoutProblem | undefined {
  if (Number(rate) !== 0) return undefined;
  return { says: "Minimum data rate must be larger than 0", wrong: "a rate of 0 is none", remedy: timeoutForm };
}

function checkRange(initial: string, most: string | undefined): TimeoutProblem | undefined {
  if (most === undefined || Number(most) === 0 || Number(initial) < Number(most)) return undefined;
  return {
    says: "Maximum timeout must be larger than initial timeout",
    wrong: `${quoteText(`${initial}-${most}`)} does not grow`,
    remedy: "write the smaller number first",
  };
}

/** Checks a number as C's `strtol` parses it, without trailing text. */
function checkNumber(text: string): TimeoutProblem | undefined {
  const [, digits, rest = ""] = /^[\t-\r ]*([+-]?\d+)([\s\S]*)$/.exec(text) ?? [];
  const remedy = "write a number of seconds, or of bytes a second, with nothing behind it";
  if (digits === undefined) {
    return { says: `Value '${text}' not numerical`, wrong: `${quoteText(text)} is no number`, remedy };
  }
  if (rest !== "")
    return { says: `Cannot parse '${rest}'`, wrong: `${quoteText(rest)} stands behind the number`, remedy };
  if (!digits.startsWith("-") || Number(digits) === 0) return undefined;
  return { says: "Value must be non-negative", wrong: `${quoteText(text)} is below 0`, remedy };
}
