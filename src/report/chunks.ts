/** Large enough that writing costs little, small enough that it holds little. */
const CHUNK = 1 << 16;

/** Pieces of text put together to larger ones. */
export function* inChunks(pieces: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
