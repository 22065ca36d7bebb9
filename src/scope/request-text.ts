import { toReadable } from "../text/source.js";
import type { Request } from "./request.js";

/** What must be so that no request tells, each in words: "`/srv/www/x` is a directory". */
export function givenWords({
  files,
  terms,
}: {
  readonly files: ReadonlyMap<string, string>;
  readonly terms: ReadonlySet<string>;
}): readonly string[] {
  const there = [...files].map(([path, kind]) => `\`${path}\` is a ${kind}`);
  return [...there, ...[...terms].map((each) => each.replace(/^whether /, ""))];
}

/** A request in words: ``GET `http://a.test/x` from 10.0.0.1``. */
export function requestText({
  method,
  path,
  scheme,
  host,
  port,
  serverIp,
  clientIp,
  clientHost,
  user,
  groups,
  env,
  headers = {},
}: Request): string {
  const isUsual = port === undefined || port === (scheme === "https" ? 443 : 80);
  const authority = host ?? (serverIp?.includes(":") ? `[${serverIp}]` : serverIp);
  const url = authority === undefined ? path : `${scheme ?? "http"}://${authority}${isUsual ? "" : `:${port}`}${path}`;
  const who = user === undefined ? "" : ` as user \`${user}\`${groups ? ` of group \`${groups.join(" ")}\`` : ""}`;
  const name = clientHost === undefined || clientHost === "localhost" ? "" : ` (\`${clientHost}\`)`;
  const variables = env === undefined ? "" : ` with ${env.map((each) => `\`${each}\``).join(", ")} set`;
  const sent = Object.entries(headers).map(([key, value]) => ` with the header \`${key}: ${value}\``);
  return toReadable(`${method} \`${url}\` from ${clientIp}${name}${who}${variables}${sent.join("")}`);
}
