import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import { passesOf } from "../model/pass.js";
import type { RequestOutcome } from "../model/request-outcome.js";

/** Levels of the error log, the most severe first (server/log.c `priorities`). Further ones log more than is known. */
const levels = ["emerg", "alert", "crit", "error", "warn"] as const;

/** A level at which all messages are known. */
export type KnownLevel = (typeof levels)[number];

const logLevel: ReadonlySet<string> = new Set(["loglevel"]);

/** Returns the per-directory configurations that apply to the response, and to each pass. */
export function stepsOf({ pass, layers }: RequestOutcome): readonly (readonly ConfigLayer[])[] {
  const passes = pass ? passesOf(pass) : [];
  return [layers, ...passes.map(({ state, walk }) => state?.layers ?? walk.serverLayers)];
}

/**
 * Returns the LogLevel that applies to all steps of a request (server/core.c `set_loglevel`). Undefined if it differs by
 * module or by step, or if the server logs more than errors and warnings.
 */
export function knownLevelOf(outcome: RequestOutcome): KnownLevel | undefined {
  const steps = stepsOf(outcome);
  const words = new Set(steps.flatMap((layers) => [...levelsOfModules(layers), levelOfAll(layers)]));
  const [only] = words;
  return words.size === 1 ? levels.find((level) => level === only) : undefined;
}

/** Returns the level of the last line without a module. */
function levelOfAll(layers: readonly ConfigLayer[]): string {
  const words = layers.flatMap((layer) => layer.pick(logLevel)).flatMap(argumentValuesOf);
  return readLevel(words.findLast((word) => !word.includes(":")) ?? "warn");
}

/** Returns the levels of modules. A line without a module replaces them only in its own section (`ap_merge_log_config`). */
function levelsOfModules(layers: readonly ConfigLayer[]): readonly string[] {
  return layers.flatMap((layer) => {
    const words = layer.pick(logLevel).flatMap(argumentValuesOf);
    return words.slice(words.findLastIndex((word) => !word.includes(":")) + 1).map(readLevel);
  });
}

/** Returns the level of a word such as `ssl:info`. No message about a request has the level `notice`. */
function readLevel(word: string): string {
  const level = word.replace(/^.*:/s, "").toLowerCase();
  return level === "notice" ? "warn" : level;
}

/** The levels of the messages that are not errors, by number. */
const levelsByNumber: Readonly<Record<string, KnownLevel>> = {
  AH00025: "crit",
  AH00916: "warn",
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
