import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { findEmbedded, findOuterSyntax, type OuterSyntax } from "../../grammar/embedded.js";
import type { EmbeddedText } from "../../grammar/embedded-text.js";
import { isolateEmbedded } from "../../grammar/isolated-text.js";
import { normalizeLine } from "../../grammar/line-scanner.js";
import { hideText } from "../../grammar/marked-text.js";
import { parseFile } from "../../grammar/parser.js";
import { toReadable } from "../../src/text/source.js";

/** Returns the targets and the texts, with those inside in brackets. */
function show(text: string, found: readonly EmbeddedText[]): readonly unknown[] {
  return found.map(({ target, start, end, inner }) => [target, text.slice(start, end), ...show(text, inner)]);
}

const findIn = (syntax: OuterSyntax, lines: readonly string[]) => {
  const text = `${lines.join("\n")}\n`;
  return show(text, findEmbedded(text, syntax));
};
const inShell = (...lines: readonly string[]) => findIn("shell", lines);
const inYaml = (...lines: readonly string[]) => findIn("yaml", lines);

describe("a here-document goes to", () => {
  test.each([
    ["cat > /etc/x.conf <<EOF", "/etc/x.conf"],
    ["cat <<EOF > /etc/x.conf", "/etc/x.conf"],
    ["cat <<'EOF' >>/etc/x.conf", "/etc/x.conf"],
    ['cat <<-"EOF" > "/etc/$NAME.conf"', "/etc/$NAME.conf"],
    ["cat <<\\EOF >| x.conf", "x.conf"],
    ["sudo tee -a /etc/x.conf >/dev/null <<EOF", "/etc/x.conf"],
    ["cat <<EOF | sudo tee /etc/x.conf", "/etc/x.conf"],
    ["mkdir -p /a 2>/b && cat > /etc/x.conf <<EOF && a2ensite x > /dev/null", "/etc/x.conf"],
    ["echo > /b; cat > /etc/x.conf <<EOF", "/etc/x.conf"],
    ['bash -c "cat > /etc/x.conf" <<EOF', "/etc/x.conf"],
    ["COPY <<EOF /etc/x.conf", "/etc/x.conf"],
    ["COPY --chown=a:b <<EOF /etc/conf.d/", "/etc/conf.d/EOF"],
    ["RUN cat <<EOF > /etc/x.conf", "/etc/x.conf"],
    ["RUN <<EOF", ""],
    ["read -r -d '' TEXT <<EOF", ""],
    ["cat <<EOF", ""],
  ])("%s", (line, target) => {
    expect(inShell("first", line, "Listen 80", "EOF", "last")).toEqual([[target, "Listen 80\n"]]);
  });

  test("the file of a command over several lines", () => {
    expect(inShell("sudo tee \\", "  /etc/x.conf <<EOF", "A", "EOF")).toEqual([["/etc/x.conf", "A\n"]]);
  });
});

describe("here-documents", () => {
  test("follow each other", () => {
    expect(
      inShell(
        "cat <<A > a; cat <<B > b",
        "1",
        "A",
        "2",
        "B",
        "COPY <<a.conf <<b.conf /etc/",
        "3",
        "a.conf",
        "4",
        "b.conf",
      ),
    ).toEqual([
      ["a", "1\n"],
      ["b", "2\n"],
      ["/etc/a.conf", "3\n"],
      ["/etc/b.conf", "4\n"],
    ]);
  });

  test("are in others", () => {
    expect(inShell("RUN <<EOF", "cat > a <<X", "1", "X", "EOF")).toEqual([["", "cat > a <<X\n1\nX\n", ["a", "1\n"]]]);
  });

  test.each([
    ["a comment", ["# cat > a <<EOF", "A", "EOF"]],
    ["a here-string", ["cat <<<EOF", "A", "EOF"]],
    ["a shift", ["x=$((1 << 2))", "A", "2"]],
    ["one without an end", ["cat <<EOF", "A"]],
    ["one without lines", ["cat <<EOF", "EOF"]],
  ])("but not %s", (_, lines) => {
    expect(inShell(...lines)).toEqual([]);
  });
});

