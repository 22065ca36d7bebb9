import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { childrenOf, type ExpressionNode } from "../../grammar/expression/ast.js";
import { createErrorRecorder } from "../../grammar/expression/errors.js";
import { checkNames, parseExpression, parseStringExpression } from "../../grammar/expression/expression.js";
import { isSubnet } from "../../grammar/expression/names.js";
import { ExpressionParser } from "../../grammar/expression/parser.js";
import { createExpressionLexer } from "../../grammar/expression/tokens.js";
import { NESTING_LIMIT } from "../../grammar/expression/tree-builders.js";
import { runCount } from "../support/depth.js";

/** Formats a tree in one line: prefix operators, with words as in the text if unambiguous. */
function formatNode(node: ExpressionNode): string {
  const inner = childrenOf(node).map(formatNode).join(" ");
  switch (node.kind) {
    case "constant":
      return String(node.value);
    case "and":
    case "or":
    case "not":
    case "list":
    case "concatenation":
      return `(${node.kind} ${inner})`;
    case "comparison":
    case "match":
    case "membership":
    case "unary":
    case "binary":
      return `(${node.operator.name} ${inner})`;
    case "regex":
      return `${node.delimiter}${node.pattern}${node.delimiter}${node.ignoreCase ? "i" : ""}`;
    case "call":
    case "listCall":
      return `${node.name.text}(${inner})`;
    case "variable":
      return `%${node.name.text}`;
    case "backreference":
      return `$${node.number}`;
    case "digits":
      return node.value;
    case "text":
      return JSON.stringify(node.value);
    case "string":
      return `${node.quote}<${inner}>`;
  }
}

function tree(text: string): string {
  const parsed = parseExpression(text);
  return !parsed.ok ? `rejected: ${parsed.error.message}` : formatNode(parsed.value.expression);
}

function stringTree(text: string): string {
  const parsed = parseStringExpression(text);
  return !parsed.ok ? `rejected: ${parsed.error.message}` : formatNode(parsed.value.expression);
}

function names(text: string, context?: Parameters<typeof checkNames>[1]): string[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return checkNames(parsed.value.expression, context).map(
    ({ message, start, end }) => `${text.slice(start, end)}: ${message}`,
  );
}

