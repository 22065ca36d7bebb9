import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { type Address, formatAddress, isLocalhost, parseAddress } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize, memoizeByText } from "../../text/memoize.js";
import { isInDomain } from "../model/atoms.js";
import { keywordArgumentOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import type { Request } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";

/** The content of a hosts file. Names are in lower case. */
interface Hosts {
  /** The canonical name of each address: the first one on its first line. */
  readonly names: ReadonlyMap<string, string>;
  readonly addresses: ReadonlyMap<string, readonly Address[]>;
}

/** Parses a hosts file (hosts(5)): words after a `#` are a comment, and other lines than those of an address are ignored. */
const parseHosts = memoizeByText((text): Hosts => {
  const names = new Map<string, string>();
  const addresses = new Map<string, Address[]>();
  for (const line of text.split("\n")) {
    const [written = "", ...words] = line
      .replace(/#.*$/, "")
      .split(/[ \t\r]+/)
      .filter(Boolean);
    const address = parseAddress(written);
    if (address === undefined) continue;
    for (const word of words) {
      const name = word.toLowerCase();
      getOrCreate(names, formatAddress(address), () => name);
      getOrCreate(addresses, name, () => []).push(address);
    }
  }
  return { names, addresses };
});

function hostsOf(files: FileTree): Hosts {
  return parseHosts(files.hostsText?.() ?? "");
}

/** Returns the addresses of a name in the hosts file of the server; undefined if the name, or the file, is not known. */
export function findHostAddresses(name: string, files: FileTree): readonly Address[] | undefined {
  return hostsOf(files).addresses.get(name.toLowerCase());
}

/** The names that systems give the addresses of the machine itself, the most usual first. */
const localNames: Readonly<Record<Address["family"], readonly string[]>> = {
  4: ["localhost", "localhost.localdomain"],
  6: ["localhost", "ip6-localhost", "localhost6", "localhost.localdomain", "localhost6.localdomain6", "ip6-loopback"],
};

/**
 * Adds the name of a client whose name is not given: the first one on the first line of the hosts file with its address
 * (test/live/client-name.live.test.ts). If that is not known, the machine itself has one of the usual names, and which one is
 * a question as far as rules distinguish them. Other clients have no name.
 */
export function nameClient(request: Request, project: Project, files: FileTree, oracle: Oracle): Request {
  if (request.clientHost !== undefined || request.isUnnamed || request.tracker) return request;
  const address = parseAddress(request.clientIp);
  if (address === undefined) return request;
  const listed = hostsOf(files).names.get(formatAddress(address));
  const name = listed ?? (isLocalhost(address) ? askForName(address, project, oracle) : undefined);
  return name === undefined ? request : { ...request, clientHost: name };
}

function askForName(address: Address, project: Project, oracle: Oracle): string | undefined {
  const names = localNames[address.family];
  const isRelevant = relevanceIn(project);
  const relevant = names.filter(isRelevant);
  const written = formatAddress(address);
  if (relevant.length === 0) return names[0];
  return relevant.find((name) => oracle.ask(unknownFact("client-name", written, name)));
}

/** Returns a function that reports whether a configuration distinguishes clients with a name from others. */
const relevanceIn = memoize((project: Project): ((name: string) => boolean) => {
  const domains = new Set<string>();
  for (const line of iterateDirectives(project)) {
    // The logs, and expressions, have the name then.
    if (line.key === "hostnamelookups" && keywordArgumentOf(line) !== "off") return () => true;
    for (const domain of hostWordsOf(line)) domains.add(domain.toLowerCase());
  }
  const known = [...domains];
  return (name) => known.some((domain) => domain.includes("%{") || isInDomain(name, domain));
});

/** Returns the words of a line that may name clients. */
function hostWordsOf({ key, arguments: words }: Directive): readonly string[] {
  const values = words.map(({ value }) => value);
  switch (key) {
    case "allow":
    case "deny":
      return values;
    case "require":
      return (values[0]?.toLowerCase() === "not" ? values[1] : values[0]) === "host" ? values : [];
    case "<authzprovideralias":
      return values[0] === "host" ? (values[2] ?? "").split(/[ \t]+/).filter(Boolean) : [];
    default:
      return [];
  }
}
