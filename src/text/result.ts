/** What an operation returns that may fail: its value, or what went wrong. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };
