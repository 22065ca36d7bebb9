import { parseArguments } from "../../grammar/arguments.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Fault } from "./refusal.js";

const units = "years, months, weeks, days, hours, minutes or seconds";

/** What the server refuses about ExpiresDefault (modules/metadata/mod_expires.c `check_code`). */
export function expiresDefaultFault(directive: Directive): Fault | undefined {
  const [code] = directive.arguments;
  return code && codeFault(directive, code, "ExpiresDefault");
}

/** What the server refuses about ExpiresByType. */
export function expiresByTypeFault(directive: Directive): Fault | undefined {
  const [type, code] = directive.arguments;
  if (type === undefined || code === undefined) return undefined;
  if (type.value.includes("/")) return codeFault(directive, code, `ExpiresByType ${type.value}`);
  return {
    server: "Invalid mimetype: should contain a slash",
    wrong: `${quoted(type.value)} is no media type`,
    remedy: "write one with a slash, such as `text/html`",
    span: directive.spanOf(type),
  };
}

type Bad = readonly [server: string, wrong: string, remedy: string];

function codeFault(
  directive: Directive,
  word: Parameters<Directive["spanOf"]>[0] & { value: string },
  whose: string,
): Fault | undefined {
  const bad = badCode(word.value);
  if (bad === undefined) return undefined;
  const [server, wrong, remedy] = bad;
  return {
    server: `'${whose} ${word.value}': bad expires code, ${server}`,
    wrong,
    remedy,
    span: directive.spanOf(word),
  };
}

/** `access plus 1 month 2 days`: only the first letters of each word count, and `A3600` is taken whole. */
function badCode(code: string): Bad | undefined {
  if (/^[AM]/.test(code)) return undefined;
  const [base = "", ...rest] = parseArguments(code).map((word) => word.value);
  if (!/^[nam]/i.test(base)) {
    const remedy = "start it with `access` or `modification`";
    return [`unrecognised <base> '${base}'`, `${quoted(code)} does not say from when on`, remedy];
  }
  const counts = /^p/i.test(rest[0] ?? "") ? rest.slice(1) : rest;
  for (let index = 0; index < counts.length && counts[index] !== ""; index += 2) {
    const number = counts[index] ?? "";
    const unit = counts[index + 1] ?? "";
    if (!/^\d/.test(number)) {
      const wrong = `${quoted(number)} stands where a number is expected`;
      return [`numeric value expected <num> '${number}'`, wrong, "write a number and a unit: `1 month`"];
    }
    if (unit === "") return ["missing <type>", `${quoted(number)} has no unit behind it`, `add ${units}`];
    if (/^(?:[ywdhs]|mo|mi)/i.test(unit)) continue;
    return [`unrecognised <type>'${unit}'`, `${quoted(unit)} is no unit of time`, `write ${units}`];
  }
  return undefined;
}