describe("blocks of YAML", () => {
  test("have the name of their key", () => {
    expect(
      inYaml("data:", "  httpd.conf: |", "    A", "", "      B", "  'x.conf': |-  # comment", "    C", "rest: 1"),
    ).toEqual([
      ["httpd.conf", "    A\n\n      B\n"],
      ["x.conf", "    C\n"],
    ]);
  });

  test("have the path that is next to them", () => {
    expect(
      inYaml(
        "- copy:",
        "    content: |",
        "      A",
        "    mode: a",
        "    dest: /etc/x.conf",
        "- copy:",
        "    dest: /etc/y.conf",
      ),
    ).toEqual([["/etc/x.conf", "      A\n"]]);
    expect(
      inYaml("write_files:", "- path: /etc/x.conf", "  content: |", "    A", "- path: /b", "  content: |", "    B"),
    ).toEqual([
      ["/etc/x.conf", "    A\n"],
      ["/b", "    B\n"],
    ]);
    expect(inYaml("- content: |", "    A", "- path: /etc/x.conf")).toEqual([["content", "    A\n"]]);
  });

  test("go on after the tags of a template with less indentation", () => {
    expect(inYaml("data:", "  a.conf: |", "    A", "{{- if .x }}", "    B", "{{- end }}", "  b: c")).toEqual([
      ["a.conf", "    A\n{{- if .x }}\n    B\n"],
    ]);
  });

  test("have here-documents", () => {
    expect(inYaml("run: |", "  cat > /etc/x.conf <<EOF", "  A", "  EOF")).toEqual([
      ["run", "  cat > /etc/x.conf <<EOF\n  A\n  EOF\n", ["/etc/x.conf", "  A\n"]],
    ]);
  });

  test.each([
    ["one line", ["a: b | c", "  A"]],
    ["an empty one", ["a: |", "b: c"]],
  ])("but not %s", (_, lines) => {
    expect(inYaml(...lines)).toEqual([]);
  });
});

test.each([
  ["a.yaml", "yaml"],
  ["a.yml.j2", "yaml"],
  ["a.sh", "shell"],
  ["a.sh.tpl", "shell"],
  ["Dockerfile", "shell"],
  ["Dockerfile.web", "shell"],
  ["web.dockerfile", "shell"],
  ["Containerfile", "shell"],
  ["Vagrantfile", "shell"],
  ["main.tf", "terraform"],
  ["main.tf.tmpl", "terraform"],
  ["init.pp", "puppet"],
  ["a.conf", undefined],
  ["a.conf.j2", undefined],
  ["Dockerfiles.conf", undefined],
])("the syntax of %s", (name, syntax) => {
  expect(findOuterSyntax(name)).toBe(syntax);
});

describe("the text that is read", () => {
  const read = (...lines: readonly string[]) => {
    const text = lines.join("\n");
    const [found] = findEmbedded(text, "shell");
    if (found === undefined) throw new Error("no text");
    const { text: own } = isolateEmbedded(text, found);
    expect(own.slice(0, found.start).trim()).toBe("");
    const tree = parseFile({ path: "a", realPath: "a", text: own });
    return [...tree.lines].filter(({ kind }) => kind !== "blank").map((line) => normalizeLine(own, line).text);
  };

  test("has no escapes of the shell, and its values are not known", () => {
    const lines = [
      "RewriteRule ^(.*)\\$ /\\$1 [L]",
      "Define \\${x} a\\\\b \\d",
      "ServerName $NAME.${DOMAIN:-x y}",
      'DocumentRoot "/srv/$(basename "$(pwd)")/`date +%F`/x$"',
    ];
    expect(read("cat <<EOF", ...lines, "EOF")).toEqual([
      "RewriteRule ^(.*)$ /$1 [L]",
      "Define ${x} a\\b \\d",
      `ServerName ${hideText("$NAME")}.${hideText("${DOMAIN:-x y}")}`,
      `DocumentRoot "/srv/${hideText('$(basename "$(pwd)")')}/${hideText("`date +%F`")}/x$"`,
    ]);
    expect(read("cat <<'EOF'", ...lines, "EOF")).toEqual(lines);
  });

  test("is what a shell writes", () => {
    const lines = ["A ^(.*)\\$ /\\$1 $", "B \\\\d \\d \\`x\\` \\\\\\$", 'C "\\"" $NONE $"y" %{X} \'$'];
    for (const delimiter of ["EOF", "'EOF'", '"EOF"', "\\EOF"]) {
      const script = [`cat <<${delimiter}`, ...lines, "EOF", ""];
      const written = execFileSync("sh", { input: script.join("\n"), encoding: "utf8" });
      // The variable is not set.
      expect(read(...script).map((line) => line.replace(hideText("$NONE"), ""))).toEqual(written.trimEnd().split("\n"));
    }
  });

  test("shows values and escapes as written", () => {
    const text = "cat <<EOF\nA $B \\$ \\`\nEOF\n";
    const [found] = findEmbedded(text, "shell");
    expect(found && toReadable(isolateEmbedded(text, found).text)).toBe(`${" ".repeat(9)}\nA $B \\$ \\\`\n`);
  });
});

