/**
 * Texts of files in other files: here-documents and the output of commands in shell scripts and Dockerfiles, the block scalars
 * of YAML, such as `httpd.conf: |`, and the texts of Terraform and Puppet. A here-document may be in a block, or in another one.
 */

import { findFirstSorted } from "../src/text/collections.js";
import type { EmbeddedText, OuterLine, TextForm, ValueSyntax } from "./embedded-text.js";
import { listHereDocuments } from "./here-documents.js";
import { findPuppetTexts } from "./puppet-texts.js";
import { findShellOutput } from "./shell-output.js";
import { nameOfProduct } from "./template.js";
import { listYamlBlocks } from "./yaml-blocks.js";

/** What contains texts of files. */
export type OuterSyntax = "shell" | "yaml" | "terraform" | "puppet";

const outerNames: readonly (readonly [RegExp, OuterSyntax])[] = [
  [/\.ya?ml$/i, "yaml"],
  [/\.(?:sh|bash|ksh|zsh)$/i, "shell"],
  [/\.(?:tf|hcl)$/i, "terraform"],
  [/\.pp$/i, "puppet"],
  [/^(?:docker|container)file(?:[.-].*)?$|\.(?:docker|container)file$|^vagrantfile$/i, "shell"],
];

/** Returns the syntax of a file that may contain others, by its name. */
export function findOuterSyntax(name: string): OuterSyntax | undefined {
  const bare = nameOfProduct(name);
  return outerNames.find(([pattern]) => pattern.test(bare))?.[1];
}

/** A key of YAML with a block; httpd has no such line. */
const blockKey = /^[ \t]*["']?[\w.-]+["']?:[ \t]+\|[-+]?[ \t]*\r?$/m;

/** Returns the syntax of a file that may contain others, by its text: its first line, or for a template a key of YAML. */
export function findOuterSyntaxOfText(text: string, isTemplate: boolean): OuterSyntax | undefined {
  if (isTemplate && blockKey.test(text)) return "yaml";
  if (/^#![^\n]*\b(?:ba|da|k|z|a)?sh\b/.test(text)) return "shell";
  return text.startsWith("#cloud-config") ? "yaml" : undefined;
}

/** Finds the texts in a file. */
export function findEmbedded(text: string, syntax: OuterSyntax): readonly EmbeddedText[] {
  if (syntax === "puppet") return findPuppetTexts(text);
  const finder = new EmbeddedFinder(text);
  const lines = listLines(text);
  if (syntax === "yaml") return finder.findBlocks(lines, outermost);
  return syntax === "terraform" ? finder.findValues(lines) : finder.findShellTexts(lines, outermost);
}

function listLines(text: string): readonly OuterLine[] {
  const lines: OuterLine[] = [];
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed + 1;
    lines.push({ start, end, text: text.slice(start, end).replace(/\r?\n$/, "") });
    start = end;
  }
  return lines;
}

/** What surrounds a text. */
interface Surroundings {
  readonly depth: number;
  /** What replaces values there. */
  readonly values: ValueSyntax;
}

const outermost: Surroundings = { depth: 0, values: "none" };

const MAX_DEPTH = 4;

/** Finds texts in a file, and those inside of them. */
class EmbeddedFinder {
  constructor(private readonly text: string) {}

  /** Finds the blocks of YAML. */
  findBlocks(lines: readonly OuterLine[], { depth, values }: Surroundings): readonly EmbeddedText[] {
    return listYamlBlocks(lines).map((block) => {
      const form: TextForm = block.isFolded ? { kind: "folded" } : { kind: "lines", values };
      return this.toText(block, form, { depth: depth + 1, values });
    });
  }

  /** Finds the here-documents of Terraform, in which it replaces values. */
  findValues(lines: readonly OuterLine[]): readonly EmbeddedText[] {
    const values = "braces";
    return listHereDocuments(lines).map((each) => this.toText(each, { kind: "lines", values }, { depth: 1, values }));
  }

  /** Finds here-documents of a shell, and the output of commands. */
  findShellTexts(lines: readonly OuterLine[], around: Surroundings): readonly EmbeddedText[] {
    const documents = listHereDocuments(lines).map((each) => {
      const values = each.isExpanded ? "shell" : around.values;
      return this.toText(each, { kind: "lines", values }, { depth: around.depth + 1, values });
    });
    const ends = documents.map(({ end }) => end);
    const rest = lines.filter(({ start }) => {
      const next = documents[findFirstSorted(ends, (end) => end > start)];
      return next === undefined || start < next.start;
    });
    return [...documents, ...findShellOutput(this.text, rest)].sort((a, b) => a.start - b.start);
  }

  private toText(
    { target, lines, isAppended = false }: NamedLines,
    form: TextForm,
    within: Surroundings,
  ): EmbeddedText {
    const [first, last] = [lines[0], lines.at(-1)];
    const inner = this.findInside(lines, within);
    return { target, isAppended, start: first?.start ?? 0, end: last?.end ?? 0, inner, form };
  }

  /** A here-document may be YAML, such as one for `kubectl apply`. */
  private findInside(lines: readonly OuterLine[], around: Surroundings): readonly EmbeddedText[] {
    if (around.depth >= MAX_DEPTH) return [];
    const blocks = this.findBlocks(lines, around);
    return blocks.length > 0 ? blocks : this.findShellTexts(lines, around);
  }
}

/** The lines of a block or of a here-document. */
interface NamedLines {
  readonly target: string;
  readonly isAppended?: boolean;
  readonly lines: readonly OuterLine[];
}
