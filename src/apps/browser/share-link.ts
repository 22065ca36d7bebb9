import { type PlaygroundConfiguration, type PlaygroundVersion, playgroundVersions } from "./messages.js";

/** The content of a link to the playground. */
export interface SharedState {
  readonly configuration: PlaygroundConfiguration;
  readonly version: PlaygroundVersion;
}

const PREFIX = "#try=";
/** Limit of the characters in a link: programs that pass links on cut longer ones. */
export const MAX_LINK = 32_000;
/** Limit of the bytes that a link unpacks to. */
const MAX_BYTES = 1_000_000;

/** Returns the fragment of a link: compressed JSON in the alphabet of URLs. Undefined if it is too long. */
export async function encodeLink({ configuration, version }: SharedState): Promise<string | undefined> {
  const { files, main } = configuration;
  const stream = new Blob([JSON.stringify({ files, main, version })]).stream();
  const packed = await readBytes(stream.pipeThrough(new CompressionStream("deflate-raw")), Number.POSITIVE_INFINITY);
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  const link = PREFIX + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return link.length > MAX_LINK ? undefined : link;
}

/** Returns the content of a link; undefined if there is none, or if it is damaged or too large. */
export async function decodeLink(fragment: string): Promise<SharedState | undefined> {
  if (!fragment.startsWith(PREFIX)) return undefined;
  try {
    const text = fragment.slice(PREFIX.length);
    return toSharedState(JSON.parse(/^(?:%7B|\{)/i.test(text) ? decodeURIComponent(text) : await unpack(text)));
  } catch {
    return undefined;
  }
}

async function unpack(text: string): Promise<string> {
  const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new TextDecoder().decode(await readBytes(stream, MAX_BYTES));
}

/** Returns the bytes of a stream. @throws RangeError if there are more than a limit */
async function readBytes(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: number[] = [];
  const reader = stream.getReader();
  for (let chunk = await reader.read(); chunk.value !== undefined; chunk = await reader.read()) {
    if (chunks.length + chunk.value.length > limit) throw new RangeError("the link is too large");
    for (const byte of chunk.value) chunks.push(byte);
  }
  return Uint8Array.from(chunks);
}

/** Returns the state that a value describes; undefined if it describes none. */
function toSharedState(value: unknown): SharedState | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { files, main, version }: { files?: unknown; main?: unknown; version?: unknown } = value;
  if (typeof files !== "object" || files === null || typeof main !== "string") return undefined;
  const texts = Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  if (texts.length === 0) return undefined;
  const known = playgroundVersions.find((each) => each === version) ?? "2.4";
  return { configuration: { files: Object.fromEntries(texts), main }, version: known };
}
