import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDescendants } from "../../config/queries/directive-tree.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { getOrCreate } from "../../text/collections.js";
import { wordsIn } from "./expression-constants.js";
import { findSubnets, isLeftOut, plainPath } from "./host-constants.js";

/** A section outside of virtual hosts that belongs to one of them. */
export interface OwnedSection {
  readonly section: Directive;
  /** The number of lines before it that belong to no host. */
  readonly place: number;
}

/**
 * The sections of the main server that belong to one virtual host each, as control panels write them: a `<Directory>` for a
 * plain path whose words only this host has. Sections for literal directories take effect by the length of their paths, so
 * that the order of those of different hosts does not matter; `place` is their order among the other lines.
 */
export class OwnedSections {
  /** The words of the lines that belong to no host, and those of sections that other hosts have, too. */
  readonly sharedWords: ReadonlySet<string>;
  private readonly sections = new Map<Directive, OwnedSection[]>();
  private readonly owners = new Map<string, Directive>();

  /** @param otherWords those of `.htaccess` files */
  constructor(project: Project, otherWords: ReadonlySet<string>) {
    const lines = project.directives.filter(({ key }) => key !== "<virtualhost");
    const effective = lines.filter((line) => !isLeftOut(line, project));
    const candidates = new Map(effective.filter(isForOneDirectory).map((each) => [each, wordsOf([each])]));
    const hosts = hostsByWord(project, new Set([...candidates.values()].flatMap((words) => [...words])));
    const ofOthers = wordsOf(effective.filter((line) => !candidates.has(line)));
    const onlyHostOf = (word: string) => {
      const [host, ...others] = ofOthers.has(word) || otherWords.has(word) ? [] : (hosts.get(word) ?? []);
      return others.length === 0 ? host : undefined;
    };
    const shared = new Set(ofOthers);
    let place = 0;
    for (const section of effective) {
      const words = [...(candidates.get(section) ?? [])];
      const [owner, ...others] = new Set(words.flatMap((word) => onlyHostOf(word) ?? []));
      if (owner === undefined || others.length > 0) {
        place++;
        for (const word of words) shared.add(word);
        continue;
      }
      getOrCreate(this.sections, owner, () => []).push({ section, place });
      for (const word of words)
        if (onlyHostOf(word) === owner) this.owners.set(word, owner);
        else shared.add(word);
    }
    // A section with a word of several owners belongs to none of them.
    for (const word of shared) this.owners.delete(word);
    this.sharedWords = shared;
  }

  of(host: Directive): readonly OwnedSection[] {
    return this.sections.get(host) ?? [];
  }

  /** Returns the host to which the sections with a word belong. @param word in lower case */
  ownerOf(word: string): Directive | undefined {
    return this.owners.get(word);
  }
}

/** Reports whether a line is a section for a literal directory, without networks. */
function isForOneDirectory(line: Directive): boolean {
  const [path = "", ...others] = argumentValuesOf(line);
  const texts = [...iterateDescendants(line.children ?? [])].map(({ argumentText }) => argumentText);
  return line.key === "<directory" && others.length === 0 && plainPath.test(path) && findSubnets(texts).length === 0;
}

function wordsOf(lines: readonly Directive[]): ReadonlySet<string> {
  return new Set(
    [...lines, ...iterateDescendants(lines.flatMap(({ children = [] }) => children))].flatMap(({ argumentText }) =>
      wordsIn(argumentText),
    ),
  );
}

/** Returns the virtual hosts that have some words. */
function hostsByWord({ directives }: Project, words: ReadonlySet<string>): ReadonlyMap<string, ReadonlySet<Directive>> {
  const found = new Map<string, Set<Directive>>();
  if (words.size === 0) return found;
  for (const host of directives.filter(({ key }) => key === "<virtualhost"))
    for (const { argumentText } of iterateDescendants(host.children ?? []))
      for (const word of wordsIn(argumentText))
        if (words.has(word)) getOrCreate(found, word, () => new Set()).add(host);
  return found;
}
