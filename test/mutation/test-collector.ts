import { format } from "node:util";

/** A test, by its name and those of its suites. */
export interface CollectedTest {
  readonly id: string;
  readonly file: string;
  readonly name: string;
  readonly run: () => unknown;
}

type Body = (...args: never[]) => unknown;
type Named = (name: string, ...rest: readonly unknown[]) => void;

/**
 * An implementation of vitest's functions that registers tests, as far as ours need it: in one process and
 * synchronously.
 */
export class Collector {
  readonly tests: CollectedTest[] = [];
  /** The file whose tests are being collected. */
  file = "";
  private readonly suites: string[] = [];
  private readonly ids = new Set<string>();

  /** Returns the functions that replace vitest's. */
  get functions() {
    const test = this.withRows((name, body) => this.add(name, body));
    const describe = this.withRows((name, body) => {
      this.suites.push(name);
      body();
      this.suites.pop();
    });
    return { describe, test, it: test };
  }

  private add(name: string, run: () => unknown): void {
    const full = [...this.suites, name].join(" > ");
    let id = `${this.file}#${full}`;
    for (let i = 2; this.ids.has(id); i++) id = `${this.file}#${full} (${i})`;
    this.ids.add(id);
    this.tests.push({ id, file: this.file, name: full, run });
  }

  /** Returns a function with its variants. Tests that depend on a live server are always left out. */
  private withRows(register: (name: string, run: () => unknown) => void) {
    const single: Named = (name, ...rest) => register(name, () => bodyOf(rest)());
    const each =
      (rows: readonly unknown[]): Named =>
      (name, ...rest) => {
        for (const row of rows) {
          const args = Array.isArray(row) ? row : [row];
          register(format(name, ...args.slice(0, name.match(/%[sijdo]/g)?.length ?? 0)), () => bodyOf(rest)(...args));
        }
      };
    const skip: Named = () => undefined;
    return Object.assign(single, { each, skip, skipIf: () => skip, runIf: () => skip });
  }
}

/** Returns the body; options may precede or follow it. */
function bodyOf(rest: readonly unknown[]): (...args: readonly unknown[]) => unknown {
  const body = rest.find((each): each is Body => typeof each === "function");
  if (body === undefined) throw new Error("the test has no body");
  return (...args) => Reflect.apply(body, undefined, args);
}
