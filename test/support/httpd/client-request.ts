import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { DEFAULT_SERVER_IP, defaultPortOf, type Request } from "../../../src/server/model/request.js";

/** Limit for a response. */
const TIMEOUT_MS = 20_000;

/** Sends a request from the address of its client, which this machine must have. @returns the status of the response */
export function sendAsClient(request: Request): Promise<number> {
  const { method, path, query, origin = "", scheme, host, port, serverIp, clientIp, user, headers } = request;
  const isTls = scheme === "https";
  const authorization = user === undefined ? {} : { Authorization: `Basic ${btoa(`${user}:secret`)}` };
  return new Promise((resolve, reject) => {
    const sent = (isTls ? httpsRequest : httpRequest)(
      {
        host: serverIp ?? (clientIp.includes(":") ? "::1" : DEFAULT_SERVER_IP),
        port: port ?? defaultPortOf(scheme),
        path: `${origin}${path}${query === undefined ? "" : `?${query}`}`,
        method,
        localAddress: clientIp,
        headers: { ...headers, ...authorization, ...(host === undefined ? {} : { Host: host }) },
        rejectUnauthorized: false,
        ...(isTls && host !== undefined ? { servername: host } : {}),
        timeout: TIMEOUT_MS,
        agent: false,
      },
      (response) => {
        // A server that rejects a body may reset the connection after its response.
        response.on("error", () => undefined).resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent
      .on("timeout", () => sent.destroy(new Error("no response")))
      .on("error", reject)
      .end();
  });
}
