import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { print, type TreeNode } from "../../grammar/ast.js";
import { normalizeLine } from "../../grammar/line-scanner.js";
import { parseFile } from "../../grammar/parser.js";
import { fromBytes, toBytes } from "../../src/text/bytes.js";
import { sourceFile } from "../../src/text/source.js";
import { runCount } from "../support/depth.js";

function linesOf(text: string) {
  const source = sourceFile("httpd.conf", text);
  return Array.from(parseFile(source).lines, (line) => ({
    kind: line.kind,
    name: source.text.slice(line.nameStart, line.nameEnd),
    rest: source.text.slice(line.restStart, line.restEnd),
  }));
}

describe("lines", () => {
  test("are distinguished by their first word", () => {
    expect(linesOf("\n# c\n<Directory />\nOptions None\n</Directory>\n")).toEqual([
      { kind: "blank", name: "", rest: "" },
      { kind: "comment", name: "#", rest: " c" },
      { kind: "open", name: "<Directory", rest: "/>" },
      { kind: "directive", name: "Options", rest: "None" },
      { kind: "close", name: "</Directory>", rest: "" },
    ]);
  });

  test("are comments only if they begin with `#`", () => {
    expect(linesOf("  # a\nAllow from 10.0.0.1 # b\n").map((line) => line.kind)).toEqual(["comment", "directive"]);
  });

  test("continue after a backslash, also in a comment", () => {
    expect(linesOf("# off \\\nDeny from all\nAllow \\\r\n  from all\n").map((line) => line.kind)).toEqual([
      "comment",
      "directive",
    ]);
  });

  test("end only at LF, and a lone CR is white space", () => {
    expect(linesOf("Alias /a /b\rAlias /c /d\r\n")).toEqual([
      { kind: "directive", name: "Alias", rest: "/a /b\rAlias /c /d" },
    ]);
  });

  test("may quote their first word", () => {
    expect(linesOf('"<Directory" />\n\'</Directory>\'\n"Options" None').map((line) => line.kind)).toEqual([
      "open",
      "close",
      "directive",
    ]);
  });

  test.each([
    ["Allow \\\n from all", "Allow  from all"],
    ["Allow fr\\\r\nom all\r\n", "Allow from all"],
    ["Allow from all \\\n", "Allow from all"],
    ["Allow from all\\", "Allow from all\\"],
    ["Allow from all\0 and more\n", "Allow from all"],
    ["Allow\0 \\\nfrom all\n", "Allow"],
    ["\\\n  Allow from all", "Allow from all"],
  ])("are joined and trimmed as by the server: %j", (text, normalized) => {
    const tree = parseFile(sourceFile("x", text));
    expect([...tree.lines].slice(0, 1).map((line) => normalizeLine(tree.source.text, line).text)).toEqual([normalized]);
  });
});

describe("print", () => {
  const bytes = fc.uint8Array({ maxLength: 400 });
  const config = fc
    .array(
      fc.constantFrom(
        "<If a>",
        "</If>",
        "<Directory",
        ">",
        "\\",
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        '"',
        "'",
        "#",
        "Order",
        "\0",
        "é",
        "\xff",
      ),
    )
    .map((parts) => new Uint8Array(Buffer.from(parts.join(""), "latin1")));

  test.each([
    ["any bytes", bytes],
    ["bytes that resemble a configuration", config],
  ])("returns %s unchanged, and the lines cover them", (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (input) => {
        const tree = parseFile({ path: "x", realPath: "x", text: fromBytes(input) });
        expect(new Uint8Array(toBytes(print(tree)))).toEqual(new Uint8Array(input));
        let end = 0;
        for (const line of tree.lines) {
          expect(line.start).toBe(end);
          expect(line.start <= line.nameStart && line.nameStart <= line.nameEnd).toBe(true);
          expect(line.nameEnd <= line.restStart && line.restStart <= line.end).toBe(true);
          end = line.end;
        }
        expect(end).toBe(tree.source.text.length);
        tree.nodes;
      }),
      { numRuns: runCount(100, 500), seed: 1 },
    );
  });

  test("and the tree support 100,000 open sections", () => {
    const tree = parseFile(sourceFile("x", "<If a>\n".repeat(100_000)));
    expect(print(tree)).toBe(tree.source.text);
    expect(tree.nodes).toHaveLength(1);
  });
});

describe("the tree", () => {
  test("nests sections by their tags, in any case", () => {
    const tree = parseFile(
      sourceFile("x", "<Directory />\n<Limit GET>\nRequire all denied\n</limit>\n</DIRECTORY>\nListen 80\n"),
    );
    expect(tree.nodes).toMatchObject([
      { open: { kind: "open" }, children: [{ children: [{ kind: "directive" }], close: { kind: "close" } }] },
      { kind: "directive" },
    ]);
  });

  test("keeps a closing tag without a section", () => {
    const tree = parseFile(sourceFile("x", "</Directory>\n<Files a>\n</Location>\n</Files>\n"));
    expect(tree.nodes).toMatchObject([{ kind: "close" }, { children: [{ kind: "close" }] }]);
  });

  test("ends unclosed sections where a section around them ends", () => {
    const text = "<Directory />\n<Limit GET>\nListen 1\n</Directory>\nListen 2\n<Files a>\nListen 3\n";
    const tree = parseFile(sourceFile("x", text));
    const [directory, line, files] = tree.nodes;
    expect(directory).toMatchObject({ close: { kind: "close" }, children: [{ children: [{ kind: "directive" }] }] });
    expect(line).toMatchObject({ kind: "directive" });
    expect(files).toMatchObject({ children: [{ kind: "directive" }] });
    expect([directory, files].map((node) => node && "close" in node)).toEqual([true, false]);
  });

  test("has sections that are nested too deeply as lines, and ends the others at their own tags", () => {
    const deep = `${"<If a>\n".repeat(300)}Listen 1\n${"</If>\n".repeat(300)}`;
    const tree = parseFile(sourceFile("x", `${deep}<Files a>\nListen 2\n</Files>\n`));
    let node: TreeNode | undefined = tree.nodes[0];
    let depth = 0;
    while (node && "open" in node && "open" in (node.children[0] ?? {})) {
      expect(node.close).toBeDefined();
      node = node.children[0];
      depth++;
    }
    expect([tree.nodes.length, depth]).toEqual([2, 255]);
    // 44 openings, the directive, and 44 closing tags.
    expect(node && "open" in node ? node.children : []).toHaveLength(89);
  });
});
