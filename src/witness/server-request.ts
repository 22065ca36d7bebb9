import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import type { Request } from "../scope/request.js";
import { addressOf } from "../text/addresses.js";
import { pathInto } from "./paths.js";

/** How a server is asked: the part of a request that does not depend on path and client. */
type ServerPart = Pick<Request, "scheme" | "host" | "port" | "serverIp">;

/** Sections of the main server count in its virtual hosts, too; so many of those are tried. */
const MOST_HOSTS = 3;

/**
 * Requests that may come to a scope, told from its sections; whoever uses one sees for himself whether it does.
 *
 * @param clientIp the address that they come from
 */
export function requestsInto(scope: Scope, project: Project, clientIp: string): readonly Request[] {
  const path = pathInto(scope, project);
  if (path === undefined) return [];
  return serversOf(scope, project).map((server) => ({
    method: methodFor(scope),
    path: escaped(path),
    ...server,
    clientIp,
  }));
}

function serversOf(scope: Scope, project: Project): readonly ServerPart[] {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent)
    if (outer.place === "virtualhost" && outer.section) return [askedAt(outer.section)];
  const hosts = project.directives.filter(({ key }) => key === "<virtualhost");
  return [{}, ...hosts.slice(0, MOST_HOSTS).map(askedAt)];
}

/** How a virtual host is asked: by its first address, and by its name. */
function askedAt(host: Directive): ServerPart {
  const [, name = "", port] = /^(.*?)(?::(\d+|\*))?$/.exec(host.arguments[0]?.value ?? "") ?? [];
  const address = name.replace(/^\[|\]$/g, "");
  const names = (host.children ?? []).filter(({ key }) => key === "servername" || key === "serveralias");
  const known = names.flatMap(({ arguments: words }) => words.map(({ value }) => value.replace(/^[a-z]+:\/\//i, "")));
  const asked = known.map((each) => each.replace(/:\d+$/, "")).find((each) => !/[*?]/.test(each));
  const isTls = (host.children ?? []).some(
    ({ key, argumentText }) => key === "sslengine" && /^on$/i.test(argumentText),
  );
  return {
    ...(isTls ? { scheme: "https" } : {}),
    ...(asked === undefined ? {} : { host: asked }),
    ...(port === undefined || port === "*" || port === "0" ? {} : { port: Number(port) }),
    ...(addressOf(address) === undefined ? {} : { serverIp: address }),
  };
}

/** The method that a Limit section around all of a scope's access control asks for; GET where there is none. */
function methodFor({ directives }: Scope): string {
  const limit = directives.find(({ key }) => key === "<limit");
  const isForGet = limit === undefined || limit.arguments.some(({ value }) => value === "GET");
  return isForGet ? "GET" : (limit.arguments[0]?.value ?? "GET");
}

/** As a client sends it. */
export function escaped(path: string): string {
  return path.replace(/[^!$&'()*+,\-./0-9:;=@A-Z_a-z~]/g, (each) =>
    each.charCodeAt(0) > 0xff ? encodeURIComponent(each) : `%${each.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
