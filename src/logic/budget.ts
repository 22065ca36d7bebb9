/**
 * What an operation gives that would go beyond its budget. Operations take it as an operand too and pass it on, so that a
 * long computation is asked once, at its end, whether it came to one.
 */
export type TooLarge = "too large";
