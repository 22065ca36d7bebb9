import { findEffectiveSetting } from "../../access/model/access-state.js";
import { findSetting, keywordArgumentOf } from "../../httpd/model/config-layer.js";
import { headerOf, isMethod, type Request } from "../../httpd/model/request.js";
import { fromReadable } from "../../text/source.js";
import { collectRegisteredMethods } from "../../validate/directives/methods.js";
import type { Pass } from "../model/request-context.js";

/** A response of mod_dav with its error log messages. */
export interface DavAnswer {
  readonly status: number;
  readonly complaints: readonly string[];
}

/** Methods that mod_dav leaves to other handlers (mod_dav.c `dav_fixups`), or for which its answer is the usual one. */
const otherMethods = new Set(["GET", "HEAD", "POST", "TRACE"]);

/** Registered methods that mod_dav does not handle without a version control system. */
const unhandledMethods = new Set(["PATCH", "SEARCH", "CHECKOUT", "CHECKIN", "MKACTIVITY", "VERSION-CONTROL", "BIND"]);

/** Headers on which the result of a method depends. */
const conditions = ["If", "If-Match", "If-None-Match", "Depth", "Content-Range"];

/**
 * Reports whether mod_dav takes a request before mod_dir does, so that FallbackResource has no effect: any method except
 * GET, HEAD and POST (mod_dav.c `dav_fixups`). Subrequests are for GET.
 */
export function isTakenByDav({ state, mapping, request }: Pass): boolean {
  if (state === undefined || mapping.kind !== "file" || request.tracker || !state.project.modules.has("dav_module"))
    return false;
  const word = keywordArgumentOf(findEffectiveSetting(state, "dav"));
  return word !== undefined && word !== "off" && !isMethod(request, "GET", "HEAD", "POST");
}

/**
 * Returns the response of mod_dav to a method that it handles (mod_dav.c `dav_handler`). The server is assumed to be
 * allowed to write. Undefined if the request is left to another handler. Proofs are about access only, and do not ask.
 */
export function answerByDav(request: Request, { state, mapping, walked, walk }: Pass): DavAnswer | undefined {
  if (state === undefined || walked === undefined || mapping.kind !== "file" || request.tracker) return undefined;
  const word = keywordArgumentOf(findEffectiveSetting(state, "dav"));
  if (word === undefined || word === "off" || otherMethods.has(request.method)) return undefined;
  if (!state.project.modules.has("dav_module")) return undefined;
  // Unregistered methods have no number by which mod_dav finds them.
  if (!collectRegisteredMethods(state.project).has(request.method)) return undefined;
  const isPlain =
    (word === "on" || word === "filesystem") &&
    findSetting(walk.serverLayers, "davlockdb") !== undefined &&
    conditions.every((name) => headerOf(request, name) === undefined);
  const name = mapping.filename.replace(/\/$/, "");
  // A slash after a file is more than its path (modules/dav/fs/repos.c `dav_fs_get_resource`).
  const path = walked.kind === "file" ? mapping.filename : name;
  const place: Place = { kind: walked.kind, rest: path.slice(walked.filename.replace(/\/$/, "").length) };
  const hasBody = Number(headerOf(request, "Content-Length") ?? 0) > 0;
  // A body of MKCOL is rejected first (`process_mkcol_body`); that of PROPFIND is XML, and its content is unknown.
  if (hasBody && request.method === "MKCOL") return { status: 415, complaints: [] };
  const isKnown = isPlain && !(hasBody && request.method === "PROPFIND");
  const answer = isKnown ? plainAnswer(request, place, fromReadable(state.path), name) : undefined;
  if (answer === undefined) state.oracle.markUndecidable(`what mod_dav returns for ${request.method}`);
  return answer ?? { status: 200, complaints: [] };
}

interface Place {
  readonly kind: "file" | "directory" | "missing" | "unknown";
  /** The path behind the last component that exists, or that is missing in an existing directory. */
  readonly rest: string;
}

const extraneous = [
  "Could not fetch resource information.  [400, #0]",
  "The URL contains extraneous path components. The resource could not be identified.  [400, #0]",
];

function plainAnswer({ method }: Request, { kind, rest }: Place, path: string, file: string): DavAnswer | undefined {
  const plain = (status: number, ...complaints: readonly string[]): DavAnswer => ({ status, complaints });
  const isHere = rest === "";
  if (unhandledMethods.has(method)) return plain(405);
  if (kind === "directory" || kind === "unknown") return undefined;
  if (method === "OPTIONS") return kind === "missing" || isHere ? plain(200) : undefined;
  if (kind === "file" && !isHere) {
    return ["PUT", "DELETE", "PROPFIND", "MKCOL"].includes(method) ? plain(400, ...extraneous) : undefined;
  }
  const exists = kind === "file";
  switch (method) {
    case "PUT":
      if (exists) return plain(204);
      if (isHere) return plain(201);
      return plain(
        409,
        `Unable to PUT new contents for ${path}.  [409, #0]`,
        `An error occurred while opening a resource for writing: ${file}.  [409, #0]`,
      );
    case "MKCOL":
      if (exists) return plain(405);
      if (isHere) return plain(201);
      return plain(409, "Cannot create collection; intermediate collection does not exist.  [409, #0]");
    case "DELETE":
      return plain(exists ? 204 : 404);
    case "PROPFIND":
      return plain(exists ? 207 : 404);
    default:
      return undefined;
  }
}
