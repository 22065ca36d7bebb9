import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { PositionMapper } from "../../../src/apps/lsp/documents/protocol-conversion.js";
import { fromReadable } from "../../../src/text/source.js";

/** Lines with all kinds of endings, and characters of one to four bytes. */
const texts = fc.array(fc.constantFrom("a", "é", "€", "😀", "\n", "\r\n", "\r", " "), { maxLength: 40 });

describe("byte offsets and UTF-16 positions", () => {
  test("are converted in both directions as in an editor", () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        const readable = pieces.join("");
        const document = TextDocument.create("", "", 0, readable);
        const mapper = new PositionMapper(fromReadable(readable));
        let units = 0;
        let bytes = 0;
        for (const piece of [...readable, ""]) {
          const position = document.positionAt(units);
          expect(mapper.positionOf(bytes)).toEqual(position);
          // An editor has no position between the two characters of a line ending.
          if (document.offsetAt(position) === units) expect(mapper.offsetOf(position)).toBe(bytes);
          units += piece.length;
          bytes += Buffer.byteLength(piece);
        }
      }),
    );
  });

  test("treat each byte that is not UTF-8 as a character", () => {
    const mapper = new PositionMapper("# caf\xe9\nListen 80\n");
    expect(mapper.rangeOf({ start: 7, end: 13 })).toEqual({
      start: { line: 1, character: 0 },
      end: { line: 1, character: 6 },
    });
  });
});
