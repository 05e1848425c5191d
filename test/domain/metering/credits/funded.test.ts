import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { teams } from "#src/db/schema/index.ts";
import { isFunded } from "#src/domain/metering/credits/index.ts";
import { costsCredits, parseModelId } from "#src/domain/models/model-keys/index.ts";
import { modelSettings } from "#src/models/settings.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";

const { db } = await fileDatabase();

const settings = modelSettings({
  DEFAULT_MODEL: "builtin/house/default",
  PLATFORM_MODELS: "vendor/model, gpt-5, a%b/c_d",
  BYOK_ENABLED_TIERS: "pro",
  PUBLIC_URL: "https://workspace.test",
});

/** A team that has nothing. */
const person = await newColleague(db);
await db.update(teams).set(onlyCredits(0)).where(eq(teams.id, person.personalTeamId));

describe("work without credits", () => {
  it.each([
    ["gpt-5", false],
    ["builtin/gpt-5", false],
    ["vendor/model", false],
    ["house/default", false],
    ["builtin/house/default", false],
    ["a%b/c_d", false],
    ["demo", true],
    ["builtin/demo", true],
    ["builtin/vendor/demo", false],
    ["openai/gpt-5", true],
    ["aXb/cYd", true],
    ["vendor/model/more", true],
    ["custom/own/demo", true],
    ["openai/a\nbuiltin/b", true],
  ])("begins where the call will cost none, by the rule of the call: %j", async (id, isAllowed) => {
    const teamId = sql`${person.personalTeamId}::uuid`;
    const before = await db.execute(
      sql`SELECT ${isFunded(sql`${id}::text`, teamId, settings.platformModels)} AS funded`,
    );
    expect(before.rows).toEqual([{ funded: isAllowed }]);
    const isByok = parseModelId(id, settings).kind !== "platform";
    expect(costsCredits({ id, isByok })).toBe(!isAllowed);
  });
});
