import type { Directive } from "../project/directive.js";
import type { Fault } from "./refusal.js";

/** What the server refuses of a section that gives a provider another name, and lacks one of both. @param remedy as a clause */
export function namelessAlias(section: Directive, remedy: string): Fault | undefined {
  const [provider, alias] = section.arguments;
  if (provider?.value && alias?.value) return undefined;
  const name = section.key === "<authnprovideralias" ? "<AuthnProviderAlias>" : "<AuthzProviderAlias>";
  return {
    server: `${name} directive requires additional arguments`,
    wrong: `\`${name}\` names no provider or no alias`,
    remedy,
    span: section.span,
  };
}
