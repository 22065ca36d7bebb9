import type { Report } from "../../src/engine/finding.js";
import { moreLines } from "../../src/engine/shared-cause.js";
import type { Directive } from "../../src/project/directive.js";
import { namesLeftOut } from "../../src/project/left-out.js";
import { quoted } from "../../src/project/problems.js";
import type { Project } from "../../src/project/project.js";
import { word } from "./behaviour.js";

/** Virtual hosts that 2.2 never asked, since another with their address came first and no NameVirtualHost named it. */
export function* unnamedHosts(project: Project): Generator<Report> {
  const { directives } = project;
  // Kept from 2.4 by a guard.
  if (namesLeftOut(project).has("namevirtualhost")) return;
  const named = directives.filter(({ key }) => key === "namevirtualhost").map((line) => addressOf(word(line) || "*"));
  const first = new Map<string, Directive>();
  for (const host of directives) {
    if (host.key !== "<virtualhost") continue;
    for (const { value } of host.arguments) {
      const address = addressOf(value);
      const before = first.get(address);
      if (before === undefined) first.set(address, host);
      else if (!isNamed(address, named) && nameOf(host) !== undefined && nameOf(host) !== nameOf(before))
        yield reportOf(host, before, value);
    }
  }
}

function reportOf(host: Directive, before: Directive, address: string): Report {
  const message = `2.2 answers all that comes to ${quoted(address)} from the first virtual host there, since no NameVirtualHost names it, and never from this one; 2.4 goes by the names, so ${quoted(nameOf(host) ?? "")} gets this site from now on: see that it is meant to be served, or take it out`;
  return {
    severity: "warning",
    message,
    span: host.span,
    related: [{ message: "the first, which answers on 2.2", span: before.span }],
    cause: {
      key: `host ${address} ${before.span.start}`,
      message: (others) => `${message} (the same holds of ${moreLines(others)})`,
      also: "never answers on 2.2, too",
    },
  };
}

function nameOf({ children = [] }: Directive): string | undefined {
  const line = children.findLast(({ key }) => key === "servername");
  return line && word(line).toLowerCase();
}

/** One way to write an address: `*:80` for `_default_:80`, `*:*` for `*`. */
function addressOf(text: string): string {
  const lower = text.toLowerCase().replace(/^_default_/, "*");
  return /:(?:\d+|\*)$/.test(lower) && !/^\[[^\]]*$/.test(lower) ? lower : `${lower}:*`;
}

/** Without a port a NameVirtualHost line names the address at each. */
function isNamed(address: string, named: readonly string[]): boolean {
  return named.includes(address) || named.includes(address.replace(/:[^:]*$/, ":*"));
}
