import { createLineFinder, type EmbeddedText, type OuterLine, type WordRange } from "./embedded-text.js";

/**
 * Finds the texts that `echo` and `printf` write to files: with a redirection, in a group of commands such as
 * `{ echo a; echo b; } > x.conf`, or with `tee`. Commands that append to the same file write one text.
 *
 * @param text of the outer file
 * @param lines a part of it, without the lines of here-documents
 */
export function findShellOutput(text: string, lines: readonly OuterLine[]): readonly EmbeddedText[] {
  const isPossible = lines.some((line) => /\b(?:echo|printf)\b/.test(line.text));
  return isPossible ? new OutputFinder(text).find(lines) : [];
}

/** A command, as far as its output is concerned. */
interface Command {
  /** The words, without redirections. */
  readonly words: Token[];
  /** What a group of commands writes. */
  written?: readonly WordRange[];
  target?: { readonly path: string; readonly isAppended: boolean };
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
  readonly start: number;
  readonly parts: WordRange[];
}

/** Words before a command. */
const beforeCommand = /^(?:run|sudo|then|do|else|!|time|exec|command|builtin|--[\w-]+=\S*)$/i;

/** One token: a comment, an operator, or a word with its quotes, escapes and values. */
const token =
  /(#[^\n]*)|(\\\r?\n)|(\d?(?:>>|>\||>&|<&|<|>)|&&|\|\||[;&|(){}\n](?=[\s;&|(){}]|$)|[;&|()\n])|((?:\\.|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\$\([^()\n]*\)|`[^`\n]*`|[^\s;&|()<>"'\\])+)|(\s+|[\s\S])/gy;

class OutputFinder {
  private readonly texts: OpenText[] = [];
  /** The last text of each file. */
  private readonly open = new Map<string, OpenText>();
  /** The groups around a command, each with what was written in it so far. */
  private readonly groups: WordRange[][] = [];
  private command: Command = { words: [] };
  /** What the command before a pipe writes. */
  private piped: readonly WordRange[] = [];
  private redirection: Token | undefined;

  constructor(private readonly text: string) {}

  find(lines: readonly OuterLine[]): readonly EmbeddedText[] {
    for (const each of joinLines(lines)) this.readRange(each);
    this.endCommand();
    const lineStartOf = createLineFinder(this.text);
    this.texts.sort((a, b) => a.start - b.start);
    return this.texts.map(({ target, start, parts }) => {
      // A group is written after the commands in it that append to the file themselves.
      parts.sort((a, b) => a.start - b.start);
      const end = parts.at(-1)?.end ?? start;
      return { target, start: lineStartOf(start), end, inner: [], form: { kind: "words", parts } };
    });
  }

  private readRange({ start, end }: Pick<OuterLine, "start" | "end">): void {
    token.lastIndex = start;
    while (token.lastIndex < end) {
      const at = token.lastIndex;
      const [whole = "", , , operator, word] = token.exec(this.text) ?? [];
      if (whole === "") return;
      if (operator !== undefined)
        this.readOperator({ kind: "operator", start: at, end: at + whole.length, text: operator });
      else if (word !== undefined) this.readWord({ kind: "word", start: at, end: at + whole.length, text: word });
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
    this.endCommand();
    if (text === "{" || text === "(") this.groups.push([]);
    else if (text === "}" || text === ")") this.command = { words: [], written: this.groups.pop() ?? [] };
  }

  private readWord(word: Token): void {
    const { redirection, command } = this;
    if (redirection !== undefined) {
      this.redirection = undefined;
      const isOutput = /^1?>/.test(redirection.text) && !redirection.text.includes("&");
      const path = unquote(word.text);
      if (isOutput && !/^\/dev\//.test(path)) command.target = { path, isAppended: redirection.text.endsWith(">>") };
    } else if (command.words.length > 0 || !beforeCommand.test(word.text)) command.words.push(word);
  }

  private endCommand(isPiped = false): void {
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
    const written = command.written ?? (name ? rangesOf(name.text, rest) : []);
    if (written.length === 0) return;
    if (command.target) this.write(command.target.path, command.target.isAppended, written);
    else if (isPiped) this.piped = written;
    else this.groups.at(-1)?.push(...written);
  }

  private write(target: string, isAppended: boolean, written: readonly WordRange[]): void {
    const [first] = written;
    if (first === undefined) return;
    const before = isAppended ? this.open.get(target) : undefined;
    if (before) {
      before.parts.push(...written);
      return;
    }
    const text = { target, start: first.start, parts: [...written] };
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
