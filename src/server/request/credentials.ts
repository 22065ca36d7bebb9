import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { memoize } from "../../text/memoize.js";
import { firstArgumentOf } from "../model/config-layer.js";
import { headerOf, type Request } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import type { UnknownValue } from "../model/unknown-value.js";
import { mayReadHeader } from "./early-headers.js";

/**
 * Adds the Authorization header with which the user of a request logs in, if a directive may read it. Its password is not
 * known.
 */
export function withCredentials(request: Request, project: Project): Request {
  if (!mayReadHeader("Authorization", project) || request.user === undefined) return request;
  const values = authorizationValues(request.user, schemesOf(project));
  return { ...request, authorization: { unknown: unknownFact("credentials-header"), values } };
}

/** Returns a header by its case-insensitive name; undefined if it was not sent. */
export function readHeader(request: Request, name: string): string | UnknownValue | undefined {
  const changed = request.changedHeaders?.get(name.toLowerCase());
  if (changed) return changed.value;
  const sent = headerOf(request, name);
  return name.toLowerCase() === "authorization" ? (request.authorization ?? sent) : sent;
}

/** The authentication types whose users send an Authorization header. */
const headerSchemes = ["basic", "digest"] as const;
type HeaderScheme = (typeof headerSchemes)[number];

/** Returns the schemes that the users of a server may use; undefined if they may log in without the header. */
const schemesOf = memoize((project: Project): readonly HeaderScheme[] | undefined => {
  const found = new Set<string>();
  for (const line of iterateDirectives(project))
    if (line.key === "authtype") found.add(firstArgumentOf(line)?.toLowerCase() ?? "");
  found.delete("none");
  const schemes = headerSchemes.filter((scheme) => found.delete(scheme));
  if (found.size > 0 || (schemes.length === 0 && project.kind !== "server")) return undefined;
  return schemes.length === 0 ? headerSchemes : schemes;
});

function authorizationValues(user: string, schemes: readonly HeaderScheme[] | undefined): string | undefined {
  return schemes?.map((scheme) => (scheme === "basic" ? basicValues(user) : "Digest [ -~]+")).join("|");
}

/** Returns a pattern for `Basic`, a space and the base64 of `user:password`. */
function basicValues(user: string): string {
  // The bytes of other characters depend on the client.
  const [start = ""] = /^[ -~]*/.exec(user) ?? [];
  const known = start === user ? `${user}:` : start;
  // A digit has six bits.
  const digits = btoa(known).slice(0, Math.floor((known.length * 8) / 6));
  return `Basic ${digits.replaceAll("+", "\\+")}[A-Za-z0-9+/]*={0,2}`;
}
