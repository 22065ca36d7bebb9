import type { Directive } from "../../config/model/directive.js";
import type { ResponseSource } from "./answer.js";
import type { ConfigLayer } from "./config-layer.js";
import type { InternalRedirect, Pass } from "./pass.js";
import type { Server } from "./server.js";

/** The message about what refuses a request. */
export interface RefusalReason {
  /** Its number in 2.4, also for a release that logs it without one; undefined if httpd logs none. */
  readonly code: string | undefined;
  /** Whether a program that was started does not run, of which httpd logs only what it prints. */
  readonly isOfProgram?: boolean;
}

/** The server's response in one run, under one set of assumptions. */
export interface RequestOutcome {
  readonly status: number;
  /** Status in the access log, if different. */
  readonly loggedStatus?: number | undefined;
  /** The status of the access decision, if a redirect, an error document or a limit replaces it. */
  readonly accessStatus?: number;
  /** The lines that replace the status. */
  readonly replacedBy?: readonly Directive[];
  /** Error log messages from before the first pass. */
  readonly errorMessages?: readonly string[];
  /** Whether the server may log further messages. */
  readonly hasUnknownLog?: boolean;
  /** The Location header of a redirect; undefined if it is not known, and for a symbolic request. */
  readonly location?: string | undefined;
  readonly log: readonly string[];
  /** What refuses the request, if that is not the last message of the log: later ones, or none with a number. */
  readonly reason?: RefusalReason | undefined;
  readonly by: readonly Directive[];
  readonly answeredBy?: ResponseSource | undefined;
  /** The request line that mod_ssl substitutes for an invalid one. */
  readonly requestLine?: string;
  /** The per-directory configurations that applied to the response. */
  readonly layers: readonly ConfigLayer[];
  /** The configurations that applied to the error document, if one is sent. */
  readonly documentLayers?: readonly ConfigLayer[];
  /** Undefined if the URL itself is rejected; then that of a local error document, if there is one. */
  readonly pass?: Pass;
  /** The error document if a backend or a program answers, which may set another status. */
  readonly document?: { readonly by: Directive; readonly found: RequestOutcome };
  /** Whether the request is rejected before its URL is mapped. */
  readonly isRejectedEarly?: true;
  /** The virtual host of the TLS handshake, if it does not fit that of the Host header. */
  readonly handshake?: Server;
  /** The pass over what is finally served, if access is granted. */
  readonly served?: Pass;
}

/** The intermediate result for a request. */
export interface PassResult extends RequestOutcome {
  readonly pass: Pass;
  /** Another URL to request instead. */
  readonly internalRedirect?: InternalRedirect | undefined;
}

/**
 * Returns a response with a status that does not depend on access control.
 *
 * @param location the Location header, if it is a redirect
 */
export function withStatus<T extends RequestOutcome>(
  answered: T,
  status: number,
  by: Directive,
  location?: string | undefined,
): T {
  const { status: before, accessStatus = before, replacedBy = [] } = answered;
  return { ...answered, status, accessStatus, loggedStatus: undefined, location, replacedBy: [...replacedBy, by] };
}
