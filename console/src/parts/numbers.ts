/** A number as a person reads it: `15,005`. */
export const number = (count: number): string => count.toLocaleString("en");

/** A number of things: `1 file`, `1,200 files`. */
export const plural = (count: number, one: string, more = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : more}`;
