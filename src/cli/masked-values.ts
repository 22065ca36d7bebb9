import { secretValuesOf } from "../report/secret-values.js";
import { withoutValues } from "../report/secrets.js";
import { toReadable } from "../text/source.js";
import type { LoadedServer } from "./server.js";

/** What is as good as no word of ours, so that no report loses its own: six characters, not letters alone, no marks of JSON. */
const distinct = /^(?=.*[^A-Za-z])(?=.*[A-Za-z])[\w.+@%!$^*/=~-]{6,}$/;

/** A report with the values masked that lines take from variables whose names say that these are secrets. */
export function* withMaskedValues(pieces: Iterable<string>, servers: readonly LoadedServer[]): Generator<string> {
  const values = servers.flatMap(({ project, read: { load } }) =>
    secretValuesOf(
      [...project.files.values()].map(({ source }) => source),
      load.environment,
      load.defines,
    ),
  );
  const shown = [...new Set(values.map(toReadable))].filter((value) => distinct.test(value));
  for (const piece of pieces) yield shown.length === 0 ? piece : withoutValues(piece, shown);
}
