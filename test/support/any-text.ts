import * as fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10_ffff;

const anyCharacter = fc.integer({ min: 0, max: LAST - SURROGATES }).map(
  (nth) => String.fromCodePoint(nth < FIRST_SURROGATE ? nth : nth + SURROGATES),
  (character) => {
    if (typeof character !== "string" || !/^\P{Surrogate}$/su.test(character))
      throw new Error("No character");
    const code = character.codePointAt(0) ?? 0;
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);

/** Texts of any characters, as with the library's unit `binary`, whose table of them all takes each process four seconds. */
export function anyText(constraints: fc.StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter });
}
