import type { Look } from "./looks.js";

/** Variables for whoever takes note of looks at them: those that no line has set or taken away are as the request brought them. */
export class BroughtEnvironment extends Map<string, string> {
  private readonly written = new Set<string>();

  /** @param before whose variables are brought along; what was written there stays so */
  constructor(before: ReadonlyMap<string, string>) {
    super();
    for (const [name, value] of before) super.set(name, value);
    if (before instanceof BroughtEnvironment) for (const name of before.written) this.written.add(name);
  }

  override set(name: string, value: string): this {
    this.written.add(name);
    return super.set(name, value);
  }

  override delete(name: string): boolean {
    this.written.add(name);
    return super.delete(name);
  }

  isWritten(name: string): boolean {
    return this.written.has(name);
  }
}

/** Whether a variable is set, as something that was looked at. @param name in lower case */
export function lookAtVariable(env: ReadonlyMap<string, string>, name: string): Look {
  if (env instanceof BroughtEnvironment && !env.isWritten(name)) return { kind: "env", name };
  return { kind: "constant", value: env.has(name) };
}
