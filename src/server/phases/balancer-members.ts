import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { memoize } from "../../text/memoize.js";

/** The balancers with members, by their names in lower case. */
export interface Balancers {
  readonly names: ReadonlySet<string>;
  /** Whether no other line, module or stored state may add members. */
  readonly isComplete: boolean;
}

/** Returns the name in a URL of a balancer, in lower case; undefined for another URL, and if a variable begins it. */
export function balancerNameIn(url: string): string | undefined {
  return /^balancer:\/\/([^/$%]+)/i.exec(url)?.[1]?.toLowerCase();
}

/** Returns the balancers that BalancerMember lines give members (mod_proxy.c `add_member`). */
export const balancersOf: (project: Project) => Balancers = memoize((project: Project) => {
  const index = indexDirectives(project);
  const sections = index
    .named("<proxy")
    .filter(({ children = [] }) => children.some(({ key }) => key === "balancermember"));
  const words = [...sections, ...index.named("balancermember")].map(({ arguments: [word] }) => word?.value ?? "");
  const names = words.flatMap((word) => balancerNameIn(word) ?? []);
  // mod_cluster and the balancer manager add members.
  const others = ["managerbalancername", "balancerpersist", "balancergrowth"].some(
    (key) => index.named(key).length > 0,
  );
  const isHidden = words.some((word) => /[$%]|^~$/.test(word)) || index.named("<proxymatch").length > 0;
  return { names: new Set(names), isComplete: !others && !isHidden };
});
