import { type Project, RulePlaces, type Scope, SettingPlaces } from "../../src/lint/api/configuration.js";

/** Finds whether the rules of a scope compare the path of the request, or one that rules of other scopes have changed. */
export class OriginalPaths {
  /** Directories whose rules are combined with those of others. */
  private readonly inheriting: SettingPlaces;
  /** Of them, those whose own rules do not come first. */
  private readonly following: SettingPlaces;
  private readonly ofServers: { readonly scope: Scope; readonly words: ReadonlySet<string> }[] = [];

  constructor(project: Project) {
    const places = new RulePlaces(project);
    this.inheriting = new SettingPlaces(places);
    this.following = new SettingPlaces(places);
  }

  /** Records the options of a scope. */
  visit(scope: Scope): void {
    const words = optionsOf(scope);
    if (isServer(scope)) this.ofServers.push({ scope, words });
    else if ([...words].some((word) => word.startsWith("inherit"))) {
      this.inheriting.add(scope);
      if (words.has("inheritbefore") || words.has("inheritdown")) this.following.add(scope);
    }
  }

  /**
   * Returns whether rules of other scopes may come before those of a scope (mod_rewrite.c `config_server_merge`,
   * `config_perdir_merge`).
   */
  mayFollowOthers(scope: Scope): boolean {
    if (!isServer(scope)) return this.following.mayApplyTo(scope) || this.inheriting.mayMeetOther(scope);
    const main = this.ofServers.find((each) => each.scope.place === "server")?.words ?? noWords;
    const effective = (words: ReadonlySet<string>) => (words.size > 0 ? words : main);
    if (scope.place === "virtualhost")
      return effective(optionsOf(scope)).has("inheritbefore") || main.has("inheritdownbefore");
    // The rules of a virtual host come before those that it inherits.
    return this.ofServers.some(
      (host) =>
        host.scope.place === "virtualhost" &&
        host.scope.directives.some(({ key }) => key === "rewriterule") &&
        (effective(host.words).has("inherit") || main.has("inheritdown")),
    );
  }

  /** Returns whether the rules of a server see URLs of other servers, which are not paths (`hook_uri2file`). */
  get allowAnyUrl(): boolean {
    return this.ofServers.some(({ words }) => words.has("allowanyuri"));
  }
}

const noWords: ReadonlySet<string> = new Set();

function isServer({ place }: Scope): boolean {
  return place === "server" || place === "virtualhost";
}

/** Returns the words of the RewriteOptions lines of a scope, in lower case. */
function optionsOf({ directives }: Scope): ReadonlySet<string> {
  const lines = directives.filter(({ key }) => key === "rewriteoptions");
  return new Set(lines.flatMap((line) => line.arguments.map(({ value }) => value.toLowerCase())));
}
