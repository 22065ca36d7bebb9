/** The type of a program header whose segment is loaded, and the flag of a segment that runs. */
const PT_LOAD = 1;
const PF_X = 1;

/** Sizes and offsets of the fields in 64-bit ELF files. */
const header = { entry: 24, programHeaders: 32, programHeaderSize: 54, programHeaderCount: 56 };
const segment = { type: 0, flags: 4, offset: 8, address: 16, physicalAddress: 24, fileSize: 32, memorySize: 40 };

interface Segment {
  /** The offset of its program header. */
  readonly at: number;
  readonly isExecutable: boolean;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/**
 * Returns an ELF executable that runs code before its own start. The code goes before the segment with the entry, where the
 * alignment of segments leaves zeros. A jump to the former entry is added to the code.
 */
export function prependCode(executable: Buffer, code: Buffer): Buffer {
  const changed = Buffer.from(executable);
  const read = (at: number) => Number(changed.readBigUInt64LE(at));
  const write = (at: number, value: number) => changed.writeBigUInt64LE(BigInt(value), at);
  const entry = read(header.entry);
  const segments = readSegments(changed);
  const target = segments.find((each) => each.isExecutable && entry - each.address < each.size);
  if (!target || entry < target.address) throw new Error("no executable segment contains the entry");
  // Each instruction of five bytes jumps relative to its end.
  const size = Math.ceil((code.length + 5) / 16) * 16;
  const start = target.offset - size;
  const isFree = changed.subarray(start, target.offset).every((byte) => byte === 0);
  const overlaps = segments.some(({ offset, size: length }) => offset < target.offset && offset + length > start);
  const isOnSamePage = start >> 12 === (target.offset - 1) >> 12;
  if (!isFree || overlaps || !isOnSamePage) throw new Error(`the ${size} bytes before the entry are not free`);
  const address = target.address - size;
  code.copy(changed, start);
  changed.writeUInt8(0xe9, start + code.length);
  changed.writeInt32LE(entry - (address + code.length + 5), start + code.length + 1);
  write(header.entry, address);
  write(target.at + segment.offset, start);
  for (const field of [segment.address, segment.physicalAddress]) write(target.at + field, address);
  for (const field of [segment.fileSize, segment.memorySize]) write(target.at + field, read(target.at + field) + size);
  return changed;
}

/** Returns the segments that are loaded. */
function readSegments(file: Buffer): readonly Segment[] {
  if (file.toString("latin1", 0, 5) !== "\x7fELF\x02") throw new Error("the file is not a 64-bit ELF executable");
  const first = Number(file.readBigUInt64LE(header.programHeaders));
  const size = file.readUInt16LE(header.programHeaderSize);
  const headers = Array.from(
    { length: file.readUInt16LE(header.programHeaderCount) },
    (_, index) => first + index * size,
  );
  return headers
    .filter((at) => file.readUInt32LE(at + segment.type) === PT_LOAD)
    .map((at) => ({
      at,
      isExecutable: (file.readUInt32LE(at + segment.flags) & PF_X) !== 0,
      offset: Number(file.readBigUInt64LE(at + segment.offset)),
      address: Number(file.readBigUInt64LE(at + segment.address)),
      size: Number(file.readBigUInt64LE(at + segment.fileSize)),
    }));
}
