import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { GENERATED, generateClientTypes } from "#local/generate-client-types.ts";

describe("the client's generated files", () => {
  it("are of this OpenAPI document", async () => {
    const generated = await generateClientTypes();
    const stale = await Promise.all(
      Object.entries(generated).map(async ([name, text]) => {
        const kept = await readFile(path.join(GENERATED, name), "utf8");
        return kept === text ? [] : [name];
      }),
    );
    expect(stale.flat(), "Run `npm run client:types` and commit sdk/src/generated").toEqual([]);
  });
});
