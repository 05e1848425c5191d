import { describe, expect, it } from "vitest";
import { isReservedName } from "#src/lib/reserved-names.ts";
import { endpoints } from "#src/routes/index.ts";

const reserved = (list: string) => list.split(" ").filter(isReservedName);

describe("a reserved name", () => {
  it("is a word of the service, and no other word", () => {
    const words = "admin administrator support root system security api www postmaster";
    expect(reserved(words)).toEqual(words.split(" "));
    expect(reserved("ada ada-lovelace supporters administer roots user_k3x9q2 rootbeer team-9")).toEqual([]);
  });

  it.each([
    ["in capitals", "ADMIN"],
    ["with digits for letters", "4dm1n"],
    ["with an l for an i", "admln"],
    ["with rn for m", "adrnin"],
    ["with separators", "a_d-m.i n"],
    ["in mathematical letters", "𝖘𝖚𝖕𝖕𝖔𝖗𝖙"],
    ["with a ligature", "o\ufb03cial"],
    ["with an invisible character", "ad\u200bmin"],
    ["with a Cyrillic letter", "\u0430dmin"],
  ])("is a look-alike %s", (_, name) => {
    expect(isReservedName(name)).toBe(true);
  });

  it("is whatever stands at the beginning of a path, or behind /api/", () => {
    const paths = endpoints.flatMap(({ path, aliases }) => [path, ...aliases]);
    const words = paths.flatMap((path) =>
      path
        .replace(/^\/api(?=\/)/u, "")
        .split("/")
        .slice(1, 2),
    );
    const literal = words
      .filter((word) => /^[a-z][a-z0-9.-]*$/u.test(word))
      .map((word) => word.replace(/\..*/u, ""));
    expect([...new Set(literal)].filter((word) => !isReservedName(word))).toEqual([]);
  });
});
