import type { MappedScope, WhoGetsIn } from "../../compare/access-map.js";

/** How far something is open, the widest first. */
export const opennesses = ["open", "limited", "password", "closed"] as const;
export type Openness = (typeof opennesses)[number];

/** What that is called. */
export const opennessNames: Readonly<Record<Openness, string>> = {
  open: "everybody",
  limited: "some clients or conditions",
  password: "with a password",
  closed: "nobody",
};

/** How far a scope is open to those who ask. */
export function opennessOf({ allowed, others }: WhoGetsIn): Openness {
  if (others.length === 0) return "open";
  if (allowed.length === 0) return "closed";
  return allowed.every(({ users }) => users.length > 0) ? "password" : "limited";
}

/** How far it is open under the last of the releases, which is where one goes. */
export function shownOpenness({ who }: MappedScope): Openness {
  const last = who.at(-1);
  return last === undefined ? "closed" : opennessOf(last);
}
