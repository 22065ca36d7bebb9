import { stripServerName } from "../httpd/vhost/server-names.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import { getOrCreate } from "../text/collections.js";
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
  readonly name: string;
}

/** Adds to each finding in virtual hosts their names. */
export function addHosts(findings: readonly Finding[], project: Project): readonly Finding[] {
  if (findings.length === 0) return findings;
  const files = collectHosts(project);
  if (files.size === 0) return findings;
  return findings.map((finding) => {
    const hosts = hostsAt(finding.span, files);
    return hosts.length === 0 ? finding : { ...finding, hosts };
  });
}

function collectHosts({ directives }: Project): ReadonlyMap<string, HostsOfFile> {
  const files = new Map<string, HostsOfFile>();
  const entryOf = ({ file }: Span) =>
    getOrCreate(files, file.realPath, (): HostsOfFile => ({ sections: [], including: new Set() }));
  for (const section of directives) {
    if (section.key !== "<virtualhost") continue;
    const { span, children = [] } = section;
    const name = nameOfHost(section);
    let { end } = span;
    for (const child of children) {
      if (child.span.file.realPath === span.file.realPath) end = Math.max(end, endOf(child));
      else entryOf(child.span).including.add(name);
    }
    entryOf(span).sections.push({ start: span.start, end, name });
  }
  for (const { sections } of files.values()) sections.sort((a, b) => a.start - b.start);
  return files;
}

/** Returns the ServerName of a virtual host, or else its addresses. */
function nameOfHost(section: Directive): string {
  const [name] = section.children?.findLast(({ key }) => key === "servername")?.arguments ?? [];
  const addresses = section.arguments.map(({ value }) => value);
  return toReadable(name === undefined ? addresses.join(" ") : stripServerName(name.value));
}

/** Returns the end of a directive with its content, as far as that is in the same file. */
function endOf({ span, children = [] }: Directive): number {
  const inside = children.filter((child) => child.span.file.realPath === span.file.realPath);
  return inside.reduce((end, child) => Math.max(end, endOf(child)), span.end);
}

function hostsAt({ file, start }: Span, files: ReadonlyMap<string, HostsOfFile>): readonly string[] {
  const known = files.get(file.realPath);
  if (known === undefined) return [];
  const around = findRange(known.sections, start);
  return around === undefined ? [...known.including] : [around.name];
}

/** Returns the range that contains an offset. @param ranges in order, without overlap */
function findRange(ranges: readonly HostRange[], offset: number): HostRange | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && offset < range.end ? range : undefined;
}
