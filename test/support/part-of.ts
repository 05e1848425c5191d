/** Of a value, and of the values in it, the members that a test gives. */
type Part<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { [Name in keyof T]?: T[Name] | Part<T[Name]> }
    : T;

/** Asked of every value that is awaited or printed. */
const ASKED_OF_ALL: ReadonlySet<string> = new Set(["then", "toJSON"]);

/** A stand-in that has of its type only what a test uses. It throws where another of its own members is reached for. */
export function partOf<T extends object>(part: NoInfer<Part<T>>): T {
  const guarded = new Proxy<object>(part, {
    get(target, name) {
      if (!(name in target) && typeof name === "string" && !ASKED_OF_ALL.has(name)) {
        throw new Error(`The test gave its stand-in no '${name}'`);
      }
      const member: unknown = Reflect.get(target, name);
      // The methods of a class may reach for private fields, which a proxy does not have.
      const isInherited = !Object.hasOwn(target, name);
      return isInherited && typeof member === "function" ? member.bind(target) : member;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is missing is refused above, by its name
  return guarded as T;
}
