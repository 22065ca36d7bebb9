import type { Argument } from "../../grammar/ast.js";
import { quoted } from "../../src/project/problems.js";
import { networkBeforeStars, readSubnet } from "../../src/text/addresses.js";

/** What a word is compared with. */
export type Meant = "client" | "host" | "name" | "variable";

/** What is wrong with a word, and what to write. */
interface Advice {
  readonly wrong: string;
  readonly remedy: string;
  /** Where nothing else comes of it than what it reads like. */
  readonly isHarmless?: boolean;
}

/** What reads like a keyword behind `from`, where `all` and `env=` are the only ones. */
export function adviceOnKeyword({ value }: Argument, keepsOut: boolean): Advice | undefined {
  if (/^env$/i.test(value))
    return { wrong: "without a `=` this is the name of a host", remedy: "write `env=` and the variable" };
  // `Deny from none` reads like what it does.
  if (/^none$/i.test(value) && !keepsOut)
    return { wrong: "`none` is no keyword but the name of a host", remedy: "take it out", isHarmless: true };
  return undefined;
}

export function adviceOn({ value, quote }: Argument, meant: Meant): Advice | undefined {
  if (meant === "variable") return adviceOnVariable(value);
  // A name in quotes may well have a comma in it.
  if (value.includes(",") && quote === "none")
    return { wrong: "commas do not part words here", remedy: "put spaces in their place" };
  if (value.includes(";") && quote === "none")
    return { wrong: "semicolons do not part words here", remedy: "put spaces in their place" };
  if (meant === "name")
    return value === "*"
      ? {
          wrong: "`*` stands for itself here",
          remedy: "write `Require valid-user` for all who have a password, or the names",
        }
      : undefined;
  if (/[\t ]/.test(value.trim()))
    return { wrong: "what stands in quotes is one name here", remedy: "take the quotes off" };
  if (/^[\d.]+-[\d.]+$/.test(value))
    return { wrong: "a range is taken for the name of a host here", remedy: "write networks, such as `192.0.2.0/28`" };
  if (value.startsWith("@"))
    return { wrong: "`@` names no group of hosts here", remedy: "write their addresses, or the domain" };
  if (value.includes("*"))
    return {
      wrong: "`*` stands for itself here",
      remedy: withoutStars(value, meant),
    };
  if (meant === "client") return undefined;
  if (/^all$/i.test(value)) return { wrong: "`Require host` compares names", remedy: "write `Require all granted`" };
  const isAddress = "subnet" in readSubnet(value);
  if (isAddress)
    return { wrong: "`Require host` compares names, and an address is none", remedy: `write \`Require ip ${value}\`` };
  if (/[/:]/.test(value)) return { wrong: "a host's name has no `/` or `:` in it", remedy: "write the name alone" };
  return undefined;
}

/** Allow and Deny take `env=!NAME`, and Require has its own word for that. */
function adviceOnVariable(value: string): Advice | undefined {
  if (!value.startsWith("!")) return undefined;
  return {
    wrong: "`!` is a part of the variable's name here",
    remedy: `write ${quoted(`Require not env ${value.slice(1)}`)} beside what lets in, within \`<RequireAll>\``,
  };
}

/** What to write in place of a word with `*` in it. */
function withoutStars(value: string, meant: Meant): string {
  const network = networkBeforeStars(value);
  if (network !== undefined) return `write \`${meant === "host" ? "Require ip " : ""}${network}\``;
  return /^\*\.[^*]+$/.test(value) ? `write ${quoted(value.slice(1))} for all of a domain` : "write a domain, or all";
}
