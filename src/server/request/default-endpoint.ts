import type { Project } from "../../config/model/project.js";
import { Oracle } from "../model/oracle.js";
import type { Request } from "../model/request.js";
import { readListenLine } from "../model/server.js";
import type { ServerLookup } from "./vhost-lookup.js";

/**
 * Completes a request that names neither a scheme nor a port: if the server does not listen on port 80, the first port on
 * which it listens, with `https` if TLS is on there. For a part without Listen lines, its virtual hosts have the ports.
 */
export function withDefaultEndpoint(request: Request, project: Project, servers: ServerLookup): Request {
  if (request.scheme !== undefined || request.port !== undefined || /:\d+$/.test(request.host ?? "")) return request;
  const lines = project.directives.filter(({ key }) => key === "listen");
  const ofHosts = () => servers.hosts.flatMap(({ addresses }) => addresses.map((each) => each.port));
  const ports = (lines.length > 0 ? lines.map((line) => readListenLine(line).port) : ofHosts()).filter(
    (port) => port > 0,
  );
  const [port] = ports;
  if (port === undefined || ports.includes(80)) return request;
  const secure: Request = { ...request, port, scheme: "https" };
  const { state } = servers.tlsEngineOf(servers.defaultServerOf(secure, new Oracle(new Map())));
  // Another file may have the SSLEngine line of a part.
  const isSecure = state === "on" || (port === 443 && (state === "unknown" || project.isPart));
  return isSecure ? secure : { ...request, port };
}
