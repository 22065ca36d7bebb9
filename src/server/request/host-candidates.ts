import { findUndefinedVariable } from "../../config/model/variables.js";
import { parseAddress } from "../../text/addresses.js";
import { getOrCreate } from "../../text/collections.js";
import { toReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import { argumentValuesOf, firstArgumentOf } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { isHostForAny, type ListenAddress } from "../model/server.js";
import { unknownFact } from "../model/unknown-facts.js";
import { compileServerAlias, isWithinServerPath, stripServerName } from "./server-names.js";
import { collapseLeadingSlashes } from "./url-normalization.js";
import type { VirtualHost } from "./virtual-host.js";

/** A host that may be selected. */
export interface Candidate {
  readonly host: VirtualHost;
  /**
   * Reports whether the request arrived at one of its addresses. If that depends on a name, the oracle is queried only
   * when it matters.
   */
  readonly isAt: (address: ListenAddress) => boolean;
}

/** The hosts at one address, distinguished by name: the first in the file that has it. */
export class Candidates {
  readonly hosts: readonly VirtualHost[];
  /** Number of hosts whose names are indexed: they are read as far as the lookups need. */
  private entered = 0;
  private readonly byName = new Map<string, number>();
  /** Hosts by the text of their address, in order; computed on demand. */
  private byAddress: ReadonlyMap<string, readonly Candidate[]> | undefined;
  /** Hosts with a ServerPath; computed on demand. */
  private paths: readonly { readonly host: VirtualHost; readonly prefix: string }[] | undefined;
  /** Hosts that need a match test, in order. */
  private readonly others: { readonly place: number; readonly fits: NameTest }[] = [];

  /**
   * @param nameWithout the name of hosts for any address that have none; undefined if they remain without
   * @param old for 2.2, the host without a name to compare or if no name matches, and whether names are compared at all
   */
  constructor(
    private readonly candidates: readonly Candidate[],
    private readonly nameWithout: string | undefined,
    private readonly old?: { readonly first: VirtualHost; readonly comparesNames: boolean },
  ) {
    this.hosts = candidates.map(({ host }) => host);
  }

  /** The host without a name to compare, or if no name matches. */
  get first(): VirtualHost | undefined {
    return this.old?.first ?? this.hosts[0];
  }

  get comparesNames(): boolean {
    return this.old?.comparesNames ?? true;
  }

  /** Returns the index of the first host with exactly a name; the names of all earlier hosts are then known. */
  private placeOf(name: string): number | undefined {
    while (!this.byName.has(name)) {
      const host = this.hosts[this.entered];
      if (host === undefined) return undefined;
      this.enter(host, this.entered++);
    }
    return this.byName.get(name);
  }

  private enter(host: VirtualHost, place: number): void {
    const { exact, wildcards, isNamedItself } = namesOf(host);
    for (const name of exact) this.add(name, place);
    for (const fits of wildcards) this.others.push({ place, fits });
    if (isNamedItself || this.nameWithout === undefined) return;
    const [first] = host.addresses;
    if (host.addresses.some(isHostForAny)) this.add(this.nameWithout, place);
    else if (first) this.others.push({ place, fits: reverseLookupTest(first) });
  }

  private add(name: string, place: number): void {
    if (!this.byName.has(name)) this.byName.set(name, place);
  }

  named(name: string, oracle: Oracle): VirtualHost | undefined {
    const exact = this.placeOf(name);
    const place = this.others.length === 0 ? exact : (this.fitting(name, exact, oracle) ?? exact);
    // 2.2 compares the address of each host before its names (`check_hostalias`).
    const ofAddress = this.old && this.atAddress(name);
    if (ofAddress && (place === undefined || this.hosts.indexOf(ofAddress) < place)) return ofAddress;
    if (place !== undefined) return this.hosts[place];
    // If no name matches, the address in a VirtualHost line counts as a name (`update_server_from_aliases`).
    return this.withMachineName(name, oracle) ?? this.atAddress(name);
  }

  /** Reports whether a host has the name of the main server, which has none in the configuration. */
  hasMachineName(host: VirtualHost): boolean {
    return this.nameWithout === undefined && host.addresses.some(isHostForAny) && !namesOf(host).isNamedItself;
  }

  /**
   * Returns the first host that has the name of the machine, if that is the name of the request (`ap_get_local_host`).
   * The first of all hosts is the default anyway. A name that another host has is taken for not that of the machine.
   */
  private withMachineName(name: string, oracle: Oracle): VirtualHost | undefined {
    const host = this.hosts.find((each) => this.hasMachineName(each));
    if (host === undefined || host === this.first) return undefined;
    return oracle.ask(unknownFact("own-name", name)) ? host : undefined;
  }

  /**
   * Returns the first host whose ServerPath contains the path of a request without a Host header (`check_serverpath`).
   */
  atPath(sent: string): VirtualHost | undefined {
    const path = collapseLeadingSlashes(sent);
    this.paths ??= this.hosts.flatMap((host) => {
      const line = host.section.children?.findLast(({ key }) => key === "serverpath");
      const prefix = firstArgumentOf(line);
      return prefix === undefined ? [] : [{ host, prefix }];
    });
    return this.paths.find(({ prefix }) => isWithinServerPath(path, prefix))?.host;
  }

  /** The only host at an address has no list of names to compare (`ap_fini_vhost_config`). */
  private atAddress(text: string): VirtualHost | undefined {
    if (this.hosts.length < 2) return undefined;
    this.byAddress ??= byAddressOf(this.candidates);
    const hasAddress = ({ host, isAt }: Candidate) => host.addresses.some((each) => each.text === text && isAt(each));
    return this.byAddress.get(text)?.find(hasAddress)?.host;
  }

  /** Returns the first host before an index whose match test succeeds. */
  private fitting(name: string, exact: number | undefined, oracle: Oracle): number | undefined {
    const isAhead = (place: number) => exact === undefined || place < exact;
    return this.others.find(({ place, fits }) => isAhead(place) && fits(name, oracle))?.place;
  }
}

function byAddressOf(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Candidate[]> {
  const found = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    for (const text of new Set(candidate.host.addresses.map((each) => each.text))) {
      getOrCreate(found, text, () => []).push(candidate);
    }
  }
  return found;
}

type NameTest = (name: string, oracle: Oracle) => boolean;

/** A host without a name has the name that its address resolves to. */
function reverseLookupTest({ text }: ListenAddress): NameTest {
  return (name, oracle) =>
    parseAddress(name) === undefined && oracle.ask(unknownFact("name-of-address", toReadable(text), name));
}

/** The value of its variable is unknown. */
function undefinedNameTest(written: string): NameTest {
  return (name, oracle) => oracle.ask(unknownFact("name-in-variable", quoteText(written), name));
}

/** The names of a virtual host. */
interface HostNames {
  /** Whether it has a ServerName. */
  readonly isNamedItself: boolean;
  readonly exact: ReadonlySet<string>;
  readonly wildcards: readonly NameTest[];
}

function namesOf({ layer }: VirtualHost): HostNames {
  const serverName = firstArgumentOf(layer.setting("servername"));
  const written = layer.directives.filter(({ key }) => key === "serveralias").flatMap(argumentValuesOf);
  const aliases = written.map((alias) => alias.toLowerCase());
  const exact = new Set(aliases.filter((alias) => !/[*?]/.test(alias)));
  if (serverName) exact.add(stripServerName(serverName));
  const unset = [serverName ?? "", ...written].filter((name) => findUndefinedVariable(name) !== undefined);
  return {
    isNamedItself: serverName !== undefined,
    exact,
    wildcards: [
      ...aliases.filter((alias) => /[*?]/.test(alias)).map(compileServerAlias),
      ...unset.map(undefinedNameTest),
    ],
  };
}
