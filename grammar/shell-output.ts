import {
  createLineFinder,
  type EmbeddedText,
  type OuterLine,
  type WordRange,
  type WordSyntax,
} from "./embedded-text.js";
import { readShellWord, readWord } from "./isolated-text.js";
import { omitRemoved, removeText, showHidden } from "./marked-text.js";
import { readSedScript } from "./sed-script.js";

/**
 * Finds the texts that `echo` and `printf` write to files: with a redirection, in a group of commands such as
 * `{ echo a; echo b; } > x.conf`, a loop or a function, or with `tee`. Commands that append to the same file write one text.
 * That of a loop is read once. Also finds the lines that `sed -i` writes, and what commands write that cannot be read.
 *
 * @param text of the outer file
 * @param lines a part of it, without the lines of here-documents
 */
export function findShellOutput(text: string, lines: readonly OuterLine[]): readonly EmbeddedText[] {
  const isPossible = lines.some((line) => /\b(?:echo|printf|sed|perl|tee)\b|>/.test(line.text));
  return isPossible ? new OutputFinder(text).find(lines) : [];
}

/** A command, as far as its output is concerned. */
interface Command {
  /** The words, without redirections. */
  readonly words: Token[];
  /** What a group of commands writes. */
  written?: readonly WordRange[];
  target?: { readonly path: string; readonly isAppended: boolean };
  /** Whether the output goes to no file, such as `>&2`. */
  isDiscarded?: boolean;
}

/** Commands whose output is written together. */
interface Group {
  /** The word or operator that ends it. */
  readonly end: string;
  /** What was written in it so far. */
  readonly written: WordRange[];
  /** The function whose body it is. */
  readonly name?: string | undefined;
}

interface Token {
  readonly kind: "word" | "operator";
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A script in the argument of a shell, as that shell reads it. */
interface Script {
  readonly start: number;
  readonly text: string;
}

/** A text while more commands append to it. */
interface OpenText {
  readonly target: string;
  readonly isAppended: boolean;
  readonly start: number;
  readonly parts: WordRange[];
}

/** Words before a command. */
const beforeCommand = /^(?:run|sudo|then|do|else|elif|!|time|exec|command|builtin|--[\w-]+=\S*)$/i;

/** The ends of compound commands, by the first word or operator. */
const groupEnds: ReadonlyMap<string, string> = new Map([
  ...["for", "while", "until", "select"].map((word) => [word, "done"] as const),
  ...([
    ["if", "fi"],
    ["case", "esac"],
    ["{", "}"],
    ["(", ")"],
  ] as const),
]);

/** Programs that run a script in their arguments, after a flag such as `-c` or `-ec`. */
const shells = /^(?:\/\S*\/)?(?:ba|da|k|z|a)?sh$/;

/** An instruction of a Dockerfile with its command as JSON. */
const jsonCommand = /\s+(\[\s*"(?:[^"\\\n]|\\.)*"\s*(?:,\s*"(?:[^"\\\n]|\\.)*"\s*)*\])/y;
const jsonString = /"(?:[^"\\]|\\.)*"/g;

/** Commands that write no text of their own, but nothing or other files. */
const withoutText = /^(?:cat|envsubst|echo|printf|:|true|gunzip|zcat|base64|curl|wget)$/;