const isRead = ({ form }: EmbeddedText) => form.kind !== "unread";

/** Returns the commands whose text cannot be read, with their targets. */
const unreadIn = (script: string) =>
  findEmbedded(script, "shell").flatMap(({ form, target }) => (form.kind === "unread" ? [[form.command, target]] : []));

describe("what commands write", () => {
  /** Returns the lines of each text by its target, as the server reads them. */
  const written = (syntax: OuterSyntax, text: string) =>
    findEmbedded(text, syntax)
      .filter(isRead)
      .map((found) => {
        const { text: own, readAs = own } = isolateEmbedded(text, found);
        expect(own.split("\n")).toHaveLength(text.slice(0, own.length).split("\n").length);
        expect(readAs).toHaveLength(own.length);
        const lines = [...parseFile({ path: "a", realPath: "a", text: own }, readAs).lines];
        const read = lines.filter(({ kind }) => kind !== "blank").map((line) => normalizeLine(readAs, line).text);
        return [found.target, ...read];
      });

  test.each([
    ["echo 'Listen 80' > a", [["a", "Listen 80"]]],
    ['echo "A \\"b\\" \\$1 \\\\d" >> a', [["a", 'A "b" $1 \\d']]],
    ["echo A  b'c d'\"e\" \\; > a", [["a", "A  bc de ;"]]],
    [
      "echo A > a; echo B >> a; echo C > b",
      [
        ["a", "A", "B"],
        ["b", "C"],
      ],
    ],
    [
      "echo A > a; echo B > a",
      [
        ["a", "A"],
        ["a", "B"],
      ],
    ],
    ["{ echo A; echo 'B c'; } > a", [["a", "A", "B c"]]],
    ["(echo A && echo B) | tee -a a >/dev/null", [["a", "A", "B"]]],
    ["echo A | sudo tee a", [["a", "A"]]],
    ["printf '%s\\n' 'A b' C > a", [["a", "A b", "C"]]],
    ["printf 'A %%\\nB\\n' > a", [["a", "A %", "B"]]],
    ['echo "A\nB" > a', [["a", "A", "B"]]],
    ["if true; then echo A > a; fi", [["a", "A"]]],
    ["echo A \\\n  b > a", [["a", "A   b"]]],
    ['for x in 1; do echo A; echo "B c"; done > a', [["a", "A", "B c"]]],
    ["echo x | while read -r y; do\necho A\ndone > a", [["a", "A"]]],
    ["if test -d /; then\n  echo A\nfi >> a", [["a", "A"]]],
    ["for x in 1; do if true; then echo A; fi; echo B; done | tee a", [["a", "A", "B"]]],
    ["case x in x) echo A;; esac > a", [["a", "A"]]],
    ["f() {\n  echo A\n  echo B >&2\n}\nf 2>/dev/null > a", [["a", "A"]]],
    ["function f { echo A; }\nf > a", [["a", "A"]]],
    ["f()\n{\n  echo A\n}\ng() { f; echo B; }\n{ g; echo C; } > a", [["a", "A", "B", "C"]]],
    ["{ echo A; echo B >&2; echo C > /dev/null; } > a", [["a", "A"]]],
    ["bash -c 'echo \"A b\" > a'", [["a", "A b"]]],
    ["sh -ec \"echo 'A b' > a; echo B >> a\"", [["a", "A b", "B"]]],
    ["bash -c 'echo A; echo B' > a", [["a", "A", "B"]]],
    ['bash -c "echo \\"A b\\" > a"', [["a", "A b"]]],
    ['sh -c "printf \\"A\\nB c\\n\\" >> \\"a\\""', [["a", "A", "B c"]]],
  ])("%s", (script, expected) => {
    expect(written("shell", `${script}\n`)).toEqual(expected);
    // A shell writes the same.
    const [[path = "", ...lines] = []] = expected.slice(-1);
    const show = `cd "$(mktemp -d)"; exec 3>&1; { ${script.replace("sudo ", "")}\n} >/dev/null; cat ${path} >&3`;
    const out = execFileSync("bash", { input: show, encoding: "utf8" });
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/ +/g, " ")),
    ).toEqual(lines.map((line) => line.replace(/ +/g, " ")));
  });

  test.each([
    ["no file", "echo A\n"],
    ["a device", "echo A > /dev/stderr\n"],
    ["errors", "echo A 2> a\n"],
    ["another command", "date > a\n"],
    ["a comment", "# echo A > a\n"],
    ["a program that the text goes to", "echo A | sed s/A/B/ > a\n"],
    ["a here-document", "cat <<EOF\necho A > a\nEOF\necho\n"],
    ["an error in a loop", "for x in 1; do echo A >&2; done > a\n"],
    ["a pattern of case", "case x in echo) date;; esac > a\n"],
    ["a script in another kind of quotes", "bash -c $'echo A > a'\n"],
    ["the arrow of another language", 'x => "a.conf"\n'],
    ["another argument of a shell", "sh script.sh 'echo A > a'\n"],
  ])("is not found for %s", (_, script) => {
    expect(written("shell", script).filter(([target]) => target !== "")).toEqual([]);
  });

  test.each([
    ["sed -i '/b/a New line' f", "New line"],
    ["sed -i.bak -e '1i New line' f", "New line"],
    ["sed -i '$a\\New line' f", "New line"],
    ["sed -i -E '/^b/c\\\nNew line' f", "New line"],
  ])("the line that sed inserts: %s", (script, line) => {
    expect(written("shell", `${script}\n`)).toEqual([["f", line]]);
    const run = `cd "$(mktemp -d)"; printf 'a\\nb\\n' > f; ${script}\ncat f`;
    expect(execFileSync("bash", { input: run, encoding: "utf8" }).split("\n")).toContain(line);
  });

  // The file of the run has the lines `Listen 80`, `#ServerName a` and `AllowOverride None`.
  test.each([
    ["sed -i 's/^Listen .*/Listen 81/' f", "Listen 81"],
    ["sed -i 's|^#\\?ServerName .*$|ServerName b/c|g' f", "ServerName b/c"],
    ["sed -i 's/^Listen 80$/Listen 1\\nListen 2/' f", "Listen 1\nListen 2"],
    ["sed -i 's/^#\\(ServerName a\\)$/\\1/' f", "ServerName a"],
    ["sed -E -i 's/^#(ServerName a)$/\\1.example/' f", "ServerName a.example"],
    ["sed -i 's/.*Override.*/A\\/b \\& c/' f", "A/b & c"],
    ['sed -i "s|^Listen 80\\$|Listen \\"81\\"|" f', 'Listen "81"'],
    ["sed -i -e '/^Listen/d' -e 's/^AllowOverride.*/AllowOverride All/' f", "AllowOverride All"],
    ["sed -i '/^Listen/{s/^.*$/Listen 3/;p;}' f", "Listen 3"],
    ["sed -i s/^Listen.*/Listen/ f", "Listen"],
  ])("the line that sed replaces: %s", (script, lines) => {
    expect(written("shell", `${script}\n`)).toEqual([["f", ...lines.split("\n")]]);
    expect(unreadIn(`${script}\n`)).toEqual([]);
    const run = `cd "$(mktemp -d)"; printf 'Listen 80\n#ServerName a\nAllowOverride None\n' > f; ${script}\ncat f`;
    const result = execFileSync("bash", { input: run, encoding: "utf8" }).split("\n");
    expect(result).toEqual(expect.arrayContaining(lines.split("\n")));
  });

  test("what sed leaves of a line, and what it takes from the old one, is a value", () => {
    expect(written("shell", "sed -i 's/AllowOverride None/AllowOverride All/g' f\n")).toEqual([
      ["f", `AllowOverride All${hideText("/")}`],
    ]);
    expect(written("shell", 'sed -i "s/^A \\(.*\\)$/B $X \\1 &/" f\n')).toEqual([
      ["f", `B ${hideText("$X")} ${hideText("\\1")} ${hideText("&")}`],
    ]);
    expect(written("shell", "sed -Ei 's/^#(LoadModule .*)/\\1/' f\n")).toEqual([["f", `LoadModule ${hideText(".*")}`]]);
  });

  test.each([
    ["a line from its middle", "sed -i 's/a/b c/' f", [["sed", "f"]]],
    ["an argument", "sed -i 's/Indexes FollowSymLinks/FollowSymLinks/' f", [["sed", "f"]]],
    [
      "the beginning of a line to nothing",
      "sed -i 's/^#//' f g",
      [
        ["sed", "f"],
        ["sed", "g"],
      ],
    ],
    ["a line to its own text", "sed -i 's/^.*$/&/' f", [["sed", "f"]]],
    ["nothing, but deletes lines", "sed -i '/a b/d;/c/!d' f", []],
    ["only the standard output", "sed '/a/a New line' f", []],
    ["the standard output, which goes to a file", "sed '/a/a New line' f > g", [["sed", "g"]]],
    ["with escapes", "sed -i '/a/a New\\tline' f", [["sed", "f"]]],
    ["with other commands", "sed -i 'y/a/b/' f", [["sed", "f"]]],
    ["with a script that is not complete", "sed -i 's/a' f", [["sed", "f"]]],
  ])("is not found if sed changes %s", (_, script, unread) => {
    expect(written("shell", `${script}\n`)).toEqual([]);
    expect(unreadIn(`${script}\n`)).toEqual(unread);
  });

  test.each([
    ["perl -pi -e 's/a/b/' f\n", [["perl", "f"]]],
    ["grep a b | tee f\n", [["grep", "f"]]],
    ["grep a b | cat > f\n", [["grep", "f"]]],
    ["echo A | sed s/A/B/ > f\n", [["sed", "f"]]],
    ["cat a > f\n", []],
    ["envsubst < a | tee f\n", []],
    ["cat <<EOF | tee f\nA\nEOF\n", []],
    ["> f\n", []],
    ["echo > f\n", []],
    ["grep a b >&2 2> f\n", []],
  ])("commands whose text cannot be read: %s", (script, unread) => {
    expect(unreadIn(script)).toEqual(unread);
  });

  test("is found once in a function that is called several times, and in one that is called in another way", () => {
    expect(written("shell", "f() { echo A; }\nf 1 > a\nf 2 > b\n")).toEqual([["a", "A"]]);
    expect(written("shell", 'f() { echo A; }\nx="$(f)"\n')).toEqual([["", "A"]]);
  });

  test.each([
    ["echo A > a", false],
    ["echo A >> a", true],
    ["echo A | tee -a a", true],
    ["echo A | tee --append a", true],
    ["echo A | tee a", false],
    ["echo A > a; echo B >> a", false],
    ["for x in 1; do echo A; done >> a", true],
    ["cat >> a <<EOF\nA\nEOF", true],
    ["cat <<EOF >> a\nA\nEOF", true],
    ["cat > a <<EOF\nA\nEOF", false],
    ["tee -a a <<EOF\nA\nEOF", true],
    ["tee a <<EOF\nA\nEOF", false],
    ["COPY <<EOF a\nA\nEOF", false],
  ])("%s: whether it is appended is %s", (script, isAppended) => {
    expect(findEmbedded(`${script}\n`, "shell").map((found) => [found.target, found.isAppended])).toEqual([
      ["a", isAppended],
    ]);
  });

  test("is found in the RUN of a Dockerfile, and values are not known", () => {
    const lines = [
      "RUN set -e; \\",
      "  { \\",
      "    echo 'A b'; \\",
      '    echo "B $C"; \\',
      "  } | tee $DIR/x.conf",
      "RUN echo D > e",
      "",
    ];
    expect(written("shell", lines.join("\n"))).toEqual([
      ["$DIR/x.conf", "A b", `B ${hideText("$C")}`],
      ["e", "D"],
    ]);
    expect(written("shell", 'RUN echo "A\\n\\\n  B\\n" > x\n')).toEqual([["x", "A", "B"]]);
  });

  test("is found in the commands of a Dockerfile in JSON", () => {
    const script = `echo 'A' > a && printf "B\\nC 'd'\\n" >> b`;
    expect(
      written("shell", `RUN ["sh", "-c", ${JSON.stringify(script)}]\nRUN ["sed", "-i", "s/^A.*/B c/", "c"]\n`),
    ).toEqual([
      ["a", "A"],
      ["b", "B", "C 'd'"],
      ["c", "B c"],
    ]);
  });

  test("is found in the scripts of YAML", () => {
    const [block] = findEmbedded("run: >-\n  echo 'A' > x &&\n  echo B >> x\n", "yaml");
    expect(block?.inner.map(({ target }) => target)).toEqual(["x"]);
  });

  test("folded blocks of YAML join lines", () => {
    expect(written("yaml", "a.conf: >\n  A\n  b\n\n  C\n    D\n  E\n")).toEqual([["a.conf", "A   b", "C", "D", "E"]]);
  });

  test("here-documents of Terraform have values", () => {
    const text = 'data = {\n  "a.conf" = <<-EOF\n    A ${var.b} $1 \\$\n    $${c}\n  EOF\n}\n';
    expect(written("terraform", text)).toEqual([["a.conf", `A ${hideText("${var.b}")} $1 \\$`, "${c}"]]);
  });

  test("texts of Puppet have values if they are quoted", () => {
    const file = (content: string) => `file { '/etc/a.conf':\n  content => ${content},\n}\n`;
    expect(written("puppet", file('@("END"/L)\n  A ${b} $c\n  | END\n'))).toEqual([
      ["/etc/a.conf", `A ${hideText("${b}")} $c`],
    ]);
    expect(written("puppet", file("@(END)\n  A ${b}\n  |- END\n"))).toEqual([["/etc/a.conf", "A ${b}"]]);
    expect(written("puppet", file('"A \\"${b}\\"\nC\n"'))).toEqual([["/etc/a.conf", `A "${hideText("${b}")}"`, "C"]]);
    expect(written("puppet", file("'A ${b}\nC'"))).toEqual([["/etc/a.conf", "A ${b}", "C"]]);
    expect(written("puppet", file("epp('x.epp')"))).toEqual([]);
    expect(written("puppet", file("'A'").replace("file", "concat::fragment"))).toEqual([]);
    expect(written("puppet", file("@(END)\n  A"))).toEqual([]);
  });
});

