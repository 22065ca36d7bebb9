import { type Argument, type Directive, findDirectiveFacts } from "../../src/lint/api/configuration.js";

/** A directive with one value, and the value that the CIS benchmark recommends. */
export interface Limit {
  readonly name: string;
  readonly cis: string;
  /** The effect of other values, if it is not that of slow and large requests. */
  readonly effect?: string;
  /** The recommended line, in backticks. */
  readonly advice: string;
  readonly isMetBy: (value: string) => boolean;
}

/** Reports whether the default of 2.4 exceeds a limit. */
export function isDefaultHigh({ name, isMetBy }: Limit): boolean {
  const value = findDirectiveFacts("2.4", name)[0]?.default?.split(/[\t ]+/)[1];
  return value !== undefined && !isMetBy(value);
}

export const slowRequests = "slow or large requests can keep connections and memory in use";

const newConnections = "clients open more connections, each of which costs time and memory";

/** The limit of the request body, which may also be set for directories. */
export const bodyLimit = limitOf("LimitRequestBody", "10.4", "102400", { isMetBy: isBetween(1, 102_400) });

export const limits: readonly Limit[] = [
  limitOf("Timeout", "9.1", "10", { isMetBy: (value) => secondsOf(value) <= 10 }),
  limitOf("KeepAlive", "9.2", "On", { effect: newConnections, isMetBy: (value) => value.toLowerCase() !== "off" }),
  limitOf("MaxKeepAliveRequests", "9.3", "100", {
    effect: newConnections,
    isMetBy: (value) => Number(value) === 0 || Number(value) >= 100,
  }),
  limitOf("KeepAliveTimeout", "9.4", "15", { isMetBy: (value) => secondsOf(value) <= 15 }),
  limitOf("LimitRequestFields", "10.2", "100", { isMetBy: isBetween(1, 100) }),
  limitOf("LimitRequestFieldSize", "10.3", "1024", { isMetBy: isBetween(0, 1024) }),
  bodyLimit,
];

function limitOf(name: string, cis: string, value: string, more: Pick<Limit, "isMetBy" | "effect">): Limit {
  return { name, cis, advice: `\`${name} ${value}\``, ...more };
}

/** For LimitRequestFields and LimitRequestBody, 0 means no limit. */
function isBetween(low: number, high: number): (value: string) => boolean {
  return (value) => Number(value) >= low && Number(value) <= high;
}

/** Returns the seconds of an interval: `15`, `500ms`, `1min` (server/util.c `ap_timeout_parameter_parse`). */
function secondsOf(text: string): number {
  const [, digits = "0", unit = "s"] = /^(\d+)(ms|mi|min|s|h)?$/i.exec(text) ?? [];
  return Number(digits) * (secondsPerUnit.get(unit.toLowerCase()) ?? 1);
}

const secondsPerUnit: ReadonlyMap<string, number> = new Map([
  ["ms", 0.001],
  ["mi", 60],
  ["min", 60],
  ["h", 3_600],
]);

/** A word of RequestReadTimeout that exceeds the recommended limit. */
interface LongTimeout {
  readonly argument: Argument;
  readonly cis: string;
  readonly advice: string;
}

/**
 * Returns the timeouts that are too long: headers have at most 40 seconds, and a body starts with at most 20. A rate
 * without a maximum extends a timeout without an end (modules/filters/mod_reqtimeout.c `set_reqtimeout_param`).
 */
export function findLongTimeouts({ arguments: words }: Directive): readonly LongTimeout[] {
  return words.flatMap((argument) => {
    const match = /^(header|body)=(\d+)(?:-(\d+))?(,minrate=\d+)?$/i.exec(argument.value);
    if (match === null) return [];
    const [, stage = "", first = "", maximum, rate] = match;
    const isUnlimited = Number(first) === 0;
    if (stage.toLowerCase() === "body")
      return isUnlimited || Number(first) > 20
        ? [{ argument, cis: "9.6", advice: "`RequestReadTimeout body=20,MinRate=500`" }]
        : [];
    const isLong = maximum === undefined ? rate !== undefined || Number(first) > 40 : Number(maximum) > 40;
    return isUnlimited || isLong
      ? [{ argument, cis: "9.5", advice: "`RequestReadTimeout header=20-40,MinRate=500`" }]
      : [];
  });
}
