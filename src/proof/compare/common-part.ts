import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { memberFilesOf } from "../../server/file-trees.js";
import { DEFAULT_SERVER_IP } from "../../server/model/request.js";
import { readSubnet, type Subnet } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { fromReadable } from "../../text/source.js";
import { wordPattern } from "./expression-constants.js";
import { isLeftOut } from "./host-constants.js";

/**
 * The lines outside of virtual hosts, in main files and `.htaccess` files: all hosts share them. Those that cannot change an
 * answer are left out.
 */
export class CommonPart {
  /** In lower case. */
  private readonly words: ReadonlySet<string>;
  readonly subnets: readonly Subnet[];
  /** Whether a line reads addresses other than as networks. */
  readonly readsAddresses: boolean;
  /** Whether a line maps the names of hosts to directories. */
  readonly mapsNames: boolean;
  /** The virtual hosts that name a member file, by the words of its path. */
  private readonly hostsOfFiles: ReadonlyMap<string, ReadonlySet<Directive>>;

  constructor(projects: readonly Project[]) {
    const texts = [...new Set(projects.flatMap(textsOf))];
    this.words = new Set([...impliedWords, ...texts.flatMap(wordsIn)]);
    this.subnets = findSubnets([...texts, ...impliedNetworks]);
    const keys = new Set(projects.flatMap((project) => [...iterateDirectives(project)].map(({ key }) => key)));
    this.readsAddresses = texts.some(readsAddress) || [...keys].some((key) => key.startsWith("remoteip"));
    this.mapsNames = [...keys].some((key) => key.startsWith("virtual"));
    this.hostsOfFiles = mapFilesToHosts(projects);
  }

  mentions(word: string): boolean {
    return this.words.has(word.toLowerCase());
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

/** Returns the words of a text, in lower case. */
export function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(wordPattern) ?? [];
}

/** Returns the networks that a text may contain. */
export function findSubnets(texts: readonly string[]): readonly Subnet[] {
  const parts = new Set(texts.flatMap((text) => text.match(/[\w.:/]+/g) ?? []));
  return [...parts].flatMap((part) => {
    const read = readSubnet(part);
    return read.ok ? [read.value] : [];
  });
}

/** Reports whether a text may read the address of a client or the server in another way than as a network. */
export function readsAddress(text: string): boolean {
  return /remote_addr|server_addr|remote_host|ipmatch|-R\b/i.test(text);
}

function textsOf(project: Project): readonly string[] {
  const { directives, htaccess } = project;
  const texts: string[] = [];
  const collect = (each: readonly Directive[]) => {
    for (const directive of each) {
      if (directive.key === "<virtualhost" || isLeftOut(directive, project)) continue;
      texts.push(directive.argumentText);
      if (directive.children) collect(directive.children);
    }
  };
  collect(directives);
  for (const { directory, directives: inner } of htaccess) {
    texts.push(fromReadable(directory));
    collect(inner);
  }
  return texts;
}

function mapFilesToHosts(projects: readonly Project[]): ReadonlyMap<string, ReadonlySet<Directive>> {
  const found = new Map<string, Set<Directive>>();
  for (const project of projects)
    for (const host of project.directives.filter(({ key }) => key === "<virtualhost"))
      for (const file of memberFilesOf({ ...project, directives: [host], htaccess: [] }))
        for (const word of file.match(wordPattern) ?? []) getOrCreate(found, word, () => new Set()).add(host);
  return found;
}
