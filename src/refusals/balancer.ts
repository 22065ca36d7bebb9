import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import { hasPath, type Look } from "./look.js";
import type { Fault } from "./refusal.js";

/** What mod_proxy refuses about BalancerMember by where it stands (`add_member`); parameters are not looked at. */
export function balancerMemberFault(directive: Directive, look: Look): Fault | undefined {
  const inSection = hasPath(look);
  if (inSection === undefined) return undefined;
  const names = directive.arguments.filter(({ value }) => !value.includes("="));
  const [balancer, member, extra]: readonly (Argument | undefined)[] = inSection ? [undefined, ...names] : names;
  if (extra) return extraFault(directive, extra, inSection);
  const { span } = directive;
  if (!inSection && balancer === undefined) {
    return {
      server: "BalancerMember must define balancer name when outside <Proxy > section",
      wrong: "`BalancerMember` names neither a balancer nor a member",
      remedy: "put it into `<Proxy balancer://name>` and write the member's URL behind it",
      span,
    };
  }
  if (member === undefined) {
    return {
      server: "BalancerMember must define remote proxy server",
      wrong: inSection
        ? "`BalancerMember` names no member"
        : "outside of a section the first word of `BalancerMember` is the balancer, and no member follows",
      remedy: inSection
        ? "write its URL"
        : "put it into `<Proxy balancer://name>`, or write the balancer before the URL",
      span,
    };
  }
  return inSection
    ? sectionFault(directive)
    : balancer && nameFault(balancer.value, directive, directive.spanOf(balancer));
}

function extraFault(directive: Directive, extra: Argument, inSection: boolean): Fault {
  return {
    server: inSection
      ? "BalancerMember can not have a balancer name when defined in a location"
      : "Invalid BalancerMember parameter. Parameter must be in the form 'key=value'",
    wrong: inSection
      ? `the section says which balancer is meant, and ${quoted(extra.value)} is a word too many`
      : `${quoted(extra.value)} is no parameter of \`BalancerMember\``,
    remedy: "take it out, and write parameters as `key=value`",
    span: directive.spanOf(extra),
  };
}

/** The path of the section around is taken for the balancer's name, whatever it is. */
function sectionFault(directive: Directive): Fault | undefined {
  const { parent } = directive;
  const path = parent?.arguments[0]?.value;
  if (parent === undefined || path === undefined || !/^<(?:location|proxy)$/.test(parent.key) || path === "~")
    return undefined;
  return nameFault(path, directive, directive.span, parent);
}

function nameFault(name: string, directive: Directive, span: Fault["span"], section?: Directive): Fault | undefined {
  if (name.includes("://")) return undefined;
  return {
    server: `BalancerMember Bad syntax for a balancer name (${name.toLowerCase()})`,
    wrong: section
      ? `\`${section.name}>\` stands for the balancer ${quoted(name)}, which is no name of one`
      : `${quoted(name)} is no name of a balancer`,
    remedy: section
      ? "put the line into `<Proxy balancer://name>`"
      : `put ${quoted(directive.name)} into \`<Proxy balancer://name>\`, or write the name in full: \`balancer://${name}\``,
    span,
    ...(section ? { related: [{ message: "the section is opened here", span: section.span }] } : {}),
  };
}
