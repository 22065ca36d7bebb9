import { loadModules } from "../httpd/httpd.js";
import { Random } from "./random.js";

/** A configuration of several files, by path relative to the server root; the entry is `httpd.conf`. */
export interface RandomProject {
  readonly files: ReadonlyMap<string, string>;
  /** Links from path to target, both relative to the server root. */
  readonly links: ReadonlyMap<string, string>;
}

const LOADED = [
  "mpm_event",
  "authz_core",
  "authz_host",
  "access_compat",
  "alias",
  "dir",
  "env",
  "setenvif",
  "info",
  "macro",
  "mime",
];

/**
 * Generates a random configuration for the reader. It has Include and IncludeOptional with wildcards, folders, links
 * and missing files. It has Define and variables, and macros (nested, with every kind of parameter, with unbalanced
 * sections). It has conditional sections of all kinds, continuations, odd spacing and quoting. The directives are valid
 * in their contexts, so that the server rejects anything only while reading. A `risk` above 0 adds invalid input.
 */
export function randomProject(seed: number, root: string, risk: number): RandomProject {
  return new Generator(new Random(seed), root, risk).project();
}

class Generator {
  private readonly files = new Map<string, string>();
  private readonly links = new Map<string, string>();
  private readonly macros: { name: string; parameters: number }[] = [];
  private readonly variables: string[] = [];
  private count = 0;

  constructor(
    private readonly random: Random,
    private readonly root: string,
    private readonly risk: number,
  ) {}

  project(): RandomProject {
    const { random } = this;
    const body = this.lines(4 + random.below(14), 0, false, 0);
    const main = `ServerRoot "${this.root}"\nListen 127.0.0.1:8097\nServerName localhost\nPidFile "${this.root}/pid"\nErrorLog "${this.root}/error.log"\n${loadModules(LOADED)}${body}`;
    this.files.set("httpd.conf", random.chance(0.2) ? main.replace(/(?<!\r)\n/g, "\r\n") : main);
    return { files: this.files, links: this.links };
  }

  private lines(count: number, depth: number, inDirectory: boolean, files: number): string {
    let text = "";
    for (let i = 0; i < count; i++) text += this.item(depth, inDirectory, files);
    return text;
  }

  private item(depth: number, inDirectory: boolean, files: number): string {
    const { random } = this;
    const roll = random.next();
    if (roll < this.risk) return this.refused();
    if (roll < 0.12 && files < 3) return this.include(depth, inDirectory, files);
    if (roll < 0.2) return this.define();
    if (roll < 0.36 && depth < 4) return this.guard(depth, inDirectory, files);
    if (roll < 0.48 && depth < 4) return inDirectory ? this.condition(depth, files) : this.section(depth, files);
    if (roll < 0.54 && depth < 3) return this.defineMacro(inDirectory);
    if (roll < 0.64) return this.use();
    if (roll < 0.7) return this.noise();
    return this.directive(inDirectory);
  }

  /** Varies spacing and case as people do. */
  private line(name: string, rest: string): string {
    const { random } = this;
    const indent = random.pick(["", "", "  ", "\t", "    "]);
    const spelled = random.pick([name, name, name, name.toLowerCase(), name.toUpperCase(), `"${name}"`]);
    const gap = random.pick([" ", " ", "  ", "\t", " \\\n", " \\\r\n  "]);
    const end = random.pick(["\n", "\n", "\n", " \n", "\t\r\n", " \\\n\n"]);
    return `${indent}${spelled}${gap}${rest}${end}`;
  }

  private directive(inDirectory: boolean): string {
    const { random } = this;
    const value = this.value();
    if (inDirectory && random.chance(0.5)) {
      return random.pick([
        () => this.line("Require", random.pick(["all granted", "ip 10.1", "host example.org"])),
        () => this.line("Options", random.pick(["None", "Indexes FollowSymLinks", "+Indexes \\\n -MultiViews"])),
        () => this.line("Deny", random.pick(["from all", "from \\\n10.0.0.1"])),
        () => this.line("Order", "deny,allow"),
      ])();
    }
    return random.pick([
      () => this.line("AddType", `text/v${random.below(9)} ${value}`),
      () => this.line("AddType", `text/x${random.below(9)} .x${random.below(99)}`),
      () => this.line("SetEnvIf", `User-Agent "^a\\.${random.below(9)} b" x${random.below(9)}=${value}`),
      () => this.line("DirectoryIndex", `${value} index.html`),
      () => this.line("Redirect", `/r${random.below(9)} http://example.org/${random.below(9)}`),
    ])();
  }

