/**
 * Small configurations that cost much: texts that multiply each other, values that grow from line to line, nested and
 * long conditions, long lists and repeated openings. Each input decides which of them come together, and how large.
 *
 * @param names the families that are chosen from
 */
export function smallAttack(data: Uint8Array, names: readonly FamilyName[] = familyNames): string {
  const choices = new Choices(data);
  const lines = ["ServerName x.example", "Listen 80", "RewriteEngine On"];
  do {
    const name = names[choices.below(names.length)];
    if (name) lines.push(...families[name](choices));
  } while (choices.isLeft && lines.length < MAX_LINES);
  return `${closeSections(lines.slice(0, MAX_LINES)).join("\n")}\n`;
}

/** With the lines that close what is open it is still below 100. */
const MAX_LINES = 80;
/** A line may be long, but no longer than a reader would notice. */
const MAX_LINE_LENGTH = 200_000;

/** The bytes of an input, as choices. */
class Choices {
  private at = 0;

  constructor(private readonly data: Uint8Array) {}

  get isLeft(): boolean {
    return this.at < this.data.length;
  }

  below(limit: number): number {
    return (this.data[this.at++] ?? 0) % limit;
  }

  of<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** A power of two, so that few bytes reach large counts. */
  size(most: number): number {
    return Math.min(most, 2 ** this.below(1 + Math.ceil(Math.log2(most))));
  }
}

const times = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i));
const filled = (unit: string, count: number) => unit.repeat(Math.min(count, Math.ceil(MAX_LINE_LENGTH / unit.length)));

const families = {
  variablesAndMacros(choices: Choices): readonly string[] {
    const [levels, copies] = [1 + choices.below(16), 2 + choices.below(3)];
    const uses = (name: string) => times(copies, () => `Use ${name} $p`);
    return [
      "Define a 0123456789abcdef",
      ...times(choices.below(12), () => `Define a ${filled(`\${a}`, copies)}`),
      `<Macro m0 $p>\n${choices.of([`SetEnv A$p \${a}`, `Require env $p\${a}`, `# \${a}`])}\n</Macro>`,
      ...times(levels, (level) => `<Macro m${level + 1} $p>\n${uses(`m${level}`).join("\n")}\n</Macro>`),
      `Use m${levels} x`,
    ].flatMap((line) => line.split("\n"));
  },
  rewritingValues(choices: Choices): readonly string[] {
    const copies = 1 + choices.below(9);
    const value = choices.of([`%{ENV:a}`, `%{ENV:a}%{REQUEST_URI}`, `\${low:%{ENV:a}}%{ENV:a}`]);
    return [
      "RewriteMap low int:tolower",
      "RewriteRule ^ - [E=a:0123456789abcdef]",
      ...times(choices.size(64), () => `RewriteRule ^ - [E=a:${filled(value, copies)}]`),
      `RewriteCond %{ENV:a} ${choices.of(["a.*b", "(.*)x", "^$"])}`,
      `RewriteRule ^ ${choices.of(["-", "/x%{ENV:a}", "/%1$0"])} [${choices.of(["F", "L", "R", "N"])}]`,
    ];
  },
  matchedValues(choices: Choices): readonly string[] {
    const copies = filled("$1", 1 + choices.below(9));
    return [
      'SetEnvIf Request_URI "(.*)" A=$1',
      ...times(choices.size(64), (i) => `SetEnvIf ${i % 2 ? "B" : "A"} "(.*)" ${i % 2 ? "A" : "B"}=${copies}`),
      "<Location />",
      choices.of(["Require env A", "Order allow,deny", "Require expr reqenv('B') =~ /a.*b/"]),
      "</Location>",
    ];
  },
  conditions(choices: Choices): readonly string[] {
    const line = choices.of<(i: number) => string>([
      (i) => `Require env a${i}`,
      (i) => `Require ip 10.${i}.0.0/16`,
      (i) => `Require host a${i}.example`,
      (i) => `Require user a${i}`,
      (i) => `Require expr %{HTTP:A${i}} =~ /a.*${i}/`,
    ]);
    const pair = choices.of(["RequireAll", "RequireNone", "RequireAny"]);
    const outer = choices.of(["RequireAny", "RequireAll"]);
    const pairs = times(1 + choices.below(20), (i) => `<${pair}>\n${line(2 * i)}\n${line(2 * i + 1)}\n</${pair}>`);
    const inner = pairs.flatMap((each) => each.split("\n"));
    return ["<Location /a>", `<${outer}>`, ...inner, "Require env z", `</${outer}>`, "</Location>"];
  },
  nesting(choices: Choices): readonly string[] {
    const [open, close] = choices.of<readonly [string, string]>([
      ["(", ")"],
      ["(a|", "b)*"],
      ["(?:", "){2}"],
      ["[", "]"],
      ["!", ""],
      ["base64(", ")"],
      [`\${low:`, "}"],
      ["%{", "}"],
    ]);
    const count = choices.size(8192);
    const nested = `${filled(open, count)}x${choices.below(2) ? filled(close, count) : ""}`;
    return choices
      .of([
        `<If "%{REQUEST_URI} =~ m#${nested}#">\nRequire all denied\n</If>`,
        `<If "${nested} == 'a'">\nRequire all denied\n</If>`,
        `<LocationMatch "${nested}">\nRequire all denied\n</LocationMatch>`,
        `RewriteRule ${nested} - [F]`,
        `RewriteMap low int:tolower\nRewriteRule ^ /${nested} [L]`,
        `SetEnvIf User-Agent "${nested}" A=$1`,
        `RedirectMatch "${nested}" /$1`,
      ])
      .split("\n");
  },
  longLine(choices: Choices): readonly string[] {
    const unit = choices.of([`\${`, `\${a}`, `%{ENV:`, "%{}", "$1", "X !X ", "10.0.0.0/8 ", "a ", '"', "\\", "*a"]);
    const long = filled(unit, choices.size(200_000));
    return [
      choices.of([
        `SetEnv A ${long}`,
        `SetEnvIf A b ${long}`,
        `RewriteCond ${long} a`,
        `RewriteRule (.*) ${long}`,
        `RewriteRule ^ \${${long}`,
        `AliasMatch (.*) /x${long}`,
        `ServerAlias ${long}`,
        `Include ${long}`,
        `ErrorDocument 404 ${long}`,
        `Header set A "${long}"`,
      ]),
      "RewriteRule ^ - [F]",
    ];
  },
  longLists(choices: Choices): readonly string[] {
    const words = (net: number) => times(choices.size(8192), (i) => `${net}.${i >> 8}.${i & 255}.0/24`).join(" ");
    const [a, b] = choices.of<readonly [string, string]>([
      ["Deny from", "Allow from"],
      ["Require ip", "Require ip"],
      ["Require not ip", "Require ip"],
    ]);
    return ["<Location /a>", ...times(1 + choices.below(8), (i) => `${i % 2 ? a : b} ${words(10 + i)}`), "</Location>"];
  },
};

export type FamilyName = keyof typeof families;
const isFamily = (name: string): name is FamilyName => name in families;
const familyNames = Object.keys(families).filter(isFamily);

/** Returns the lines, and after them those that close the sections that were cut off. */
function closeSections(lines: readonly string[]): readonly string[] {
  const open: string[] = [];
  for (const line of lines) {
    const [, slash, name = ""] = /^<(\/?)(\w+)/.exec(line) ?? [];
    if (slash) open.pop();
    else if (name !== "") open.push(name);
  }
  return [...lines, ...open.reverse().map((name) => `</${name}>`)];
}
