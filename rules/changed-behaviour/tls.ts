import type { Directive } from "../../src/lint/api/configuration.js";
import { createFix, insertLinesAfter } from "../../src/lint/api/rule.js";
import { argumentAt, type Behaviour, createSharedReport } from "./behaviour.js";
import { behaviourFixTitles, behaviourMessages, oldBehaviour } from "./messages.js";

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
      ...createSharedReport(line.key, behaviourMessages.revocation(line, check, who, asBefore)),
      ...createFix(behaviourFixTitles.checkLists, "unsafe", insertLinesAfter(line.span, [asBefore])),
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
    const message = (decides ? behaviourMessages.comparedName : behaviourMessages.reportedName)(variable);
    const server = surroundings.serverOf(scope);
    const precedingLine = server.own("ssloptions").at(-1) ?? server.own("sslengine").at(-1);
    return {
      severity: decides ? "warning" : "info",
      ...createSharedReport(`dn ${decides}`, message),
      ...createFix(
        behaviourFixTitles.keepNames,
        "unsafe",
        precedingLine && insertLinesAfter(precedingLine.span, [oldBehaviour.nameFormat]),
      ),
    };
  },
};

/** A port on which plain requests may upgrade to TLS. */
const upgrades: Behaviour = {
  names: ["sslengine"],
  check(line) {
    if (!/^optional$/i.test(argumentAt(line))) return undefined;
    return { severity: "warning", ...createSharedReport("optional", behaviourMessages.optionalTls) };
  },
};

export const tlsBehaviours: readonly Behaviour[] = [revocation, names, upgrades];