describe("takes time in proportion to the length of", () => {
  const many = (text: string) => text.repeat(1_000_000 / text.length);

  test.each([
    ["openings without an end", many("cat <<A\n") + many("cat <<B > x\n")],
    ["openings in one line", many("<<A ")],
    ["openings on continued lines", many("cat <<A > x \\\nA\n")],
    ["values", `cat <<A\n${many("${")}${many("$(a")}${many("`a")}\nA\n`],
    ["white space", `a${many(" ")}|\n`],
    ["blank lines", `a: |\n${many("\n")}`],
    ["keys", many("a: |\n b\n")],
    ["contents", many("content: |\n b\n")],
    ["tags of templates", `a: |\n${many("{{\n")}`],
    ["commands", many("{ echo 'a' > b; } | tee c\n")],
    ["commands in one line", Array.from({ length: 60_000 }, (_, at) => `echo a > ${at};`).join(" ")],
    ["appended texts", many("echo a >> b\n")],
    ["open quotes", many("echo \"a' > b\n")],
    ["open groups", many("{ ( ")],
    ["here-documents of Puppet", many('@("A") content => "')],
    ["types of Puppet", many("a:")],
    ["folded lines", `a: >\n${many(" b\n\n")}`],
  ])("%s", (_, text) => {
    const start = performance.now();
    for (const syntax of ["shell", "yaml", "terraform", "puppet"] as const) {
      const [found] = findEmbedded(text, syntax);
      if (found) isolateEmbedded(text, found);
    }
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
