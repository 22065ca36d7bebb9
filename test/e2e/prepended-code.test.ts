import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { prependCode } from "../../scripts/artifacts/prepended-code.js";
import { testFolder } from "../support/programs/test-folder.js";

const { at, write } = testFolder();

/** Ends with the number of the variables of the environment. */
const countVariables = `.intel_syntax noprefix
        mov     rcx, [rsp]
        lea     rsi, [rsp + rcx*8 + 16]
        xor     edi, edi
next:   cmp     qword ptr [rsi], 0
        je      done
        inc     edi
        add     rsi, 8
        jmp     next
done:   mov     eax, 60
        syscall
`;

/** Returns the machine code of a file in assembly language. */
function assemble(path: string): Buffer {
  for (const [program, ...args] of [
    ["as", "-o", at("code.o"), path],
    ["objcopy", "-O", "binary", "-j", ".text", at("code.o"), at("code")],
  ] as const)
    expect(spawnSync(program, args, { encoding: "utf8" })).toMatchObject({ status: 0 });
  return readFileSync(at("code"));
}

/** The offsets of the headers' segment and of the code in the executable. */
const headersEnd = 0x100;
const codeStart = 0x300;
const base = 0x400000;

/** Returns an executable with one segment for its headers and one for its code. */
function createExecutable(code: Buffer): Buffer {
  const file = Buffer.alloc(codeStart + code.length);
  const writeWords = (at: number, words: readonly number[]) => {
    for (const [index, word] of words.entries()) file.writeBigUInt64LE(BigInt(word), at + index * 8);
  };
  const writeHalfWords = (at: number, words: readonly number[]) => {
    for (const [index, word] of words.entries()) file.writeUInt16LE(word, at + index * 2);
  };
  file.write("\x7fELF\x02\x01\x01", "latin1");
  // A program for x86-64, with two program headers of 56 bytes after the header of 64 bytes.
  writeHalfWords(16, [2, 62]);
  file.writeUInt32LE(1, 20);
  writeWords(24, [base + codeStart, 64]);
  writeHalfWords(52, [64, 56, 2]);
  [
    { flags: 4, offset: 0, size: headersEnd },
    { flags: 5, offset: codeStart, size: code.length },
  ].forEach(({ flags, offset, size }, index) => {
    const at = 64 + index * 56;
    file.writeUInt32LE(1, at);
    file.writeUInt32LE(flags, at + 4);
    writeWords(at + 8, [offset, base + offset, base + offset, size, size, 4096]);
  });
  code.copy(file, codeStart);
  return file;
}

/** Runs an executable, and returns its exit code. */
function runExecutable(file: Buffer, env: NodeJS.ProcessEnv): number | null {
  writeFileSync(at("program"), file);
  chmodSync(at("program"), 0o755);
  return spawnSync(at("program"), ["a", "b"], { env }).status;
}

const hasTools =
  process.arch === "x64" && ["as", "objcopy"].every((name) => spawnSync(name, ["--version"]).status === 0);

describe.skipIf(!hasTools)(`prepended code${hasTools ? "" : " (needs binutils on x86-64)"}`, () => {
  test("removes the variables of the runtime before the program starts", () => {
    write({ "count.s": countVariables });
    const plain = createExecutable(assemble(at("count.s")));
    const changed = prependCode(plain, assemble(resolve("scripts/artifacts/clear-environment.s")));
    const removed = { BUN_OPTIONS: "x", BUN_: "", JSC_useJIT: "0", NODE_OPTIONS: "x" };
    const kept = { BUN: "1", NODE: "1", NODES: "1", JSC: "", HOME: "/", B: "", xBUN_OPTIONS: "" };
    expect(runExecutable(plain, { ...removed, ...kept })).toBe(11);
    expect(runExecutable(changed, { ...removed, ...kept })).toBe(7);
    expect(runExecutable(changed, { ...kept, ...removed })).toBe(7);
    expect(runExecutable(changed, removed)).toBe(0);
    expect(runExecutable(changed, {})).toBe(0);
  });

  test("fails if the bytes before the entry are not free, and for other files", () => {
    write({ "count.s": countVariables });
    const program = createExecutable(assemble(at("count.s")));
    expect(() => prependCode(program, Buffer.alloc(codeStart - headersEnd))).toThrow("are not free");
    program.writeUInt8(1, codeStart - 8);
    expect(() => prependCode(program, Buffer.alloc(3))).toThrow("are not free");
    expect(() => prependCode(Buffer.from("#!/bin/sh\n".repeat(50)), Buffer.alloc(3))).toThrow("not a 64-bit ELF");
  });
});
