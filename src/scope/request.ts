/** A request as the server gets it, with what it knows of the client when access is checked. */
export interface Request {
  /** As sent: `GET`. */
  readonly method: string;
  /** The path as sent, escapes and all, without the query. */
  readonly path: string;
  /** Without the `?`. */
  readonly query?: string;
  readonly scheme?: "http" | "https";
  /** The Host header; absent where none is sent. */
  readonly host?: string;
  /** The port of the server's socket. */
  readonly port?: number;
  /** The server's own address. */
  readonly serverIp?: string;
  /** The client as access control sees it, after mod_remoteip. */
  readonly clientIp: string;
  /** The client's name where its address leads to it and it leads back; absent where it has none. */
  readonly clientHost?: string;
  /** Who it is, where it sends valid credentials. */
  readonly user?: string;
  /** The user's groups in the text file, and in the dbm file. */
  readonly groups?: readonly string[];
  readonly dbmGroups?: readonly string[];
  /** Environment variables set before access is checked, with their values; `1` for bare names. */
  readonly env?: readonly string[];
  /** What Require asks of a directory, a database or a resolver and they grant: `ldap-group cn=staff`. Absent: unknown. */
  readonly grants?: readonly string[];
  /** Request headers beside Host and Authorization. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const DEFAULT_SERVER_IP = "127.0.0.1";

/** The port that a request comes in at. */
export function portOf({ port, scheme }: Request): number {
  return port ?? (scheme === "https" ? 443 : 80);
}

/** The environment that a request brings along: `NAME` or `NAME=VALUE`. */
export function environmentOf({ env = [] }: Request): Map<string, string> {
  return new Map(
    env.map((entry) => {
      const equals = entry.indexOf("=");
      return equals < 0 ? [entry, "1"] : [entry.slice(0, equals), entry.slice(equals + 1)];
    }),
  );
}

/** A header by its name in any case; undefined where it was not sent. */
export function headerOf(request: Request, name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === "host") return request.host;
  for (const [key, value] of Object.entries(request.headers ?? {})) if (key.toLowerCase() === lower) return value;
  return undefined;
}
