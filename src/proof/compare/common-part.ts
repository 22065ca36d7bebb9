import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { memberFilesOf } from "../../server/file-trees.js";
import { DEFAULT_SERVER_IP } from "../../server/model/request.js";
import type { Subnet } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { fromReadable } from "../../text/source.js";
import { wordPattern, wordsIn } from "./expression-constants.js";
import { findSubnets, isLeftOut } from "./host-constants.js";
import { type OwnedSection, OwnedSections } from "./owned-sections.js";

/**
 * The lines outside of virtual hosts, in main files and `.htaccess` files: all hosts share them. Those that cannot change an
 * answer are left out, and sections that belong to one host (`OwnedSections`).
 */
export class CommonPart {
  /** In lower case. */
  private readonly words: ReadonlySet<string>;
  readonly subnets: readonly Subnet[];
  /** Whether a line reads addresses other than as networks. */
  readonly readsAddresses: boolean;
  /** Whether a line maps the names of hosts to directories. */
  readonly mapsNames: boolean;
  /** Whether a line reads the URLs of backends, other than `<Proxy *>`. */
  readonly readsBackends: boolean;
  private readonly owned: readonly OwnedSections[];
  /** The virtual hosts that name a member file, by the words of its path. */
  private readonly hostsOfFiles: ReadonlyMap<string, ReadonlySet<Directive>>;

  constructor(projects: readonly Project[]) {
    const texts = projects.flatMap((project) => textsOf(project.directives, project));
    const ofFiles = projects.flatMap((project) =>
      project.htaccess.flatMap(({ directory, directives }) => [
        fromReadable(directory),
        ...textsOf(directives, project),
      ]),
    );
    const all = [...new Set([...texts, ...ofFiles])];
    this.owned = projects.map((project) => new OwnedSections(project, new Set(ofFiles.flatMap(wordsIn))));
    const words = [...ofFiles.flatMap(wordsIn), ...this.owned.flatMap((each) => [...each.sharedWords])];
    this.words = new Set([...impliedWords, ...words]);
    this.subnets = findSubnets([...all, ...impliedNetworks]);
    const lines = projects.flatMap((project) => [...iterateDirectives(project)]);
    const keys = new Set(lines.map(({ key }) => key));
    this.readsAddresses = all.some(readsAddress) || [...keys].some((key) => key.startsWith("remoteip"));
    this.mapsNames = [...keys].some((key) => key.startsWith("virtual"));
    this.readsBackends = lines.some(readsBackend);
    this.hostsOfFiles = mapFilesToHosts(projects);
  }

  mentions(word: string): boolean {
    return this.words.has(word.toLowerCase());
  }

  /** Returns the sections of a virtual host outside of it, on one side. */
  sectionsOf(host: Directive | undefined, side: 0 | 1): readonly OwnedSection[] {
    return (host && this.owned[side]?.of(host)) ?? [];
  }

  /** Reports whether a section outside of virtual hosts that belongs to another host has a word. */
  hasSectionOfOthers(word: string, hosts: readonly (Directive | undefined)[]): boolean {
    const owners = this.owned.flatMap((each) => each.ownerOf(word.toLowerCase()) ?? []);
    return owners.some((owner) => !hosts.includes(owner));
  }

  /** Reports whether another host names a member file with a word in its path. */
  hasFileOfOthers(word: string, hosts: readonly (Directive | undefined)[]): boolean {
    const naming = this.hostsOfFiles.get(word) ?? new Set<Directive>();
    return [...naming].some((other) => !hosts.includes(other));
  }
}

/** Names that the server looks up without a line. */
const impliedWords = ["index.html"];
const impliedNetworks = [DEFAULT_SERVER_IP, "127.0.0.0/8", "::1"];

/** Reports whether a text may read the address of a client or the server in another way than as a network. */
export function readsAddress(text: string): boolean {
  return /remote_addr|server_addr|remote_host|ipmatch|-R\b/i.test(text);
}

/** Reports whether a line reads the URLs of some backends, and not of others. */
function readsBackend({ key, argumentText }: Directive): boolean {
  if (key === "<proxy") return !/^\s*"?\*"?\s*>?$/.test(argumentText);
  return key === "<proxymatch" || key === "proxyblock";
}

function textsOf(directives: readonly Directive[], project: Project): readonly string[] {
  return directives.flatMap((directive) => {
    const { key, argumentText, children = [] } = directive;
    if (key === "<virtualhost" || isLeftOut(directive, project)) return [];
    return [argumentText, ...textsOf(children, project)];
  });
}

function mapFilesToHosts(projects: readonly Project[]): ReadonlyMap<string, ReadonlySet<Directive>> {
  const found = new Map<string, Set<Directive>>();
  for (const project of projects)
    for (const host of project.directives.filter(({ key }) => key === "<virtualhost"))
      for (const file of memberFilesOf({ ...project, directives: [host], htaccess: [] }))
        for (const word of file.match(wordPattern) ?? []) getOrCreate(found, word, () => new Set()).add(host);
  return found;
}
