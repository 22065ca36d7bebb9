import type { WhoGetsIn } from "../compare/access-map.js";
import type { Senders } from "../compare/regions.js";

/** Who gets in, in plain words: `everybody`, `nobody (403)`, `10.0.0.0/8; any user from elsewhere; others get 401`. */
export function whoText({ allowed, others }: WhoGetsIn): string {
  const refused = others.join(" or ");
  if (allowed.length === 0) return `nobody (${refused})`;
  if (others.length === 0) return "everybody";
  const rest = elsewhere(allowed);
  const first = allowed.filter((each) => each !== rest).map((each) => sendersText(each, each.clients));
  const last = rest ? [sendersText(rest, ["elsewhere"])] : [];
  return `${[...first, ...last].join("; ")}; others get ${refused}`;
}

/** The one of several whose clients are all but those of the others. */
function elsewhere(allowed: readonly Senders[]): Senders | undefined {
  const networksOf = (clients: readonly string[]) => clients.flatMap((each) => each.split(", "));
  return allowed.find((each) => {
    const others = allowed.filter((other) => other !== each).flatMap(({ clients }) => networksOf(clients));
    const excepted = each.clients.flatMap((text) => networksOf([text.replace(/^all IPv[46](?: but )?/, "")]));
    const isAll = each.clients.length === 2 && each.clients.every((text) => /^all IPv[46]/.test(text));
    const left = new Set(excepted.filter((text) => text !== ""));
    return isAll && left.size > 0 && others.length === left.size && others.every((text) => left.has(text));
  });
}

const all = new Set(["all IPv4", "all IPv6"]);

function sendersText({ users, conditions }: Senders, clients: readonly string[]): string {
  const isAnywhere = clients.length !== 1 && clients.every((each) => all.has(each));
  const who = usersText(users);
  const from = isAnywhere ? "" : clients.join(", ");
  const such = conditions.map((each) => `where ${each}`).join(", ");
  const subject = who === "" ? from || "anybody" : from === "" ? who : `${who} from ${from}`;
  return such === "" ? subject : `${subject} ${such}`;
}

function usersText(users: readonly string[]): string {
  if (users.length === 0) return "";
  const named = users.filter((each) => each.startsWith("`"));
  const others = users.filter((each) => !each.startsWith("`"));
  const names = named.length === 0 ? [] : [`${named.length === 1 ? "user" : "users"} ${named.join(", ")}`];
  return [...names, ...others].join(" or ");
}
