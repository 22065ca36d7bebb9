import type { Directive } from "../../src/project/directive.js";
import { quoted } from "../../src/project/problems.js";
import { linesBehind } from "../../src/text/edits.js";
import { type Behaviour, fixed, shared, word } from "./behaviour.js";

/** Backends that speak SCGI. */
const scgi: Behaviour = {
  names: ["proxypass", "proxypassmatch", "balancermember", "rewriterule"],
  takesServer: true,
  look(line, scope, surroundings) {
    if (!/(?:^|[\s"'])scgi:\/\//i.test(line.argumentText)) return undefined;
    const says = ({ argumentText }: Directive) => argumentText.includes("proxy-scgi-pathinfo");
    const said = surroundings.find(scope, says);
    // SetEnv comes after the proxy has made up its mind.
    if (said && said.key !== "setenv") return undefined;
    const keep = 'SetEnvIf Request_URI "^" proxy-scgi-pathinfo=1';
    const tooLate = said ? `, and SetEnv comes too late for it` : "";
    const message = `2.4 sends no PATH_INFO to an SCGI backend${tooLate}, and the whole path in SCRIPT_NAME, so an application that goes by PATH_INFO as on 2.2 finds no page; write \`${keep}\` to have it as before`;
    const { modulesAreKnown, modules } = surroundings.project;
    const mayWrite = scope.place !== "proxy" && (!modulesAreKnown || modules.has("setenvif_module"));
    return {
      severity: "warning",
      ...shared(`scgi${tooLate}`, message),
      ...fixed("Send PATH_INFO as 2.2 did", mayWrite ? linesBehind(line.span, [keep]) : undefined),
    };
  },
};

/** A cache for everything, on a server that fetches pages from elsewhere for its clients. */
const forwardCache: Behaviour = {
  names: ["cacheenable"],
  takesServer: true,
  look(line, scope, surroundings) {
    const server = surroundings.serverOf(scope);
    const forwards = server.inForce("proxyrequests").at(-1);
    if (word(line, 1) !== "/" || forwards === undefined || !/^on$/i.test(word(forwards))) return undefined;
    if (server.inForce("cacheenable").some((each) => /^[a-z]+:/i.test(word(each, 1)))) return undefined;
    const keep = `CacheEnable ${word(line)} http://`;
    return {
      severity: "warning",
      message: `2.4 takes ${quoted("/")} for the paths of this server alone, so what it fetches for clients as a forward proxy is no longer cached; write \`${keep}\` beside it`,
      related: [{ message: "it is a forward proxy by this line", span: forwards.span }],
      ...fixed("Cache what the forward proxy fetches, too", linesBehind(line.span, [keep])),
    };
  },
};

/** Session identifiers that a cache is to pass over. */
const sessionIdentifiers: Behaviour = {
  names: ["cacheignoreurlsessionidentifiers"],
  look(line) {
    const [first] = line.arguments;
    if (first === undefined || /^none$/i.test(first.value)) return undefined;
    return {
      severity: "info",
      message: `2.4 passes over a parameter only where ${quoted(first.value)} is its whole name, where 2.2 went by the end of the name, too (${quoted(`user${first.value}`)}), so pages that differ in such a parameter are cached apart; name here every parameter that is to be passed over`,
    };
  },
};

export const proxyBehaviours: readonly Behaviour[] = [scgi, forwardCache, sessionIdentifiers];
