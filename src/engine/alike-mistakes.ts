import { type Directive, lineOf } from "../project/directive.js";
import type { SharedCause } from "./finding.js";
import { moreLines } from "./shared-cause.js";

/**
 * The same mistake in many files or virtual hosts, which are often copies of each other: what is wrong in one and what to
 * do is so in all. Within one of them each line is told of by itself.
 */
export class AlikeMistakes {
  private readonly told = new Map<string, number>();

  /** @param fix the title of the one that the finding has, if any: those of one title are one */
  causeOf(directive: Directive, message: string, fix: string | undefined): SharedCause {
    const words = `${message} ${fix}`;
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
