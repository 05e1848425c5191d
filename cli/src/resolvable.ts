/** What a definition has at once, or loads when it is asked for. */
type Resolvable<T> = T | Promise<T> | (() => T | Promise<T>);

/** The value of a part of a command's definition. */
export async function valueOf<T>(given: Resolvable<T>): Promise<T> {
  return isFunction(given) ? given() : given;
}

function isFunction<T>(given: Resolvable<T>): given is () => T | Promise<T> {
  return typeof given === "function";
}
