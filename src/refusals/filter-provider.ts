/** What a FilterProvider of 2.2 looks at, in words of an expression: by what stands before the `=`, if anything does. */
function subjectOf(dispatch: string): string | undefined {
  const [, from = "", name = ""] = /^(?:(env|req|resp)=)?([\w-]+)$/i.exec(dispatch) ?? [];
  if (name === "") return undefined;
  const source = from.toLowerCase();
  if (source === "env") return `%{reqenv:${name}}`;
  if (source === "req") return `%{req:${name}}`;
  if (source === "" && /^handler$/i.test(name)) return "%{HANDLER}";
  return /^content-type$/i.test(name) ? "%{CONTENT_TYPE}" : `%{resp:${name}}`;
}

/** How it looks; undefined where an expression cannot say the same. */
function testOf(subject: string, match: string): string | undefined {
  if (match === "*") return `-n ${subject}`;
  const number = /^(>=?)([1-9]\d*)$/.exec(match);
  if (number) return `${subject} ${number[1] === ">" ? "-gt" : "-ge"} ${number[2]}`;
  const [, pattern, flag = ""] = /^\/(.*)\/(i?)$/.exec(match) ?? [];
  // A quote, a backslash or the delimiter would have to be written otherwise.
  if (pattern !== undefined) return /["\\#]/.test(pattern) ? undefined : `${subject} =~ m#${pattern}#${flag}`;
  if (/^\$[\w/;+-]+$/.test(match)) return `${subject} =~ m#${escaped(match.slice(1))}#i`;
  return /^[\w/;+-]+$/.test(match) ? `${subject} =~ m#^${escaped(match)}$#i` : undefined;
}

function escaped(text: string): string {
  return text.replaceAll("+", "[+]");
}

/**
 * The expression that 2.4 takes in place of what a FilterProvider of 2.2 is dispatched on and what that must match
 * (modules/filters/mod_filter.c of 2.2); undefined where there is none that says the same.
 */
export function providerExpression(dispatch: string, match: string): string | undefined {
  const subject = subjectOf(dispatch);
  if (subject === undefined) return undefined;
  const isNegated = match.startsWith("!");
  const test = testOf(subject, isNegated ? match.slice(1) : match);
  return test === undefined || !isNegated ? test : `!(${test})`;
}