/** One token: a comment, an operator, or a word with its quotes, escapes and values. */
const token =
  /(#[^\n]*)|(\\\r?\n)|(\d?(?:>>|>\||>&|<&|<|>)|&&|\|\||[;&|(){}\n](?=[\s;&|(){}]|$)|[;&|()\n])|((?:\\.|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\$\([^()\n]*\)|`[^`\n]*`|[^\s;&|()<>"'\\])+)|(\s+|[\s\S])/gy;

class OutputFinder {
  private readonly texts: OpenText[] = [];
  /** The last text of each file. */
  private readonly open = new Map<string, OpenText>();
  /** The groups around a command. */
  private readonly groups: Group[] = [];
  /** What functions write, until they are called. */
  private readonly functions = new Map<string, readonly WordRange[]>();
  /** The name before `()`. */
  private functionName: string | undefined;
  private command: Command = { words: [] };
  /** What the command before a pipe writes. */
  private piped: readonly WordRange[] = [];
  /** The script in an argument of a shell that is read. */
  private script: Script | undefined;
  /** The command before a pipe, if what it writes is not known. */
  private program: Token | undefined;
  private readonly unread: EmbeddedText[] = [];
  private redirection: Token | undefined;

  constructor(private readonly text: string) {}

  find(lines: readonly OuterLine[]): readonly EmbeddedText[] {
    for (const each of joinLines(lines)) this.readRange(each);
    this.endCommand();
    // A function may be called in another way.
    for (const parts of this.functions.values()) this.write("", false, parts);
    const lineStartOf = createLineFinder(this.text);
    this.texts.sort((a, b) => a.start - b.start);
    const known = this.texts.map(({ target, isAppended, start, parts }): EmbeddedText => {
      // A group is written after the commands in it that append to the file themselves.
      parts.sort((a, b) => a.start - b.start);
      const end = parts.at(-1)?.end ?? start;
      return { target, isAppended, start: lineStartOf(start), end, inner: [], form: { kind: "words", parts } };
    });
    return [...known, ...this.unread];
  }

  private readRange({ start, end }: Pick<OuterLine, "start" | "end">): void {
    // Nothing after a script is read: it is in quotes.
    const { text, start: first } = this.script ?? { text: this.text, start: 0 };
    for (let at = start; at < end; ) {
      token.lastIndex = at - first;
      const [whole = "", , , operator, word] = token.exec(text) ?? [];
      if (whole === "") return;
      const next = at + whole.length;
      if (operator !== undefined) this.readOperator({ kind: "operator", start: at, end: next, text: operator });
      else if (word !== undefined) this.readWord({ kind: "word", start: at, end: next, text: word });
      at = word === undefined ? next : this.readJson(word, next);
    }
  }

  /** Reads the command of an instruction such as `RUN ["sh", "-c", "…"]`. Returns where reading goes on. */
  private readJson(word: string, at: number): number {
    if (this.script || this.command.words.length > 0 || !/^(?:run|cmd|entrypoint)$/i.test(word)) return at;
    jsonCommand.lastIndex = at;
    const [whole = "", array = ""] = jsonCommand.exec(this.text) ?? [];
    const start = at + whole.length - array.length;
    for (const { index, 0: text } of array.matchAll(jsonString))
      this.command.words.push({ kind: "word", start: start + index, end: start + index + text.length, text });
    if (whole !== "") this.endCommand(false, true);
    return at + whole.length;
  }

  private readOperator(operator: Token): void {
    const { text } = operator;
    if (/[<>]/.test(text)) {
      this.redirection = operator;
      return;
    }
    if (text === "|") {
      this.endCommand(true);
      return;
    }
    const [first, second] = this.command.words;
    const declared = first?.text === "function" ? second?.text : undefined;
    if (text === "(") this.functionName = declared ?? (second === undefined ? first?.text : undefined);
    this.endCommand();
    if (text === "{") this.openGroup(text, declared ?? this.functionName);
    else if (text === "(") this.openGroup(text);
    else if (text === "}" || text === ")") this.closeGroup(text);
    // The body may be on the next line.
    if (text !== "(" && text !== ")" && text !== "\n") this.functionName = undefined;
  }

  private openGroup(start: string, name?: string): void {
    this.groups.push({ end: groupEnds.get(start) ?? "", written: [], name });
  }

  /** @param end a word or an operator; a parenthesis may also end a pattern of `case` */
  private closeGroup(end: string): void {
    if (this.groups.at(-1)?.end !== end) return;
    const { written = [], name } = this.groups.pop() ?? {};
    if (name === undefined) this.command = { words: [], written };
    else this.functions.set(name, written);
  }

  private readWord(word: Token): void {
    const { redirection, command } = this;
    if (redirection !== undefined) {
      this.redirection = undefined;
      const isOutput = /^1?>/.test(redirection.text) && !/&/.test(redirection.text) && !this.isArrow(redirection);
      const path = unquote(word.text);
      if (isOutput && !/^\/dev\//.test(path)) command.target = { path, isAppended: redirection.text.endsWith(">>") };
      else if (/^1?>/.test(redirection.text)) command.isDiscarded = true;
    } else if (command.words.length === 0 && groupEnds.has(word.text)) this.openGroup(word.text);
    else if (command.words.length === 0 && this.groups.at(-1)?.end === word.text) {
      this.endCommand();
      this.closeGroup(word.text);
    } else if (command.words.length > 0 || !beforeCommand.test(word.text)) command.words.push(word);
  }

  /** @param isJson whether the words are strings of JSON */
  private endCommand(isPiped = false, isJson = false): void {
    this.readScript(isJson);
    const { command, piped, program } = this;
    this.command = { words: [] };
    this.redirection = undefined;
    this.piped = [];
    this.program = undefined;
    const [name, ...rest] = command.words;
    if (name?.text === "tee") {
      const path = rest.find(({ text }) => !text.startsWith("-"));
      const isAppended = rest.some(({ text }) => /^-\w*a|^--append/.test(text));
      if (path && program) this.addUnread(unquote(path.text), program);
      if (path) this.write(unquote(path.text), isAppended, piped);
      return;
    }
    if (name && /^(?:sed|perl)$/.test(unquote(name.text)) && this.changeInPlace(name, rest)) return;
    const written =
      command.written ?? (name ? (this.functions.get(name.text) ?? this.rangesOf(unquote(name.text), rest)) : []);
    if (written.length === 0 && name && !command.isDiscarded) {
      const unknown = withoutText.test(name.text) ? program : name;
      if (unknown && command.target) this.addUnread(command.target.path, unknown);
      else if (isPiped) this.program = unknown;
    }
    if (written.length === 0 || command.isDiscarded) return;
    if (name) this.functions.delete(name.text);
    if (command.target) this.write(command.target.path, command.target.isAppended, written);
    else if (isPiped) this.piped = written;
    else this.groups.at(-1)?.written.push(...written);
  }

  /** Reads a script in quotes, as in `bash -c "…"`, in place of the command. */
  private readScript(isJson: boolean): void {
    const { target, isDiscarded = false, words } = this.command;
    const [name, ...rest] = words;
    if (name === undefined || !shells.test(unquote(name.text))) return;
    const flag = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(unquote(text)));
    const word = flag < 0 ? undefined : rest[flag + 1];
    const text = word && scriptOf(word.text, isJson);
    if (word === undefined || text === undefined || this.script) return;
    this.command = { words: [] };
    this.openGroup("{");
    const depth = this.groups.length;
    const start = word.start + 1;
    this.script = { start, text };
    this.readRange({ start, end: start + text.length });
    this.endCommand();
    this.script = undefined;
    this.groups.length = depth;
    const { written = [] } = this.groups.pop() ?? {};
    this.command = { words: [], written, isDiscarded, ...(target ? { target } : {}) };
  }

  /** Returns a range, with the text that a shell reads there if it is in a script. */
  private rangeOf(start: number, end: number, syntax: WordSyntax): WordRange {
    const { script } = this;
    if (script === undefined) return { start, end, syntax };
    const written = script.text.slice(start - script.start, end - script.start);
    return { start, end, syntax, content: readWord(written, syntax) };
  }

  /** Returns what a command writes. */
  private rangesOf(name: string, words: readonly Token[]): readonly WordRange[] {
    if (name === "echo") {
      const first = words.findIndex(({ text }) => !/^-[neE]+$/.test(text));
      const [start, end] = [words[first], words.at(-1)];
      return first < 0 || !start || !end ? [] : [this.rangeOf(start.start, end.end, "echo")];
    }
    if (name !== "printf") return [];
    const [format, ...values] = words.filter(({ text }) => text !== "--");
    const [start, end] = [values[0], values.at(-1)];
    if (format === undefined) return [];
    if (!/^%[sb]\\n$/.test(unquote(format.text))) return [this.rangeOf(format.start, format.end, "format")];
    return start && end ? [this.rangeOf(start.start, end.end, "lines")] : [];
  }

  /** Reads `sed -i` and `perl -i`. Returns whether the command changes files. */
  private changeInPlace(name: Token, words: readonly Token[]): boolean {
    const isSed = unquote(name.text) === "sed";
    const flags = words.map(({ text }) => unquote(text)).filter((text) => text.startsWith("-"));
    if (!flags.some((flag) => /^-[a-zA-Z0-9]*i|^--in-place/.test(flag))) return false;
    const scripts = words.filter((_, index) => /^-\w*e$|^--expression$/.test(unquote(words[index - 1]?.text ?? "")));
    const others = words.filter((word) => !unquote(word.text).startsWith("-") && !scripts.includes(word));
    const [first] = others;
    const isFirstScript = scripts.length === 0 && first !== undefined;
    const paths = isFirstScript ? others.slice(1) : others;
    const isExtended = flags.some((flag) => /^-[a-zA-Z]*[Er]|^--regexp-extended$/.test(flag));
    const read = (isFirstScript ? [first] : scripts).map(({ text, start }) =>
      isSed ? readSedScript(text, start, isExtended) : { lines: [], hasUnknown: true },
    );
    for (const path of paths) {
      const target = unquote(path.text);
      for (const { lines } of read) this.write(target, true, lines);
      if (read.some(({ hasUnknown }) => hasUnknown)) this.addUnread(target, name);
    }
    return true;
  }

  /** Reports whether a `>` is a part of `=>` or `->` in another language. */
  private isArrow({ start, text }: Token): boolean {
    return text === ">" && /[-=]/.test(this.text.charAt(start - 1));
  }

  private addUnread(target: string, { start, end, text }: Token): void {
    const command = unquote(text);
    this.unread.push({ target, isAppended: true, start, end, inner: [], form: { kind: "unread", command } });
  }

  private write(target: string, isAppended: boolean, written: readonly WordRange[]): void {
    const [first] = written;
    if (first === undefined) return;
    const before = isAppended ? this.open.get(target) : undefined;
    if (before) {
      before.parts.push(...written);
      return;
    }
    const text = { target, isAppended, start: first.start, parts: [...written] };
    this.open.set(target, text);
    this.texts.push(text);
  }
}

/**
 * Returns the script in a quoted word, of the length of its content: escapes are kept as code units that no text has.
 * Undefined if it is not one
 * quoted text.
 */
function scriptOf(word: string, isJson: boolean): string | undefined {
  const [, single, double] = /^(?:'([^']*)'|"((?:\\[\s\S]|[^"\\])*)")$/.exec(word) ?? [];
  if (single !== undefined) return single;
  if (double === undefined) return undefined;
  if (isJson) {
    if (/\\[^"\\/nt]/.test(double)) return undefined;
    return double.replace(/\\(.)/g, (_, each: string) => removeText("\\") + ({ n: "\n", t: "\t" }[each] ?? each));
  }
  return readShellWord(word).slice(1, -1);
}

/** Returns a word without its quotes, and without what an outer shell removes. */
function unquote(word: string): string {
  return showHidden(omitRemoved(word).replace(/["']/g, ""));
}

/** Joins adjacent lines: a quoted text may have several. */
function joinLines(lines: readonly OuterLine[]): readonly Pick<OuterLine, "start" | "end">[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of lines) {
    const last = joined.at(-1);
    if (last?.end === start) last.end = end;
    else joined.push({ start, end });
  }
  return joined;
}
