/** Most tokens of a result in the model's window; the rest is kept as a file. */
export const RESULT_TOKENS = 25_000;
