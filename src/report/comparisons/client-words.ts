import type { ClientDescription } from "../../proof/clients/client-description.js";
import { pluralize } from "../../text/words.js";

/** The words for a client from any address. */
export const ANY_CLIENT = "any client";

/** Formats the addresses of clients: `any client except 10.0.0.0/8`, `10.0.0.0/8`. */
export function formatAddresses(clients: readonly string[]): string {
  if (clients.length === 0) return ANY_CLIENT;
  const families = clients.map((text) => /^all (IPv[46])(?: but (.*))?$/.exec(text));
  const exceptions = families.flatMap((match) => match?.[2] ?? []);
  if (families.length === 2 && families.every((match) => match !== null)) return except(ANY_CLIENT, exceptions);
  return clients
    .map((text, index) => {
      const [, family, exception] = families[index] ?? [];
      return family === undefined ? text : except(`any ${family} client`, exception === undefined ? [] : [exception]);
    })
    .join(", ");
}

function except(clients: string, exceptions: readonly string[]): string {
  return exceptions.length === 0 ? clients : `${clients} except ${exceptions.join(", ")}`;
}

/** Formats the login of clients: `not logged in`, `logged in as any user except \`a\``; empty if it does not matter. */
export function formatLogins(users: readonly string[]): string {
  const named = users.filter((each) => each !== NO_USER).map(formatUser);
  const logins = [
    ...(users.includes(NO_USER) ? ["not logged in"] : []),
    ...(named.length === 0 ? [] : [`logged in as ${named.join(" or ")}`]),
  ];
  return logins.join(", or ");
}

/** Formats users as a subject: `any logged-in user`, `users \`a\`, \`b\``; empty if any client is meant. */
export function formatUsers(users: readonly string[]): string {
  const named = users.filter((each) => each.startsWith("`"));
  const groups = users.filter((each) => !each.startsWith("`"));
  return [
    ...(named.length === 0 ? [] : [`${pluralize("user", named.length)} ${named.join(", ")}`]),
    ...groups.map((each) =>
      each === NO_USER ? "clients without a login" : formatUser(each).replace(/^any /, "any logged-in "),
    ),
  ].join(" or ");
}

/** Formats conditions as a clause that starts with `if`; empty if there are none. */
export function formatConditions(conditions: ClientDescription["conditions"]): string {
  return conditions.length === 0 ? "" : `if ${conditions.join(" and ")}`;
}

const NO_USER = "no user";

function formatUser(user: string): string {
  return user.replace(/^(any user) but /, "$1 except ");
}
