import { argumentValuesOf, type ConfigLayer, findSetting } from "../../httpd/model/config-layer.js";

/** Levels of the error log, the most severe first (server/log.c `priorities`); those after `notice` log more than is known. */
const levels = ["emerg", "alert", "crit", "error", "warn", "notice"] as const;

/** A level at which all messages are known. */
export type KnownLevel = (typeof levels)[number];

const logLevel: ReadonlySet<string> = new Set(["loglevel"]);

/**
 * Returns the LogLevel that applies to all steps of a request (server/core.c `set_loglevel`). Undefined if it differs by
 * module or by step, or if the server logs more than errors and warnings.
 *
 * @param steps the per-directory configurations of each step
 */
export function knownLevelOf(steps: readonly (readonly ConfigLayer[])[]): KnownLevel | undefined {
  const isByModule = (layer: ConfigLayer) =>
    layer.pick(logLevel).some((line) => argumentValuesOf(line).some((word) => word.includes(":")));
  if (steps.some((layers) => layers.some(isByModule))) return undefined;
  const words = steps.map((layers) => {
    const line = findSetting(layers, "loglevel");
    return line ? argumentValuesOf(line).at(-1)?.toLowerCase() : "warn";
  });
  const [first] = words;
  return words.every((word) => word === first) ? levels.find((level) => level === first) : undefined;
}

/** The levels of the messages that are not errors, by number. */
const levelsByNumber: Readonly<Record<string, KnownLevel>> = {
  AH00025: "crit",
  AH01144: "warn",
  AH02295: "warn",
  AH02296: "warn",
  AH02558: "warn",
  AH10156: "warn",
  AH10157: "warn",
};

/** Reports whether a message is logged at a level. */
export function isLoggedAt(level: KnownLevel, message: string): boolean {
  return levels.indexOf(levelOf(message)) <= levels.indexOf(level);
}

function levelOf(message: string): KnownLevel {
  // The error in a `.htaccess` file follows its path (server/config.c `ap_parse_htaccess`).
  if (message.startsWith("/")) return "alert";
  return levelsByNumber[message.slice(0, "AH00000".length)] ?? "error";
}
