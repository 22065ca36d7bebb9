import { createLineFinder, type EmbeddedText, type OuterLine, type WordRange } from "./embedded-text.js";

/**
 * Finds the texts that `echo` and `printf` write to files: with a redirection, in a group of commands such as
 * `{ echo a; echo b; } > x.conf`, a loop or a function, or with `tee`. Commands that append to the same file write one text.
 * That of a loop is read once.
 *
 * @param text of the outer file
 * @param lines a part of it, without the lines of here-documents
 */
export function findShellOutput(text: string, lines: readonly OuterLine[]): readonly EmbeddedText[] {
  const isPossible = lines.some((line) => /\b(?:echo|printf|sed)\b/.test(line.text));
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
  private redirection: Token | undefined;

  constructor(private readonly text: string) {}

  find(lines: readonly OuterLine[]): readonly EmbeddedText[] {
    for (const each of joinLines(lines)) this.readRange(each);
    this.endCommand();
    // A function may be called in another way.
    for (const parts of this.functions.values()) this.write("", false, parts);
    const lineStartOf = createLineFinder(this.text);
    this.texts.sort((a, b) => a.start - b.start);
    return this.texts.map(({ target, isAppended, start, parts }) => {
      // A group is written after the commands in it that append to the file themselves.
      parts.sort((a, b) => a.start - b.start);
      const end = parts.at(-1)?.end ?? start;
      return { target, isAppended, start: lineStartOf(start), end, inner: [], form: { kind: "words", parts } };
    });
  }

  /** @param text where nothing after the range is read: it may be in quotes */
  private readRange({ start, end }: Pick<OuterLine, "start" | "end">, text = this.text): void {
    for (let at = start; at < end; ) {
      token.lastIndex = at;
      const [whole = "", , , operator, word] = token.exec(text) ?? [];
      if (whole === "") return;
      const next = at + whole.length;
      if (operator !== undefined) this.readOperator({ kind: "operator", start: at, end: next, text: operator });
      else if (word !== undefined) this.readWord({ kind: "word", start: at, end: next, text: word });
      at = next;
    }
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
      const isOutput = /^1?>/.test(redirection.text) && !redirection.text.includes("&");
      const path = unquote(word.text);
      if (isOutput && !/^\/dev\//.test(path)) command.target = { path, isAppended: redirection.text.endsWith(">>") };
      else if (/^1?>/.test(redirection.text)) command.isDiscarded = true;
    } else if (command.words.length === 0 && groupEnds.has(word.text)) this.openGroup(word.text);
    else if (command.words.length === 0 && this.groups.at(-1)?.end === word.text) {
      this.endCommand();
      this.closeGroup(word.text);
    } else if (command.words.length > 0 || !beforeCommand.test(word.text)) command.words.push(word);
  }

  private endCommand(isPiped = false): void {
    this.readScript();
    const { command, piped } = this;
    this.command = { words: [] };
    this.redirection = undefined;
    this.piped = [];
    const [name, ...rest] = command.words;
    if (name?.text === "tee") {
      const path = rest.find(({ text }) => !text.startsWith("-"));
      const isAppended = rest.some(({ text }) => /^-\w*a|^--append/.test(text));
      if (path) this.write(unquote(path.text), isAppended, piped);
      return;
    }
    if (name?.text === "sed") {
      const inserted = findInsertion(rest);
      if (inserted) this.write(unquote(inserted.path.text), true, [inserted.range]);
      return;
    }
    const written = command.written ?? (name ? (this.functions.get(name.text) ?? rangesOf(name.text, rest)) : []);
    if (written.length === 0 || command.isDiscarded) return;
    if (name) this.functions.delete(name.text);
    if (command.target) this.write(command.target.path, command.target.isAppended, written);
    else if (isPiped) this.piped = written;
    else this.groups.at(-1)?.written.push(...written);
  }

  /** Reads a script in quotes, as in `bash -c "…"`, in place of the command. */
  private readScript(): void {
    const { target, isDiscarded = false, words } = this.command;
    const [name, ...rest] = words;
    if (name === undefined || !shells.test(name.text)) return;
    const flag = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
    const script = flag < 0 ? undefined : rest[flag + 1];
    // In double quotes, an escape stands for another character.
    if (script === undefined || !/^'.*'$|^"[^\\]*"$/s.test(script.text)) return;
    this.command = { words: [] };
    this.openGroup("{");
    const depth = this.groups.length;
    const end = script.end - 1;
    this.readRange({ start: script.start + 1, end }, this.text.slice(0, end));
    this.endCommand();
    this.groups.length = depth;
    const { written = [] } = this.groups.pop() ?? {};
    this.command = { words: [], written, isDiscarded, ...(target ? { target } : {}) };
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

/** Returns what a command writes. */
function rangesOf(name: string, words: readonly Token[]): readonly WordRange[] {
  if (name === "echo") {
    const first = words.findIndex(({ text }) => !/^-[neE]+$/.test(text));
    const [start, end] = [words[first], words.at(-1)];
    return first < 0 || !start || !end ? [] : [{ start: start.start, end: end.end, syntax: "echo" }];
  }
  if (name !== "printf") return [];
  const [format, ...values] = words.filter(({ text }) => text !== "--");
  const [start, end] = [values[0], values.at(-1)];
  if (format === undefined) return [];
  if (!/^%[sb]\\n$/.test(unquote(format.text))) return [{ start: format.start, end: format.end, syntax: "format" }];
  return start && end ? [{ start: start.start, end: end.end, syntax: "lines" }] : [];
}

/** A script of sed that inserts one line: an address, and `a`, `i` or `c` with a text. */
const insertion = /^'((?:\/(?:\\.|[^\\/])*\/|\d+|\$)?[ \t]*[aic](?:[ \t]*\\\n|\\)?[ \t]*)[^\\\n]+'$/;

/** Returns the line that `sed -i` inserts into a file, as far as it needs no escapes. */
function findInsertion(words: readonly Token[]): { readonly path: Token; readonly range: WordRange } | undefined {
  const [path, script, ...more] = words.filter(({ text }) => !text.startsWith("-")).toReversed();
  const [, before] = insertion.exec(script?.text ?? "") ?? [];
  const isInPlace = words.some(({ text }) => /^-[a-zA-Z]*i|^--in-place/.test(text));
  if (path === undefined || script === undefined || before === undefined || more.length > 0 || !isInPlace)
    return undefined;
  const start = script.start + 1 + before.length;
  return { path, range: { start, end: script.end - 1, syntax: "raw" } };
}

function unquote(word: string): string {
  return word.replace(/["']/g, "");
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
