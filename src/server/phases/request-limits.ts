import type { Directive } from "../../config/model/directive.js";
import { type ConfigLayer, findSetting, firstArgumentOf } from "../model/config-layer.js";
import { type Request, requestLineOf } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { Server } from "../model/server.js";

/** The defaults of httpd (include/httpd.h `DEFAULT_LIMIT_REQUEST_LINE` and others). */
const defaultLimits = { limitrequestline: 8190, limitrequestfieldsize: 8190, limitrequestfields: 100 } as const;
export const DEFAULT_FIELD_SIZE = defaultLimits.limitrequestfieldsize;

/** The messages about them, which httpd logs below the default LogLevel (server/protocol.c). */
const limitMessages = { limitrequestline: "AH00565", limitrequestfieldsize: "AH00561", limitrequestfields: "AH00563" };

interface Limit {
  readonly code: string;
  readonly max: number;
  /** The line that sets it; undefined for the default. */
  readonly by: Directive | undefined;
}

/**
 * Rejects a request whose line or headers exceed the limits of the server (server/protocol.c `read_request_line` and
 * `ap_get_mime_headers_core`). Their buffers hold one byte more than the limit. Only the headers that a request gives are
 * counted; it may have others.
 *
 * @param server that of the connection: the virtual host is not selected by name yet
 */
export function checkRequestLimits(request: Request, server: Server): RequestOutcome | undefined {
  const { layers } = server;
  const requestLine = requestLineOf(request);
  const length = limitOf(server, "limitrequestline");
  if (requestLine.length > length.max + 1)
    return { ...reject(414, length, layers), requestLine: requestLine.slice(0, length.max + 1) };
  const headers = headerLinesOf(request);
  const size = limitOf(server, "limitrequestfieldsize");
  if (headers.some((line) => line.length > size.max + 1)) return reject(400, size, layers);
  const count = limitOf(server, "limitrequestfields");
  const left = count.max - headers.length;
  // A user sends another header, Authorization.
  const exceedsLimit = count.max > 0 && (left < 0 || (left === 0 && request.user !== undefined));
  return exceedsLimit ? reject(400, count, layers) : undefined;
}

/** Rejects the request, without a message at the default LogLevel. */
function reject(status: number, { by, code }: Limit, layers: readonly ConfigLayer[]): RequestOutcome {
  return { status, log: [], reason: { code }, by: by ? [by] : [], layers, errorMessages: [] };
}

function limitOf({ layers }: Server, key: keyof typeof defaultLimits): Limit {
  const by = findSetting(layers, key);
  return { code: limitMessages[key], max: by ? Number(firstArgumentOf(by)) : defaultLimits[key], by };
}

/** Returns the length of the longest header that a request gives. */
export function longestHeaderOf(request: Request): number {
  return Math.max(0, ...headerLinesOf(request).map(({ length }) => length));
}

function headerLinesOf({ host, headers = {} }: Request): readonly string[] {
  const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return host === undefined ? given : [`Host: ${host}`, ...given];
}
