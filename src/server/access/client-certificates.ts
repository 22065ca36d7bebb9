import type { Directive } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import { findSetting, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import { unknownFact } from "../model/unknown-facts.js";
import { parseProtocols } from "../tls/protocols.js";
import { type AccessState, addRemark } from "./access-state.js";

/** The user that a client certificate names, if no line of the configuration has that name. A colon is not part of names. */
export const UNNAMED_SUBJECT = "subject:of a certificate";

/** How much SSLVerifyClient asks of a client; `optional_no_ca` accepts more certificates than `optional`. */
const strengths: Readonly<Record<string, number>> = { none: 0, optional: 1, optional_no_ca: 1, require: 2 };

interface VerifySetting {
  readonly line: Directive | undefined;
  readonly strength: number;
}

/** Returns the SSLVerifyClient of the server, for the TLS handshake, or the innermost one of the sections. */
function verifySettingOf({ groups }: AccessState, isServer: boolean): VerifySetting {
  const layers = groups.flatMap(({ kind, layers }) => ((kind === "server") === isServer ? layers : []));
  const line = findSetting(layers, "sslverifyclient");
  return { line, strength: strengths[keywordArgumentOf(line) ?? "none"] ?? 0 };
}

/** The reason why mod_ssl rejects a request for its certificate. */
export interface CertificateFault {
  readonly log: readonly string[];
  readonly by: Directive;
  /** Whether the handshake fails, so that the client gets no answer; it counts as 403. */
  readonly endsConnection: boolean;
}

/**
 * Checks SSLVerifyClient of a section. If it asks for more than that of the server, the certificate is requested after the
 * handshake: with TLS 1.3, only a client with post-handshake authentication allows it, and only if the handshake did not ask
 * (modules/ssl/ssl_engine_kernel.c `ssl_hook_Access_modern`; test/live/client-certificates.live.test.ts).
 */
export function checkCertificate(state: AccessState): CertificateFault | undefined {
  const handshake = verifySettingOf(state, true);
  const { line, strength } = verifySettingOf(state, false);
  if (line === undefined || strength <= handshake.strength) return undefined;
  if (isSince(state.project.release, "2.4") && !mayRequestLater(state, handshake.strength > 0))
    return { log: ["AH10158"], by: line, endsConnection: false };
  if (keywordArgumentOf(line) !== "require") return undefined;
  const isAccepted = hasCertificate(state) ?? state.oracle.ask(unknownFact("certificate-accepted"));
  return isAccepted ? undefined : { log: [], by: line, endsConnection: true };
}

/** Reports whether a certificate can be requested after the handshake. @param isAsked whether the handshake asked for one */
function mayRequestLater(state: AccessState, isAsked: boolean): boolean {
  const line = state.config.setting("sslprotocol");
  const protocols = line && parseProtocols(line)?.protocols;
  if (protocols && !protocols.has("TLSv1.3")) return true;
  const { version } = state.request.tls ?? {};
  if (version !== undefined && version !== "1.3") return true;
  const isOnly = protocols?.size === 1 || version !== undefined;
  const older = isOnly ? [] : ["uses TLS 1.2 or older"];
  const later = isAsked ? [] : ["allows post-handshake authentication"];
  const ways = [...older, ...later];
  return ways.length > 0 && state.oracle.ask(unknownFact("certificate-later", ways.join(", or ")));
}

/** Reports whether an option of SSLOptions is on: a word with a sign changes the inherited options, another replaces them all. */
export function hasSslOption({ layers }: AccessState, option: "fakebasicauth" | "strictrequire"): boolean {
  let isOn = false;
  for (const line of layers.flatMap((layer) => layer.pick(sslOptions))) {
    const words = line.arguments.map(({ value }) => value.toLowerCase());
    if (words.some((word) => !/^[+-]/.test(word))) isOn = false;
    for (const word of words) if (word.replace(/^[+-]/, "") === option) isOn = !word.startsWith("-");
  }
  return isOn;
}

const sslOptions: ReadonlySet<string> = new Set(["ssloptions"]);

/**
 * Returns the user that SSLUserName takes from the certificate before Require is checked; undefined if there is none
 * (`ssl_hook_Access`). FakeBasicAuth disables it. The value of other variables than those of a certificate is not known.
 */
export function findCertificateUser(state: AccessState): string | undefined {
  if (state.request.scheme !== "https" || !state.config.has("sslusername")) return undefined;
  const line = state.config.setting("sslusername");
  const variable = firstArgumentOf(line);
  if (variable === undefined || hasSslOption(state, "fakebasicauth")) return undefined;
  if (!/^SSL_CLIENT_(?!VERIFY$)/i.test(variable)) {
    state.oracle.markUndecidable(unknownFact("user-of-certificate", variable), line);
    return undefined;
  }
  const known = hasCertificate(state);
  const part = known ? subjectPartOf(state, variable) : undefined;
  if (part && mayHaveCertificate(state)) return part;
  const mayBeNamed = known !== false && part !== "" && mayHaveCertificate(state);
  const isNamed = mayBeNamed && state.oracle.ask(unknownFact("certificate-variable", variable));
  if (!isNamed) {
    addRemark(state, "AH02227", `Failed to set r->user to '${variable}'`);
    return undefined;
  }
  const { tracker, user } = state.request;
  if (tracker === undefined) return chooseSubject(state, userNamesIn(state));
  tracker.recordPredicate({ kind: "any-user" }, user !== undefined);
  return user;
}

/**
 * Returns the subject of the client's certificate, which FakeBasicAuth takes as the user of Basic authentication, with the
 * password `password`; undefined without a certificate (`ssl_hook_UserCheck`). It replaces the credentials that a client
 * sends. In proofs, the user of a request may be that of a certificate anyway.
 */
export function findFakeBasicUser(state: AccessState): string | undefined {
  const { request, oracle } = state;
  if (request.scheme !== "https" || !state.config.has("ssloptions") || !hasSslOption(state, "fakebasicauth"))
    return undefined;
  if (request.tracker || !mayHaveCertificate(state)) return undefined;
  const isRequired = [true, false].some((isServer) => verifySettingOf(state, isServer).strength === 2);
  const known = hasCertificate(state);
  if (known === false) return undefined;
  if (!isRequired && !known && !oracle.ask(unknownFact("certificate-presented"))) return undefined;
  if (request.tls?.subject !== undefined) return request.tls.subject;
  return chooseSubject(
    state,
    userNamesIn(state).filter((name) => name.startsWith("/")),
  );
}

/** Reports whether the client of a request has a certificate that the server accepts; undefined if that is unknown. */
function hasCertificate({ request: { tls } }: Pick<AccessState, "request">): boolean | undefined {
  return tls?.certificate === undefined ? undefined : tls.certificate === "verified";
}

/** Returns a part of the known subject, for `SSL_CLIENT_S_DN_CN`; empty if it has none, undefined if that is not known. */
function subjectPartOf({ request: { tls } }: AccessState, variable: string): string | undefined {
  const [, name] = /^SSL_CLIENT_S_DN_([A-Z]+)$/i.exec(variable) ?? [];
  if (name === undefined || tls?.subject === undefined) return undefined;
  const parts = tls.subject.split("/").map((part) => part.split(/=(.*)/s));
  const [value = "", other] = parts.flatMap(([key, text = ""]) => (key === name.toUpperCase() ? [text] : []));
  return other === undefined ? value : undefined;
}

/**
 * Checks `Require ssl-verify-client`: whether the client has sent a certificate that the server accepts
 * (modules/ssl/ssl_engine_kernel.c `ssl_authz_verify_client_check`); undefined if that is unknown.
 */
export function isClientVerified(state: AccessState): boolean | undefined {
  if (state.request.scheme !== "https" || state.request.tls?.certificate === undefined) return undefined;
  return hasCertificate(state) === true && mayHaveCertificate(state);
}

/** Reports whether a certificate may name the user of a request, whose name the logs then have. */
export function mayNameUser(state: AccessState): boolean {
  if (state.request.scheme !== "https" || !(state.config.has("sslusername") || state.config.has("ssloptions")))
    return false;
  return (state.config.has("sslusername") || hasSslOption(state, "fakebasicauth")) && mayHaveCertificate(state);
}

/** Reports whether the server or a section asks for a certificate. */
function mayHaveCertificate(state: AccessState): boolean {
  return [true, false].some((isServer) => verifySettingOf(state, isServer).strength > 0);
}

/** Asks which of some names a certificate has. */
function chooseSubject({ oracle }: AccessState, names: readonly string[]): string {
  return names.find((name) => oracle.ask(unknownFact("certificate-user", name))) ?? UNNAMED_SUBJECT;
}

const requireLines: ReadonlySet<string> = new Set(["require"]);

/** Returns the user that is given with the request, and those that the Require lines name. */
function userNamesIn({ layers, request: { user } }: AccessState): readonly string[] {
  const lines = layers.flatMap((layer) => layer.pick(requireLines));
  const names = lines.flatMap(({ arguments: words }) => {
    const values = words.map(({ value }) => value);
    const [first = "", ...rest] = values[0]?.toLowerCase() === "not" ? values.slice(1) : values;
    return first.toLowerCase() === "user" ? rest : [];
  });
  return [...new Set(user === undefined ? names : [user, ...names])];
}
