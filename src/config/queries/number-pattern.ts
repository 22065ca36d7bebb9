import { parseArguments } from "../../../grammar/arguments.js";
import type { Line } from "../../../grammar/ast.js";
import { getOrCreate } from "../../text/collections.js";

/**
 * What a number is: a `name` or a part of one, one of the last three numbers of a network (`octet`), the first one or the
 * length of the prefix (`network`), a part of a comment, or anything else (`fixed`).
 */
type NumberKind = "name" | "octet" | "network" | "comment" | "fixed";

/** Directives whose arguments are names and paths, and sections with their `<`. */
const namingDirectives: ReadonlySet<string> = new Set([
  ...["alias", "authgroupfile", "authname", "authuserfile", "customlog", "documentroot", "errorlog", "scriptalias"],
  ...["serveradmin", "serveralias", "servername", "setenvif", "setenvifnocase", "sslcertificatefile"],
  ...["sslcertificatekeyfile", "transferlog", "<directory", "<if", "<location"],
]);

const networkDirectives: ReadonlySet<string> = new Set(["allow", "deny", "require"]);

/** The text up to a number in a word with a letter. */
const upToNumberInWord = /(?:^|[\s"'/.^|@])[\w-]*[A-Za-z][\w-]*$/;

/** The text after a number that is a whole name in a path. */
const afterNameInPath = /^(?:[/"'\s>]|$)/;

/** A word that is a network, with the length of its prefix. */
const networkPattern = /^(?:\d{1,3}\.){3}\d{1,3}(?:\/([1-9]\d?))?$/;

/** Lengths that are below all limits of httpd for lines, names and numbers. */
const MAX_LINE_LENGTH = 1000;
const MAX_DIGITS = 9;

/** Hosts with more different names, or with more networks, are not compared: each is compared with all others. */
const MAX_COMPARED = 50;

/** A network in the text of a host. */
interface NetworkPlace {
  /** Index of the first of its four numbers. */
  readonly first: number;
  /** Length of its prefix. */
  readonly bits: number;
}

/**
 * The numbers in the text of a virtual host. docs/scale.md describes which hosts are alike, and why rules that read only
 * their lines cannot distinguish them.
 */
export class NumberPattern {
  private readonly numbers: readonly string[];
  private readonly kinds: NumberKind[] = [];
  private readonly networks: NetworkPlace[] = [];
  /** For each number, the index of the first equal one of its kind. */
  private readonly firstEqual: readonly number[];
  /** The indexes of the first name with each number. */
  private readonly names: readonly number[];
  private readonly fixedNumbers: ReadonlySet<string>;
  private readonly addresses: readonly number[];
  private readonly mayRepeat: boolean;
  /** Whether an access rule has an address in another form, such as `10.1`, which is not compared with networks. */
  private hasOtherAddresses = false;

  /** @param lines the lines of the file, from the first one of the host */
  constructor(file: string, start: number, end: number, lines: Iterable<Line>) {
    const text = file.slice(start, end);
    this.numbers = text.match(/\d+/g) ?? [];
    for (const line of lines) {
      if (line.start >= end) break;
      this.addNumbers(file, { ...line, start: Math.max(start, line.start), end: Math.min(end, line.end) });
    }
    const firstEqual = new Map<string, number>();
    this.firstEqual = this.numbers.map((number, index) =>
      getOrCreate(firstEqual, `${this.kinds[index]} ${number}`, () => index),
    );
    this.names = this.firstEqual.filter((first, index) => first === index && this.kinds[index] === "name");
    this.fixedNumbers = new Set(this.numbers.filter((_, index) => this.kinds[index] === "fixed"));
    this.addresses = this.networks.map(({ first }) => addressOf(this.numbers, first));
    this.mayRepeat =
      !text.includes("${") &&
      Math.max(this.names.length, this.networks.length) <= MAX_COMPARED &&
      this.hasOwnNames(this.numbers);
  }

  /** Reports whether the host with other numbers in the same text is alike. */
  matches(numbers: readonly string[]): boolean {
    if (!this.mayRepeat) return false;
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index] ?? "";
      switch (this.kinds[index]) {
        case "name":
          if (number !== numbers[this.firstEqual[index] ?? index] || number.length > MAX_DIGITS) return false;
          break;
        case "octet":
          if (this.hasOtherAddresses ? number !== this.numbers[index] : !isOctet(number)) return false;
          break;
        case "network":
        case "fixed":
          if (number !== this.numbers[index]) return false;
      }
    }
    return this.hasOwnNames(numbers) && this.nestsAlike(numbers);
  }

  /** Reports whether different numbers of names are also different there, and from all fixed numbers. */
  private hasOwnNames(numbers: readonly string[]): boolean {
    const { fixedNumbers, names } = this;
    return names.every((name, index) => {
      const number = numbers[name] ?? "";
      for (let other = 0; other < index; other++) if (numbers[names[other] ?? 0] === number) return false;
      return !fixedNumbers.has(number);
    });
  }

  /** Reports whether the networks have the same relations to each other as here. */
  private nestsAlike(numbers: readonly string[]): boolean {
    const { addresses, networks } = this;
    const others = networks.map(({ first }) => addressOf(numbers, first));
    return networks.every(({ bits }, index) => {
      const [here = 0, there = 0] = [addresses[index], others[index]];
      if (here === there) return true;
      return (
        isWhole(here, bits) === isWhole(there, bits) &&
        networks.every((other, at) => {
          const shared = Math.min(bits, other.bits);
          return areInOne(here, addresses[at] ?? 0, shared) === areInOne(there, others[at] ?? 0, shared);
        })
      );
    });
  }

  private addNumbers(file: string, { kind, start, end, nameStart, nameEnd, restStart, restEnd }: Line): void {
    const isComment = kind === "comment";
    const isLong = end - start > MAX_LINE_LENGTH;
    const key = file.slice(nameStart, nameEnd).toLowerCase();
    const rest = file.slice(restStart, Math.max(restStart, restEnd));
    const mayHaveNetworks = networkDirectives.has(key);
    const isNaming = namingDirectives.has(key) && !isLong && !rest.includes("[");
    const words = isNaming || mayHaveNetworks ? parseArguments(rest) : [];
    for (const { 0: number, index } of file.slice(start, end).matchAll(/\d+/g)) {
      const at = start + index - restStart;
      const word = words.find((each) => at >= each.start && at < each.end);
      const before = word ? rest.slice(word.start, at) : "";
      const after = word ? rest.slice(at + number.length, word.end) : "";
      const network = mayHaveNetworks && !isLong ? networkPattern.exec(before + number + after) : null;
      if (network) {
        if (before === "") this.networks.push({ first: this.kinds.length, bits: Number(network[1] ?? 32) });
        const octet = this.kinds.length - (this.networks.at(-1)?.first ?? 0);
        this.kinds.push(octet > 0 && octet < 4 ? "octet" : "network");
        continue;
      }
      this.hasOtherAddresses ||= mayHaveNetworks && !upToNumberInWord.test(before);
      const isName = isNaming && word !== undefined && isNameAt(key, before, after);
      this.kinds.push(isComment ? "comment" : isName ? "name" : "fixed");
    }
  }
}

/** Reports whether a number between two texts of an argument of a directive is a name or a part of one. */
function isNameAt(key: string, before: string, after: string): boolean {
  if (key === "authname") return !/[$%{]\w*$/.test(before);
  return upToNumberInWord.test(before) || (before.endsWith("/") && afterNameInPath.test(after));
}

function isOctet(number: string): boolean {
  return number.length <= 3 && Number(number) <= 255 && (number.length === 1 || !number.startsWith("0"));
}

function addressOf(numbers: readonly string[], first: number): number {
  let address = 0;
  for (let index = first; index < first + 4; index++) address = address * 256 + Number(numbers[index]);
  return address;
}

/** Reports whether two addresses are in one network with a prefix of some bits. */
function areInOne(a: number, b: number, bits: number): boolean {
  return Math.floor(a / 2 ** (32 - bits)) === Math.floor(b / 2 ** (32 - bits));
}

/** Reports whether an address is the first one of its network. */
function isWhole(address: number, bits: number): boolean {
  return address % 2 ** (32 - bits) === 0;
}