describe("a condition", () => {
  test.each([
    ["true", "true"],
    [" \t\nfalse\n", "false"],
    ["%{HTTP_HOST} == 'a'", '(== %HTTP_HOST \'<"a">)'],
    ["'a'='b'", '(== \'<"a"> \'<"b">)'],
    ["1 eq 1", "(-eq 1 1)"],
    ["'a' -lt -5", '(-lt \'<"a"> -5)'],
    ["$1 =~ /^x/", "(=~ $1 /^x/)"],
    ["$1 !~ m#a/b#i", "(!~ $1 #a/b#i)"],
    ["$1 =~ m_(x)_", "(=~ $1 _(x)_)"],
    // A regular expression does not have escapes here: the backslash is its last character.
    ["$1 =~ /a\\/", "(=~ $1 /a\\/)"],
    ["$1 in { 'a', 2 }", '(-in $1 (list \'<"a"> 2))'],
    ["$1 -in PeerExtList('x')", '(-in $1 PeerExtList(\'<"x">))'],
    ["-n %{req:User-Agent}", '(-n req(<"User-Agent">))'],
    ["-e'/x'", '(-e \'<"/x">)'],
    ["%{REMOTE_ADDR} -ipmatch '10.0.0.0/8'", '(-ipmatch %REMOTE_ADDR \'<"10.0.0.0/8">)'],
    ["tolower(md5('a'.'b').$2) == ''", '(== tolower((concatenation md5((concatenation \'<"a"> \'<"b">)) $2)) \'<>)'],
    ["-n 1.2", "(-n (concatenation 1 2))"],
    ["-n 'a'.'b'.'c'", '(-n (concatenation \'<"a"> \'<"b"> \'<"c">))'],
    ["!true", "(not true)"],
    ["not !true", "(not (not true))"],
    ["true && false || true", "(or (and true false) true)"],
    ["true || false && true", "(or true (and false true))"],
    ["true and false and true or false", "(or (and true false true) false)"],
    ["true && (false && true)", "(and true (and false true))"],
    ["!true && false", "(and (not true) false)"],
    ["!(true && false)", "(not (and true false))"],
    ["! 'a' == 'b' || true", '(or (not (== \'<"a"> \'<"b">)) true)'],
    ["((true))", "true"],
    ["(!(true)||(false))&&true", "(and (or (not true) false) true)"],
    ['-n "it\'s %{HTTPS} $0"', '(-n "<"it\'s " %HTTPS " " $0>)'],
    ["-n '%{req:%{env:X}-y}'", '(-n \'<req(<env(<"X">) "-y">)>)'],
    ["-n %{req:a%{tolower:$1}}", '(-n req(<"a" tolower(<$1>)>))'],
    ["-n '100% $ } {'", '(-n \'<"100% $ } {">)'],
    ["-n 'a\\'\\n\\101\\x'", "(-n '<\"a'\\nAx\">)"],
    ["-n 'a\\0b'", '(-n \'<"a">)'],
    ["-n '\\%{HTTPS}\\$1'", '(-n \'<"%{HTTPS}$1">)'],
    ["-n '\xe9'", '(-n \'<"\xe9">)'],
  ])("%j is parsed as %s", (text, expected) => {
    expect(tree(text)).toBe(expected);
  });

  test("ends at a NUL, as in C", () => {
    expect(tree("true\0 or")).toBe("true");
  });

  // httpd's scanner silently stops at the end of the text.
  test("has an unread rest after an unclosed regular expression", () => {
    expect(parseExpression("true /x && false")).toMatchObject({ value: { unread: { start: 5, end: 16 } } });
    expect(parseExpression("-n 'm' m#")).toMatchObject({ value: { unread: { start: 7, end: 9 } } });
    expect(parseExpression("true")).not.toHaveProperty("value.unread");
  });

  test.each([
    ["", "expected a condition, but the expression ends", ""],
    ["TRUE", "bare word `TRUE`; put it in quotes, or add `(` after a function", "TRUE"],
    ["foo bar", "bare word `foo`; put it in quotes, or add `(` after a function", "foo"],
    [
      "%{HTTPS}",
      "expected an operator after the word, because a single word is not a condition, but the expression ends",
      "",
    ],
    ["'a' 'b'", "expected an operator after the word, because a single word is not a condition, found `'b'`", "'b'"],
    ["true and", "expected a condition, but the expression ends", ""],
    ["true AND false", "expected `&&`, `||` or the end of the expression, found `AND`", "AND"],
    ["true)", "expected `&&`, `||` or the end of the expression, found `)`", ")"],
    ["(true", "`(` is never closed", "(true"],
    ["-n md5('a'", "`(` is never closed", "('a'"],
    ["(md5('a' == 'b')", "expected `)`, found `==`", "=="],
    ["'a' == 'b", "`'` is never closed", "'b"],
    ["'a' == \"b%{HTTPS", "`%{` is never closed", "%{HTTPS"],
    ["'a' in { 'b'", "`{` is never closed", "{ 'b'"],
    ["'a' in { 'b' 'c' }", "expected `,` or `}`, found `'c'`", "'c'"],
    ["'a' in {}", "expected a string in quotes, a number, `%{...}`, `$0` to `$9` or a function call, found `}`", "}"],
    ["'a' in 'b'", "expected a list in braces or a function, found `'b'`", "'b'"],
    ["'a' =~ 'b'", "expected a regular expression, found `'b'`", "'b'"],
    ["'a' =~ m#b", "regular expression without a closing `#`", "m#b"],
    ["'a' =~ /b/s", "expected `&&`, `||` or the end of the expression, found `s`", "s"],
    ["'a' == 'b' ; true", "unexpected character `;`", ";"],
    ["'a' == 'b'\r", "unexpected character `\\x0d`", "\r"],
    ["%{REQUEST-URI} == 'a'", "`-` is not allowed in the name of a variable or function", "-"],
    ["%{} == 'a'", "expected a name, found `}`", "}"],
    ["%{req:} == 'a'", "function `req` needs an argument after the colon", "}"],
    ["%{req:a'b} == 'a'", "a bare quote is not allowed in the argument of `%{name:argument}`; write `\\'`", "'"],
    ["'a' == 'b\nc'", "line break in a string or in the argument of a function", "\n"],
    ["'a' == 'b\\8'", "escape `\\8` is not an octal escape of one to three digits", "\\8"],
    ["'a' == 'b\\1234'", "escape `\\1234` is not an octal escape of one to three digits", "\\1234"],
    ["'a' == 'b\\400c'", "escape `\\400` is greater than `\\377`", "\\400"],
    ["'a' == '\\9' foo", "escape `\\9` is not an octal escape of one to three digits", "\\9"],
    ["foo == '\\9'", "bare word `foo`; put it in quotes, or add `(` after a function", "foo"],
    ["true \u0100", "a character that is not a byte", "\u0100"],
  ])("%j is rejected: %s", (text, message, at) => {
    const parsed = parseExpression(text);
    if (parsed.ok) throw new Error(`accepted: ${formatNode(parsed.value.expression)}`);
    expect(parsed.error.message).toBe(message);
    expect(text.slice(parsed.error.start, parsed.error.end)).toBe(at);
  });

  test("has httpd's limits on the length of strings and regular expressions", () => {
    expect(tree(`-n '${"a".repeat(8191)}'`)).not.toContain("rejected");
    expect(tree(`-n '${"a".repeat(8192)}'`)).toBe("rejected: string longer than 8191 bytes");
    expect(tree(`-n '${"\\a".repeat(8191)}'`)).not.toContain("rejected");
    expect(tree(`$1 =~ /${"a".repeat(8191)}/`)).not.toContain("rejected");
    expect(tree(`$1 =~ /${"a".repeat(8192)}/`)).toBe("rejected: regular expression longer than 8191 bytes");
    expect(tree(`true m#${"a".repeat(8192)}`)).toBe("rejected: regular expression longer than 8191 bytes");
  });

  test("has a limit on nesting, without a stack overflow", () => {
    const nested = (depth: number, open: string, inner: string, close: string) =>
      open.repeat(depth) + inner + close.repeat(depth);
    for (const depth of [NESTING_LIMIT, NESTING_LIMIT + 1, 100_000]) {
      const texts = [
        nested(depth, "(", "true", ")"),
        nested(depth, "!", "true", ""),
        `-n ${nested(depth, "md5(", "'a'", ")")}`,
        `-n '${nested(depth, "%{md5:", "a", "}")}'`,
        `-n ${nested(depth, "%{md5:", "a", "}")}`,
      ];
      const isRejected = depth > NESTING_LIMIT;
      for (const text of texts) expect(tree(text).startsWith("rejected: nested more than 256 levels")).toBe(isRejected);
    }
    expect(tree("(".repeat(100_000))).toContain("rejected");
    expect(tree(`true${"&&true".repeat(4_990)}`)).toMatch(/^\(and true/);
    expect(tree(`true${"&&true".repeat(100_000)}`)).toBe("rejected: more than 4990 operators in one chain");
    expect(tree(`-n 1${".1".repeat(100_000)}`)).toBe("rejected: more than 4990 operators in one chain");
    expect(tree(`(${"(true||false)&&".repeat(4_000)}true)`)).toMatch(/^\(and \(or true false\)/);
  });

  test("has a limit on length, because the regular expressions of JavaScript fail for long texts", () => {
    expect(tree(`-n '${"\\a".repeat(8_000_000)}'`)).toBe("rejected: expression longer than 1000000 bytes");
  });
});

describe("a string expression", () => {
  test.each([
    ["", "<>"],
    ["plain 'quoted' \"text\"", '<"plain \'quoted\' \\"text\\"">'],
    ["%{HTTP_HOST}/x$1", '<%HTTP_HOST "/x" $1>'],
    ["%{req:X-%{HTTPS}}", '<req(<"X-" %HTTPS>)>'],
    ["100% } $x", '<"100% } $x">'],
    ["proxy:unix:/x|fcgi://a\\n", '<"proxy:unix:/x|fcgi://a\\n">'],
  ])("%j is parsed as %s", (text, expected) => {
    expect(stringTree(text)).toBe(expected);
  });

  test.each([
    ["a\nb", "line break in a string or in the argument of a function"],
    ["a\\", "a single backslash ends the string"],
    ["a\\9", "escape `\\9` is not an octal escape of one to three digits"],
    ["%{HTTPS", "`%{` is never closed"],
    ["%{req:a", "`%{` is never closed"],
    ["%{a b}", "` ` is not allowed in the name of a variable or function"],
  ])("%j is rejected: %s", (text, message) => {
    expect(stringTree(text)).toBe(`rejected: ${message}`);
  });
});

describe("checks of names", () => {
  test("accept names of httpd and its modules, in any case except for tests of one letter", () => {
    expect(names("%{http_host} == %{Req:x} && $1 -IPMatch '10.1' && -d '/'")).toEqual([]);
    expect(names("%{SSL_PROTOCOL} == %{ssl:x} && %{HC_CODE} == hc('BODY') && $1 in peerextlist('x')")).toEqual([]);
  });

  test("report unknown names with httpd's messages", () => {
    expect(names("%{FOO} == foo('a') && -D '/' && -n '%{v:x}' && $1 in split('x') && $1 -foo $2")).toEqual([
      "FOO: Variable 'FOO' does not exist",
      "foo: Function 'foo' does not exist",
      "-D: Unary operator '-D' does not exist",
      "v: Function 'v' does not exist",
      "split: List-returning function 'split' does not exist",
      "-foo: Binary operator '-foo' does not exist",
    ]);
  });

  test("report names of modules that are not loaded", () => {
    const context = { hasModule: (identifier: string) => identifier !== "ssl_module" };
    expect(names("%{SSL_PROTOCOL} == %{HC_CODE}", context)).toEqual([
      "SSL_PROTOCOL: Variable 'SSL_PROTOCOL' does not exist",
    ]);
  });

  test("report names that are not allowed in `.htaccess` files", () => {
    const text = "%{File:/x} == filesize('/x') && -f '/x' && %{env:X} == ''";
    expect(names(text)).toEqual([]);
    expect(names(text, { htaccess: true })).toEqual([
      "File: file not available in restricted context",
      "filesize: filesize not available in restricted context",
    ]);
  });

  test("require a constant, valid subnet", () => {
    expect(names("-R '10.0.0.0/8' || $1 -ipmatch \"::1\"")).toEqual([]);
    expect(names("-R 10")).toEqual(["10: -R requires subnet/netmask as constant argument"]);
    expect(names("-R '10.'.'1'")).toEqual(["'10.'.'1': -R requires subnet/netmask as constant argument"]);
    expect(names("$1 -ipmatch '%{HTTPS}'")).toEqual([
      "'%{HTTPS}': -ipmatch requires subnet/netmask as constant argument",
    ]);
    expect(names("-R 'localhost'")).toEqual(["'localhost': parsing of subnet/netmask failed"]);
    expect(names("-R ''")).toEqual(["'': parsing of subnet/netmask failed"]);
  });

  test.each([
    ["10", true],
    ["10.1.", true],
    ["10.1.2.3/8", true],
    ["010.1.2.3/ +8", true],
    ["10.1.2.3/255.0.0.0", true],
    ["fe80::/10", true],
    ["1:2:3:4:5:6:7:8:", true],
    ["1::000002.", false],
    ["::1.2.3.4", true],
    ["10/8", false],
    ["10.1.2.3/33", false],
    ["10.1.2.3/0", false],
    ["10.1.2.3.4", false],
    ["10..1", false],
    ["256", false],
    ["::ffff:1.2.3.4", false],
    ["0:0:0:0:0:FFFF:1:2", false],
    ["1::2::3", false],
    ["1:2", false],
    [":1:2:3:4:5:6:7:8", false],
    ["12345::", false],
    ["::1/129", false],
    ["::1/255.0.0.0", false],
    ["example.com", false],
  ])("detect whether the subnet %s is valid: %s", (text, expected) => {
    expect(isSubnet(text)).toBe(expected);
  });
});

/** Yields all nodes of a tree, each with its parent. */
function* nodesOf(
  node: ExpressionNode,
  parent?: ExpressionNode,
): Generator<[ExpressionNode, ExpressionNode | undefined]> {
  yield [node, parent];
  for (const child of childrenOf(node)) yield* nodesOf(child, node);
}

function isCondition(node: ExpressionNode): boolean {
  return ["constant", "and", "or", "not", "comparison", "match", "membership", "unary", "binary"].includes(node.kind);
}

/** Texts of the tokens of expressions: some parse, and most nearly do. */
const pieces = fc.constantFrom(
  ...[
    "true",
    "'a'",
    '"b%{HTTPS}c"',
    "%{HTTP_HOST}",
    "%{req:a$1}",
    "%{req:%{env:X}}",
    "$1",
    "12",
    "md5(",
    "(",
    ")",
    "{",
  ],
  ...[
    "}",
    ",",
    ".",
    "==",
    "!=",
    "-eq",
    "in",
    "=~",
    "/x/i",
    "m#y#",
    "&&",
    "or",
    "!",
    "-n",
    "-strmatch",
    "foo",
    "'",
    '"',
  ],
  ...["%{", "\\", "\\8", "/", "\n", " ", " ", ":", "\xff", "\0", "\u0100"],
);
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.array(pieces, { maxLength: 20 }).map((all) => all.join("")),
  fc.array(pieces, { maxLength: 20 }).map((all) => all.join(" ")),
);

describe("any text", () => {
  test("is parsed or rejected, with nested spans within the text", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(parseExpression, parseStringExpression), (text, parse) => {
        const parsed = parse(text);
        if (!parsed.ok) {
          const { start, end, message } = parsed.error;
          expect([0 <= start, start <= end, end <= text.length]).toEqual([true, true, true]);
          expect(message).toMatch(/^[ -~]+$/);
          return;
        }
        checkNames(parsed.value.expression);
        for (const [{ start, end }, parent] of nodesOf(parsed.value.expression)) {
          expect([(parent?.start ?? 0) <= start, start <= end, end <= (parent?.end ?? text.length)]).not.toContain(
            false,
          );
        }
      }),
      { numRuns: runCount(600, 3000) },
    );
  });

  test("of a nested condition is parsed to the same condition", () => {
    const text = "!(true && (-n 'a' || 'b' == \"c%{HTTPS}\")) or (($1 =~ m#x#i)) and 'a' in { 'b', md5($1 . 'c') }";
    const parsed = parseExpression(text);
    if (!parsed.ok) throw new Error(parsed.error.message);
    const conditions = [...nodesOf(parsed.value.expression)].map(([node]) => node).filter(isCondition);
    expect(conditions.map(({ start, end }) => tree(text.slice(start, end)))).toEqual(conditions.map(formatNode));
    expect(conditions).toHaveLength(10);
  });
});

test("Chevrotain accepts the grammar and its tokens", () => {
  expect(() => new ExpressionParser(createErrorRecorder(), false)).not.toThrow();
  expect(createExpressionLexer(false).lexerDefinitionErrors).toEqual([]);
});
