import type { Directive } from "../../config/model/directive.js";
import { wordsOfFact } from "../../server/model/unknown-facts.js";
import { summarizeRegions } from "../compare/summary.js";
import type { Difference, ProbedMethods } from "../model/comparison.js";
import { type Inexpressible, stateReason } from "./plan/inexpressible.js";

/** A difference that a user may accept by its ID. */
export interface NamedDifference {
  /** Stable as long as the requests and the lines that decide them are the same: `d-1f0a93c2`. */
  readonly id: string;
  readonly difference: Difference;
  /** Whether no client gains access. */
  readonly isStricter: boolean;
}

/** A fault of the current access that a migration makes permanent: nothing reports it afterwards. */
export interface PermanentFault {
  /** Stable as long as the fault and a request that shows it are the same: `f-1f0a93c2`. */
  readonly id: string;
  readonly fault: Inexpressible;
}

/** What a user accepts. */
export interface Acceptance {
  /** Whether all differences are accepted by which no client gains access. */
  readonly stricter: boolean;
  /** The IDs of differences and of faults. */
  readonly ids: ReadonlySet<string>;
}

/** Returns the ID of a fault. @param text describes it */
export function createFaultId(text: string): string {
  return `f-${hashOf(text)}`;
}

/** Reports whether an accepted ID is that of a fault, and not of a difference. */
export function isFaultId(id: string): boolean {
  return id.startsWith("f-");
}

/** Returns the reasons for a refusal because of faults that are not accepted, and of IDs that no fault has. */
export function findUnacceptedFaults(faults: readonly PermanentFault[], { ids }: Acceptance): readonly Inexpressible[] {
  const unknown = [...ids].filter((id) => isFaultId(id) && faults.every((each) => each.id !== id));
  const left = faults.filter(({ id }) => !ids.has(id));
  return [
    ...unknown.map(describeUnknownId),
    ...left.map(({ id, fault }) => ({
      ...fault,
      ...stateReason("fault-not-accepted", id, fault.reason),
      help: [...(fault.help ?? []), `to keep this access, add \`--accept ${id}\``],
    })),
  ];
}

export const acceptNothing: Acceptance = { stricter: false, ids: new Set() };

/** Gives each difference its ID. @param methods those of the comparison */
export function nameDifferences(
  differences: readonly Difference[],
  methods: ProbedMethods,
): readonly NamedDifference[] {
  const used = new Set<string>();
  return differences.map((difference) => {
    let text = JSON.stringify(describeExtent(difference, methods));
    let id = idOf(text);
    for (; used.has(id); id = idOf(text)) text += "+";
    used.add(id);
    return { id, difference, isStricter: difference.change !== "gain" };
  });
}

/** Returns the differences that are not accepted. */
export function findUnaccepted(
  differences: readonly NamedDifference[],
  { stricter, ids }: Acceptance,
): readonly NamedDifference[] {
  return differences.filter(({ id, isStricter }) => !ids.has(id) && !(stricter && isStricter));
}

/** Returns the reason for a refusal because of an ID that no difference has. */
export function describeUnknownId(id: string): Inexpressible {
  return {
    ...stateReason(isFaultId(id) ? "unknown-fault-id" : "unknown-difference-id", id),
    help: ["run `httpd-lint migrate` without `--accept` to list the IDs"],
    directive: undefined,
  };
}

/** Returns the reason for a refusal because of differences. @param triedVariables whether variables did not help */
export function describeUnaccepted(
  differences: readonly NamedDifference[],
  accept: Acceptance,
  triedVariables: boolean,
): Inexpressible {
  const left = findUnaccepted(differences, accept);
  const gains = left.filter(({ isStricter }) => !isStricter).map(({ id }) => id);
  const words = [...(gains.length < left.length ? ["stricter"] : []), ...gains];
  const reach = gains.length === 0 ? "no client gains access" : `clients gain access: ${gains.join(", ")}`;
  return {
    ...stateReason("differences-not-accepted"),
    notes: [`${left.length} of ${differences.length} not accepted; ${reach}`],
    help: [
      ...(words.length === 0 ? [] : [`to accept the differences, add \`--accept ${words.join(",")}\``]),
      "to avoid a difference, change the sections that it names",
      ...(triedVariables ? [] : ["to keep all access with SetEnvIf variables, add `--allow-variables`"]),
    ],
    directive: undefined,
  };
}

/** Returns all that an acceptance covers: the requests with their answers, and the lines that decide them. */
function describeExtent(
  { request, assumptions, before, after, regions, instances }: Difference,
  methods: ProbedMethods,
) {
  return [
    request,
    instances.map((each) => each.request),
    [...assumptions.files],
    [...assumptions.facts].map(wordsOfFact),
    [before, after].map((verdict) => [verdict.class, verdict.decidedBy.map(describeLine)]),
    summarizeRegions(regions, methods).map(({ paths, ...senders }) => [
      senders,
      paths.map(({ example, kind, sections }) => [example, kind, sections.map(describeLine)]),
    ]),
  ];
}

function describeLine(directive: Directive): string {
  return `${directive.key} ${directive.argumentText}`;
}

function idOf(text: string): string {
  return `d-${hashOf(text)}`;
}

/** Returns the 32-bit FNV-1a hash of a text. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
