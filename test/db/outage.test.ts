import { NeonDbError } from "@neondatabase/serverless";
import { describe, expect, it } from "vitest";
import { isOutage } from "#src/db/outage.ts";

const wrapped = (cause: Error) => new Error("Failed query: SELECT 1", { cause });

describe("isOutage", () => {
  it("tells a database that is away, or gave up one of two, from one that refuses", () => {
    const away = new NeonDbError("Error connecting to database: fetch failed");
    const refusal = Object.assign(new NeonDbError("duplicate key"), { code: "23505" });
    expect(isOutage(wrapped(away))).toBe(true);
    expect(isOutage(away)).toBe(true);
    expect(isOutage(wrapped(refusal))).toBe(false);
    for (const code of ["40P01", "40001", "57P01", "57P03", "53300"]) {
      expect(isOutage(wrapped(Object.assign(new NeonDbError("try again"), { code })))).toBe(true);
    }
    expect(isOutage(new TypeError("a defect"))).toBe(false);
    expect(isOutage(undefined)).toBe(false);
  });
});
