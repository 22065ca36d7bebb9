import type { ConfigTree, Line, SectionNode, TreeNode } from "../../grammar/ast.js";
import { getOrCreate } from "../text/collections.js";
import type { SourceFile, Span } from "../text/source.js";
import { checkNameOf, type Finding } from "./finding.js";

/** The keywords of suppression comments, by what they cover. */
export const ignoreMarks = {
  line: "httpd-lint-ignore-next-line",
  section: "httpd-lint-ignore-next-section",
  file: "httpd-lint-ignore-file",
} as const;

/** A suppression comment: one of the keywords, then `RULE[, RULE] reason`. */
export interface IgnoreComment<File = SourceFile> {
  readonly rules: readonly string[];
  readonly reason: string;
  readonly reach: keyof typeof ignoreMarks;
  /** The rule names in the comment. */
  readonly span: Span<File>;
  /** The covered offsets in its file. */
  readonly covers: Extent;
  /** Whether it is for a section, and the next line does not open one. */
  readonly isMisplaced: boolean;
}

/** Offsets in a file. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

export interface IgnoreUsage {
  readonly comments: readonly IgnoreComment[];
  /** The rule names, by comment, that suppressed a finding. */
  readonly used: ReadonlyMap<IgnoreComment, ReadonlySet<string>>;
}

/**
 * The source of a suppression: a comment in the configuration, the project's configuration file, or the baseline in a
 * file.
 */
export type SuppressionSource<File = SourceFile> =
  | { readonly kind: "comment"; readonly comment: IgnoreComment<File> }
  | { readonly kind: "settings"; readonly path: string; readonly glob: string; readonly reason: string }
  | { readonly kind: "baseline"; readonly path: string };

/** A suppressed finding. */
export interface SuppressedFinding<File = SourceFile> extends Finding<File> {
  readonly by: SuppressionSource<File>;
}

const MARK = "httpd-lint-ignore";
const pattern = /^#[\t ]*httpd-lint-ignore-(next-line|next-section|file)(?:[\t :]+([^\t-\r ].*))?[\t ]*$/;
/** After a comma with a space, only text that looks like a rule continues the list: other words are the reason. */
const nameList = /^[^\t ]+(?:(?:(?<=,)|[\t ]+,)[\t ]*[a-z]+(?:-[a-z]+)+(?=[\t ,]|$)[^\t ]*)*/;

/** Returns the suppression comments of a file, in order. */
export function findIgnoreComments(tree: ConfigTree): IgnoreComment[] {
  const { source, lines } = tree;
  if (!source.text.includes(MARK)) return [];
  const found: IgnoreComment[] = [];
  const all = [...lines];
  for (const [index, line] of all.entries()) {
    if (line.kind !== "comment") continue;
    const text = source.text.slice(line.nameStart, line.restEnd);
    const match = pattern.exec(text);
    if (!match) continue;
    const [, reach, rest = ""] = match;
    const names = nameList.exec(rest)?.[0] ?? "";
    const start = line.nameStart + (names === "" ? 0 : text.indexOf(names));
    const next = reach === "file" ? undefined : nextLine(all, index);
    const isForSection = reach === "next-section";
    const isMisplaced = isForSection && next?.kind !== "open";
    found.push({
      rules: names.split(/[,\t ]+/).filter((name) => name !== ""),
      reason: rest.slice(names.length).trim(),
      reach: reach === "file" ? "file" : isForSection ? "section" : "line",
      span: { file: source, start, end: names === "" ? line.restEnd : start + names.length },
      covers:
        reach === "file"
          ? { start: 0, end: source.text.length + 1 }
          : next === undefined || isMisplaced
            ? { start: 0, end: 0 }
            : { start: next.start, end: isForSection ? endOfSection(tree.nodes, next) : next.end },
      isMisplaced,
    });
  }
  return found;
}

function nextLine(lines: readonly Line[], index: number): Line | undefined {
  for (let next = index + 1; next < lines.length; next++) {
    const line = lines[next];
    if (line && line.kind !== "blank" && line.kind !== "comment") return line;
  }
  return undefined;
}

/** Returns the end of the section that a line opens; of the line, if it is nested too deeply to be one. */
function endOfSection(nodes: readonly TreeNode[], open: Line): number {
  const section = findSection(nodes, open.start);
  return section === undefined ? open.end : endOf(section);
}

function findSection(nodes: readonly TreeNode[], start: number): SectionNode | undefined {
  // The last section that starts at or before the line is the one, or contains it.
  const section = nodes.findLast((node): node is SectionNode => "open" in node && node.open.start <= start);
  return section === undefined || section.open.start === start ? section : findSection(section.children, start);
}

function endOf(node: TreeNode): number {
  if (!("open" in node)) return node.end;
  const last = node.children.at(-1);
  return node.close?.end ?? (last === undefined ? node.open.end : endOf(last));
}

/** Removes the findings that comments cover, and returns the comments that did so. */
export function applyIgnores(
  findings: readonly Finding[],
  comments: readonly IgnoreComment[],
): { kept: readonly Finding[]; ignored: readonly SuppressedFinding[]; outcome: IgnoreUsage } {
  if (comments.length === 0) return { kept: findings, ignored: [], outcome: { comments, used: new Map() } };
  const used = new Map<IgnoreComment, Set<string>>();
  const byFile = groupByFile(comments);
  const kept: Finding[] = [];
  const ignored: SuppressedFinding[] = [];
  for (const finding of findings) {
    const { file, start } = finding.span;
    const names = [finding.rule, checkNameOf(finding)];
    const covering = (byFile.get(file.realPath) ?? []).filter(
      ({ covers, rules }) => start >= covers.start && start < covers.end && names.some((name) => rules.includes(name)),
    );
    for (const comment of covering) for (const name of names) getOrCreate(used, comment, () => new Set()).add(name);
    const [comment] = covering;
    if (comment === undefined) kept.push(finding);
    else ignored.push({ ...finding, by: { kind: "comment", comment } });
  }
  return { kept, ignored, outcome: { comments, used } };
}

function groupByFile(comments: readonly IgnoreComment[]): Map<string, IgnoreComment[]> {
  const groups = new Map<string, IgnoreComment[]>();
  for (const comment of comments) getOrCreate(groups, comment.span.file.realPath, () => []).push(comment);
  return groups;
}
