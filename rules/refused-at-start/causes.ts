import type { SharedCause } from "../../src/engine/finding.js";
import { moreLines } from "../../src/engine/shared-cause.js";
import type { Refusal } from "../../src/refusals/refusal.js";

/** A module that is not loaded may be needed by many lines. */
export function causeOfMissing({ message, inHtaccess }: Refusal, missing: string): SharedCause {
  const load = "; load the module";
  const forAll = (others: number) =>
    message.replace(load, `${load}, which ${moreLines(others)} need${others === 1 ? "s" : ""}, too`);
  const key = `${missing} ${inHtaccess}`;
  return { key, isAnyRules: true, module: missing, message: forAll, also: "this needs the module, too" };
}
