import { listDirectiveNames } from "../../src/facts/directives.js";
import { toBytes } from "../../src/text/bytes.js";
import type { Random } from "../support/random/random.js";

/** Maximum length of an input: errors show in small ones too, and those run faster. */
const MAX_INPUT_LENGTH = 8192;
const MAX_CHANGES = 6;
/** Maximum number of repetitions of a part, for deep nesting and long lines. */
const MAX_REPEATS = 64;

/** Meaningful words, which a fuzzer would hardly find by single bytes. */
const words: readonly string[] = [
  ...listDirectiveNames("2.2"),
  ...listDirectiveNames("2.4"),
  ...[
    "\n",
    "\r\n",
    "\\\n",
    "\0",
    "\x1b[2J",
    '"',
    "'",
    "\\",
    "#",
    " ",
    "\t",
    "<",
    "</",
    ">",
    "${",
    "}",
    "%{",
    "$1",
    "*",
    "?",
  ],
  ...[
    "[a-z]",
    "(a+)+$",
    "^/",
    "/",
    "..",
    "~",
    "!",
    "&&",
    "||",
    "=~",
    "-in",
    "{",
    ",",
    "all",
    "granted",
    "denied",
    "from",
  ],
  ...[
    "On",
    "Off",
    "10.0.0.0/8",
    "::1",
    "env=",
    "expr",
    "deny,allow",
    "allow,deny",
    "<VirtualHost *:80>\n",
    "</VirtualHost>\n",
  ],
  ...[
    '<Directory "/srv/x">\n',
    "</Directory>\n",
    "<Location />\n",
    "</Location>\n",
    '<If "true">\n',
    "</If>\n",
    "<Limit GET>\n",
  ],
  ...[
    "</Limit>\n",
    "<Macro m $a>\n",
    "</Macro>\n",
    "Use m 1\n",
    "Include a.conf\n",
    "\n==> a.conf <==\n",
    "\n==> .htaccess <==\n",
  ],
];

/** Creates a new input from the kept ones: a few small changes, some with a part of another input. */
export function mutate(kept: readonly Uint8Array[], random: Random): Uint8Array {
  const any = () => Buffer.from(kept[random.below(kept.length)] ?? []);
  let data = any();
  for (let left = 1 + random.below(MAX_CHANGES); left > 0; left--) {
    const at = random.below(data.length + 1);
    const end = Math.min(data.length, at + random.below(random.chance(0.2) ? 200 : 12));
    data = Buffer.concat([data.subarray(0, at), newStretch(data.subarray(at, end), any, random), data.subarray(end)]);
  }
  return data.subarray(0, MAX_INPUT_LENGTH);
}

/** Returns the replacement of a part. */
function newStretch(stretch: Buffer, any: () => Buffer, random: Random): Buffer {
  const word = () => toBytes(words[random.below(words.length)] ?? "");
  const ways: readonly (() => Buffer)[] = [
    () => Buffer.alloc(0),
    () => Buffer.from([random.below(256)]),
    word,
    () => Buffer.concat([word(), stretch]),
    () => Buffer.concat([word(), Buffer.from(" "), word(), Buffer.from("\n"), stretch]),
    () => partOf(any(), random),
    () => Buffer.concat(Array<Buffer>(1 + random.below(MAX_REPEATS)).fill(stretch)),
  ];
  return ways[random.below(ways.length)]?.() ?? stretch;
}

/** Returns a part of an input, mostly whole lines. */
function partOf(data: Buffer, random: Random): Buffer {
  const from = random.below(data.length + 1);
  if (random.chance(0.3)) return data.subarray(from, from + random.below(100));
  const start = data.lastIndexOf("\n", from) + 1;
  let end = start;
  for (let lines = 1 + random.below(5); lines > 0; lines--) end = data.indexOf("\n", end) + 1 || data.length;
  return data.subarray(start, end);
}
