import { type OperatorRequest, requestText } from "../../support/operators/operator-requests.js";
import type { OperatorServer } from "../../support/operators/operator-server.js";

/** A server with one request. */
export interface OperatorCase {
  readonly server: OperatorServer;
  readonly request: OperatorRequest;
}

/** A part of a case that can be deleted. */
interface Part {
  readonly id: string;
  /** The section that contains it. */
  readonly within?: string;
}

/** Deletes parts of a case for as long as it fails in the same way (delta debugging). */
export async function minimizeCase(
  each: OperatorCase,
  fails: (smaller: OperatorCase) => Promise<boolean>,
): Promise<OperatorCase> {
  let parts = partsOf(each);
  for (let size = Math.ceil(parts.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < parts.length; ) {
      const rest = withoutOrphans([...parts.slice(0, at), ...parts.slice(at + size)]);
      if (await fails(keepParts(each, rest))) parts = rest;
      else at += size;
    }
  }
  return keepParts(each, parts);
}

function withoutOrphans(parts: readonly Part[]): readonly Part[] {
  const kept = new Set<string>();
  for (const { id, within } of parts) if (within === undefined || kept.has(within)) kept.add(id);
  return parts.filter(({ id }) => kept.has(id));
}

function partsOf({ server, request }: OperatorCase): readonly Part[] {
  const contents = Object.entries(server.files).flatMap(([path, text]) => {
    const id = `file ${path}`;
    return [{ id }, ...linePartsOf(text.split("\n"), id).map((part) => ({ within: id, ...part }))];
  });
  return [
    ...linePartsOf(server.lines, "lines"),
    ...contents,
    ...Object.keys(server.links).map((path) => ({ id: `link ${path}` })),
    ...Object.keys(request.headers).map((name) => ({ id: `header ${name}` })),
    ...(["credentials", "query", "authority"] as const).map((id) => ({ id })),
  ];
}

/** Returns the lines as parts. The last line of a section belongs to its first line. */
function linePartsOf(lines: readonly string[], text: string): readonly Part[] {
  const open: string[] = [];
  return lines.flatMap((line, index): readonly Part[] => {
    if (/^<\//.test(line)) {
      open.pop();
      return [];
    }
    const id = `${text} ${index}`;
    const within = open.at(-1);
    if (line.startsWith("<")) open.push(id);
    return [within === undefined ? { id } : { id, within }];
  });
}

function keepParts({ server, request }: OperatorCase, parts: readonly Part[]): OperatorCase {
  const kept = new Set(parts.map(({ id }) => id));
  const only = <T>(record: Readonly<Record<string, T>>, kind: string) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => kept.has(`${kind} ${name}`)));
  const { credentials, authority, ...bare } = request;
  const files = Object.entries(only(server.files, "file")).map(
    ([path, text]) => [path, keepLines(text.split("\n"), `file ${path}`, kept).join("\n")] as const,
  );
  return {
    server: {
      lines: keepLines(server.lines, "lines", kept),
      files: Object.fromEntries(files),
      links: only(server.links, "link"),
    },
    request: {
      ...bare,
      ...(kept.has("query") ? {} : { target: bare.target.replace(/\?.*/, "") }),
      ...(credentials && kept.has("credentials") ? { credentials } : {}),
      ...(authority !== undefined && kept.has("authority") ? { authority } : {}),
      headers: only(request.headers, "header"),
    },
  };
}

function keepLines(lines: readonly string[], text: string, kept: ReadonlySet<string>): readonly string[] {
  const open: boolean[] = [];
  return lines.filter((line, index) => {
    if (/^<\//.test(line)) return open.pop();
    const isKept = kept.has(`${text} ${index}`);
    if (line.startsWith("<")) open.push(isKept);
    return isKept;
  });
}

/** Renders a case as a value for a test. */
export function renderCase({ server, request }: OperatorCase): string {
  const { lines, files, links } = server;
  const own = Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith("@ROOT@/conf/")));
  const { clientAddress, serverAddress, portIndex, credentials } = request;
  const parts = {
    ...{ lines, files: own },
    ...(Object.keys(links).length > 0 ? { links } : {}),
    request: requestText(request)
      .split("\r\n")
      .filter((line) => line !== "" && line !== "Connection: close"),
    ...(credentials ? { credentials } : {}),
    from: `${clientAddress} to ${serverAddress}, port ${portIndex + 1}`,
  };
  return JSON.stringify(parts, undefined, 2);
}
