/** A set of bytes: bit n of the number is byte n. */
export type ByteSet = bigint;

export const noBytes: ByteSet = 0n;
export const allBytes: ByteSet = (1n << 256n) - 1n;

export function byteRange(from: number, to: number): ByteSet {
  return ((1n << BigInt(to + 1 - from)) - 1n) << BigInt(from);
}

export function oneByte(byte: number): ByteSet {
  return 1n << BigInt(byte);
}

/** The bytes of some characters, each a byte. */
export function bytesOf(characters: string): ByteSet {
  return [...characters].reduce((set, character) => set | oneByte(character.charCodeAt(0)), noBytes);
}

export function otherBytes(set: ByteSet): ByteSet {
  return allBytes ^ set;
}

export function hasByte(set: ByteSet, byte: number): boolean {
  return ((set >> BigInt(byte)) & 1n) === 1n;
}

export const upperCase = byteRange(0x41, 0x5a);
export const lowerCase = byteRange(0x61, 0x7a);
export const digits = byteRange(0x30, 0x39);
export const newline = oneByte(0x0a);

/** The set with both cases of its letters; beyond ASCII there are none in the locale that httpd runs in. */
export function inBothCases(set: ByteSet): ByteSet {
  return set | ((set & upperCase) << 32n) | ((set & lowerCase) >> 32n);
}
