import { closeSync, openSync, readSync } from "node:fs";

/** Bytes that tell the system and the processor of a program. */
const HEADER_BYTES = 4096;

const elfMachines: Readonly<Record<number, string>> = { 62: "x64", 183: "arm64" };
const machMachines: Readonly<Record<number, string>> = { 16777223: "x64", 16777228: "arm64" };
const peMachines: Readonly<Record<number, string>> = { 34404: "x64", 43620: "arm64" };

/**
 * Returns the system and the processor of a program by its header: `linux-arm64`, `darwin-x64`, `windows-x64`. Sources are the
 * ELF specification (e_machine), mach/machine.h (cputype) and the PE format (Machine).
 *
 * @returns undefined for another format
 */
export function programFormatOf(path: string): string | undefined {
  const header = readStart(path);
  const name = (system: string, processor: string | undefined) => processor && `${system}-${processor}`;
  if (header.subarray(0, 6).equals(Buffer.from("\u007fELF\u0002\u0001", "latin1")))
    return name("linux", elfMachines[header.readUInt16LE(18)]);
  if (header.readUInt32LE(0) === 0xfeedfacf) return name("darwin", machMachines[header.readUInt32LE(4)]);
  if (header.toString("latin1", 0, 2) !== "MZ") return undefined;
  const start = header.readUInt32LE(0x3c);
  if (start > HEADER_BYTES - 6 || header.toString("latin1", start, start + 4) !== "PE\0\0") return undefined;
  return name("windows", peMachines[header.readUInt16LE(start + 4)]);
}

function readStart(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, "r");
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
}
