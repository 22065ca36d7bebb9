import type { Request } from "../scope/request.js";

/** What a run looked at, noted where somebody asks why a request is answered as it is. */
export class Watch {
  /** The environment variables that were asked for. */
  readonly variables = new Set<string>();
  /** The client's name was looked up. */
  hostName = false;
  /** Credentials were asked for. */
  user = false;

  /**
   * The same request, which notes what is looked at.
   *
   * @param isFirst whether it is not one that the server makes itself, whose user stays its own
   */
  request(request: Request, isFirst: boolean): Request {
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
      this.user ||= isFirst;
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
