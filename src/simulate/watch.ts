import type { Request } from "../scope/request.js";

/** What a run looked at, noted where somebody asks why a request is answered as it is. */
export class Watch {
  /** The environment variables that were asked for. */
  readonly variables = new Set<string>();
  /** The client's name was looked up. */
  hostName = false;
  /** Requests whose credentials were asked for. */
  private readonly asked = new WeakSet<Request>();

  /** Whether the credentials of a request as `request` gives it were asked for. */
  asksUser(request: Request): boolean {
    return this.asked.has(request);
  }

  /** The same request, which notes what is looked at. */
  request(request: Request): Request {
    const watched = { ...request };
    const note = (name: "user" | "clientHost", seen: () => void) => {
      if (request[name] === undefined) return;
      Object.defineProperty(watched, name, {
        get() {
          seen();
          return request[name];
        },
      });
    };
    note("user", () => {
      this.asked.add(watched);
    });
    note("clientHost", () => {
      this.hostName = true;
    });
    return watched;
  }

  /** The same variables, which note what is looked at. */
  environment(variables: ReadonlyMap<string, string>): Map<string, string> {
    return new WatchedVariables(variables, this.variables);
  }
}

class WatchedVariables extends Map<string, string> {
  private readonly asked: Set<string> | undefined;

  constructor(variables: ReadonlyMap<string, string>, asked: Set<string>) {
    super(variables);
    this.asked = asked;
  }

  override get(name: string): string | undefined {
    this.asked?.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.asked?.add(name);
    return super.has(name);
  }
}
