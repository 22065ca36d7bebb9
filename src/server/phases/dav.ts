import type { Directive } from "../../config/model/directive.js";
import { fromReadable } from "../../text/source.js";
import type { AccessState } from "../access/access-state.js";
import { findSetting, keywordArgumentOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { headerOf, isMethod, type Request } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";
import { collectRegisteredMethods } from "../request/method-registry.js";

/** A response of mod_dav with its error log messages. */
export interface DavAnswer {
  readonly status: number;
  readonly errorMessages: readonly string[];
  /** Whether the server may log further messages. */
  readonly isLogUnknown?: boolean;
}

/** Registered methods that mod_dav does not handle without a version control system. */
const unhandledMethods = new Set(["PATCH", "SEARCH", "CHECKOUT", "CHECKIN", "MKACTIVITY", "VERSION-CONTROL", "BIND"]);

/** Headers on which the result of a method depends. */
const conditions = ["If", "If-Match", "If-None-Match", "Depth", "Content-Range"];

/**
 * Returns the line that turns on WebDAV. `Dav Off` does not turn off what an outer section turns on (mod_dav.c
 * `dav_merge_dir_config`).
 */
export function davLineOf({ layers }: Pick<AccessState, "layers">): Directive | undefined {
  return layers.flatMap((layer) => layer.setting("dav") ?? []).findLast((line) => keywordArgumentOf(line) !== "off");
}

/**
 * Reports whether mod_dav sets itself as the handler of a request: for any method except GET, HEAD and POST (mod_dav.c
 * `dav_fixups`). Subrequests, as for an index file, are for GET.
 */
export function isSetByDav({ state, mapping, request }: Pass): boolean {
  if (state === undefined || mapping.kind !== "file" || !state.project.modules.has("dav_module")) return false;
  return davLineOf(state) !== undefined && !isMethod(request, "GET", "HEAD", "POST");
}

/** Reports whether mod_dav answers a request. Proofs are about access only, and do not ask. */
export function isHandledByDav(pass: Pass): boolean {
  return pass.request.tracker === undefined && isSetByDav(pass);
}

/** Reports whether mod_dav takes a request and has an answer to its method, so that no other handler runs. */
export function isAnsweredByDav(pass: Pass): boolean {
  const { method } = pass.request;
  if (pass.state === undefined || !isHandledByDav(pass) || unhandledMethods.has(method)) return false;
  // Unregistered methods have no number by which mod_dav finds them.
  return collectRegisteredMethods(pass.state.project).has(method);
}

/**
 * Returns the response to a request that mod_dav takes (mod_dav.c `dav_handler`). The server is assumed to be allowed to
 * write. Undefined if mod_dav does not take it.
 */
export function answerByDav(pass: Pass): DavAnswer | undefined {
  const { request, state, mapping, walked, walk } = pass;
  if (state === undefined || walked === undefined || mapping.kind !== "file" || !isHandledByDav(pass)) return undefined;
  if (!isAnsweredByDav(pass)) {
    const isKnownMethod = collectRegisteredMethods(state.project).has(request.method);
    return { status: isKnownMethod ? 405 : 501, errorMessages: [] };
  }
  const word = keywordArgumentOf(davLineOf(state));
  const isPlain =
    (word === "on" || word === "filesystem") && conditions.every((name) => headerOf(request, name) === undefined);
  const name = mapping.filename.replace(/\/$/, "");
  // A slash after a file is more than its path (modules/dav/fs/repos.c `dav_fs_get_resource`).
  const path = walked.kind === "file" ? mapping.filename : name;
  const resource: DavResource = { kind: walked.kind, rest: path.slice(walked.filename.replace(/\/$/, "").length) };
  const hasBody = Number(headerOf(request, "Content-Length") ?? 0) > 0;
  // A body of MKCOL is rejected first (`process_mkcol_body`); those of the others are XML, and their content is unknown.
  if (hasBody && request.method === "MKCOL") return { status: 415, errorMessages: [] };
  const isKnown = isPlain && !(hasBody && (request.method === "PROPFIND" || request.method === "OPTIONS"));
  const hasLocks = findSetting(walk.serverLayers, "davlockdb") !== undefined;
  const answer = isKnown
    ? (answerWithoutLocks(pass, resource) ??
      (hasLocks ? answerWithLocks(request, resource, fromReadable(state.path), name) : undefined))
    : undefined;
  if (answer === undefined) markAnswerUnknown(pass);
  return answer ?? { status: 200, errorMessages: [] };
}

/** Marks the answer as unknown, as for the name that a rule has given to the file before mod_dav takes the request. */
export function markAnswerUnknown({ request, state }: Pass): void {
  state?.oracle.markUndecidable(unknownFact("dav-answer", request.method));
}

interface DavResource {
  readonly kind: "file" | "directory" | "missing" | "unknown";
  /** The path after the last component that exists, or that is missing in an existing directory. */
  readonly rest: string;
}

const extraneous = [
  "Could not fetch resource information.  [400, #0]",
  "The URL contains extraneous path components. The resource could not be identified.  [400, #0]",
];

/** Headers that name the target of COPY and MOVE. */
const destinations = ["Destination", "New-uri"];

/** Returns the answers that mod_dav finds before it opens its lock database. */
function answerWithoutLocks({ request, state }: Pass, { kind, rest }: DavResource): DavAnswer | undefined {
  const plain = (status: number, ...errorMessages: readonly string[]): DavAnswer => ({ status, errorMessages });
  if (kind === "unknown") return undefined;
  if (kind === "file" && rest !== "") return plain(400, ...extraneous);
  const isDirectory = kind === "directory";
  switch (request.method) {
    case "OPTIONS":
      return kind === "missing" ? undefined : plain(200);
    case "PUT":
      return isDirectory ? plain(409) : undefined;
    case "MKCOL":
      return kind === "missing" ? undefined : plain(405);
    case "DELETE":
      return kind === "missing" ? plain(404) : undefined;
    case "PROPFIND": {
      // The default depth is infinite.
      const allowed = state && keywordArgumentOf(state.config.setting("davdepthinfinity"));
      return isDirectory && allowed !== "on" ? plain(403) : undefined;
    }
    case "COPY":
    case "MOVE":
      if (kind === "missing") return plain(404);
      if (destinations.some((name) => headerOf(request, name) !== undefined)) return undefined;
      return plain(400, "AH00591: The request is missing a Destination header.");
    default:
      return undefined;
  }
}

/** Returns the answers to a request for a file, or for a directory that can be deleted or listed as a whole. */
function answerWithLocks(
  { method }: Request,
  { kind, rest }: DavResource,
  path: string,
  file: string,
): DavAnswer | undefined {
  const plain = (status: number, ...errorMessages: readonly string[]): DavAnswer => ({ status, errorMessages });
  const exists = kind !== "missing";
  switch (method) {
    case "OPTIONS":
      return plain(200);
    case "PUT":
      if (exists) return plain(204);
      if (rest === "") return plain(201);
      return plain(
        409,
        `Unable to PUT new contents for ${path}.  [409, #0]`,
        `An error occurred while opening a resource for writing: ${file}.  [409, #0]`,
      );
    case "MKCOL":
      if (rest === "") return plain(201);
      return plain(409, "Cannot create collection; intermediate collection does not exist.  [409, #0]");
    case "DELETE":
      return plain(204);
    case "PROPFIND":
      // The resource is looked up again, with the messages of that.
      return exists ? { ...plain(207), isLogUnknown: true } : plain(404);
    default:
      return undefined;
  }
}
