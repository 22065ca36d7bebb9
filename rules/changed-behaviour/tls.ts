import type { Directive } from "../../src/rule-api/configuration.js";
import { insertLinesAfter, quoteText } from "../../src/rule-api/rule.js";
import { argumentAt, type Behaviour, createFix, createSharedReport } from "./behaviour.js";

/** Revocation lists for certificates of clients and backends. */
const revocation: Behaviour = {
  names: ["sslcarevocationfile", "sslcarevocationpath", "sslproxycarevocationfile", "sslproxycarevocationpath"],
  takesServer: true,
  check(line, scope, surroundings) {
    const ofBackends = line.key.startsWith("sslproxy");
    const check = ofBackends ? "SSLProxyCARevocationCheck" : "SSLCARevocationCheck";
    if (surroundings.find(scope, ({ key }) => key === check.toLowerCase())) return undefined;
    // The 2.2 behaviour: a certificate is valid if its CA has no list.
    const asBefore = `${check} chain no_crl_for_cert_ok`;
    const who = ofBackends ? "a backend" : "a client";
    return {
      severity: "warning",
      ...createSharedReport(
        line.key,
        `2.4 looks into \`${line.name}\` only where \`${check}\` says so, so ${who} with a revoked certificate gets in, with no more than a warning at start (AH01902); write \`${asBefore}\` beside it, or \`${check} chain\` to refuse certificates of CAs without a list, too`,
      ),
      ...createFix("Check the lists as 2.2 did", insertLinesAfter(line.span, [asBefore])),
    };
  },
};

/** A complete distinguished name, not a part of it such as `SSL_CLIENT_S_DN_CN`. */
const wholeName = /SSL_(?:CLIENT|SERVER)_[IS]_DN(?![_A-Za-z0-9])/;
const decidingNames = ["sslrequire", "rewritecond", "rewriterule", "require", "<if", "<elseif", "sslusername"];
const reportingNames = [
  "setenvif",
  "setenvifnocase",
  "requestheader",
  "header",
  "logformat",
  "customlog",
  "errorlogformat",
];

const keepOption = "SSLOptions +LegacyDNStringFormat";

/** Distinguished names in certificates, which 2.4 formats differently. */
const names: Behaviour = {
  names: [...decidingNames, ...reportingNames],
  takesServer: true,
  check(line, scope, surroundings) {
    const variable = wholeName.exec(line.argumentText)?.[0];
    if (variable === undefined) return undefined;
    const keepsOldForm = ({ key, argumentText }: Directive) =>
      key === "ssloptions" && /(?<!-)\bLegacyDNStringFormat\b/i.test(argumentText);
    if (surroundings.find(scope, keepsOldForm)) return undefined;
    const decides = decidingNames.includes(line.key);
    const so = decides ? "what the line compares it with or makes of it is not the same" : "who reads it sees another";
    const message = `2.4 writes ${quoteText(variable)} as \`CN=Alice,O=Example,C=DE\` where 2.2 wrote \`/C=DE/O=Example/CN=Alice\`, so ${so}; write \`${keepOption}\` to keep the old form, or change what it is held against`;
    const server = surroundings.serverOf(scope);
    const behind = server.own("ssloptions").at(-1) ?? server.own("sslengine").at(-1);
    return {
      severity: decides ? "warning" : "info",
      ...createSharedReport(`dn ${decides}`, message),
      ...createFix("Keep the old form of names", behind && insertLinesAfter(behind.span, [keepOption])),
    };
  },
};

/** A port on which plain requests may upgrade to TLS. */
const upgrades: Behaviour = {
  names: ["sslengine"],
  check(line) {
    if (!/^optional$/i.test(argumentAt(line))) return undefined;
    const message =
      "2.4 takes `SSLEngine optional` for `SSLEngine off`, with no more than a notice at start (AH10510), so a client that asks to go over to TLS (`Upgrade: TLS/1.0`) is answered in plain text; write `SSLEngine off`, and a virtual host with `SSLEngine on` at a port of its own for those who are to have TLS";
    return { severity: "warning", ...createSharedReport("optional", message) };
  },
};

export const tlsBehaviours: readonly Behaviour[] = [revocation, names, upgrades];