  private value(): string {
    const { random } = this;
    const variable = this.variables[random.below(this.variables.length + 1)] ?? "UNSET";
    return random.pick([
      "plain",
      '"two words"',
      "'single \"quoted\"'",
      '"esc \\" aped \\\\ end"',
      `\${${variable}}`,
      `pre\${${variable}}post`,
      `"\${${variable}} \${${variable.toLowerCase()}}"`,
      "caf\u00e9",
      "a#b",
      "$x",
      "back\\\\slash",
      '"unclosed',
    ]);
  }

  private define(): string {
    const { random } = this;
    const name = random.pick(["A", "Ab", "LONG_NAME", "x1", "path"]);
    if (random.chance(0.2)) return this.line("UnDefine", name);
    if (random.chance(0.3)) return this.line("Define", name);
    this.variables.push(name);
    return this.line(
      "Define",
      `${name} ${random.pick(["v1", '"with space"', '""', `"\${${name}}x"`, "10.2", "index.htm"])}`,
    );
  }

  private section(depth: number, files: number): string {
    const { random } = this;
    const [name, argument] = random.pick<readonly [string, string]>([
      ["Directory", `"${this.root}/d${random.below(3)}"`],
      ["Directory", '"/srv/www/*/html"'],
      ["Location", `/l${random.below(9)}`],
      ["LocationMatch", '"^/m>[a-z]+$"'],
      ["DirectoryMatch", "^/srv/.*x$"],
    ]);
    const open = `<${random.pick([name, name, name.toLowerCase()])} ${argument}${random.pick([">", ">", " >"])}`;
    const close = `</${random.pick([name, name, name.toUpperCase()])}>${random.pick(["", "", " # end", "  "])}`;
    return `${open}\n${this.lines(random.below(5), depth + 1, true, files)}${random.chance(0.3) ? this.limit() : ""}${close}\n`;
  }

  private condition(depth: number, files: number): string {
    const expression = this.random.pick(['"true"', '"%{REQUEST_URI} =~ m#^/a>b#"', "'%{HTTP_HOST} == \"x\"'"]);
    return `<If ${expression}>\n${this.lines(this.random.below(3), depth + 1, true, files)}</If>\n`;
  }

  private limit(): string {
    return `<Limit GET POST>\n${this.line("Deny", "from all")}</Limit>\n`;
  }

  private guard(depth: number, inDirectory: boolean, files: number): string {
    const { random } = this;
    const [name, condition] = random.pick<readonly [string, string]>([
      ["IfModule", "alias_module"],
      ["IfModule", "!mod_alias.c"],
      ["IfModule", "mod_nope.c"],
      ["IfModule", '"mod_setenvif.c"'],
      ["IfModule", "mod_alias"],
      ["IfDefine", "A"],
      ["IfDefine", "!Ab"],
      ["IfDefine", "ab"],
      ["IfVersion", ">= 2.4"],
      ["IfVersion", "2.4"],
      ["IfVersion", "< 2.2"],
      ["IfVersion", "~ ^2\\.4"],
      ["IfVersion", "!~ ^2\\.4"],
      ["IfVersion", "/^2.[24]/"],
      ["IfVersion", "!< 2.4.1"],
      ["IfFile", `"${this.root}/httpd.conf"`],
      ["IfFile", "!nope.conf"],
      ["IfDirective", "Order"],
      ["IfDirective", "!Nope"],
      ["IfSection", "Directory"],
      ["IfSection", "Macro"],
    ]);
    const inside = this.lines(random.below(5), depth + 1, inDirectory, files);
    return `<${name} ${condition}>\n${inside}</${name}>\n`;
  }

