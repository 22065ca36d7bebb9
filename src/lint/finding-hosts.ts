import type { Directive } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import { stripServerName } from "../server/request/server-names.js";
import { findFirstSorted, getOrCreate } from "../text/collections.js";
import { type Span, toReadable } from "../text/source.js";
import type { Finding } from "./finding.js";

/** The virtual hosts of a file. */
interface HostsOfFile {
  /** Those that it contains, in order. */
  readonly sections: HostRange[];
  /** The names of those that include it. */
  readonly including: Set<string>;
}

/** The part of a file that a section is. */
interface HostRange {
  readonly start: number;
  readonly end: number;
  /** The name of the section, as the hosts of its findings. */
  readonly hosts: readonly [string];
}

/** Adds to each finding in virtual hosts their names, in place: a large fleet has a hundred thousand findings. */
export function addHosts<Each extends Pick<Finding, "span"> & { hosts?: readonly string[] }>(
  findings: readonly Each[],
  project: Project,
): readonly Each[] {
  if (findings.length === 0) return findings;
  const files = collectHosts(project);
  if (files.size === 0) return findings;
  for (const finding of findings) {
    const hosts = hostsAt(finding.span, files);
    if (hosts.length > 0) finding.hosts = hosts;
  }
  return findings;
}

function collectHosts({ directives }: Project): ReadonlyMap<string, HostsOfFile> {
  const files = new Map<string, HostsOfFile>();
  const entryOf = (directive: Directive) =>
    getOrCreate(files, realPathOf(directive), (): HostsOfFile => ({ sections: [], including: new Set() }));
  for (const section of directives) {
    if (section.key !== "<virtualhost") continue;
    const { span, children = [] } = section;
    const name = nameOfHost(section);
    for (const child of children) if (!areInOneFile(child, section)) entryOf(child).including.add(name);
    entryOf(section).sections.push({ start: span.start, end: endOf(section), hosts: [name] });
  }
  for (const { sections } of files.values()) sections.sort((a, b) => a.start - b.start);
  return files;
}

/** Returns the ServerName of a virtual host, or else its addresses. */
function nameOfHost(section: Directive): string {
  const [name] = section.children?.findLast(({ key }) => key === "servername")?.arguments ?? [];
  return toReadable(
    name === undefined ? section.arguments.map(({ value }) => value).join(" ") : stripServerName(name.value),
  );
}

/** Returns the end of a directive with its content, as far as that is in the same file, where it is in order. */
function endOf(directive: Directive): number {
  const last = directive.children?.findLast((child) => areInOneFile(child, directive));
  return last === undefined ? directive.span.end : endOf(last);
}

function areInOneFile(a: Directive, b: Directive): boolean {
  return a.reading === b.reading || realPathOf(a) === realPathOf(b);
}

function realPathOf({ reading }: Directive): string {
  return reading.tree.source.realPath;
}

function hostsAt({ file, start }: Span, files: ReadonlyMap<string, HostsOfFile>): readonly string[] {
  const known = files.get(file.realPath);
  if (known === undefined) return [];
  const around = findRange(known.sections, start);
  return around === undefined ? [...known.including] : around.hosts;
}

/** Returns the range that contains an offset. @param ranges in order, without overlap */
function findRange(ranges: readonly HostRange[], offset: number): HostRange | undefined {
  const range = ranges[findFirstSorted(ranges, ({ start }) => start > offset) - 1];
  return range !== undefined && offset < range.end ? range : undefined;
}
