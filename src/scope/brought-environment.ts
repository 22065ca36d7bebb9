import type { Look } from "./looks.js";

const set: Look = { kind: "constant", value: true };
const unset: Look = { kind: "constant", value: false };

/**
 * Variables for whoever takes note of looks at them. Those that no line has set or taken away are as the request brought
 * them; of others it is known what their being set hangs on, which matters once somebody looks.
 */
export class BroughtEnvironment extends Map<string, string> {
  private readonly looks = new Map<string, Look>();

  /**
   * @param before whose variables are brought along; what they hang on stays so
   * @param own variables that nobody brings along
   */
  constructor(
    before: ReadonlyMap<string, string>,
    private readonly own: ReadonlySet<string>,
  ) {
    super();
    for (const [name, value] of before) super.set(name, value);
    if (before instanceof BroughtEnvironment) for (const [name, look] of before.looks) this.looks.set(name, look);
  }

  /** The same, to be changed by itself. */
  copy(): BroughtEnvironment {
    return new BroughtEnvironment(this, this.own);
  }

  override set(name: string, value: string): this {
    this.looks.set(name, set);
    return super.set(name, value);
  }

  override delete(name: string): boolean {
    this.looks.set(name, unset);
    return super.delete(name);
  }

  /**
   * What a line does that hangs on a test.
   *
   * @param value undefined where it takes the variable away
   */
  changeWhere(test: Look, holds: boolean, name: string, value: string | undefined): void {
    const before = this.lookAt(name);
    this.looks.set(
      name,
      value === undefined
        ? { kind: "not", of: { kind: "any", of: [test, { kind: "not", of: before }] } }
        : { kind: "any", of: [test, before] },
    );
    if (!holds) return;
    if (value === undefined) super.delete(name);
    else super.set(name, value);
  }

  /** What being set hangs on. */
  lookAt(name: string): Look {
    return this.looks.get(name) ?? (this.own.has(name) ? unset : { kind: "env", name });
  }
}

/** Whether a variable is set, as something that was looked at. @param name in lower case */
export function lookAtVariable(env: ReadonlyMap<string, string>, name: string): Look {
  return env instanceof BroughtEnvironment ? env.lookAt(name) : { kind: "constant", value: env.has(name) };
}