  private include(depth: number, inDirectory: boolean, files: number): string {
    const { random } = this;
    const folder = `inc${this.count++}`;
    const put = (name: string) =>
      this.files.set(`${folder}/${name}`, this.lines(random.below(4), depth + 1, inDirectory, files + 1));
    put("a.conf");
    if (random.chance(0.6)) put("b.conf");
    if (random.chance(0.4)) put(".hidden.conf");
    if (random.chance(0.4)) put("sub/c.conf");
    if (random.chance(0.3)) put("sub/B.CONF");
    if (random.chance(0.3)) put("other/c.conf~");
    if (random.chance(0.3)) this.links.set(`${folder}/z.conf`, `${folder}/a.conf`);
    if (random.chance(0.2)) this.links.set(`${folder}/linked`, `${folder}/sub`);
    const optional = random.chance(0.4);
    const path = random.pick([
      `${folder}/a.conf`,
      `"${this.root}/${folder}/a.conf"`,
      `${folder}/*.conf`,
      `${folder}/[ab].conf`,
      `${folder}/?.conf`,
      `${folder}`,
      `${folder}/`,
      `${folder}/*/*.conf`,
      `${folder}/[!z]*`,
      `./${folder}/../${folder}/*.conf`,
      ...(optional ? ([`${folder}/nope*.conf`, "nope/x.conf", "nope/*.conf"] as const) : []),
    ]);
    return this.line(optional ? "IncludeOptional" : "Include", path);
  }

  private defineMacro(inDirectory: boolean): string {
    const { random } = this;
    const name = random.pick(["m1", "M2", "vhost"]);
    const names = ["$a", "@b", "%c", "$ab"].slice(0, random.below(5));
    const body = [
      `DirectoryIndex ${names[0] ?? "X"} "${names[1] ?? "y"}"`,
      `  DirectoryIndex Y${names[1] ?? "z"} # ${names[2] ?? ""}`,
      "# a comment in a macro",
      `<If "true">`,
      "</If>",
      `DirectoryIndex \${A} ${names.join("")}`,
      "",
      "<IfDefine A>",
      "</IfDefine>",
    ].filter(() => random.chance(0.75));
    const balanced =
      body.filter((each) => each.startsWith("<If ")).length === body.filter((each) => each.startsWith("</If>")).length;
    const guarded = body.includes("<IfDefine A>") === body.includes("</IfDefine>");
    if (!balanced || !guarded || inDirectory) return `SetEnv M ${random.below(9)}\n`;
    this.macros.push({ name, parameters: names.length });
    return `<Macro ${[name, ...names].join(" ")}>\n${body.join("\n")}\n</Macro>\n`;
  }

  private use(): string {
    const { random } = this;
    const macro = this.macros[random.below(this.macros.length)];
    // A definition may be in an inactive conditional section, so a use may be undefined.
    if (!macro || random.chance(0.5)) return "";
    const values = Array.from({ length: macro.parameters }, () =>
      random.pick(["v", "%{c}", '"a b"', "x\\\\y", '"q\\"q"', "$ab", "${A}"]),
    );
    return this.line("Use", [macro.name, ...values].join(" "));
  }

  private noise(): string {
    return this.random.pick([
      "\n",
      "# a comment\n",
      "#<Directory /x>\n",
      "# goes on \\\nDeny from all\n",
      "   \t\n",
      "\\\n\n",
    ]);
  }

  /** Returns input that the server rejects while reading. */
  private refused(): string {
    return this.random.pick([
      "</Directory>\n",
      "<Location /open>\n",
      "<IfModule alias_module>\n",
      "<IfModule nope_module>\n",
      "</Files >\n",
      "<IfModule>\n",
      "<IfDefine A\n</IfDefine>\n",
      "<IfVersion = x>\n</IfVersion>\n",
      "<IfVersion ? 2.4>\n</IfVersion>\n",
      "<IfVersion >= 2.4.>\n</IfVersion>\n",
      "<IfModule alias_module>\n</IfModule> # x\n",
      "<IfModule nope_module>\n<Files x>\n</IfModule>\n",
      "Include nope.conf\n",
      "Include nope/*.conf\n",
      "Use never\n",
      "UndefMacro never\n",
      "<Macro twice $a $a>\n</Macro>\n",
      "<Macro open>\nSetEnv A b\n",
      "<Macro few $a>\nSetEnv A $a\n</Macro>\nUse few\n",
      "<Macro self>\nUse self\n</Macro>\nUse self\n",
      "Define a:b c\n",
      "Include httpd.conf\n",
    ]);
  }
}
