import type { SharedCause } from "../../src/engine/finding.js";
import { moreLines } from "../../src/engine/shared-cause.js";
import { type Directive, lineOf } from "../../src/project/directive.js";
import type { Refusal } from "../../src/refusals/refusal.js";

/** A module that is not loaded may be needed by many lines. */
export function causeOfMissing({ message, inHtaccess }: Refusal, missing: string): SharedCause {
  const load = "; load the module";
  const forAll = (others: number) =>
    message.replace(load, `${load}, which ${moreLines(others)} need${others === 1 ? "s" : ""}, too`);
  const key = `${missing} ${inHtaccess}`;
  return { key, isAnyRules: true, module: missing, message: forAll, also: "this needs the module, too" };
}

/**
 * The same mistake in many files or virtual hosts, which are often copies of each other: what is wrong in one and what to
 * do is so in all. Within one of them each line is told of by itself.
 */
export class AlikeRefusals {
  private readonly told = new Map<string, number>();

  causeOf({ cure, directive, message }: Refusal): SharedCause {
    const words = `${message} ${cure?.title}`;
    const here = `${placeOf(directive)} ${words}`;
    const before = this.told.get(here) ?? 0;
    this.told.set(here, before + 1);
    return {
      key: `${before} ${words}`,
      message: (others) => withMore(message, `, here and in ${moreLines(others)}`),
      also: "so it is here",
    };
  }
}

/** The virtual host that a line stands in, or else the file. */
function placeOf({ parent, span }: Directive): string {
  for (let section = parent; section; section = section.parent)
    if (section.key === "<virtualhost") return lineOf(section);
  return span.file.realPath;
}

/** What to do comes ahead of the server's own words. */
function withMore(message: string, more: string): string {
  const end = message.lastIndexOf(' (httpd: "');
  return end < 0 ? message + more : message.slice(0, end) + more + message.slice(end);
}
