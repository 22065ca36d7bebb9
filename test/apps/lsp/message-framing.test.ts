import { describe, expect, test } from "vitest";
import { type InvalidMessageAnswer, MessageFrameFilter } from "../../../src/apps/lsp/message-framing.js";

const request = { jsonrpc: "2.0", id: 7, method: "shutdown" };
/** The text of a document may contain a header. */
const edit = {
  jsonrpc: "2.0",
  method: "textDocument/didChange",
  params: { text: "ü\r\n\r\nContent-Length: 99\r\n\r\n" },
};

function bodyOf(message: object): string {
  return JSON.stringify(message);
}

function frame(message: object, header = (length: number) => `Content-Length: ${length}\r\n\r\n`): string {
  return header(Buffer.byteLength(bodyOf(message))) + bodyOf(message);
}

/** Passes parts of a stream through the filter. @returns the messages that it forwards, and its answers */
function filter(parts: readonly Buffer[]): { forwarded: unknown[]; answers: InvalidMessageAnswer[]; notes: string[] } {
  const answers: InvalidMessageAnswer[] = [];
  const notes: string[] = [];
  const stream = new MessageFrameFilter(
    (note) => notes.push(note),
    (answer) => answers.push(answer),
  );
  for (const part of parts) stream.write(part);
  const output: unknown = stream.read();
  const forwarded: unknown[] = [];
  let rest = Buffer.isBuffer(output) ? output : Buffer.alloc(0);
  while (rest.length > 0) {
    const [header = "", length] = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString("latin1")) ?? [];
    const end = header.length + Number(length);
    forwarded.push(JSON.parse(rest.toString("utf8", header.length, end)));
    rest = rest.subarray(end);
  }
  return { forwarded, answers, notes };
}

function filterText(text: string) {
  return filter([Buffer.from(text)]);
}

describe("a valid message", () => {
  test.each<[string, (length: number) => string]>([
    ["the length only", (length) => `Content-Length: ${length}\r\n\r\n`],
    ["another case and other white space", (length) => `CONTENT-LENGTH:${length} \r\n\r\n`],
    ["a leading zero", (length) => `Content-Length: 0${length}\r\n\r\n`],
    ["a type before the length", (length) => `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`],
    [
      "a charset after the length",
      (length) => `Content-Length: ${length}\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n`,
    ],
    ["unknown fields", (length) => `X-Trace: a:b\r\nContent-Length: ${length}\r\nHost: localhost\r\n\r\n`],
    ["the same length twice", (length) => `Content-Length: ${length}\r\ncontent-length: ${length}\r\n\r\n`],
    ["the same length in a list", (length) => `Content-Length: ${length}, ${length}\r\n\r\n`],
    ["line ends without CR", (length) => `Content-Length: ${length}\n\n`],
    ["blank lines before it", (length) => `\r\n\nContent-Length: ${length}\r\n\r\n`],
  ])("is forwarded with %s", (_what, header) => {
    const stream = frame(edit, header) + frame(request, header);
    expect(filterText(stream)).toEqual({ forwarded: [edit, request], answers: [], notes: [] });
  });

  test("is forwarded wherever the stream is split", () => {
    const bytes = Buffer.from(frame(edit, (length) => `X-A: b\r\nContent-Length: ${length}\r\n\r\n`) + frame(request));
    for (let at = 1; at < bytes.length; at++) {
      const { forwarded, answers } = filter([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(forwarded, `split at ${at}`).toEqual([edit, request]);
      expect(answers, `split at ${at}`).toEqual([]);
    }
    expect(filter([...bytes].map((byte) => Buffer.from([byte]))).forwarded).toEqual([edit, request]);
  });
});

const malformed: readonly [string, string][] = [
  ["two different lengths", frame(edit, (length) => `Content-Length: ${length}\r\nContent-Length: 5\r\n\r\n`)],
  ["two different lengths in a list", frame(edit, (length) => `Content-Length: ${length}, 1\r\n\r\n`)],
  ["a negative length", frame(edit, (length) => `Content-Length: -${length}\r\n\r\n`)],
  ["a length with a sign", frame(edit, (length) => `Content-Length: +${length}\r\n\r\n`)],
  ["a hexadecimal length", frame(edit, () => "Content-Length: 0x20\r\n\r\n")],
  ["an empty length", frame(edit, () => "Content-Length:\r\n\r\n")],
  ["a length that exceeds every document", frame(edit, () => `Content-Length: ${"9".repeat(40)}\r\n\r\n`)],
  ["a length that exceeds memory", frame(edit, () => "Content-Length: 1000000000\r\n\r\n")],
  ["no length", frame(edit, () => "Content-Type: application/json\r\n\r\n")],
  ["a similar field", frame(edit, (length) => `Content-Lengths: ${length}\r\n\r\n`)],
  ["no header", bodyOf(request)],
  ["one line end", frame(request, (length) => `Content-Length: ${length}\r\n`)],
  ["a continued field", frame(edit, (length) => `Content-Length: ${length}\r\nX-A: b\r\n c\r\n\r\n`)],
  ["a space before the colon", frame(edit, (length) => `Content-Length : ${length}\r\n\r\n`)],
  ["an endless field", "x".repeat(20_000)],
  ["a length that is too small", frame(request, (length) => `Content-Length: ${length - 3}\r\n\r\n`)],
  ["an empty message", "Content-Length: 0\r\n\r\n"],
  ["a message that is not JSON", "Content-Length: 3\r\n\r\n{x}"],
];

describe("a message that cannot be read", () => {
  test.each(malformed)("is answered, and the next one is read: %s", (_what, broken) => {
    for (const split of [1, 10, 64, 100_000]) {
      const bytes = Buffer.from(broken + frame(request));
      const parts = Array.from({ length: Math.ceil(bytes.length / split) }, (_, index) =>
        bytes.subarray(index * split, (index + 1) * split),
      );
      const { forwarded, answers, notes } = filter(parts);
      expect(forwarded, `parts of ${split} bytes`).toEqual([request]);
      expect(answers[0], `parts of ${split} bytes`).toMatchObject({
        jsonrpc: "2.0",
        id: null,
        error: { code: -32700 },
      });
      expect(notes[0]).toMatch(/^ignored a message from the editor: /);
    }
  });

  test("is answered before the next one arrives", () => {
    for (const [what, broken] of malformed) {
      const isAnswered = filterText(broken).answers.length > 0;
      expect(isAnswered, what).toBe(true);
    }
  });

  test.each<[string, unknown, unknown]>([
    ["a batch", [request], null],
    ["a number", 5, null],
    ["no method", { jsonrpc: "2.0", id: "a" }, "a"],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "shutdown" }, null],
  ])("is an invalid request if it is %s", (_what, message, id) => {
    const text = JSON.stringify(message);
    const { forwarded, answers } = filterText(`Content-Length: ${text.length}\r\n\r\n${text}${frame(request)}`);
    expect(forwarded).toEqual([request]);
    expect(answers).toMatchObject([{ id, error: { code: -32600 } }]);
  });

  test("is skipped to its end if its charset is not UTF-8", () => {
    const broken = frame(edit, (length) => `Content-Length: ${length}\r\nContent-Type: x; charset="utf-16"\r\n\r\n`);
    const { forwarded, answers } = filterText(broken + frame(request));
    expect(forwarded).toEqual([request]);
    expect(answers).toEqual([
      { jsonrpc: "2.0", id: null, error: { code: -32600, message: "its charset is not UTF-8" } },
    ]);
  });
});
