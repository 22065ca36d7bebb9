import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Fault } from "./refusal.js";

const form = "write it like `header=20-40,MinRate=500`";

/** What mod_reqtimeout refuses about RequestReadTimeout (`set_reqtimeouts`). */
export function requestTimeoutFault(directive: Directive): Fault | undefined {
  for (const word of directive.arguments) {
    const fault = stageFault(word);
    if (fault) return { ...fault, span: directive.spanOf(word) };
  }
  return undefined;
}

function stageFault({ value: word }: Argument): Omit<Fault, "span"> | undefined {
  const equals = word.indexOf("=");
  if (equals < 0) {
    return {
      server: "Invalid RequestReadTimeout parameter. Parameter must be in the form 'key=value'",
      wrong: `${quoted(word)} has no \`=\``,
      remedy: form,
    };
  }
  const stage = word.slice(0, equals);
  const said = /^(?:handshake|header|body)$/i.test(stage)
    ? timeoutFault(word.slice(equals + 1))
    : { says: "Unknown RequestReadTimeout parameter", wrong: `${quoted(stage)} is no stage that has a time` };
  if (said === undefined) return undefined;
  const remedy = said.remedy ?? "write `handshake=`, `header=` or `body=`";
  return { server: `RequestReadTimeout: ${word}: ${said.says}`, wrong: said.wrong, remedy };
}

interface Said {
  readonly says: string;
  readonly wrong: string;
  readonly remedy?: string;
}

function timeoutFault(value: string): Said | undefined {
  const rateAt = value.toLowerCase().indexOf(",minrate=");
  if (rateAt < 0) {
    if (!value.includes("-")) return numberFault(value);
    return {
      says: "Must set MinRate option if using timeout range",
      wrong: `${quoted(value)} is a range, which grows with the data and here with no rate`,
      remedy: "add the rate behind a comma without a space: `20-40,MinRate=500`",
    };
  }
  const rate = value.slice(rateAt + ",minrate=".length);
  const [initial = "", ...rest] = value.slice(0, rateAt).split("-");
  const most = rest.length > 0 ? rest.join("-") : undefined;
  return (
    numberFault(rate) ??
    zeroFault(rate) ??
    (most === undefined ? undefined : numberFault(most)) ??
    numberFault(initial) ??
    rangeFault(initial, most)
  );
}

function zeroFault(rate: string): Said | undefined {
  if (Number(rate) !== 0) return undefined;
  return { says: "Minimum data rate must be larger than 0", wrong: "a rate of 0 is none", remedy: form };
}

function rangeFault(initial: string, most: string | undefined): Said | undefined {
  if (most === undefined || Number(most) === 0 || Number(initial) < Number(most)) return undefined;
  return {
    says: "Maximum timeout must be larger than initial timeout",
    wrong: `${quoted(`${initial}-${most}`)} does not grow`,
    remedy: "write the smaller number first",
  };
}

/** A number as C's `strtol` reads it, with nothing behind. */
function numberFault(text: string): Said | undefined {
  const [, digits, rest = ""] = /^[\t-\r ]*([+-]?\d+)([\s\S]*)$/.exec(text) ?? [];
  const remedy = "write a number of seconds, or of bytes a second, with nothing behind it";
  if (digits === undefined) {
    return { says: `Value '${text}' not numerical`, wrong: `${quoted(text)} is no number`, remedy };
  }
  if (rest !== "") return { says: `Cannot parse '${rest}'`, wrong: `${quoted(rest)} stands behind the number`, remedy };
  if (!digits.startsWith("-") || Number(digits) === 0) return undefined;
  return { says: "Value must be non-negative", wrong: `${quoted(text)} is below 0`, remedy };
}
